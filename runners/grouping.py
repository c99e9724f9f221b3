"""Trials that may share a process, in groups."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Protocol

from auditor.core.plan import Trial

FEWEST_LIMIT = 8
"""So many trials may always share a process."""
MOST_TOGETHER = 64
"""Trials in a process: more would save little of its start, and lose more where it is ended."""


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


def choose_limit(start_seconds: float, fork_seconds: Sequence[float]) -> int:
    """Return how many trials make the start of their process about half of its time, or less."""
    mean = sum(fork_seconds) / len(fork_seconds) if fork_seconds else 0.0
    if start_seconds <= 0 or mean <= 0:
        return FEWEST_LIMIT
    return max(FEWEST_LIMIT, min(MOST_TOGETHER, round(start_seconds / mean)))
