"""Which pairs a gate is shown, and when it is enough; the gates are functions."""

from dataclasses import replace

import numpy as np
import pytest

from auditor.core.contracts.qualify import (
    CheckoutVersion,
    DemandState,
    GateAnswer,
    GatePlan,
    GateSubject,
    ShownCase,
    SlowedSide,
)
from auditor.core.errors import SubjectError
from auditor.measure.context import Deadline
from auditor.qualify.study import QualifyStudy

SUBJECTS = (GateSubject(method="a.Parse"), GateSubject(method="a.Print"))
PLAN = GatePlan(factors=(1.1, 2.0, 10.0), runs=20)


class Remembered(dict):
    """What was shown, by case and number."""

    def load_answer(self, case, number):
        return self.get((case, number))

    def save_answer(self, shown_case):
        self[shown_case.case, shown_case.number] = shown_case


class Clock:
    def __init__(self):
        self.now_is = 0.0

    def monotonic(self):
        return self.now_is


class Gate:
    """Answers by a function of the case, and takes a minute."""

    def __init__(self, answer, clock=None):
        self.answer = answer
        self.clock = clock
        self.shown = []

    def show_case(self, case, number, turns):
        self.shown.append((case, number, turns))
        if self.clock:
            self.clock.now_is += 60.0
        return ShownCase(
            case=case,
            number=number,
            answer=self.answer(case),
            turn=turns if self.answer(case) is GateAnswer.QUIET else 1,
            seconds=60.0,
            ran=tuple(CheckoutVersion),
            tail="one\ntwo",
        )


def study(gate, plan=PLAN, subjects=SUBJECTS, **more):
    return QualifyStudy(subjects, plan, gate, more.pop("memory", Remembered()), **more)


def ignore(*_):
    pass


def above(limit):
    def answer(case):
        slow = case.side is SlowedSide.SLOWED and case.factor >= limit
        return GateAnswer.ALARM if slow else GateAnswer.QUIET

    return answer


def test_a_gate_that_is_sure_is_known_after_five_pairs_of_a_kind():
    gate = Gate(above(2.0))

    qualify = study(gate).qualify_gate(ignore)

    counts = {
        (rate.case.side, rate.case.method, rate.case.factor): (rate.alarms, rate.pair_count)
        for rate in qualify.rates
    }
    assert counts == {
        (SlowedSide.SAME, "", 1.0): (0, 20),
        **{(SlowedSide.SLOWED, name, 1.1): (0, 5) for name in ("a.Parse", "a.Print")},
        **{(SlowedSide.SLOWED, name, 2.0): (5, 5) for name in ("a.Parse", "a.Print")},
        **{(SlowedSide.SLOWED, name, 10.0): (5, 5) for name in ("a.Parse", "a.Print")},
        (SlowedSide.SPED, "a.Parse", 10.0): (0, 5),
    }
    assert qualify.seen_from == {"a.Parse": 2.0, "a.Print": 2.0}
    assert qualify.diagnoses == ()


def test_what_tells_most_comes_first_and_a_dead_gate_is_not_shown_the_rest():
    gate = Gate(lambda _: GateAnswer.QUIET)

    qualify = study(gate).qualify_gate(ignore)

    first = [(gate_case.side, gate_case.factor) for gate_case, _, _ in gate.shown[:4]]
    assert first == [
        (SlowedSide.SAME, 1.0),
        (SlowedSide.SLOWED, 10.0),
        (SlowedSide.SLOWED, 10.0),
        (SlowedSide.SPED, 10.0),
    ]
    assert [str(diagnose.flaw) for diagnose in qualify.diagnoses] == ["dead"]
    small = [gate_case for gate_case, _, _ in gate.shown if gate_case.factor in {1.1, 2.0}]
    assert len(small) < 2 * 2 * 5  # none after the largest one is known not to be seen
    turns = {
        turns
        for gate_case, _, turns in gate.shown
        if gate_case.factor == 10.0 and gate_case.side is SlowedSide.SLOWED
    }
    assert turns == {PLAN.turns}


def test_a_gate_that_always_fires_is_told_from_a_noisy_one_and_sees_nothing():
    plan = replace(PLAN, must_see=2.0, most_false_alarms=0.05)

    qualify = study(Gate(lambda _: GateAnswer.ALARM), plan).qualify_gate(ignore)

    assert [str(diagnose.flaw) for diagnose in qualify.diagnoses] == ["always"]
    assert [demand.answer for demand in qualify.demands] == [DemandState.FAILED, DemandState.FAILED]
    assert qualify.seen_from == {"a.Parse": None, "a.Print": None}
    assert [rate.pair_count for rate in qualify.rates if rate.case.side is SlowedSide.SAME] == [5]


def test_a_gate_that_fires_is_run_once_in_each_pair():
    gate = Gate(above(2.0))

    study(gate).qualify_gate(ignore)

    assert {turns for _, _, turns in gate.shown[2:]} == {1}


def test_the_same_again_shows_nothing_and_says_the_same():
    memory, gate = Remembered(), Gate(above(2.0))
    first = study(gate, memory=memory).qualify_gate(ignore)
    shown_count = len(gate.shown)

    second = study(gate, memory=memory).qualify_gate(ignore)

    assert len(gate.shown) == shown_count
    assert (first.stored_answers, second.stored_answers) == (0, shown_count)
    assert replace(second, stored_answers=0) == first


def test_a_gate_that_was_quiet_in_fewer_turns_is_shown_the_pair_again():
    memory, gate = Remembered(), Gate(lambda _: GateAnswer.QUIET)
    study(gate, replace(PLAN, turns=1), memory=memory).qualify_gate(ignore)
    asked_once = len(gate.shown)

    study(gate, replace(PLAN, turns=10), memory=memory).qualify_gate(ignore)

    assert len(gate.shown) > asked_once
    assert {turns for _, _, turns in gate.shown[asked_once:]} == {10}
    asked_more = len(gate.shown)
    study(gate, replace(PLAN, turns=4), memory=memory).qualify_gate(ignore)
    assert len(gate.shown) == asked_more


def test_the_budget_ends_it_and_the_same_call_goes_on():
    clock, memory = Clock(), Remembered()
    gate = Gate(above(2.0), clock)

    part = study(gate, memory=memory, deadline=Deadline(clock, 600.0)).qualify_gate(ignore)

    assert 9 <= len(gate.shown) <= 10
    assert part.seen_from == {"a.Parse": None, "a.Print": None}
    complete = study(gate, memory=memory).qualify_gate(ignore)
    assert complete.seen_from == {"a.Parse": 2.0, "a.Print": 2.0}


def test_a_gate_that_only_fails_is_an_error_and_not_a_measurement():
    gate = Gate(lambda _: GateAnswer.FAILED)

    with pytest.raises(SubjectError, match=r"gives no verdict: .* 3 times \(one / two\)") as error:
        study(gate).qualify_gate(ignore)
    assert len(gate.shown) == 3
    assert "\n" not in str(error.value)


def test_a_method_that_cannot_be_slowed_is_not_shown():
    gate = Gate(above(2.0))
    subjects = (GateSubject(method="a.Native", refusal="it has no body"), SUBJECTS[0])

    qualify = study(gate, subjects=subjects).qualify_gate(ignore)

    assert {gate_case.method for gate_case, _, _ in gate.shown} == {"", "a.Parse"}
    assert qualify.subjects == subjects


@pytest.mark.parametrize("chance", [0.01, 0.3])
def test_of_gates_with_a_rate_of_false_alarms_few_are_judged_wrongly(chance):
    """At five percent: noisy is said of one in a hundred that is not, and of most that are."""
    wrong = 0
    for seed in range(200):
        random = np.random.default_rng(seed)

        def answer(case, random=random):
            if case.side is SlowedSide.SLOWED:
                return GateAnswer.ALARM
            return GateAnswer.ALARM if random.random() < chance else GateAnswer.QUIET

        qualify = study(Gate(answer), subjects=SUBJECTS[:1]).qualify_gate(ignore)
        noisy = {"noisy", "always"} & {str(diagnose.flaw) for diagnose in qualify.diagnoses}
        wrong += bool(noisy) is (chance < 0.05)
    assert wrong <= 20


def test_progress_is_told():
    progress = []

    study(Gate(above(2.0))).qualify_gate(
        lambda shown_case, left: progress.append((shown_case.case.side, left))
    )

    assert len(progress) > 20
    assert progress[-1][1] == 0
