"""Trials that may share a process, in groups."""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from auditor.core.plan import Trial

DEFAULT_LIMIT = 8
"""Trials in a process that starts quickly, or of which nothing is known."""
LARGEST_LIMIT = 128
"""Trials in any process."""
LONGEST_SECONDS = 12.0
"""Time of the trials of a process: their runs are stored once it has ended, and an interrupt loses
them."""
_LEAST_TOGETHER = 2
"""Trials in a process, however long they take."""
_TRIALS_OVER_START = 8
"""Time of the trials of a process over that of its start."""


class Sharing(Protocol):
    """Tells which trials may share a process."""

    def find_sharing_key(self, trial: Trial) -> Hashable | None:
        """Return what is equal for trials that may; None: this one may not."""
        ...

    def find_limit(self, trial: Trial) -> int:
        """Return how many trials such as this one may share a process."""
        ...


def group_trials(trials: Iterable[Trial], sharing: Sharing) -> Iterator[list[Trial]]:
    """Yield all trials in their order, neighbours together where they may share a process.

    No trial is asked for before it is wanted, but one that turns out not to belong to the group
    before it.
    """
    group: list[Trial] = []
    group_key: Hashable | None = None
    for trial in trials:
        key = sharing.find_sharing_key(trial)
        if group and key != group_key:
            yield group
            group = []
        group.append(trial)
        group_key = key
        if key is None or len(group) >= sharing.find_limit(trial):
            yield group
            group = []
    if group:
        yield group


@dataclass(frozen=True, slots=True)
class GroupCost:
    """What the last process of several trials took."""

    start_seconds: float = 0.0
    """Of the process, without its trials."""
    trial_seconds: float = 0.0
    """Mean of its trials; 0 where nothing is known."""

    def choose_limit(self, planned_seconds: float, seconds_left: float, parallel: int) -> int:
        """Return how many trials make the start of their process a small part of its time.

        `planned_seconds` stand for the time of a trial where none has been run. `parallel`
        processes run at a time: none of them is to go on long after the others have ended.
        """
        seconds = self.trial_seconds or planned_seconds
        if seconds <= 0:
            return DEFAULT_LIMIT
        useful_seconds = _TRIALS_OVER_START * self.start_seconds
        longest_seconds = min(LONGEST_SECONDS, max(LONGEST_SECONDS / parallel, useful_seconds))
        limit = min(
            LARGEST_LIMIT,
            max(_LEAST_TOGETHER, int(longest_seconds / seconds)),
            max(DEFAULT_LIMIT, round(useful_seconds / seconds)),
        )
        return limit if limit * seconds <= seconds_left else max(1, int(seconds_left / seconds))
