"""How long an audit is likely to take, by what is known before it begins."""

from dataclasses import replace
from statistics import fmean

import numpy as np

from auditor.core.errors import UsageError
from auditor.core.mutant import Delay, InjectionKind
from auditor.core.plan import Purpose
from auditor.core.request import AbsRequest, CurveMode
from auditor.core.schedule import Schedule
from auditor.core.suite import Benchmark
from auditor.measure import schedules
from auditor.measure.context import StudyContext
from auditor.measure.method_choice import choose_candidates
from auditor.measure.planning import budget
from auditor.measure.planning.expected_time import (
    ExpectedTime,
    Workload,
    expected_time,
    least_seconds,
    too_small,
)
from auditor.measure.planning.preview import budget_limit, missing_seconds, planned_seconds
from auditor.measure.planning.rehearsal import RehearsalStore, rehearse_study
from auditor.measure.reach_study import map_reach
from auditor.measure.suite_runs import FEWEST_RUNS, choose_benchmarks, run_baseline
from auditor.measure.trial_times import AuditFigures

CERTAIN = (Purpose.PILOT, Purpose.SUITE, Purpose.USAGE, Purpose.REACH)
"""Which processes of these there are hangs on nothing that is still to be measured."""
_PAIR_PURPOSES = (Purpose.CALIBRATION, Purpose.PAIRS, Purpose.MUTANT)
_LARGE = 500
"""Benchmarks from which on the store is not searched for each before an audit begins."""


def estimate_time(
    request: AbsRequest, parts: StudyContext, lookups: RehearsalStore
) -> ExpectedTime:
    """Return the time of `abs`; `lookups` is what a rehearsal found in the store and what not."""
    figures = parts.figures
    pairs = None
    if not lookups.has_missing(*CERTAIN):
        pairs = len(
            {
                (trial.overlay_digest, trial.benchmark)
                for trial in lookups.missing_of(*_PAIR_PURPOSES)
            }
        )
    load = _build_workload(request, parts, pairs)
    load = replace(
        load,
        suite_seconds=missing_seconds(lookups.missing_of(Purpose.PILOT), lookups, figures)
        + _estimate_suite(request, lookups, figures),
        counting_seconds=missing_seconds(
            lookups.missing_of(Purpose.USAGE, Purpose.REACH, Purpose.PROFILE), lookups, figures
        ),
    )
    return _limit_by_budget(load, figures, parts)


def estimate_time_at_start(request: AbsRequest, parts: StudyContext) -> ExpectedTime:
    """Return the time of `abs` as an audit begins, without a rehearsal of its pairs."""
    benchmarks = choose_benchmarks(parts.suite, parts.request.benchmarks)
    if len(benchmarks) <= _LARGE:
        return estimate_time(request, parts, rehearse_counts(request, parts))
    figures = parts.figures
    workload = _cheapest_workload(request, parts, figures)
    load = replace(
        _build_workload(request, parts, None),
        suite_seconds=_limit_suite(
            len(benchmarks) * workload.suite_seconds * parts.request.stability_runs, request
        ),
        counting_seconds=len(benchmarks) * workload.counting_seconds,
    )
    return _limit_by_budget(load, figures, parts)


def refuse_small_budget(request: AbsRequest, parts: StudyContext) -> None:
    """Raise UsageError where the budget is too small to decide a single method.

    Where the store has something of the audit, it may do: nobody measures that again.
    """
    deadline = parts.deadline
    if deadline is None or not budget.is_budgeted(request, parts):
        return
    figures = parts.figures
    elapsed = deadline.budget - deadline.seconds_left
    least = least_seconds(_cheapest_workload(request, parts, figures), figures)
    message = too_small(deadline.budget, elapsed, least)
    if message and not rehearse_counts(request, parts).found_trials:
        raise UsageError(message)


def rehearse_counts(request: AbsRequest, parts: StudyContext) -> RehearsalStore:
    """Return what an audit looks up of the unchanged suite and of counts."""

    def count_calls(rehearsal_context: StudyContext) -> None:
        method_candidates = choose_candidates(request, rehearsal_context)
        slowable = [method for method in method_candidates.methods if method.refusal is None]
        map_reach(
            slowable,
            run_baseline(rehearsal_context, request.suite_time_limit),
            rehearsal_context,
            with_unit_tests=not method_candidates.fixed,
        )

    return rehearse_study(parts, count_calls)


def count_slowed_methods(request: AbsRequest, parts: StudyContext) -> int:
    """Return how many methods are slowed down, at most."""
    return choose_candidates(request, parts).most_slowed


def _build_workload(request: AbsRequest, parts: StudyContext, pairs: int | None) -> Workload:
    """Return the workload of the pairs, that of the suite left out."""
    benchmarks = choose_benchmarks(parts.suite, parts.request.benchmarks)
    planned = [_planned_schedules(request, benchmark) for benchmark in benchmarks]
    return Workload(
        suite_seconds=0.0,
        counting_seconds=0.0,
        benchmarks=len(benchmarks),
        methods=count_slowed_methods(request, parts),
        pairs=pairs,
        calibration_blocks=fmean(planned_seconds(calibration) for calibration, _ in planned),
        pair_blocks=fmean(planned_seconds(pair) for _, pair in planned),
        runs=request.runs,
        measures_further=bool(request.controls) or request.curve is not CurveMode.NONE,
    )


def _cheapest_workload(request: AbsRequest, parts: StudyContext, figures: AuditFigures) -> Workload:
    """Return the workload of one method in the benchmark with the shortest processes."""
    plan = parts.request.plan
    benchmarks = choose_benchmarks(parts.suite, parts.request.benchmarks)
    shortest_benchmark = min(
        benchmarks, key=lambda benchmark: schedules.fit_plan(plan, benchmark).iteration_seconds
    )
    fit = schedules.fit_plan(plan, shortest_benchmark)
    calibration, pair = _planned_schedules(request, shortest_benchmark)
    pilot = figures.start_seconds + planned_seconds(schedules.make_pilot_schedule(fit))
    plain = figures.start_seconds + planned_seconds(schedules.make_plain_schedule(fit, None))
    return Workload(
        suite_seconds=(pilot if parts.fixed_operations else 0.0) + plain,
        counting_seconds=figures.start_seconds
        + planned_seconds(schedules.make_counting_schedule(fit, None)),
        benchmarks=1,
        methods=1,
        pairs=1,
        calibration_blocks=planned_seconds(calibration),
        pair_blocks=planned_seconds(pair),
        runs=request.runs,
        measures_further=False,
    )


def _planned_schedules(request: AbsRequest, benchmark: Benchmark) -> tuple[Schedule, Schedule]:
    """Return the schedules of a calibration and of a pair, as if nothing were known."""
    rng, delay = np.random.default_rng(0), Delay(InjectionKind.WORK, 1)
    fit = schedules.fit_plan(request.suite.plan, benchmark)
    finer = schedules.plan_calibration(fit, benchmark)
    return (
        schedules.make_calibration_schedule(finer, None, 1, rng),
        schedules.make_pair_schedule(fit, None, delay, rng),
    )


def _estimate_suite(request: AbsRequest, lookups: RehearsalStore, figures: AuditFigures) -> float:
    """Return how long the missing runs of the suite take.

    Once the first is known, so is how many there are.
    """
    trials = lookups.missing_of(Purpose.SUITE)
    seconds = missing_seconds(trials, lookups, figures)
    is_known = all(trial.repetition > 1 for trial in trials)
    return seconds if is_known else _limit_suite(seconds, request)


def _limit_suite(seconds: float, request: AbsRequest) -> float:
    """Return how long runs of the suite take, of which all would take `seconds`."""
    if request.suite_time_limit is None or not request.suite.stability_runs:
        return seconds
    fewest = seconds * FEWEST_RUNS / request.suite.stability_runs
    return min(seconds, max(request.suite_time_limit, fewest))


def _limit_by_budget(load: Workload, figures: AuditFigures, parts: StudyContext) -> ExpectedTime:
    """Return the time of a workload, of which a budget allows the suite only a part."""
    if (limit := budget_limit(parts)) is not None:
        load = replace(
            load,
            suite_seconds=min(load.suite_seconds, budget.SUITE_PART * limit),
            counting_seconds=min(load.counting_seconds, budget.COUNTING_PART * limit),
        )
    return expected_time(load, figures, limit)
