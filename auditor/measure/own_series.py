"""Our own runs, as results that the audits of series read."""

from collections.abc import Iterable, Mapping

from auditor.core.outcome import Measured, Outcome, Skipped, Unreadable
from auditor.core.plan import Run
from auditor.core.schedule import ArmName, Phase
from auditor.core.series.stored import StoredProcess, StoredResults, StoredRun
from auditor.core.suite import IterationSettings, Suite
from auditor.core.values import TIME
from auditor.measure.failures import describe_failure

NO_SETTINGS: Mapping[str, IterationSettings] = {}


def collect_iteration_settings(suite: Suite) -> dict[str, IterationSettings]:
    """Return what the authors of benchmarks ask for, by their ids."""
    return {
        benchmark.id: benchmark.configured
        for benchmark in suite.benchmarks
        if benchmark.configured is not None
    }


def build_stored_results(
    runs: Iterable[Run],
    *,
    harness: str,
    digest: str,
    settings: Mapping[str, IterationSettings] = NO_SETTINGS,
) -> StoredResults:
    """Return the runs of the unchanged suite by repetition, each with its forks in order.

    `settings` are the authors', by the benchmarks' ids: where a process had no
    warm-up, it says which of its iterations would have been one.
    """
    ordered = sorted(runs, key=lambda run: (run.trial.repetition, run.trial.fork))
    processes_by_run: dict[int, dict[str, list[StoredProcess]]] = {}
    first_runs: dict[int, Run] = {}
    for run in ordered:
        if run.trial.benchmark is not None:
            first_runs.setdefault(run.trial.repetition, run)
            name = run.trial.benchmark.id
            benchmark_processes = processes_by_run.setdefault(run.trial.repetition, {}).setdefault(
                name, []
            )
            benchmark_processes.append(_build_stored_process(run, settings.get(name)))
    return StoredResults(
        harness=harness,
        digest=digest,
        runs=tuple(
            StoredRun(
                name=f"run {repetition}",
                host=first_runs[repetition].host,
                commit=first_runs[repetition].revision,
                processes={
                    name: tuple(benchmark_processes)
                    for name, benchmark_processes in processes.items()
                },
            )
            for repetition, processes in processes_by_run.items()
        ),
    )


def _build_stored_process(run: Run, settings: IterationSettings | None = None) -> StoredProcess:
    """Return what a process measured of its benchmark, or why there is nothing."""
    if not isinstance(run.outcome, Measured):
        return StoredProcess(failure=_convert_failure(run.outcome))
    warmups = _read_values(run.outcome, Phase.WARMUP)
    schedule = run.trial.schedule
    single = settings is not None and settings.is_single
    return StoredProcess(
        seconds=_read_values(run.outcome, Phase.MEASUREMENT),
        warmups=warmups,
        iteration_seconds=None if single else schedule.seconds,
        operations=1 if single else schedule.operations,
        configured=None if warmups else settings,
    )


def _read_values(outcome: Measured, phase: Phase) -> tuple[float, ...]:
    series = outcome.find_series(TIME, ArmName.PLAIN, phase)
    return () if series is None else series.values


def _convert_failure(outcome: Outcome) -> Skipped | Unreadable:
    return outcome if isinstance(outcome, Skipped) else Unreadable(describe_failure(outcome), "")
