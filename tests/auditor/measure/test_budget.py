"""An audit with a budget: it ends in time, and decides as many methods as fit."""

import time
from collections import Counter
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest
import toy_language
from builders import method
from toy_language import Machine, Memory, parts, request

from auditor.abs.preview import preview_abs
from auditor.abs.study import abs_audit
from auditor.abs.study.abs_audit import count_unsampled
from auditor.abs.study.expectation import refuse_small_budget
from auditor.core.errors import UsageError
from auditor.core.outcome import TimedOut
from auditor.core.plan import Purpose
from auditor.core.result import Verdict
from auditor.core.schedule import ArmName, Phase
from auditor.core.subject import BuildInputs, Language, Span
from auditor.core.suite import Benchmark
from auditor.core.values import WALL, Series
from auditor.measure.context import Deadline
from auditor.measure.planning import budget
from auditor.measure.reach_study import needs_little_more, order_by_place
from auditor.measure.schedules import BRIEF_COUNT, make_pilot_schedule
from auditor.measure.trial_times import TrialTimes, expected_seconds

METHODS = tuple(f"m{index}" for index in range(20))


@dataclass
class RealTimeMachine(Machine):
    """A machine on whose clock the time of planning and judging passes as well."""

    def __post_init__(self):
        self.began = time.monotonic()

    def monotonic(self):
        return self.now_seconds + time.monotonic() - self.began


@dataclass
class SlowBuildMachine(Machine):
    """A machine on which the build of the counters takes most of a minute."""

    def run_trials(self, trials):
        for trial in trials:
            first = not any(
                earlier_trial.purpose is Purpose.REACH for earlier_trial in self.ended_trials
            )
            if trial.purpose is Purpose.REACH and first:
                self.now_seconds += 45.0
            yield from super().run_trials([trial])


@dataclass
class SlowBenchmarkMachine(Machine):
    """A machine on which each process of one benchmark takes half a minute."""

    def run_trials(self, trials):
        for trial in trials:
            if trial.benchmark is not None and trial.benchmark.name == "b0":
                self.now_seconds += 30.0
            for run in super().run_trials([trial]):
                slow = trial.benchmark is not None and trial.benchmark.name == "b0"
                yield replace(run, seconds=31.0 if slow else run.seconds)


@dataclass
class EndlessBenchmarkMachine(Machine):
    """A machine on which no process of one benchmark comes to its end."""

    def run_trials(self, trials):
        for run in super().run_trials(trials):
            endless = run.trial.benchmark is not None and run.trial.benchmark.name == "b0"
            limit = run.trial.timeout_seconds
            self.now_seconds += limit if endless else 0.0
            yield replace(run, outcome=TimedOut(limit, "")) if endless else run


class SetUpMachine(Machine):
    """A machine on which the set-up in front of each block of a pilot takes three blocks."""

    def run_trials(self, trials):
        for run in super().run_trials(trials):
            if run.trial.purpose is Purpose.PILOT:
                wall = Series.from_values(WALL, "s", ArmName.PLAIN, Phase.WARMUP, [(0, 0.06)])
                outcome = replace(run.outcome, series=(wall, *run.outcome.series))
                yield replace(run, outcome=outcome)
            else:
                yield run


class Lookups(Memory):
    """A store that notes what is looked up in it."""

    def __init__(self):
        super().__init__()
        self.purposes = Counter()

    def find_run(self, trial):
        self.purposes[trial.purpose] += 1
        return super().find_run(trial)


def large_suite(monkeypatch, benchmarks, *, shares=(0.02, 0.1, 0.75, 0.95)):
    """Make a suite in which every second benchmark calls all twenty methods."""
    rng = np.random.default_rng(5)
    called = range(0, benchmarks, 2)
    pair_shares = {
        (name, f"b{number}"): float(rng.choice(shares)) for name in METHODS for number in called
    }
    monkeypatch.setattr(toy_language, "SHARES", pair_shares)
    monkeypatch.setattr(toy_language, "SET_UP", set())
    monkeypatch.setattr(toy_language, "METHODS", METHODS)
    monkeypatch.setattr(
        toy_language, "BENCHMARKS", tuple(f"b{index}" for index in range(benchmarks))
    )


def audited(budget, machine=None, store=None, **changes):
    """Return the verdict, and the machine that measured."""
    machine = machine or Machine()
    audit_request = request(methods=METHODS, budget=budget, **changes)
    return abs_audit.audit_suite(
        audit_request, parts(audit_request, machine=machine, store=store)
    ), machine


def decided(verdict):
    return sum(method.outcome in (Verdict.DETECTED, Verdict.MISSED) for method in verdict.methods)


def slugs(verdict):
    return {caveat.slug for caveat in verdict.caveats}


def test_a_suite_of_two_minutes_is_decided_in_twelve(monkeypatch):
    large_suite(monkeypatch, 120)

    verdict, machine = audited(720)

    assert decided(verdict) >= 15
    assert machine.now_seconds <= 720
    trial_counts = Counter(trial.purpose for trial in machine.ended_trials)
    assert trial_counts[Purpose.SUITE] + trial_counts[Purpose.PILOT] <= 720 / 4
    assert "budget-plan" in slugs(verdict)


def test_a_benchmark_whose_pilot_takes_long_is_not_in_the_sample(monkeypatch):
    large_suite(monkeypatch, 8, shares=(0.02,))
    for seconds, limit in ((300, 10), (1000, 30)):
        patient = request(methods=METHODS, budget=seconds)
        patient = replace(patient, suite=replace(patient.suite, timeout_seconds=60.0))
        machine = EndlessBenchmarkMachine()
        verdict = abs_audit.audit_suite(patient, parts(patient, machine=machine))

        (ended,) = (trial for trial in machine.ended_trials if trial.benchmark.name == "b0")
        assert ended.rough
        pilots = [trial for trial in machine.ended_trials if trial.purpose is Purpose.PILOT]
        blocks_seconds = pilots[0].schedule.seconds * len(pilots[0].schedule.blocks)
        assert {trial.timeout_seconds for trial in pilots} == {limit + 10 * blocks_seconds}
        assert {method.outcome for method in verdict.methods} == {Verdict.INCONCLUSIVE}
        assert "1 benchmark is not in the sample" in verdict.methods[0].reason
        assert "sampled" in slugs(verdict)


def test_a_benchmark_that_hangs_for_the_whole_time_out_fails_with_a_budget_too(monkeypatch):
    large_suite(monkeypatch, 8, shares=(0.02,))
    monkeypatch.setattr(toy_language, "SHARES", {
        pair: share for pair, share in toy_language.SHARES.items() if pair[1] != "b0"
    })  # fmt: skip

    verdict, _ = audited(300, EndlessBenchmarkMachine())  # the time-out is 10 s

    endings = {benchmark.id: benchmark.ending for benchmark in verdict.stability.benchmarks}
    assert endings["toy.b0"] == "timed-out"
    assert "sampled" not in slugs(verdict)


@dataclass
class SlowPilotMachine(Machine):
    """A machine on which all pilots take half a minute."""

    def run_trials(self, trials):
        for run in super().run_trials(trials):
            limit = run.trial.timeout_seconds
            ends = run.trial.purpose is not Purpose.PILOT or limit > 30
            self.now_seconds += 0.0 if ends else limit
            yield run if ends else replace(run, outcome=TimedOut(limit, ""))


def test_a_suite_of_slow_operations_only_has_a_sample_all_the_same(monkeypatch):
    large_suite(monkeypatch, 8)
    patient = request(methods=METHODS, budget=300)
    patient = replace(patient, suite=replace(patient.suite, timeout_seconds=60.0))

    verdict = abs_audit.audit_suite(patient, parts(patient, machine=SlowPilotMachine()))

    assert decided(verdict)


def test_pilots_that_hang_for_the_whole_time_out_end_no_audit_while_others_are_untried(monkeypatch):
    large_suite(monkeypatch, 8)

    verdict, machine = audited(60, SlowPilotMachine())  # the time-out is 10 s

    pilots = [trial for trial in machine.ended_trials if trial.purpose is Purpose.PILOT]
    assert 0 < len(pilots) < 8
    assert Verdict.MISSED not in {method.outcome for method in verdict.methods}


def test_benchmarks_outside_the_sample_count_where_their_program_holds_the_method():
    separate = BuildInputs(digest="a", files=frozenset({"other.go"}))
    together = BuildInputs(digest="b")
    context = SimpleNamespace(
        project=SimpleNamespace(find_group_inputs={"separate": separate, "together": together}.get)
    )
    suite = SimpleNamespace(
        unsampled=[SimpleNamespace(group=group) for group in ("separate", "separate", "together")]
    )
    methods = [
        SimpleNamespace(method=replace(method("m"), id=file, span=Span(file, 1, 1)))
        for file in ("other.go", "this.go")
    ]

    assert count_unsampled(suite, methods, context) == {"other.go": 3, "this.go": 1}


def test_planning_and_judging_of_thousands_of_benchmarks_are_part_of_the_budget(monkeypatch):
    large_suite(monkeypatch, 3000)

    verdict, machine = audited(60, RealTimeMachine())

    assert machine.monotonic() <= 1.1 * 60
    assert decided(verdict) > 0
    assert "sampled" in slugs(verdict)


def test_a_method_that_the_sample_does_not_detect_is_undecided(monkeypatch):
    large_suite(monkeypatch, 200, shares=(0.02,))

    verdict, _ = audited(100)

    assert {method.outcome for method in verdict.methods} == {Verdict.INCONCLUSIVE}
    assert verdict.total.bounds == (0.0, 100.0)
    assert len(verdict.stability.benchmarks) < 200
    assert not {"filtered", "failed-benchmarks"} & slugs(verdict)


def test_a_build_takes_nothing_from_the_time_for_counting(monkeypatch):
    large_suite(monkeypatch, 20, shares=(0.95,))

    verdict, machine = audited(180, SlowBuildMachine())

    assert machine.now_seconds <= 180
    assert decided(verdict) > 0
    assert len(verdict.stability.benchmarks) > 15


def test_a_slow_benchmark_does_not_use_up_the_time_of_the_others(monkeypatch):
    large_suite(monkeypatch, 20, shares=(0.95,))

    verdict, machine = audited(400, SlowBenchmarkMachine())

    assert machine.now_seconds <= 1.1 * 400
    assert decided(verdict) >= 15


def test_a_budget_with_room_for_all_changes_no_verdict():
    audit_request = request()
    full_verdict = abs_audit.audit_suite(audit_request, parts(audit_request))
    generous = replace(audit_request, suite=replace(audit_request.suite, budget_seconds=10_000.0))

    verdict = abs_audit.audit_suite(generous, parts(generous))

    outcomes = [
        {method.id: method.outcome for method in abs_verdict.methods}
        for abs_verdict in (full_verdict, verdict)
    ]
    assert outcomes[0] == outcomes[1]
    assert not {"sampled", "budget-plan", "budget"} & slugs(verdict)


def test_a_detected_method_leaves_its_other_pairs_for_the_end(monkeypatch):
    large_suite(monkeypatch, 12, shares=(0.95,))

    _, machine = audited(5000)

    started_methods = [
        trial.variant.methods[0].name
        for trial in machine.ended_trials
        if trial.purpose in (Purpose.CALIBRATION, Purpose.PAIRS)
    ]
    method_order = list(dict.fromkeys(started_methods))
    assert method_order == list(METHODS)
    last_method_begun = started_methods.index(METHODS[-1])
    assert METHODS[0] in started_methods[last_method_begun:]


def test_the_same_command_goes_on_with_a_larger_sample(monkeypatch):
    large_suite(monkeypatch, 100)
    store = Memory()

    first, _ = audited(120, store=store)
    second, machine = audited(240, store=store)

    assert len(first.stability.benchmarks) < len(second.stability.benchmarks)
    assert decided(second) >= decided(first)
    assert len(store) >= len(machine.ended_trials)


@pytest.mark.parametrize(("budget", "refused"), [(1.0, True), (600.0, False)])
def test_a_budget_for_no_method_is_refused_before_anything_is_run(budget, refused):
    machine, audit_request = Machine(), request(budget=budget)
    audit_parts = parts(audit_request, machine=machine)

    if refused:
        with pytest.raises(UsageError, match="too small to decide one method; the smallest"):
            refuse_small_budget(audit_request, audit_parts)
    else:
        refuse_small_budget(audit_request, audit_parts)
    assert machine.ended_trials == []


def test_what_is_known_already_needs_no_budget():
    audit_request, store = request(), Memory()
    abs_audit.audit_suite(audit_request, parts(audit_request, store=store))
    short = replace(audit_request, suite=replace(audit_request.suite, budget_seconds=1.0))

    refuse_small_budget(short, parts(short, store=store))


def test_a_dry_run_of_a_large_suite_plans_no_pairs(monkeypatch):
    large_suite(monkeypatch, 300)
    audit_request, store = request(methods=METHODS, budget=720), Lookups()

    preview = preview_abs(audit_request, parts(audit_request, store=store))

    assert Purpose.REACH in store.purposes
    assert not {Purpose.CALIBRATION, Purpose.PAIRS} & set(store.purposes)
    assert preview.expected.high == 720.0
    assert preview.expected.range_text.startswith("at most 12 min (budget)")
    assert sum(phase.seconds for phase in preview.phases) > 720


def test_a_dry_run_after_an_audit_expects_nothing():
    audit_request, store = request(), Memory()
    abs_audit.audit_suite(audit_request, parts(audit_request, store=store))

    assert preview_abs(audit_request, parts(audit_request, store=store)).expected.high == 0.0


def test_times_are_learned_from_what_ran():
    audit_request, store, machine = request(), Memory(), Machine()
    abs_audit.audit_suite(audit_request, parts(audit_request, store=store, machine=machine))
    times = TrialTimes()
    for run in store.values():
        times.add_run(run)

    plain = next(trial for trial in machine.ended_trials if trial.purpose is Purpose.SUITE)

    assert times.estimate_seconds(plain) == pytest.approx(1.0, rel=0.05)
    assert expected_seconds(plain) != pytest.approx(1.0, rel=0.05)


def test_the_last_seconds_are_kept_for_the_result():
    machine = Machine()
    deadline = Deadline(machine, 100.0, reserve=10.0)

    assert deadline.seconds_left == 90.0
    assert deadline.make_stage_deadline(1000.0).seconds_left == 90.0
    machine.now_seconds = 95.0
    assert deadline.is_over
    assert not Deadline(machine, 0.0).is_over  # a rehearsal looks everything up


@pytest.mark.parametrize(("benchmarks", "piloted"), [(20, 20), (34, 34), (60, 20)])
def test_pilots_that_are_soon_complete_may_take_longer(monkeypatch, benchmarks, piloted):
    """A pilot takes a second, 0.2 of the time is for pilots: of a sample nothing is missed.

    Some time for the suite is left all the same.
    """
    large_suite(monkeypatch, benchmarks)

    _, machine = audited(105)

    counts = Counter(trial.purpose for trial in machine.ended_trials)
    assert counts[Purpose.PILOT] == pytest.approx(piloted, abs=2)
    assert counts[Purpose.SUITE] > 0


@pytest.mark.parametrize(
    ("count", "planned", "spent", "left", "needs"),
    [
        (10, 24, 10.0, 50.0, True),
        (10, 26, 10.0, 50.0, False),
        (10, 10, 10.0, 50.0, False),
        (0, 10, 0.0, 50.0, False),
    ],
)
def test_a_stage_is_completed_where_three_tenths_of_the_time_are_enough(
    count, planned, spent, left, needs
):
    assert needs_little_more(count, planned, spent, left) is needs


def test_time_is_kept_back_to_judge_the_methods_that_are_chosen_and_no_others():
    audit_request = request(methods=("hop",), budget=1000)
    reserves = []
    for judged in (5000, 20):
        machine = Machine()
        toy = parts(audit_request, machine=machine)
        methods = [*toy.mutator.find_methods(toy.suite.sources)[:1]] * 5000
        budget.measure_suite(audit_request, methods, toy, judged=judged, with_unit_tests=True)
        reserves.append(1000 - machine.now_seconds - toy.deadline.seconds_left)

    assert reserves[0] == pytest.approx(5000 * 3 * budget.PAIR_SECONDS)
    assert reserves[1] < reserves[0] / 10


def test_those_that_may_share_a_process_are_counted_side_by_side_quick_files_first():
    times = TrialTimes()
    seconds = {"a.py::x": 3.0, "a.py::y": 1.0, "b.py::x": 2.0, "b.py::y": 0.5, "c.py::x": 0.7}
    audit_request = request(methods=("hop",))
    toy = parts(audit_request)
    trials = [
        toy.make_trial(
            Purpose.REACH,
            Benchmark(group="", name=name),
            replace(make_pilot_schedule(audit_request.suite.plan), seconds=length),
        )
        for name, length in seconds.items()
    ]

    ordered = [trial.benchmark.name for trial in order_by_place(trials, times)]

    assert ordered == ["c.py::x", "b.py::y", "b.py::x", "a.py::y", "a.py::x"]


def count_blocks(machine):
    """Return the blocks in which calls were counted."""
    return {
        sum(block.phase is Phase.MEASUREMENT for block in trial.schedule.blocks)
        for trial in machine.ended_trials
        if trial.purpose is Purpose.REACH and trial.subject == "toy"
    }


def test_counts_are_brief_where_all_blocks_of_all_benchmarks_take_too_long(monkeypatch):
    blocks = []
    for benchmarks in (4, 60):
        large_suite(monkeypatch, benchmarks)
        _, machine = audited(100)
        blocks.append(count_blocks(machine))

    usual = 2 * request().suite.plan.iterations
    assert usual in blocks[0]
    assert blocks[1] == {min(usual, BRIEF_COUNT)}


def test_counts_are_brief_where_set_up_in_front_of_blocks_may_take_long(monkeypatch):
    large_suite(monkeypatch, 8)
    blocks = [count_blocks(audited(40, machine)[1]) for machine in (None, SetUpMachine())]

    assert blocks == [{2 * request().suite.plan.iterations}, {BRIEF_COUNT}]


@pytest.mark.parametrize(("first", "second"), [(120, None), (None, 120)])
def test_brief_counts_and_profiles_are_found_without_a_budget_and_longer_ones_with_one(
    monkeypatch, first, second
):
    large_suite(monkeypatch, 30)
    find = toy_language.Words.find_methods
    monkeypatch.setattr(
        toy_language.Words,
        "find_methods",
        lambda *words: tuple(replace(method, language=Language.PYTHON) for method in find(*words)),
    )
    store = Memory()
    _, machine = audited(first, store=store, shares=True)
    _, later_machine = audited(second, store=store, shares=True)

    measured, later_measured = (
        {
            (trial.purpose, trial.benchmark.id)
            for trial in ran.ended_trials
            if trial.purpose in (Purpose.REACH, Purpose.PROFILE) and trial.repetition == 1
        }
        for ran in (machine, later_machine)
    )
    assert {purpose for purpose, _ in measured} == {Purpose.REACH, Purpose.PROFILE}
    assert measured.isdisjoint(later_measured)


def test_a_short_sample_has_benchmarks_of_each_file():
    suite = [
        Benchmark(group="", name=f"{file}.py::test[{case}]")
        for file in "abcdefghij"
        for case in range(100)
    ]

    first = budget.sampling_order(suite, seed=1)[:80]

    assert {benchmark.name[0] for benchmark in first} == set("abcdefghij")
