"""Which methods should have a benchmark first: those that are used, and that none watches."""

from collections.abc import Iterable, Mapping, Sequence

from auditor.core.subject import Method


def unwatched(
    methods: Sequence[Method], used: Iterable[str], watched: Mapping[str, bool], most: int
) -> tuple[Method, ...]:
    """Return the first `most` of some methods in the order of `used` (ids, the most used first).

    `watched` tells of those that somebody has looked at whether some benchmark notices (after an
    audit) or calls them (after a trace); of the others nothing is known, so they count as not
    watched.
    """
    by_id = {one.id: one for one in methods}
    wanted = (name for name in dict.fromkeys(used) if name in by_id and not watched.get(name))
    return tuple(by_id[name] for name, _ in zip(wanted, range(most), strict=False))
