"""Processes of the suite that end once they are warm, and how long all others then warm up."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil

from auditor.core.plan import Purpose, Run, Trial
from auditor.core.request import Plan, WatchRequest
from auditor.core.suite import Benchmark
from auditor.measure import schedules
from auditor.measure.block_sizes import BlockSizes, estimate_block_seconds, fit_block_operations
from auditor.measure.context import StudyContext
from auditor.measure.warmup_results import MeasuredWarmup, measure_warmups
from auditor.warmup.validity import trusted_rule

_PATIENCE = 10
"""Times as long as planned may the block last in which a watched process comes to its limit."""
_LONGER = 1.25
"""Times as long as planned may a block be without being another one: operations are rounded."""


def make_suite_trials(
    benchmarks: Sequence[Benchmark], size: BlockSizes, parts: StudyContext
) -> dict[str, Trial]:
    """Return the trial of a process of each benchmark, by its id."""
    request = parts.request.watched
    if request is None:
        return {
            benchmark.id: parts.make_trial(
                Purpose.SUITE, benchmark, size.make_plain_schedule(benchmark)
            )
            for benchmark in benchmarks
        }
    benchmark_ids = {benchmark.id for benchmark in benchmarks}
    harness = parts.project.harness
    plans = {
        benchmark.id: schedules.plan_watched(request, size.plans[benchmark.id], benchmark, harness)
        for benchmark in benchmarks
    }
    pilot_runs = [
        run
        for run in size.pilots
        if run.trial.benchmark and run.trial.benchmark.id in benchmark_ids
    ]
    operations = fit_block_operations(benchmarks, pilot_runs, plans)
    block_seconds = estimate_block_seconds(pilot_runs, operations)
    trials = {
        benchmark.id: parts.make_trial(
            Purpose.SUITE,
            benchmark,
            schedules.make_plain_schedule(plans[benchmark.id], operations[benchmark.id]),
        )
        for benchmark in benchmarks
    }
    return {
        name: _make_watched_trial(trial, block_seconds.get(name), request, parts)
        for name, trial in trials.items()
    }


def _make_watched_trial(
    trial: Trial, lasts: float | None, request: WatchRequest, parts: StudyContext
) -> Trial:
    """Return a trial that is watched; its blocks are the most that it does, not what it takes.

    `lasts` is how long a block of it was seen to be. Of a call that is one by itself nobody knows.
    """
    planned = trial.schedule.seconds
    seconds = planned if lasts is None or lasts <= _LONGER * planned else lasts
    settings = trial.benchmark.configured if trial.benchmark else None
    if settings is not None and settings.is_single:
        seconds = 0.0
    watch = trusted_rule(request.adapt_rule(seconds), parts.project.harness, seconds)
    patience = watch.seconds + _PATIENCE * max(planned, seconds)
    return replace(trial, watch=watch, timeout_seconds=parts.request.timeout_seconds + patience)


def adapt_warmup(
    plans: Mapping[str, Plan], operations: Mapping[str, int | None], runs: Sequence[Run]
) -> dict[str, Plan]:
    """Return the plan of each benchmark, by its id, with the warm-up that watched runs ask for.

    That is the longest of any of its processes in the first of the runs, so that further ones
    change nothing. A benchmark of which one was not seen warm keeps what is planned. A block of so
    many `operations` lasts longer than planned where they do.
    """
    earliest = min((run.trial.repetition for run in runs), default=0)
    warmups = measure_warmups([run for run in runs if run.trial.repetition == earliest])
    return {
        name: plan
        if (warmup := warmups.get(name)) is None
        else replace(plan, warmup=max(1, _count_warmup_blocks(warmup, plan, operations.get(name))))
        for name, plan in plans.items()
    }


def _count_warmup_blocks(warmup: MeasuredWarmup, plan: Plan, operations: int | None) -> int:
    if warmup.single:
        return warmup.iterations
    lasts = warmup.least_seconds if operations is None else operations * warmup.operation_seconds
    return ceil(warmup.seconds / max(plan.iteration_seconds, lasts))
