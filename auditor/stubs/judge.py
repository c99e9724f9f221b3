"""Which methods should have a benchmark first: those that are used, and that none watches."""

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum

from auditor.core.subject import Method


class WatchState(IntEnum):
    """What benchmarks do with a method, those first that need a benchmark most."""

    UNCALLED = 0
    UNNOTICED = 1
    """Some benchmark calls it, and none detects a slowdown."""
    WATCHED = 2
    """Some benchmark detects a slowdown, or calls it and nobody knows whether it would."""


def select_unwatched_methods(
    methods: Sequence[Method], used: Iterable[str], watched: Mapping[str, WatchState], most: int
) -> tuple[Method, ...]:
    """Return the first `most` of some methods: uncalled ones, then unnoticed ones.

    Both are in the order of `used` (ids, the most used first). A method that nobody has looked at
    counts as uncalled. What cannot get slower needs no benchmark. Generic methods come last, since
    no benchmark can be generated for them.
    """
    by_id = {method.id: method for method in methods if method.trivial is None}
    candidates = [(watched.get(name, WatchState.UNCALLED), name) for name in dict.fromkeys(used)]
    unwatched = [
        candidate
        for candidate in candidates
        if candidate[1] in by_id and candidate[0] is not WatchState.WATCHED
    ]
    unwatched.sort(key=lambda candidate: (by_id[candidate[1]].generic, candidate[0]))
    return tuple(by_id[name] for _, name in unwatched[:most])
