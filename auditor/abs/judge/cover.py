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


def find_minimal_cover(
    detected_by: Matrix, *, largest: int = LARGEST, seconds: float = zero_one.SECONDS
) -> Cover:
    """Return benchmarks that detect all that the suite detects, none of which can be left out.

    The fewest there are, of several such choices the first by name; a greedy choice beside a lower
    bound where there are too many benchmarks, or that would take longer than `seconds`.
    """
    rows = {
        method: frozenset(benchmarks) for method, benchmarks in detected_by.items() if benchmarks
    }
    greedy = _drop_redundant(rows, list(_order_by_gain(rows)))
    names = _list_undominated(rows)
    costs, constraints = [1] * len(names), _make_cover_constraints(rows, names)
    if len(names) > largest:
        bound = zero_one.lower_bound(costs, constraints, seconds=seconds)
        return Cover(benchmarks=greedy, minimum=bound, exact=len(greedy) == bound)
    solution = zero_one.find_minimum(costs, constraints, seconds=seconds)
    best = (
        greedy
        if solution.variables is None
        else tuple(names[index] for index in sorted(solution.variables))
    )
    if not solution.exact:
        best = min(greedy, _drop_redundant(rows, best), key=len)
    return Cover(benchmarks=best, minimum=solution.bound, exact=len(best) == solution.bound)


def build_density_curve(detected_by: Matrix) -> tuple[BestChoice, ...]:
    """Return how many of the methods the first, the first two, ... benchmarks detect.

    Each is the one that detects most of what is left, the first by name among equals, up to all
    that the suite detects. What any choice of so many can keep at most follows from the gains that
    are left: no further benchmark can add more than it would add now.
    """
    rows = {
        method: frozenset(benchmarks) for method, benchmarks in detected_by.items() if benchmarks
    }
    steps = _order_by_gain(rows)
    sums = [(0, tuple(_count_gains(rows, set(rows)).values()))]
    left = set(rows)
    for benchmark in steps:
        left = {method for method in left if benchmark not in rows[method]}
        sums.append((len(rows) - len(left), tuple(_count_gains(rows, left).values())))
    return tuple(
        BestChoice(
            benchmarks=size,
            benchmark=benchmark,
            methods=sums[size][0],
            percent=100 * sums[size][0] / len(detected_by),
            most=min(
                len(rows),
                *(
                    detected_count + sum(sorted(gains)[::-1][:size])
                    for detected_count, gains in sums
                ),
            ),
        )
        for size, benchmark in enumerate(steps, 1)
    )


def _drop_redundant(
    rows: Mapping[str, frozenset[str]], candidates: Sequence[str]
) -> tuple[str, ...]:
    """Drop, last taken first, whatever the others make superfluous; sort the rest by name."""
    remaining = set(candidates)
    for benchmark in reversed(candidates):
        if all(row & (remaining - {benchmark}) for row in rows.values()):
            remaining.remove(benchmark)
    return tuple(sorted(remaining))


def _order_by_gain(rows: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """Take the benchmark that detects most of what is left, the first by name among equals."""
    left, ordered_benchmarks = set(rows), list[str]()
    while left:
        gains = _count_gains(rows, left)
        best = min(gains, key=lambda benchmark: (-gains[benchmark], benchmark))
        ordered_benchmarks.append(best)
        left = {method for method in left if best not in rows[method]}
    return tuple(ordered_benchmarks)


def _count_gains(rows: Mapping[str, frozenset[str]], remaining: Set[str]) -> Counter[str]:
    """Count how many of the methods that are left each benchmark detects."""
    return Counter(benchmark for method in remaining for benchmark in rows[method])


def _list_undominated(rows: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """Return the benchmarks of which no other detects all that they do and more.

    Of those that detect the same the first by name stays.
    """
    detects: dict[str, int] = {}
    for index, benchmarks in enumerate(rows.values()):
        for benchmark in benchmarks:
            detects[benchmark] = detects.get(benchmark, 0) | 1 << index
    first: dict[int, str] = {}
    for benchmark in sorted(detects):
        first.setdefault(detects[benchmark], benchmark)
    kept_masks: list[int] = []
    for detection_mask in sorted(first, key=lambda mask: -mask.bit_count()):
        if all(detection_mask & ~kept_mask for kept_mask in kept_masks):
            kept_masks.append(detection_mask)
    return tuple(sorted(first[mask] for mask in kept_masks))


def _make_cover_constraints(
    rows: Mapping[str, frozenset[str]], names: Sequence[str]
) -> list[Constraint]:
    column_by_name = {name: number for number, name in enumerate(names)}
    distinct = sorted(
        {
            tuple(sorted(column_by_name[cell] for cell in row if cell in column_by_name))
            for row in rows.values()
        }
    )
    return [Constraint(dict.fromkeys(columns, 1), least=1) for columns in distinct]
