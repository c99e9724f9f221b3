"""Change points of mean and variance: optimal partitioning, with CROPS and an elbow.

Killick, Fearnhead and Eckley (2012) for the cost; Haynes, Eckley and Fearnhead (2017) for CROPS;
Satopaa et al. (2011) for the elbow. `docs/methods/steady.md` says why this is our own.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import log, pi

import numpy as np

from auditor.audits.steady.detector import Values

_LEAST_VARIANCE = 1e-11
"""Of a segment whose values are all the same."""
_LEAST_SEGMENT = 2
_FALL_BACK = 15.0
_TIE = 1 + 1e-7
"""The elbow is a penalty at which two partitions cost the same: take the one with fewer changes."""
_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Segmentation:
    """Segments by their ends (exclusive), and what they cost without penalties."""

    ends: tuple[int, ...]
    cost: float

    @property
    def changes(self) -> int:
        """Return the number of change points."""
        return len(self.ends) - 1


class Partitions:
    """The best partitions of a series by penalty; the costs of all segments are kept.

    That takes 8 n^2 bytes, 72 MB for 3,000 values: one penalty then takes 15 ms, and the costs,
    200 ms, are computed once for all penalties of a series (86 in the middle of 500, 453 at most).
    """

    def __init__(self, values: Values) -> None:
        """Compute the costs of all segments."""
        self._costs = _costs(values)

    def best(self, penalties: Values) -> list[Segmentation]:
        """Return the partition of least cost for each penalty per change point."""
        number = len(self._costs) - 1
        least = np.full((number + 1, len(penalties)), np.inf)
        least[0] = -penalties
        before = np.zeros((number + 1, len(penalties)), dtype=np.intp)
        each = np.arange(len(penalties))
        for end in range(_LEAST_SEGMENT, number + 1):
            starts = end - _LEAST_SEGMENT + 1
            total = least[:starts] + self._costs[end, :starts, None]
            before[end] = chosen = total.argmin(axis=0)
            least[end] = total[chosen, each] + penalties
        return [self._segments(before[:, at]) for at in each]

    def _segments(self, before: np.ndarray) -> Segmentation:
        ends = [len(before) - 1]
        cost = 0.0
        while ends[-1]:
            start = int(before[ends[-1]])
            cost += float(self._costs[ends[-1], start])
            ends.append(start)
        return Segmentation(tuple(ends[-2::-1]), cost)


def _costs(values: Values) -> np.ndarray:
    """Return the cost of each segment by its end and its start, both (n + 1), else infinite."""
    number = len(values)
    sums = np.concatenate(([0.0], np.cumsum(values)))
    squares = np.concatenate(([0.0], np.cumsum(values**2)))
    costs = np.full((number + 1, number + 1), np.inf)
    for end in range(_LEAST_SEGMENT, number + 1):
        starts = end - _LEAST_SEGMENT + 1
        lengths = np.arange(end, _LEAST_SEGMENT - 1, -1.0)
        mean = (sums[end] - sums[:starts]) / lengths
        variance = (squares[end] - squares[:starts]) / lengths - mean**2
        variance[variance <= 0] = _LEAST_VARIANCE
        costs[end, :starts] = lengths * (np.log(variance) + log(2 * pi) + 1)
    return costs


def change_points(values: Values, between: tuple[float, float]) -> Segmentation:
    """Return the partition at the elbow of those for the penalties in a range."""
    partitions = Partitions(values)
    penalties, changes = crops(partitions, between)
    chosen = elbow(penalties, changes)
    if len(penalties) == 1:
        chosen = float(penalties[0])
    elif chosen is None:
        chosen = _FALL_BACK * log(len(values))
    else:
        chosen *= _TIE
    return partitions.best(np.array([chosen]))[0]


def crops(partitions: Partitions, between: tuple[float, float]) -> tuple[Values, Values]:
    """Return the penalties from which on a number of change points is best, and these numbers.

    Both descend: the penalties from the largest one, so the numbers ascend. The last penalty is
    the lower end of the range.
    """
    low, high = between
    known = dict(zip(between, partitions.best(np.array(between)), strict=True))
    open_ = [(low, high)]
    while open_:
        batch, open_ = open_[:_AT_ONCE], open_[_AT_ONCE:]
        wanted = {}
        for first, second in batch:
            one, other = known[first], known[second]
            if one.changes > other.changes + 1:
                middle = (other.cost - one.cost) / (one.changes - other.changes)
                wanted[first, second] = middle
        found = partitions.best(np.array(list(wanted.values()))) if wanted else []
        for ((first, second), middle), one in zip(wanted.items(), found, strict=True):
            known[middle] = one
            if one.changes not in {known[first].changes, known[second].changes}:
                open_ += [(first, middle), (middle, second)]
    return _breaks(list(known.values()), low)


def _breaks(found: list[Segmentation], low: float) -> tuple[Values, Values]:
    cheapest: dict[int, float] = {}
    for one in found:
        cheapest[one.changes] = min(one.cost, cheapest.get(one.changes, np.inf))
    numbers = sorted(cheapest, reverse=True)
    penalties = [low]
    for more, fewer in pairwise(numbers):
        penalties.append((cheapest[fewer] - cheapest[more]) / (more - fewer))
    return np.array(penalties[::-1]), np.array(numbers[::-1], dtype=np.float64)


def elbow(x: Values, y: Values) -> float | None:
    """Return the x of the knee of a convex, falling curve that is given from its largest x.

    Kneedle with a sensitivity of 1; None where there is none.
    """
    if len(x) < 2 or x[0] == x[-1] or y.max() == y.min():
        return None
    along = (x - x.min()) / (x.max() - x.min())
    down = 1 - (y - y.min()) / (y.max() - y.min())
    off = down - along
    bound = abs(np.diff(along).mean())
    left, right = np.concatenate((off[:1], off[:-1])), np.concatenate((off[1:], off[-1:]))
    tops, valleys = (off >= left) & (off >= right), (off <= left) & (off <= right)
    threshold, knee = None, 0
    for at in range(len(off) - 1):
        if tops[at]:
            if along[at] == 1:
                return None
            threshold, knee = off[at] - bound, at
        if threshold is not None and valleys[at]:
            threshold = 0.0
        if threshold is not None and off[at + 1] < threshold:
            return float(x[knee]) or None
    return None
