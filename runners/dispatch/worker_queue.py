"""What each worker of a cluster has to do, and which of them has a benchmark."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from auditor.core.plan import Trial

AHEAD = 2
"""Trials that a worker has at a time: the one that it runs, and the next."""
_WINDOW = 4
"""Trials for each worker that are known and not done: as many as keep all busy, not all."""
_FAR = 64
"""As many where one has less than it can do: those of one benchmark may follow each other."""


@dataclass(frozen=True, slots=True)
class QueuedTrial:
    """A trial that is not sent yet; `attempt` is above one where workers were lost with it."""

    trial: Trial
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class SentTrial:
    """A trial that a worker has; `first` tells that it is the one to run, and not the next."""

    queued: QueuedTrial
    worker: str
    first: bool


@dataclass(slots=True)
class WorkerQueue:
    """What one worker has to do: in order, and begun; and what it has been given, by subject."""

    waiting: deque[QueuedTrial] = field(default_factory=deque)
    started_count: int = 0
    assignments: dict[str, tuple[Any, ...]] = field(default_factory=dict)

    @property
    def trial_count(self) -> int:
        """Return how many trials are not done."""
        return len(self.waiting) + self.started_count


class WorkerQueues:
    """The lane of each worker, by its address; all trials of a benchmark have the same one."""

    def __init__(self, home: Callable[[str], str | None]) -> None:
        """Begin without workers; `home` says which has measured a benchmark before."""
        self.each: dict[str, WorkerQueue] = {}
        self._home = home
        self._homes: dict[str, str] = {}

    @property
    def trial_count(self) -> int:
        """Return how many trials are not done."""
        return sum(lane.trial_count for lane in self.each.values())

    def needs_trials(self, known: int) -> bool:
        """Tell whether more trials than these have to be known to keep all workers busy."""
        many = len(self.each)
        return known < _WINDOW * many or (
            known < _FAR * many and any(lane.trial_count < AHEAD for lane in self.each.values())
        )

    def choose_queue(self, trial: Trial) -> WorkerQueue:
        """Return the lane that has or had the trial's benchmark, else one with little to do."""
        name = trial.benchmark.id if trial.benchmark else trial.tests
        if self._homes.get(name) not in self.each:
            before = self._home(name)
            least = min(self.each, key=lambda worker: self.each[worker].trial_count)
            self._homes[name] = before if before in self.each else least
        return self.each[self._homes[name]]
