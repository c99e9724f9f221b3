"""Trials that may share a process, in groups."""

from collections.abc import Callable, Hashable, Iterable, Iterator

from auditor.core.plan import Trial

MOST_TOGETHER = 8
"""Trials in a process: more would save little of its start, and lose more where it is ended."""


def group_trials(
    trials: Iterable[Trial], find_sharing: Callable[[Trial], Hashable | None]
) -> Iterator[list[Trial]]:
    """Yield all trials in their order, together where they may share a process.

    Neighbours may if `find_sharing` tells the same of them, and not None. No trial is asked for
    before it is wanted, but one that turns out not to belong to the group before it.
    """
    group: list[Trial] = []
    group_sharing: Hashable | None = None
    for trial in trials:
        sharing = find_sharing(trial)
        if group and sharing != group_sharing:
            yield group
            group = []
        group.append(trial)
        group_sharing = sharing
        if sharing is None or len(group) == MOST_TOGETHER:
            yield group
            group = []
    if group:
        yield group
