"""Run what the store has no run of."""

from collections.abc import Iterable, Iterator, Sequence

from auditor.core.plan import Run, Trial
from auditor.core.schedule import Schedule
from auditor.studies.parts import Parts


def schedule_seconds(schedule: Schedule) -> float:
    """Say roughly how long a schedule takes: its blocks, and the start of a process."""
    return 0.5 + len(schedule.blocks) * schedule.seconds


def expected_seconds(trial: Trial) -> float:
    """Say roughly how long a trial takes."""
    return schedule_seconds(trial.schedule)


def measure(name: str, trials: Sequence[Trial], parts: Parts) -> list[Run]:
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
    for made in parts.dispatcher.run(_still_missing(missing, runs, parts)):
        parts.store.add(made)
        runs.append(parts.store.find(made.trial) or made)
        parts.observer.trial_ended(made, reused=False)
    return runs


def _still_missing(trials: Iterable[Trial], runs: list[Run], parts: Parts) -> Iterator[Trial]:
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
