"""Trials that may share a process, in groups."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Protocol

from auditor.core.plan import Trial

SMALLEST_LIMIT = 8
"""Trials in a process that starts quickly."""
LARGEST_LIMIT = 128
"""Trials in any process."""
LONGEST_SECONDS = 12.0
"""Time of the trials of a process: their runs are stored once it has ended, and an interrupt loses
them."""


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


_TRIALS_OVER_START = 8
"""Time of the trials of a process over that of its start."""
_LEAST_TOGETHER = 2
"""Trials in a process that take long; others behind them may be brief."""


def choose_limit(start_seconds: float, trial_seconds: Sequence[float]) -> int:
    """Return how many trials make the start of their process a small part of its time.

    `trial_seconds` are those of trials of one that has ended.
    """
    mean = sum(trial_seconds) / len(trial_seconds) if trial_seconds else 0.0
    if start_seconds <= 0 or mean <= 0:
        return SMALLEST_LIMIT
    useful = round(_TRIALS_OVER_START * start_seconds / mean)
    in_time = max(_LEAST_TOGETHER, int(LONGEST_SECONDS / mean))
    return min(LARGEST_LIMIT, in_time, max(SMALLEST_LIMIT, useful))
