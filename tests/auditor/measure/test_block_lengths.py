"""How long the blocks of each process are, and how many operations they hold."""

from dataclasses import replace

import pytest
import toy_language
from builders import benchmark, run, series, timed_out
from toy_language import PLAIN_SECONDS, Machine, parts, request

from auditor.abs.judge import paired
from auditor.abs.study import abs_audit
from auditor.core.outcome import Measured
from auditor.core.plan import Purpose
from auditor.core.request import CurveMode, Plan
from auditor.core.schedule import Phase, StableMinimumStop
from auditor.core.suite import Benchmark
from auditor.core.values import OPERATIONS, WALL
from auditor.measure import schedules
from auditor.measure.block_sizes import (
    bound_set_up_seconds,
    estimate_block_seconds,
    estimate_set_up_seconds,
    fit_block_operations,
)
from auditor.measure.suite_runs import run_baseline
from runners.records import MIN_CLOCKED_BLOCKS

PLAN = Plan(forks=1, warmup=5, iterations=12, iteration_seconds=0.01, longest_seconds=0.03)
FREE = Benchmark(group="toy", name="free")
FIXED = replace(FREE, block_seconds=0.5, fixed_length_reason="set-up runs at each iteration")
"""Its author's iteration time means something, so it stays."""


def make_pilot(parallel, seconds, operations):
    """Return a pilot whose blocks had so many operations, each of so many seconds."""
    outcome = Measured((series([seconds]), series([float(operations)], metric=OPERATIONS)))
    pilot = run(outcome, purpose=Purpose.PILOT, of_benchmark=parallel)
    schedule = replace(pilot.trial.schedule, seconds=PLAN.iteration_seconds)
    return replace(pilot, trial=replace(pilot.trial, schedule=schedule))


@pytest.mark.parametrize(
    ("bytes_per_second", "seconds"),
    [
        (0.0, 0.01),
        (1e8, 0.01),  # 3 MB in the longest block: the collector never runs, however long it is
        (1.4e8, 0.03),  # 12 MB would take 86 ms
        (8e8, 0.015),
        (5e9, 0.01),
    ],
)
def test_a_block_is_longer_where_code_allocates_but_not_enough_in_a_short_one(
    bytes_per_second, seconds
):
    plan = schedules.fit_plan(PLAN, FREE, bytes_per_second)

    assert plan.iteration_seconds == pytest.approx(seconds)
    assert plan.iterations == PLAN.iterations


@pytest.mark.parametrize(("bytes_per_second", "warmup"), [(0.0, 5), (8e8, 4), (1.4e8, 2)])
def test_longer_blocks_are_fewer_of_warm_up(bytes_per_second, warmup):
    assert schedules.fit_plan(PLAN, FREE, bytes_per_second).warmup == warmup


def test_a_length_that_the_user_gave_stays():
    plan = replace(PLAN, longest_seconds=0.0)

    assert schedules.fit_plan(plan, FREE, 8e8) == plan


def test_the_authors_length_stays_whatever_is_allocated():
    plan = schedules.fit_plan(PLAN, FIXED, 8e8)

    assert (plan.iteration_seconds, plan.warmup) == (0.5, 1)
    assert schedules.fit_plan(replace(PLAN, warmup=0), FIXED).warmup == 0


def test_a_length_that_the_user_gave_is_that_of_all_benchmarks():
    plan = replace(PLAN, for_all=True)

    assert schedules.fit_plan(plan, FIXED) == plan
    assert schedules.plan_calibration(plan, FIXED) == schedules.plan_calibration(plan, FREE)


def test_a_calibration_has_more_and_shorter_blocks_where_their_length_is_free():
    free_plan, fixed_plan = (
        schedules.plan_calibration(PLAN, benchmark) for benchmark in (FREE, FIXED)
    )

    assert free_plan.iteration_seconds == PLAN.iteration_seconds / schedules.FINER
    assert free_plan.iterations == schedules.FINER * schedules.CALIBRATION_BLOCKS
    assert free_plan.warmup * free_plan.iteration_seconds == PLAN.warmup * PLAN.iteration_seconds
    assert fixed_plan == replace(PLAN, iterations=schedules.CALIBRATION_BLOCKS)


def test_blocks_of_a_calibration_are_no_more_where_one_operation_outlasts_them():
    finest = PLAN.iteration_seconds / schedules.FINER

    assert schedules.plan_calibration(PLAN, FREE, finest) == schedules.plan_calibration(PLAN, FREE)
    slow = schedules.plan_calibration(PLAN, FREE, 1.1 * finest)
    assert slow == replace(PLAN, iterations=schedules.CALIBRATION_BLOCKS)


@pytest.mark.parametrize(
    ("warmup", "operation", "blocks"),
    [(30, 0.02, 15), (30, 0.021, 15), (30, 1.0, 4), (2, 1.0, 2), (0, 1.0, 0), (30, 0.009, 30)],
)
def test_slow_operations_are_calibrated_warm_as_long_as_others(warmup, operation, blocks):
    plan = schedules.plan_calibration(replace(PLAN, warmup=warmup), FREE, operation)

    assert (plan.warmup, plan.iteration_seconds) == (blocks, PLAN.iteration_seconds)


def test_an_audit_calibrates_with_fewer_blocks_where_operations_are_slow():
    audit_request = request()
    audit_parts = parts(audit_request)
    slow = {
        (audit_parts.project.digest, "long"): audit_request.suite.plan.iteration_seconds
        / PLAIN_SECONDS
    }
    machine = Machine(slower=slow)

    abs_audit.audit_suite(audit_request, parts(audit_request, machine=machine))

    lengths = {
        trial.benchmark.name: trial.schedule.seconds
        for trial in machine.ended_trials
        if trial.purpose is Purpose.CALIBRATION
    }
    assert lengths["long"] == audit_request.suite.plan.iteration_seconds
    assert lengths["quick"] == lengths["long"] / schedules.FINER


def by_purpose(audit_request):
    """Return what was run in the benchmark that allocates, by purpose."""
    machine = Machine()
    abs_audit.audit_suite(audit_request, parts(audit_request, machine=machine))
    schedules_by_purpose = {}
    for trial in machine.ended_trials:
        if trial.benchmark and trial.benchmark.name == "long":
            schedules_by_purpose.setdefault(trial.purpose, []).append(trial.schedule)
    return schedules_by_purpose


def test_only_what_is_timed_has_the_longer_blocks(monkeypatch):
    monkeypatch.setattr(toy_language, "ALLOCATES", {"long": 8e8 * PLAIN_SECONDS})
    audit_request = request()
    audit_request = replace(
        audit_request, suite=replace(audit_request.suite, plan=replace(PLAN, warmup=3))
    )

    result = by_purpose(audit_request)

    lengths = {
        purpose: {round(1e3 * schedule.seconds, 1) for schedule in trial_schedules}
        for purpose, trial_schedules in result.items()
    }
    assert lengths[Purpose.PILOT] == {10}
    assert lengths[Purpose.REACH] == {3.3}
    assert lengths[Purpose.SUITE] == lengths[Purpose.PAIRS] == {15}
    assert lengths[Purpose.CALIBRATION] == {7.5}
    operations = {
        purpose: trial_schedules[0].operations for purpose, trial_schedules in result.items()
    }
    assert operations[Purpose.SUITE] == pytest.approx(4.5 * operations[Purpose.REACH], rel=0.02)


def test_what_allocates_is_calibrated_alone_as_its_garbage_is_collected_beside_it(monkeypatch):
    monkeypatch.setattr(toy_language, "ALLOCATES", {"long": 8e8 * PLAIN_SECONDS})
    audit_request, machine = request(), Machine()
    audit_request = replace(
        audit_request, suite=replace(audit_request.suite, plan=replace(PLAN, warmup=3))
    )

    abs_audit.audit_suite(audit_request, parts(audit_request, machine=machine))

    alone = {
        trial.benchmark.name: trial.is_exclusive
        for trial in machine.ended_trials
        if trial.purpose is Purpose.CALIBRATION
    }
    assert alone == {"long": True, "quick": False, "short": False}


@pytest.mark.parametrize(
    ("in_one_call", "methods_with_original", "exact", "milliseconds"),
    [
        (["long"], ["hop"], False, (10, 5)),
        (["short"], ["hop"], False, (15, 7.5)),
        (["long"], [], False, (15, 7.5)),
        (["long"], ["hop"], True, (15, 7.5)),
    ],
)
def test_blocks_of_pairs_and_calibrations_are_shorter_where_one_call_holds_them_all(
    monkeypatch, in_one_call, methods_with_original, exact, milliseconds
):
    """It does where it held all that was counted and plain blocks lie beside the others."""
    monkeypatch.setattr(toy_language, "ALLOCATES", {"long": 8e8 * PLAIN_SECONDS})
    monkeypatch.setattr(toy_language, "IN_ONE_CALL", frozenset(in_one_call))
    monkeypatch.setattr(toy_language, "KEPT_METHODS", frozenset(methods_with_original))
    audit_request = request(exact=exact, methods=("hop",))
    audit_request = replace(
        audit_request, suite=replace(audit_request.suite, plan=replace(PLAN, warmup=3))
    )

    result = by_purpose(audit_request)

    lengths = {
        purpose: {round(1e3 * schedule.seconds, 1) for schedule in trial_schedules}
        for purpose, trial_schedules in result.items()
    }
    assert [lengths[Purpose.PAIRS], lengths[Purpose.CALIBRATION]] == [
        {millisecond} for millisecond in milliseconds
    ]
    assert lengths[Purpose.SUITE] == {15}


@pytest.mark.parametrize(
    ("bytes_per_second", "seconds", "warmup"),
    [(0.0, 0.01, 5), (8e8, 0.01, 6), (1.4e8, 0.01, 6)],
)
def test_blocks_of_one_call_are_warm_as_long_and_no_shorter_than_others(
    bytes_per_second, seconds, warmup
):
    fit = schedules.fit_plan(PLAN, FREE, bytes_per_second)

    plan = schedules.plan_single_call(fit, PLAN, FREE)

    assert (plan.iteration_seconds, plan.warmup) == (pytest.approx(seconds), warmup)
    fixed_plan = schedules.fit_plan(PLAN, FIXED, bytes_per_second)
    assert schedules.plan_single_call(fixed_plan, PLAN, FIXED) == fixed_plan


def test_other_sizes_get_no_more_pairs_than_the_plan_says():
    purpose = by_purpose(request(methods=("hop", "trip"), curve=CurveMode.PAIRS))

    blocks = {len(schedule.blocks) for schedule in purpose[Purpose.PAIRS]}
    warmup, iterations = 2, 12
    assert blocks == {warmup + 2 * iterations, warmup + 2 * iterations * paired.AT_MOST}


def test_fewer_than_two_blocks_are_never_called_quiet():
    with pytest.raises(ValueError, match="fewer than two blocks have no second least"):
        StableMinimumStop(blocks=1, share=0.03)


@pytest.mark.parametrize(
    ("block_seconds", "warmup", "iterations", "counted"),
    [
        (0.0, 5, 12, 24),  # unknown
        (0.04, 5, 12, 24),  # as long as allocations may make it
        (0.1, 1, 5, 5),
        (0.4, 1, 2, 2),
        (2.0, 0, 2, 1),
    ],
)
def test_blocks_that_last_far_longer_than_asked_for_are_fewer(
    block_seconds, warmup, iterations, counted
):
    plan = schedules.shorten_plan(PLAN, block_seconds)

    assert (plan.warmup, plan.iterations) == (warmup, iterations)
    assert schedules.counted_blocks(PLAN, block_seconds) == counted


@pytest.mark.parametrize("keeps_all_blocks", [True, False])
def test_a_slow_operation_shortens_processes_unless_the_plan_is_fixed(
    monkeypatch, keeps_all_blocks
):
    monkeypatch.setattr(toy_language, "PLAIN_SECONDS", 1.0)
    audit_request = request(methods=("hop",))
    audit_request = replace(
        audit_request, suite=replace(audit_request.suite, keeps_all_blocks=keeps_all_blocks)
    )
    machine = Machine()

    abs_audit.audit_suite(audit_request, parts(audit_request, machine=machine))

    suite = [trial for trial in machine.ended_trials if trial.purpose is Purpose.SUITE]
    counting = [trial for trial in machine.ended_trials if trial.purpose is Purpose.REACH]
    plan = audit_request.suite.plan
    all_blocks = plan.warmup + plan.iterations
    assert suite
    assert counting
    assert all((len(trial.schedule.blocks) == all_blocks) is keeps_all_blocks for trial in suite)
    longest = max(len(trial.schedule.blocks) for trial in counting)
    assert (longest >= 2 * plan.iterations) is keeps_all_blocks
    assert keeps_all_blocks or longest == 1  # no warm-up either
    assert {trial.schedule.operations for trial in suite} == {2 if keeps_all_blocks else 1}


class Impatient(Machine):
    """A machine whose watchdog ends processes with more than five blocks."""

    def _outcome(self, trial):
        if trial.purpose is Purpose.SUITE and len(trial.schedule.blocks) > 5:
            return timed_out()
        return super()._outcome(trial)


class Ending(Machine):
    """A machine whose processes end in the warm-up where they may, as their blocks are slow."""

    def _outcome(self, trial):
        outcome = super()._outcome(trial)
        if not trial.schedule.slow_seconds or trial.benchmark.name == "b1":
            return outcome
        return Measured(
            tuple(
                replace(series([value], metric=values.metric), phase=Phase.WARMUP)
                for values in outcome.series
                for value in values.values[:1]
            )
        )


class SettingUp(Machine):
    """A machine on which each process of fast operations takes long."""

    def run_trials(self, trials):
        return (replace(trial_run, seconds=5.0) for trial_run in super().run_trials(trials))


@pytest.mark.parametrize(
    ("kind", "operation_seconds"),
    [(Machine, 1.0), (Impatient, 1.0), (Ending, 1.0), (SettingUp, 5e-5)],
)
def test_without_pilots_the_first_processes_tell_which_blocks_are_slow(
    monkeypatch, kind, operation_seconds
):
    """A harness as JMH's, whose blocks have as many operations as there is time for."""
    monkeypatch.setattr(toy_language, "PLAIN_SECONDS", operation_seconds)
    audit_request = request(methods=("hop",))
    audit_request = replace(
        audit_request, suite=replace(audit_request.suite, keeps_all_blocks=False)
    )
    machine = kind()

    verdict = abs_audit.audit_suite(
        audit_request, replace(parts(audit_request, machine=machine), fixed_operations=False)
    )

    suite = [trial for trial in machine.ended_trials if trial.purpose is Purpose.SUITE]
    plan = audit_request.suite.plan
    full_trials = [
        trial for trial in suite if len(trial.schedule.blocks) == plan.warmup + plan.iterations
    ]
    assert {trial.repetition for trial in full_trials} == {1}
    assert len(full_trials) == 3  # a process of each benchmark
    planned_seconds = (plan.warmup + plan.iterations) * plan.iteration_seconds
    (limit,) = {trial.schedule.slow_seconds for trial in full_trials}
    assert limit == pytest.approx(schedules.LONG_BLOCK * planned_seconds)
    assert {trial.schedule.slow_seconds for trial in suite if trial not in full_trials} == {0.0}
    assert len(suite) == 3 + 3 * audit_request.suite.stability_runs
    assert all(
        benchmark.runs == audit_request.suite.stability_runs
        for benchmark in verdict.stability.benchmarks
    )
    assert {trial.purpose for trial in machine.ended_trials} >= {Purpose.REACH, Purpose.CALIBRATION}


class SettingUpBlocks(Machine):
    """A machine on which the set-up in front of each block of fast operations takes 0.2 s."""

    def _outcome(self, trial):
        outcome = super()._outcome(trial)
        if trial.purpose is not Purpose.PILOT:
            return outcome
        slow = (
            replace(values, packed=series([0.2]).packed) if values.metric == WALL else values
            for values in outcome.series
        )
        return replace(outcome, series=tuple(slow))


@pytest.mark.parametrize("keeps_all", [True, False])
def test_slow_set_up_of_each_block_shortens_processes_unless_the_plan_is_fixed(keeps_all):
    usual = request(methods=("hop",))
    usual = replace(usual, suite=replace(usual.suite, keeps_all_blocks=keeps_all))
    machine = SettingUpBlocks()

    abs_audit.audit_suite(usual, parts(usual, machine=machine))

    plan = usual.suite.plan
    blocks = {
        purpose: {
            len(trial.schedule.blocks) for trial in machine.ended_trials if trial.purpose is purpose
        }
        for purpose in (Purpose.SUITE, Purpose.REACH)
    }
    all_blocks = plan.warmup + plan.iterations
    fewest = plan.warmup + schedules.FEWEST_SET_UP_BLOCKS
    assert blocks[Purpose.SUITE] == {all_blocks if keeps_all else fewest}
    assert (max(blocks[Purpose.REACH]) > 2 * plan.iterations) is keeps_all


@pytest.mark.parametrize(
    ("clock_seconds", "process_seconds", "expected"),
    [
        (None, 0.86, 0.0),  # a program that starts as slowly as some do
        (None, 1.61, 0.2),  # three times: testing sets up once more than there are blocks
        (0.31, 9.0, 0.15),  # whatever else the process does
        (0.009, 9.0, 0.0),  # clocks differ
    ],
)
def test_set_up_is_what_a_block_takes_beside_its_operations(
    clock_seconds, process_seconds, expected
):
    pilot = make_pilot(FREE, 1e-3, operations=10)
    walls = () if clock_seconds is None else (series([clock_seconds], metric=WALL),)
    blocks = 2 * pilot.trial.schedule.blocks[:1]
    trial = replace(pilot.trial, schedule=replace(pilot.trial.schedule, blocks=blocks))
    outcome = replace(pilot.outcome, series=(*pilot.outcome.series, *walls))
    pilot = replace(pilot, trial=trial, outcome=outcome, seconds=process_seconds)

    assert estimate_set_up_seconds([pilot], {FREE.id: 10}) == {FREE.id: pytest.approx(expected)}
    assert estimate_set_up_seconds([pilot], {FREE.id: None}) == {}


@pytest.mark.parametrize(
    ("process_seconds", "expected"),
    [
        ((2.0, 2.1), (0.0, 0.0)),  # the program begins slowly
        ((2.0, 2.85), (0.0, 0.2)),
    ],
)
def test_a_program_that_begins_slowly_has_no_slow_set_up(process_seconds, expected):
    pilots = []
    for number, seconds in enumerate(process_seconds):
        pilot = make_pilot(replace(FREE, name=f"b{number}"), 1e-3, operations=10)
        blocks = 2 * pilot.trial.schedule.blocks[:1]
        trial = replace(pilot.trial, schedule=replace(pilot.trial.schedule, blocks=blocks))
        pilots.append(replace(pilot, trial=trial, seconds=seconds))
    operations = {pilot.trial.benchmark.id: 10 for pilot in pilots}

    estimated = estimate_set_up_seconds(pilots, operations)

    assert tuple(estimated.values()) == pytest.approx(expected)


class SlowAtFirst(Machine):
    """A machine whose pilots alone show operations of a second."""

    def _outcome(self, trial):
        if trial.purpose is Purpose.PILOT:
            return toy_language._outcome(trial, 1.0)
        return super()._outcome(trial)


def test_a_pilot_decides_how_long_processes_are_whatever_they_show():
    audit_request = request(methods=("hop",))
    machine = SlowAtFirst()

    run_baseline(parts(audit_request, machine=machine))

    suite = [trial for trial in machine.ended_trials if trial.purpose is Purpose.SUITE]
    assert len(suite) == 3 * audit_request.suite.stability_runs
    assert {len(trial.schedule.blocks) for trial in suite} == {schedules.FEWEST_BLOCKS}


@pytest.mark.parametrize(
    ("planned", "fitting", "operations"),
    [(100, 7.4, 7), (100, 0.1, 2), (5, 90.0, 5), (2, 0.1, 2), (1, 0.1, 1), (1, 9.0, 1)],
)
def test_a_block_holds_two_operations_at_least_unless_one_is_planned(planned, fitting, operations):
    assert schedules.fit_operations(planned, fitting) == operations


@pytest.mark.parametrize(
    ("planned", "fitting", "operations"), [(100, 7.4, 8), (100, 20.0, 20), (8, 0.1, 8), (3, 0.1, 3)]
)
def test_operations_side_by_side_are_several_of_each(planned, fitting, operations):
    """Else the time is that of the last one, while the other processors have nothing to do."""
    assert schedules.fit_operations(planned, fitting, concurrency=2) == operations


@pytest.mark.parametrize(
    ("concurrency", "seconds", "operations"),
    [(1, 0.03, 1), (2, 0.02, 8), (16, 0.02, 50), (2, 0.3, 3), (2, 5.0, 1), (16, 1e-5, 1000)],
    ids=["serial", "eight", "a second", "three", "too slow", "short"],
)
def test_a_block_of_parallel_operations_holds_several_of_each_unless_that_takes_long(
    concurrency, seconds, operations
):
    """A pilot of slow operations has one."""
    parallel = benchmark(concurrency=concurrency)
    pilot = make_pilot(parallel, seconds, operations=max(1, round(0.01 / seconds)))

    (planned,) = fit_block_operations([parallel], [pilot], {parallel.id: PLAN}, 1).values()

    assert planned == operations


def test_a_disturbed_block_of_a_pilot_makes_no_short_blocks():
    """The measured block lost its processor for so long that eight operations filled it."""
    parallel = benchmark(concurrency=2)
    disturbed = make_pilot(parallel, 1e-3, operations=8)
    warmup = (
        replace(series([5e-9]), phase=Phase.WARMUP),
        replace(series([600_000.0], metric=OPERATIONS), phase=Phase.WARMUP),
    )
    pilot_run = replace(disturbed, outcome=Measured((*disturbed.outcome.series, *warmup)))

    (planned,) = fit_block_operations([parallel], [pilot_run], {parallel.id: PLAN}).values()

    assert planned == 600_000
    (block_seconds,) = estimate_block_seconds([pilot_run], {parallel.id: planned}).values()
    assert block_seconds == pytest.approx(0.003)


def test_a_pilot_that_left_processors_idle_tells_how_long_a_full_block_is():
    """Of one operation of 20 ms, with two in flight: eight take 80 ms."""
    parallel = benchmark(concurrency=2)
    pilot = make_pilot(parallel, 0.02, operations=1)

    assert estimate_block_seconds([pilot], {parallel.id: 8}) == {parallel.id: pytest.approx(0.08)}


def test_a_profile_of_slow_operations_side_by_side_has_several_of_each_in_a_block():
    serial = schedules.make_profile_schedule(PLAN, 2, 0.4, operation_seconds=0.2)
    parallel = schedules.make_profile_schedule(PLAN, 16, 0.4, operation_seconds=0.2, concurrency=2)

    assert (serial.operations, serial.seconds) == (1, 0.2)
    assert (parallel.operations, parallel.seconds) == (8, 1.6)


def test_blocks_of_a_profile_are_no_longer_because_those_of_the_plan_are():
    """Two operations may last far longer than a block should."""
    length = schedules.PROFILE_BLOCK_SECONDS
    schedule = schedules.make_profile_schedule(PLAN, 2, 0.4, operation_seconds=length / 5)

    assert schedule.operations == 5


@pytest.mark.parametrize(
    ("operation_seconds", "warmup"), [(None, 0.05), (0.001, 0.05), (0.06, 0.2), (1.5, 0.2)]
)
def test_a_profile_of_an_interpreter_warms_up_for_a_block_unless_operations_are_longer(
    operation_seconds, warmup
):
    plan = replace(PLAN, warmup=20)

    plan = schedules.shorten_profile_warmup(plan, operation_seconds)

    assert plan.warmup * plan.iteration_seconds == pytest.approx(warmup)


@pytest.mark.parametrize(
    ("usual_blocks", "counted_blocks"), [(None, MIN_CLOCKED_BLOCKS), (24, 3), (5, 1), (1, 1)]
)
def test_brief_counts_are_just_enough_to_clock_calls_unless_blocks_are_slow(
    usual_blocks, counted_blocks
):
    schedule = schedules.make_counting_schedule(PLAN, 100, usual_blocks, is_brief=True)

    phases = [block.phase for block in schedule.blocks]
    assert phases.count(Phase.MEASUREMENT) == counted_blocks
    assert phases.count(Phase.WARMUP) == (counted_blocks > 1)
    assert schedule.operations == 40  # 4 of 10 ms


def test_the_time_of_an_operation_is_that_of_the_pilot_if_there_is_one():
    pilot = make_pilot(FREE, 2e-3, operations=10)
    suite_run = make_pilot(FREE, 3e-3, operations=10)
    empty = run_baseline(parts(request(methods=("hop",))))

    def first_seconds(pilots, runs):
        return replace(empty, pilots=pilots, runs=runs).first_seconds(FREE)

    assert first_seconds((pilot,), (suite_run,)) == 2e-3
    assert first_seconds((), (suite_run,)) == 3e-3
    assert first_seconds((timed_out_pilot(),), (suite_run,)) == 3e-3
    assert first_seconds((), ()) is None


def timed_out_pilot():
    return run(timed_out(), purpose=Purpose.PILOT, of_benchmark=FREE)


def test_a_pilot_that_left_processors_idle_has_no_longer_operations():
    parallel = benchmark(concurrency=2)
    pilot = make_pilot(parallel, 0.02, operations=1)
    empty = run_baseline(parts(request(methods=("hop",))))

    assert replace(empty, pilots=(pilot,)).first_seconds(parallel) == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("wall", "start_seconds", "expected"), [(None, 0.0, 0.33), (None, 0.33, 0.165), (0.31, 0, 0.3)]
)
def test_set_up_is_at_most_what_is_neither_start_nor_operations(wall, start_seconds, expected):
    pilot = make_pilot(FREE, 1e-3, operations=10)
    walls = () if wall is None else (series([wall], metric=WALL),)
    outcome = replace(pilot.outcome, series=(*pilot.outcome.series, *walls))
    pilot = replace(pilot, outcome=outcome, seconds=0.67)

    assert bound_set_up_seconds(pilot, start_seconds) == pytest.approx(expected)


def test_without_runs_of_the_suite_there_is_no_first_process_either():
    audit_request = request(methods=("hop",))
    audit_request = replace(audit_request, suite=replace(audit_request.suite, stability_runs=0))
    machine = Machine()

    run_baseline(replace(parts(audit_request, machine=machine), fixed_operations=False))

    assert machine.ended_trials == []


def test_without_pilots_the_first_processes_of_fast_operations_are_those_of_the_first_run():
    audit_request = request(methods=("hop",))
    audit_request = replace(
        audit_request, suite=replace(audit_request.suite, keeps_all_blocks=False)
    )
    machine = Machine()

    abs_audit.audit_suite(
        audit_request, replace(parts(audit_request, machine=machine), fixed_operations=False)
    )

    suite = [trial for trial in machine.ended_trials if trial.purpose is Purpose.SUITE]
    assert len(suite) == 3 * audit_request.suite.stability_runs
