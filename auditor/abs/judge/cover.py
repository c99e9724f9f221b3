"""The fewest benchmarks that keep the score, and how much the best few keep (redundancy.md)."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set

from auditor.abs.model import BestChoice, Cover
from auditor.stats import zero_one
from auditor.stats.zero_one import Constraint

LARGEST = 200
"""Benchmarks, without those that another outdoes, up to which the fewest are looked for."""

Matrix = Mapping[str, Set[str]]
"""The benchmarks that detect a method, by method."""


def minimal_cover(
    detected_by: Matrix, *, largest: int = LARGEST, seconds: float = zero_one.SECONDS
) -> Cover:
    """Return benchmarks that detect all that the suite detects, none of which can be left out.

    The fewest there are, of several such choices the first by name; a greedy choice beside a lower
    bound where there are too many benchmarks, or that would take longer than `seconds`.
    """
    rows = {method: frozenset(found) for method, found in detected_by.items() if found}
    greedy = irredundant(rows, list(_best_first(rows)))
    names = _not_outdone(rows)
    costs, wanted = [1] * len(names), _at_least_one(rows, names)
    if len(names) > largest:
        bound = zero_one.lower_bound(costs, wanted, seconds=seconds)
        return Cover(benchmarks=greedy, minimum=bound, exact=len(greedy) == bound)
    solution = zero_one.minimum(costs, wanted, seconds=seconds)
    best = (
        greedy if solution.chosen is None else tuple(names[one] for one in sorted(solution.chosen))
    )
    if not solution.exact:
        best = min(greedy, irredundant(rows, best), key=len)
    return Cover(benchmarks=best, minimum=solution.bound, exact=len(best) == solution.bound)


def density_curve(detected_by: Matrix) -> tuple[BestChoice, ...]:
    """Return how many of the methods the first, the first two, ... benchmarks detect.

    Each is the one that detects most of what is left, the first by name among equals, up to all
    that the suite detects. What any choice of so many can keep at most follows from the gains that
    are left: no further benchmark can add more than it would add now.
    """
    rows = {method: frozenset(found) for method, found in detected_by.items() if found}
    steps = _best_first(rows)
    sums = [(0, tuple(_gains(rows, set(rows)).values()))]
    left = set(rows)
    for benchmark in steps:
        left = {method for method in left if benchmark not in rows[method]}
        sums.append((len(rows) - len(left), tuple(_gains(rows, left).values())))
    return tuple(
        BestChoice(
            benchmarks=size,
            benchmark=benchmark,
            methods=sums[size][0],
            percent=100 * sums[size][0] / len(detected_by),
            most=min(
                len(rows), *(known + sum(sorted(gains)[::-1][:size]) for known, gains in sums)
            ),
        )
        for size, benchmark in enumerate(steps, 1)
    )


def irredundant(rows: Mapping[str, frozenset[str]], taken: Sequence[str]) -> tuple[str, ...]:
    """Drop, last taken first, whatever the others make superfluous; sort the rest by name."""
    kept = set(taken)
    for benchmark in reversed(taken):
        if all(row & (kept - {benchmark}) for row in rows.values()):
            kept.remove(benchmark)
    return tuple(sorted(kept))


def _best_first(rows: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """Take the benchmark that detects most of what is left, the first by name among equals."""
    left, taken = set(rows), list[str]()
    while left:
        gains = _gains(rows, left)
        best = min(gains, key=lambda benchmark: (-gains[benchmark], benchmark))
        taken.append(best)
        left = {method for method in left if best not in rows[method]}
    return tuple(taken)


def _gains(rows: Mapping[str, frozenset[str]], remaining: Set[str]) -> Counter[str]:
    """Count how many of the methods that are left each benchmark detects."""
    return Counter(benchmark for method in remaining for benchmark in rows[method])


def _not_outdone(rows: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """Return the benchmarks of which no other detects all that they do and more.

    Of those that detect the same the first by name stays.
    """
    detects: dict[str, int] = {}
    for index, found in enumerate(rows.values()):
        for benchmark in found:
            detects[benchmark] = detects.get(benchmark, 0) | 1 << index
    first: dict[int, str] = {}
    for benchmark in sorted(detects):
        first.setdefault(detects[benchmark], benchmark)
    whole: list[int] = []
    for mine in sorted(first, key=lambda mask: -mask.bit_count()):
        if all(mine & ~other for other in whole):
            whole.append(mine)
    return tuple(sorted(first[mask] for mask in whole))


def _at_least_one(rows: Mapping[str, frozenset[str]], names: Sequence[str]) -> list[Constraint]:
    at = {name: number for number, name in enumerate(names)}
    distinct = sorted(
        {tuple(sorted(at[cell] for cell in row if cell in at)) for row in rows.values()}
    )
    return [Constraint(dict.fromkeys(columns, 1), least=1) for columns in distinct]
