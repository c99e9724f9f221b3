"""Run what the store has no run of."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from auditor.core.errors import OutOfTime
from auditor.core.outcome import TimedOut
from auditor.core.plan import Run, Trial
from auditor.core.ports import Dispatcher, Observer, Store
from auditor.core.schedule import Schedule
from auditor.core.suite import Benchmark
from auditor.studies.parts import Deadline

UNIT_TEST_SECONDS = 10.0
"""A guess at the subject's own unit tests: nothing is known of them before they have run."""
_PART_SECONDS = 2.0
"""A guess at a part of them, such as a package's."""


def schedule_seconds(schedule: Schedule) -> float:
    """Say roughly how long a schedule takes: its blocks, and the start of a process."""
    return 0.5 + len(schedule.blocks) * schedule.seconds


def expected_seconds(trial: Trial) -> float:
    """Say roughly how long a trial takes; of one that is watched, at most."""
    if trial.benchmark is None:
        return _PART_SECONDS if trial.tests else UNIT_TEST_SECONDS
    seconds = schedule_seconds(trial.schedule)
    return seconds if trial.watch is None else min(seconds, 0.5 + trial.watch.seconds)


def hung(runs: Iterable[Run]) -> set[Benchmark | None]:
    """Return the benchmarks that the watchdog had to end in one of `runs`."""
    return {run.trial.benchmark for run in runs if isinstance(run.outcome, TimedOut)}


class Workers(Protocol):
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


def measure(name: str, trials: Sequence[Trial], parts: Workers) -> list[Run]:
    """Return the runs of `trials`, old and new; those the deadline prevented are absent.

    Another auditor may be at work on the same store: what it has run meanwhile is not run again,
    and of two runs of one trial both go on with the one that the store kept.
    """
    runs = []
    missing = []
    for trial in trials:
        run = parts.store.find(trial)
        if run is None:
            missing.append(trial)
        else:
            runs.append(run)
    parts.observer.phase_started(name, len(trials), sum(map(expected_seconds, missing)))
    for run in runs:
        parts.observer.trial_ended(run, reused=True)
    try:
        for made in parts.dispatcher.run(_still_missing(missing, runs, parts)):
            parts.store.add(made)
            runs.append(parts.store.find(made.trial) or made)
            parts.observer.trial_ended(made, reused=False)
    except OutOfTime:
        if parts.deadline is None:
            raise
        parts.deadline.prevented = True
    return runs


def _still_missing(trials: Iterable[Trial], runs: list[Run], parts: Workers) -> Iterator[Trial]:
    """Yield what is still to be run in time; what another auditor has run goes into `runs`."""
    for trial in trials:
        run = parts.store.find(trial)
        if run is not None:
            runs.append(run)
            parts.observer.trial_ended(run, reused=True)
        elif parts.deadline is None or parts.deadline.allows(expected_seconds(trial)):
            yield trial
        else:
            return
