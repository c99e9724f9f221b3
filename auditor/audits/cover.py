"""The fewest benchmarks that keep the score (redundancy.md)."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set

from auditor.core.verdict import Cover

MOST_STEPS = 20_000
"""Steps of the exact search before it is given up: well below a second."""

Matrix = Mapping[str, Set[str]]
"""The benchmarks that detect a method, by method."""


def minimal_cover(detected_by: Matrix, *, most_steps: int = MOST_STEPS) -> Cover:
    """Return benchmarks that detect all that the suite detects, none of which can be left out."""
    rows = {method: frozenset(found) for method, found in detected_by.items() if found}
    best = _irredundant(rows, _greedy(rows))
    bound = _disjoint(list(rows.values()))
    distinct = sorted(set(rows.values()), key=lambda row: (len(row), sorted(row)))
    search = _Search(distinct, most_steps)
    for size in range(bound, len(best)):
        found = search.cover_of(size)
        if found is not None:
            return Cover(benchmarks=tuple(sorted(found)), minimum=size, exact=True)
        if search.exhausted:
            return Cover(benchmarks=best, minimum=size, exact=False)
    return Cover(benchmarks=best, minimum=len(best), exact=True)


def _greedy(rows: Mapping[str, frozenset[str]]) -> list[str]:
    """Take the benchmark that detects most of what is left, the first by name among equals."""
    left, taken = set(rows), list[str]()
    while left:
        gains = Counter(benchmark for method in left for benchmark in rows[method])
        best = min(gains, key=lambda benchmark: (-gains[benchmark], benchmark))
        taken.append(best)
        left = {method for method in left if best not in rows[method]}
    return taken


def _irredundant(rows: Mapping[str, frozenset[str]], taken: Sequence[str]) -> tuple[str, ...]:
    """Drop, last taken first, whatever the others make superfluous."""
    kept = set(taken)
    for benchmark in reversed(taken):
        if all(row & (kept - {benchmark}) for row in rows.values()):
            kept.remove(benchmark)
    return tuple(sorted(kept))


def _disjoint(rows: Sequence[frozenset[str]]) -> int:
    """Count methods no two of which share a benchmark: each needs a benchmark of its own."""
    used: set[str] = set()
    count = 0
    for row in sorted(rows, key=lambda row: (len(row), sorted(row))):
        if not row & used:
            used |= row
            count += 1
    return count


class _Search:
    """Looks for a cover of a given size, as long as steps are left."""

    def __init__(self, rows: Sequence[frozenset[str]], steps: int) -> None:
        self._rows = rows
        self._left = steps

    @property
    def exhausted(self) -> bool:
        """Tell whether the search was given up."""
        return self._left <= 0

    def cover_of(self, size: int) -> frozenset[str] | None:
        """Return a cover of at most `size` benchmarks; None also when given up."""
        return self._extend(frozenset(), list(self._rows), size)

    def _extend(
        self, taken: frozenset[str], rows: Sequence[frozenset[str]], more: int
    ) -> frozenset[str] | None:
        if not rows:
            return taken
        self._left -= 1
        if _disjoint(rows) > more or self.exhausted:
            return None
        # the rows stay sorted by length, and the shortest leaves the fewest choices
        for benchmark in sorted(rows[0]):
            rest = [row for row in rows if benchmark not in row]
            found = self._extend(taken | {benchmark}, rest, more - 1)
            if found is not None:
                return found
        return None
