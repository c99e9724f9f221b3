"""What the answers of a gate say of it."""

from dataclasses import replace

import pytest

from auditor.core.contracts.qualify import (
    CheckoutVersion,
    DemandState,
    Flaw,
    GateAnswer,
    GateCase,
    GatePlan,
    GateSubject,
    InjectedDelay,
    ShownCase,
    SlowedSide,
)
from auditor.core.mutant import Delay, InjectionKind
from auditor.qualify.judge import is_detected, is_settled, judge_gate, measure_alarm_rate

PARSE = GateSubject(method="a.Parse", reached_by=("BenchmarkParse",))
PRINT = GateSubject(method="a.Print")
SAME = GateCase(side=SlowedSide.SAME)
PLAN = GatePlan(factors=(1.5, 10.0))
BOTH_VERSIONS = (CheckoutVersion.BASE, CheckoutVersion.HEAD)


def case(factor, side=SlowedSide.SLOWED, method="a.Parse"):
    return GateCase(side=side, method=method, factor=factor)


def answers(gate_case, *, alarms=0, quiet=0, failed=0, turn=1, ran=BOTH_VERSIONS):
    gate_answers = (
        [GateAnswer.ALARM] * alarms + [GateAnswer.QUIET] * quiet + [GateAnswer.FAILED] * failed
    )
    return [
        ShownCase(
            case=gate_case, number=number, answer=answer, turn=turn, seconds=2.0 * turn, ran=ran
        )
        for number, answer in enumerate(gate_answers, 1)
    ]


def flaws(*answer_groups, plan=PLAN, subjects=(PARSE,)):
    qualification = judge_gate(
        subjects, plan, [answer for part in answer_groups for answer in part]
    )
    return {diagnose.flaw: diagnose.evidence for diagnose in qualification.diagnoses}


GOOD = (
    *answers(SAME, quiet=20),
    *answers(case(10.0), alarms=5),
    *answers(case(10.0, SlowedSide.SPED), quiet=5),
)


def test_a_rate_has_the_interval_of_clopper_and_pearson():
    """Of 5 of 5 the lower bound is .05 ** (1/5); of none of 20 the upper one 1 - .05 ** (1/20)."""
    five = measure_alarm_rate(case(10.0), answers(case(10.0), alarms=5, failed=2))
    none = measure_alarm_rate(SAME, answers(SAME, quiet=20))

    assert (five.alarms, five.pair_count, five.failed, five.seconds) == (5, 5, 2, 2.0)
    assert five.interval == (pytest.approx(0.05 ** (1 / 5)), 1.0)
    assert none.interval == (0.0, pytest.approx(1 - 0.05 ** (1 / 20)))
    assert measure_alarm_rate(SAME, []).interval == (0.0, 1.0)


@pytest.mark.parametrize(
    ("alarms", "quiet", "expected"),
    [(5, 0, True), (4, 0, None), (0, 5, False), (0, 4, None), (7, 1, True), (6, 2, None)],
)
def test_a_slowdown_is_seen_where_it_is_more_often_than_not(alarms, quiet, expected):
    alarm_rate = measure_alarm_rate(case(1.5), answers(case(1.5), alarms=alarms, quiet=quiet))

    assert is_detected(alarm_rate) is expected
    assert is_settled(alarm_rate, PLAN) is (expected is not None)
    assert is_settled(alarm_rate, replace(PLAN, runs=alarms + quiet))


def test_false_alarms_are_counted_until_it_is_known_whether_they_are_too_many():
    def is_decided(alarms, quiet, **plan):
        return is_settled(
            measure_alarm_rate(SAME, answers(SAME, alarms=alarms, quiet=quiet)),
            replace(PLAN, runs=100, **plan),
        )

    assert not is_decided(1, 0)  # the lower bound is .05
    assert not is_decided(0, 58)
    assert is_decided(0, 59)  # .05 ** (1/59) is .9505
    assert not is_decided(2, 0)  # .05 ** (1/2) is .22: too many, but perhaps it fires always
    assert is_decided(5, 0)
    assert is_decided(5, 14)
    assert not is_decided(1, 5, most_false_alarms=0.2)
    assert is_decided(0, 14, most_false_alarms=0.2)


def test_a_gate_without_a_flaw_has_none():
    assert flaws(GOOD) == {}


def test_a_gate_that_never_fires_is_dead():
    result = flaws(answers(SAME, quiet=5), answers(case(10.0), quiet=5, turn=4))

    assert list(result) == [Flaw.DEAD]
    assert "none of 5 slowdowns, 10 times and less" in result[Flaw.DEAD]
    assert flaws(answers(SAME, quiet=5), answers(case(10.0), quiet=2, turn=4)) == {}


def test_one_that_fires_when_it_is_run_again_is_late_and_not_dead():
    result = flaws(answers(SAME, quiet=5), answers(case(10.0), alarms=5, turn=3))

    assert list(result) == [Flaw.LATE]
    assert "run 3 times" in result[Flaw.LATE]


def test_one_that_fires_at_what_got_faster_is_inverted():
    result = flaws(
        answers(SAME, quiet=5),
        answers(case(10.0), quiet=5),
        answers(case(10.0, SlowedSide.SPED), alarms=5),
    )

    assert list(result) == [Flaw.INVERTED]
    assert "5 of 5 times where head is 10 times as fast" in result[Flaw.INVERTED]
    assert "0 of 5 times where it is 10 times as slow" in result[Flaw.INVERTED]


def test_one_that_fires_at_both_is_said():
    result = flaws(
        answers(SAME, quiet=5),
        answers(case(10.0), alarms=5),
        answers(case(10.0, SlowedSide.SPED), alarms=5),
    )

    assert list(result) == [Flaw.TWO_SIDED]


def test_one_that_fires_at_what_is_alike_is_noisy_or_fires_always():
    noisy = flaws(answers(SAME, alarms=3, quiet=9), GOOD[20:])
    always = flaws(answers(SAME, alarms=5), GOOD[20:])

    assert list(noisy) == [Flaw.NOISY]
    assert "3 of 12 times at base and head that are alike" in noisy[Flaw.NOISY]
    assert list(always) == [Flaw.ALWAYS]
    plan = replace(PLAN, most_false_alarms=0.5)
    assert flaws(answers(SAME, alarms=3, quiet=9), GOOD[20:], plan=plan) == {}
    assert flaws(answers(SAME, alarms=1), GOOD[20:]) == {}


def test_one_that_runs_one_version_twice_compares_it_with_itself():
    head = [replace(answer, ran=(CheckoutVersion.HEAD,)) for answer in GOOD]
    none = [replace(answer, ran=()) for answer in GOOD]

    assert flaws(head)[Flaw.SELF_COMPARISON] == "in all 30 runs only the code of head was run"
    assert "in none of 30 runs" in flaws(none)[Flaw.NOT_RUN]
    assert flaws([*head, GOOD[0]]) == {}


def test_one_that_sees_another_method_only_is_blind():
    result = flaws(GOOD, answers(case(10.0, method="a.Print"), quiet=5), subjects=(PARSE, PRINT))

    assert list(result) == [Flaw.BLIND]
    assert "a.Print 10 times as slow; no benchmark calls it" in result[Flaw.BLIND]


def test_what_is_asked_is_answered_with_yes_no_or_unknown():
    def demands(*answer_groups, skipped=(), **plan):
        qualification = judge_gate(
            (PARSE,),
            replace(PLAN, **plan),
            [answer for part in answer_groups for answer in part],
            skipped,
        )
        return [demand.answer for demand in qualification.demands]

    seen_well = answers(case(1.5), alarms=5)
    assert demands(GOOD) == []
    assert demands(GOOD, seen_well, must_see=1.5) == [DemandState.PASSED]
    assert demands(GOOD, answers(case(1.5), quiet=5), must_see=1.5) == [DemandState.FAILED]
    assert demands(GOOD, answers(case(1.5), quiet=2), must_see=1.5) == [DemandState.UNDECIDED]
    assert demands(GOOD, must_see=1.5) == [DemandState.UNDECIDED]
    assert demands(GOOD, skipped=[case(1.5)], must_see=1.5) == [DemandState.FAILED]
    larger = answers(case(2.0), quiet=5)
    assert demands(GOOD, larger, answers(case(1.5), quiet=2), must_see=1.5) == [DemandState.FAILED]
    assert demands(answers(SAME, alarms=5), seen_well, must_see=1.5) == [DemandState.FAILED]
    assert demands(GOOD, most_false_alarms=0.05) == [DemandState.UNDECIDED]
    assert demands(GOOD, most_false_alarms=0.2) == [DemandState.PASSED]
    assert demands(answers(SAME, alarms=2), most_false_alarms=0.2) == [DemandState.FAILED]
    assert demands(answers(SAME, alarms=1), most_false_alarms=0.05) == [DemandState.UNDECIDED]


def test_a_method_that_cannot_be_slowed_says_nothing_of_false_alarms():
    subjects = (PARSE, replace(PRINT, refusal="it has no body"))

    (demand,) = judge_gate(subjects, replace(PLAN, most_false_alarms=0.2), GOOD).demands

    assert demand.answer is DemandState.PASSED


@pytest.mark.parametrize(
    ("ran", "subjects", "reason"),
    [
        (
            BOTH_VERSIONS,
            (PARSE, replace(PRINT, refusal="it has no body")),
            "a.Print cannot be slowed: it",
        ),
        ((), (PARSE,), ""),
    ],
)
def test_a_demand_is_not_met_where_not_all_of_it_was_shown(ran, subjects, reason):
    shown_cases = [
        replace(shown_case, ran=ran) for shown_case in (*GOOD, *answers(case(1.5), alarms=5))
    ]

    qualification = judge_gate(subjects, replace(PLAN, must_see=1.5), shown_cases)

    (demand,) = qualification.demands
    assert demand.answer is DemandState.UNDECIDED
    assert reason in demand.reason


def test_the_least_slowdown_from_which_on_all_are_seen():
    plan = replace(PLAN, factors=(1.1, 1.5, 2.0, 10.0))
    gate_answers = [
        *answers(case(1.1), alarms=5),  # by chance: what is larger is not seen
        *answers(case(1.5), quiet=5),
        *answers(case(2.0), alarms=5),
        *answers(case(10.0), alarms=5),
    ]

    assert judge_gate((PARSE,), plan, gate_answers).seen_from == {"a.Parse": 2.0}
    assert judge_gate((PARSE,), plan, []).seen_from == {"a.Parse": None}


def test_a_slowdown_that_is_not_the_one_asked_for_is_said():
    delay = Delay(InjectionKind.WORK, 9.0)
    right = replace(
        PARSE, injected=(InjectedDelay(1.5, delay, 1.55), InjectedDelay(10.0, delay, 10.4))
    )
    wrong = replace(
        PARSE, injected=(InjectedDelay(1.5, delay, 1.2), InjectedDelay(10.0, delay, None))
    )

    def caveats(subject, *answer_groups):
        qualification = judge_gate(
            (subject,), PLAN, [answer for part in answer_groups for answer in part]
        )
        return [caveat.slug for caveat in qualification.caveats]

    detecting_answers = (GOOD, answers(case(1.5), alarms=5))
    assert caveats(right, *detecting_answers) == []
    assert caveats(wrong, *detecting_answers) == ["slowdown-inexact"]
    assert caveats(wrong, GOOD) == []
    assert caveats(PARSE, *detecting_answers) == ["slowdown-clocked"]
