"""Long series of each benchmark, from the start of its processes: what a steady state is seen in.

There is no warm-up: what would be one is the beginning of the series. Where an iteration has to be
as its author wrote it, all is done as written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil
from statistics import median

import numpy as np

from auditor.core.errors import NoBenchmarks
from auditor.core.outcome import Measured, Unreadable
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.request import SeriesRequest
from auditor.core.schedule import ArmName, Block, Phase, Schedule
from auditor.core.series.stored import StoredProcess, StoredResults
from auditor.core.suite import Benchmark, IterationSettings
from auditor.measure import own_series, readings, schedules
from auditor.measure.block_sizes import fit_block_operations, run_pilots
from auditor.measure.context import StudyContext
from auditor.measure.planning.preview import Preview, expected_of_phases, planned_phase
from auditor.measure.planning.rehearsal import rehearse_study
from auditor.measure.stability_judge import describe_filter
from auditor.measure.stability_study import find_unmeasured
from auditor.measure.suite_runs import choose_benchmarks, first_failure
from auditor.measure.trials import find_hung_benchmarks, measure_trials

LONGEST = 10.0
"""Times as long as planned may a process take whose operations are longer than an iteration."""
_LONGER = 1.25
"""Times as long as planned may an iteration be before there are fewer: operations are rounded."""
_CALL_SECONDS = 0.1
"""A guess at a call that is an iteration by itself."""
_TOO_LATE = "the budget was used up before any benchmark gave a series"


def collect_series(request: SeriesRequest, parts: StudyContext) -> StoredResults:
    """Return the runs of `measure_processes` as results; an unlisted benchmark has failed.

    Raises NoBenchmarks where none gave a series.
    """
    runs, project = measure_processes(request, parts), parts.project
    results = own_series.build_stored_results(
        runs,
        harness=project.harness,
        digest=project.digest,
        settings=own_series.collect_iteration_settings(parts.suite),
    )
    looked_at = len(choose_benchmarks(parts.suite, parts.request.benchmarks))
    unmeasured_part = find_unmeasured(parts.suite, parts.request.benchmarks, looked_at)
    failed = {
        name: (StoredProcess(failure=Unreadable(reason, "")),)
        for name, reason in unmeasured_part.unlisted
    }
    first = replace(results.runs[0], processes={**results.runs[0].processes, **failed})
    return replace(
        results,
        runs=(first, *results.runs[1:]),
        caveats=(*describe_filter(unmeasured_part, looked_at), *parts.budget_caveats),
    )


def measure_processes(request: SeriesRequest, parts: StudyContext) -> tuple[Run, ...]:
    """Return the runs of `run_processes`; raises NoBenchmarks where none gave a series."""
    runs = run_processes(request, parts)
    if not any(isinstance(run.outcome, Measured) for run in runs):
        reason = f"every benchmark fails; the first: {first_failure(runs)}" if runs else _TOO_LATE
        raise NoBenchmarks(reason)
    return runs


def run_processes(request: SeriesRequest, parts: StudyContext) -> tuple[Run, ...]:
    """Run the processes of each benchmark; of one that fails when tried, there is that failure."""
    benchmarks = choose_benchmarks(parts.suite, parts.request.benchmarks)
    plan = request.plan
    runs = run_pilots(
        [benchmark for benchmark in benchmarks if benchmark.block_seconds is None], plan, parts
    )
    plans = {benchmark.id: plan for benchmark in benchmarks}
    operations = (
        fit_block_operations(benchmarks, runs, plans)
        if parts.fixed_operations
        else dict.fromkeys(plans)
    )
    seconds = {run.trial.benchmark: _compute_median_seconds(run) for run in runs}
    process_plans = [
        (
            benchmark,
            make_schedule(benchmark, request, operations[benchmark.id], seconds.get(benchmark)),
        )
        for benchmark in benchmarks
        if benchmark.block_seconds is not None or seconds.get(benchmark) is not None
    ]
    failed = [run for run in runs if seconds[run.trial.benchmark] is None]
    return (*failed, *_run_forks(process_plans, plan.forks, seconds, parts))


def preview_series(request: SeriesRequest, parts: StudyContext) -> Preview:
    """Return what `steady` and `similarity` would measure of a suite."""
    lookups = rehearse_study(parts, lambda still: run_processes(request, still))
    pilot = lookups.build_phase("pilot", Purpose.PILOT)
    if pilot.stored_count == pilot.trials:
        phases = pilot, lookups.build_phase("processes", Purpose.STEADY)
        return Preview(phases, (), expected_of_phases(parts, phases))
    benchmarks = choose_benchmarks(parts.suite, parts.request.benchmarks)
    lasting = [make_schedule(benchmark, request, None, None) for benchmark in benchmarks]
    phases = pilot, planned_phase("processes (about)", request.plan.forks, lasting)
    return Preview(phases, (), expected_of_phases(parts, phases))


def _keeps_iteration_length(benchmark: Benchmark) -> bool:
    """Tell whether an iteration of another length would mean something else."""
    single = benchmark.configured is not None and benchmark.configured.is_single
    return benchmark.block_seconds is not None or single


def make_schedule(
    benchmark: Benchmark, request: SeriesRequest, operations: int | None, seconds: float | None
) -> Schedule:
    """Return the blocks of a process: as its author wrote it, or many short ones, no warm-up.

    With operations of more `seconds` than a block there are fewer of them, but the least that was
    asked for, if that takes no more than LONGEST times as long as planned.
    """
    plan = request.plan
    if _keeps_iteration_length(benchmark) and benchmark.configured is not None:
        return _make_author_schedule(benchmark.configured, benchmark.block_seconds or _CALL_SECONDS)
    # A block that has a fixed number of operations has two at least.
    block_seconds = (seconds or 0.0) * (1 if operations is None else operations)
    if block_seconds < _LONGER * plan.iteration_seconds:
        block_seconds = plan.iteration_seconds
    planned_seconds = plan.iterations * plan.iteration_seconds
    enough = request.least if request.least * block_seconds <= LONGEST * planned_seconds else 1
    most = max(int(plan.iterations * (plan.iteration_seconds / block_seconds)), enough)
    return schedules.make_plain_schedule(
        replace(plan, iterations=min(plan.iterations, most)), operations
    )


def _make_author_schedule(settings: IterationSettings, seconds: float) -> Schedule:
    # All iterations of a process last the same; it warms up as long as written.
    warm = settings.warmup_iterations
    if not settings.is_single:
        warm = ceil(warm * settings.warmup_seconds / seconds)
    return Schedule(
        arms=(schedules.PLAIN_ARM,),
        blocks=(
            *[Block(Phase.WARMUP, 0)] * warm,
            *[Block(Phase.MEASUREMENT, 0)] * settings.measurement_iterations,
        ),
        seconds=seconds,
    )


def _run_forks(
    process_plans: Sequence[tuple[Benchmark, Schedule]],
    forks: int,
    seconds: Mapping[Benchmark | None, float | None],
    parts: StudyContext,
) -> list[Run]:
    """Run fork by fork, so that those of a benchmark lie apart in time."""
    runs: list[Run] = []
    for fork in range(1, forks + 1):
        order = np.random.default_rng([parts.request.seed, fork]).permutation(len(process_plans))
        ended = find_hung_benchmarks(runs)
        trials = [
            replace(_make_trial(benchmark, blocks, seconds.get(benchmark), parts), fork=fork)
            for benchmark, blocks in (process_plans[index] for index in order)
            if benchmark not in ended
        ]
        runs += measure_trials(f"process {fork} of {forks}", trials, parts)
    return runs


def _make_trial(
    benchmark: Benchmark, blocks: Schedule, seconds: float | None, parts: StudyContext
) -> Trial:
    """Return the trial, with patience for operations that are longer than a block."""
    trial = parts.make_trial(Purpose.STEADY, benchmark, blocks)
    longer = 10 * len(blocks.blocks) * (blocks.operations or 1) * (seconds or 0.0)
    return replace(trial, timeout_seconds=trial.timeout_seconds + longer)


def _compute_median_seconds(run: Run) -> float | None:
    times = readings.list_block_times(run, ArmName.PLAIN)
    return median(times) if times else None
