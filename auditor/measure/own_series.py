"""Our own runs, as results that the audits of series read."""

from collections.abc import Iterable, Mapping

from auditor.core.outcome import Measured, Outcome, Skipped, Unreadable
from auditor.core.plan import Run
from auditor.core.schedule import ArmName, Phase
from auditor.core.series.stored import StoredProcess, StoredResults, StoredRun
from auditor.core.suite import Configured, Suite
from auditor.core.values import TIME
from auditor.measure.failures import reason

NOT_KNOWN: Mapping[str, Configured] = {}


def configured(suite: Suite) -> dict[str, Configured]:
    """Return what the authors of benchmarks ask for, by their ids."""
    return {
        benchmark.id: benchmark.configured
        for benchmark in suite.benchmarks
        if benchmark.configured is not None
    }


def results(
    runs: Iterable[Run],
    *,
    harness: str,
    digest: str,
    asked: Mapping[str, Configured] = NOT_KNOWN,
) -> StoredResults:
    """Return the runs of the unchanged suite by repetition, each with its forks in order.

    `asked` is what the authors ask for, by the benchmarks' ids: where a process had no
    warm-up, it says which of its iterations would have been one.
    """
    ordered = sorted(runs, key=lambda run: (run.trial.repetition, run.trial.fork))
    found: dict[int, dict[str, list[StoredProcess]]] = {}
    made: dict[int, Run] = {}
    for run in ordered:
        if run.trial.benchmark is not None:
            made.setdefault(run.trial.repetition, run)
            name = run.trial.benchmark.id
            mine = found.setdefault(run.trial.repetition, {}).setdefault(name, [])
            mine.append(process(run, asked.get(name)))
    return StoredResults(
        harness=harness,
        digest=digest,
        runs=tuple(
            StoredRun(
                name=f"run {repetition}",
                host=made[repetition].host,
                commit=made[repetition].revision,
                processes={name: tuple(mine) for name, mine in processes.items()},
            )
            for repetition, processes in found.items()
        ),
    )


def process(run: Run, asked: Configured | None = None) -> StoredProcess:
    """Return what a process measured of its benchmark, or why there is nothing."""
    if not isinstance(run.outcome, Measured):
        return StoredProcess(failure=_failure(run.outcome))
    warmups = _values(run.outcome, Phase.WARMUP)
    schedule = run.trial.schedule
    single = asked is not None and asked.is_single
    return StoredProcess(
        seconds=_values(run.outcome, Phase.MEASUREMENT),
        warmups=warmups,
        iteration_seconds=None if single else schedule.seconds,
        operations=1 if single else schedule.operations,
        configured=None if warmups else asked,
    )


def _values(outcome: Measured, phase: Phase) -> tuple[float, ...]:
    series = outcome.of(TIME, ArmName.PLAIN, phase)
    return () if series is None else series.values


def _failure(outcome: Outcome) -> Skipped | Unreadable:
    return outcome if isinstance(outcome, Skipped) else Unreadable(reason(outcome), "")
