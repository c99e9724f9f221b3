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
from auditor.measure.method_choice import candidates
from auditor.measure.planning import budget
from auditor.measure.planning.expected_time import (
    ExpectedTime,
    Workload,
    expected_time,
    least_seconds,
    too_small,
)
from auditor.measure.planning.preview import budget_limit, missing_seconds, planned_seconds
from auditor.measure.planning.rehearsal import Lookups, rehearse
from auditor.measure.reach_study import map_reach
from auditor.measure.suite_runs import baseline, chosen
from auditor.measure.trial_times import AuditFigures

CERTAIN = (Purpose.PILOT, Purpose.SUITE, Purpose.USAGE, Purpose.REACH)
"""Which processes of these there are hangs on nothing that is still to be measured."""
_OF_PAIRS = (Purpose.CALIBRATION, Purpose.PAIRS, Purpose.MUTANT)
_LARGE = 500
"""Benchmarks from which on the store is not searched for each before an audit begins."""


def expected_of(request: AbsRequest, parts: StudyContext, lookups: Lookups) -> ExpectedTime:
    """Return the time of `abs`; `lookups` is what a rehearsal found in the store and what not."""
    figures = parts.figures
    pairs = None
    if not lookups.lacks(*CERTAIN):
        pairs = len({(trial.overlaid, trial.benchmark) for trial in lookups.missing_of(*_OF_PAIRS)})
    load = _workload(request, parts, pairs)
    load = replace(
        load,
        suite_seconds=missing_seconds(
            lookups.missing_of(Purpose.PILOT, Purpose.SUITE), lookups, figures
        ),
        counting_seconds=missing_seconds(
            lookups.missing_of(Purpose.USAGE, Purpose.REACH, Purpose.PROFILE), lookups, figures
        ),
    )
    return _limit_by_budget(load, figures, parts)


def expected_beforehand(request: AbsRequest, parts: StudyContext) -> ExpectedTime:
    """Return the time of `abs` as an audit begins, without a rehearsal of its pairs."""
    benchmarks = chosen(parts.suite, parts.request.benchmarks)
    if len(benchmarks) <= _LARGE:
        return expected_of(request, parts, rehearse_counts(request, parts))
    figures = parts.figures
    workload = _cheapest_workload(request, parts, figures)
    load = replace(
        _workload(request, parts, None),
        suite_seconds=len(benchmarks) * workload.suite_seconds * parts.request.stability_runs,
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
    elapsed = deadline.seconds - deadline.left
    least = least_seconds(_cheapest_workload(request, parts, figures), figures)
    message = too_small(deadline.seconds, elapsed, least)
    if message and not rehearse_counts(request, parts).found:
        raise UsageError(message)


def rehearse_counts(request: AbsRequest, parts: StudyContext) -> Lookups:
    """Return what an audit looks up of the unchanged suite and of counts."""

    def count(still: StudyContext) -> None:
        found = candidates(request, still)
        slowable = [method for method in found.methods if method.refusal is None]
        map_reach(slowable, baseline(still), still, with_unit_tests=not found.fixed)

    return rehearse(parts, count)


def slowed_methods(request: AbsRequest, parts: StudyContext) -> int:
    """Return how many methods are slowed down, at most."""
    return candidates(request, parts).most_slowed


def _workload(request: AbsRequest, parts: StudyContext, pairs: int | None) -> Workload:
    """Return the workload of the pairs, that of the suite left out."""
    benchmarks = chosen(parts.suite, parts.request.benchmarks)
    planned = [_planned_schedules(request, benchmark) for benchmark in benchmarks]
    return Workload(
        suite_seconds=0.0,
        counting_seconds=0.0,
        benchmarks=len(benchmarks),
        methods=slowed_methods(request, parts),
        pairs=pairs,
        calibration_blocks=fmean(planned_seconds(calibration) for calibration, _ in planned),
        pair_blocks=fmean(planned_seconds(pair) for _, pair in planned),
        runs=request.runs,
        measures_further=bool(request.controls) or request.curve is not CurveMode.NONE,
    )


def _cheapest_workload(request: AbsRequest, parts: StudyContext, figures: AuditFigures) -> Workload:
    """Return the workload of one method in the benchmark with the shortest processes."""
    plan = parts.request.plan
    benchmarks = chosen(parts.suite, parts.request.benchmarks)
    one = min(benchmarks, key=lambda benchmark: schedules.fitted(plan, benchmark).iteration_seconds)
    fit = schedules.fitted(plan, one)
    calibration, pair = _planned_schedules(request, one)
    pilot = figures.start_seconds + planned_seconds(schedules.pilot(fit))
    plain = figures.start_seconds + planned_seconds(schedules.plain(fit, None))
    return Workload(
        suite_seconds=(pilot if parts.fixed_operations else 0.0) + plain,
        counting_seconds=figures.start_seconds
        + planned_seconds(schedules.counting_schedule(fit, None)),
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
    fit = schedules.fitted(request.suite.plan, benchmark)
    finer = schedules.calibrating(fit, benchmark)
    return (
        schedules.calibration(finer, None, 1, rng),
        schedules.pairs(fit, None, delay, rng),
    )


def _limit_by_budget(load: Workload, figures: AuditFigures, parts: StudyContext) -> ExpectedTime:
    """Return the time of a workload, of which a budget allows the suite only a part."""
    if (limit := budget_limit(parts)) is not None:
        load = replace(
            load,
            suite_seconds=min(load.suite_seconds, budget.SUITE_PART * limit),
            counting_seconds=min(load.counting_seconds, budget.COUNTING_PART * limit),
        )
    return expected_time(load, figures, limit)
