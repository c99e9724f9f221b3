"""Run what the store has no run of."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from auditor.core.errors import OutOfTime
from auditor.core.outcome import TimedOut
from auditor.core.plan import Run, Trial
from auditor.core.ports import Dispatcher, Observer, Store
from auditor.core.suite import Benchmark
from auditor.measure.context import Deadline
from auditor.measure.trial_times import expected_seconds


def find_hung_benchmarks(runs: Iterable[Run]) -> set[Benchmark | None]:
    """Return the benchmarks that the watchdog had to end in one of `runs`."""
    return {run.trial.benchmark for run in runs if isinstance(run.outcome, TimedOut)}


def prefer_stored(trials: Sequence[Trial], store: Store) -> Trial:
    """Return the first of these trials that the store has a run of, else the first.

    They tell the same, and differ in how surely.
    """
    return next((trial for trial in trials if store.has_run(trial)), trials[0])


class TrialServices(Protocol):
    """What runs trials and remembers them; `Parts` has it all."""

    @property
    def dispatcher(self) -> Dispatcher:
        """Return what runs trials."""

    @property
    def store(self) -> Store:
        """Return what remembers their runs."""

    @property
    def observer(self) -> Observer:
        """Return what hears of them."""

    @property
    def deadline(self) -> Deadline | None:
        """Return the end of the study, if it has one."""


def measure_trials(name: str, trials: Sequence[Trial], parts: TrialServices) -> list[Run]:
    """Return the runs of `trials`, old and new; those the deadline prevented are absent.

    Another auditor may be at work on the same store: what it has run meanwhile is not run again,
    and of two runs of one trial both go on with the one that the store kept.
    """
    runs = []
    missing = []
    for trial in trials:
        run = parts.store.find_run(trial)
        if run is None:
            missing.append(trial)
        else:
            runs.append(run)
    parts.observer.phase_started(name, len(trials), sum(map(expected_seconds, missing)))
    for run in runs:
        _report_run(run, parts, reused=True)
    try:
        for trial_run in parts.dispatcher.run_trials(_still_missing(missing, runs, parts)):
            parts.store.add_run(trial_run)
            runs.append(parts.store.find_run(trial_run.trial) or trial_run)
            _report_run(trial_run, parts, reused=False)
    except OutOfTime:
        if parts.deadline is None:
            raise
        parts.deadline.prevented = True
    return runs


def _report_run(run: Run, parts: TrialServices, *, reused: bool) -> None:
    """Tell the observer of a run, and the deadline how long it took."""
    parts.observer.trial_ended(run, reused=reused)
    if parts.deadline is not None:
        parts.deadline.times.add_run(run)


def _still_missing(
    trials: Iterable[Trial], runs: list[Run], parts: TrialServices
) -> Iterator[Trial]:
    """Yield what is still to be run in time; what another auditor has run goes into `runs`."""
    for trial in trials:
        run = parts.store.find_run(trial)
        if run is not None:
            runs.append(run)
            _report_run(run, parts, reused=True)
        elif parts.deadline is None or parts.deadline.has_time_for(
            parts.deadline.times.estimate_seconds(trial)
        ):
            yield trial
        else:
            return
