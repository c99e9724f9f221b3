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
    """Return the runs of `trials`, old and new; those the deadline prevented are absent."""
    known = [(trial, parts.store.find(trial)) for trial in trials]
    missing = [trial for trial, run in known if run is None]
    parts.observer.phase_started(name, len(trials), sum(map(expected_seconds, missing)))
    runs = []
    for _, run in known:
        if run is not None:
            parts.observer.trial_ended(run, reused=True)
            runs.append(run)
    for run in parts.dispatcher.run(_in_time(missing, parts)):
        parts.store.add(run)
        parts.observer.trial_ended(run, reused=False)
        runs.append(run)
    return runs


def _in_time(trials: Iterable[Trial], parts: Parts) -> Iterator[Trial]:
    for trial in trials:
        if parts.deadline is not None:
            ends = parts.clock.monotonic() + expected_seconds(trial)
            if ends > parts.deadline:
                return
        yield trial
