"""Where a run that goes on has changed so far: optimal partitioning, one value after the other.

Killick, Fearnhead and Eckley (2012), the cost of a change of mean and variance. It looks at a run
as CP-SSD would at its end, with fixed penalties, as there is no elbow in a part of a series.
"""

from math import log

import numpy as np
import numpy.typing as npt

_LEAST_SEGMENT = 5
_LEAST_VARIANCE = 1e-8
"""Of times on a logarithmic scale: what varies by less than a ten-thousandth is constant."""
_MOST = 400
"""Starts of the last segment that are kept in mind; of more, those that have been dearest go."""


class Partition:
    """The best partition of what has been seen, for one penalty per change."""

    def __init__(self, penalty: float) -> None:
        """Take the penalty, in units of twice a log likelihood."""
        self._penalty = penalty
        self.n = 0
        room = 1024
        self._sums = np.zeros((2, room))
        self._least = np.full(room, np.inf)
        self._least[0] = -penalty
        self._before = np.zeros(room, dtype=np.intp)
        self._starts: npt.NDArray[np.intp] = np.array([0])

    def add_value(self, value: float) -> None:
        """Take the next value."""
        self.n += 1
        if self.n == len(self._least):
            self._grow_arrays()
        end = self.n
        self._sums[:, end] = self._sums[:, end - 1] + (value, value * value)
        if end < _LEAST_SEGMENT:
            return
        starts = self._starts
        lengths = end - starts
        sums = self._sums[:, end, None] - self._sums[:, starts]
        variance = sums[1] / lengths - (sums[0] / lengths) ** 2
        total = self._least[starts] + lengths * np.log(np.maximum(variance, _LEAST_VARIANCE))
        best = int(total.argmin())
        self._least[end] = total[best] + self._penalty
        self._before[end] = starts[best]
        candidates = total <= total[best] + self._penalty
        if int(candidates.sum()) > _MOST:
            candidates &= total <= np.partition(total, _MOST)[_MOST]
        following = end - _LEAST_SEGMENT + 1
        if following >= _LEAST_SEGMENT:
            self._starts = np.append(starts[candidates], following)

    def list_segments(self, most: int) -> list[tuple[int, int, float, float]]:
        """Return start, end, mean and variance of the last segments, the very last one first."""
        last_segments: list[tuple[int, int, float, float]] = []
        end = self.n
        while end and len(last_segments) < most:
            start = int(self._before[end])
            sums = (self._sums[:, end] - self._sums[:, start]) / (end - start)
            last_segments.append(
                (start, end, float(sums[0]), float(max(sums[1] - sums[0] ** 2, 0.0)))
            )
            end = start
        return last_segments

    def compute_gain(self) -> float:
        """Return by how much the last change lowers the cost, in penalties; 0 without one."""
        start = int(self._before[self.n])
        if start == 0:
            return 0.0
        before = int(self._before[start])
        joint_cost = self._compute_cost(before, self.n)
        split_cost = self._compute_cost(before, start) + self._compute_cost(start, self.n)
        return (joint_cost - split_cost) / self._penalty

    def _compute_cost(self, start: int, end: int) -> float:
        length = end - start
        sums = (self._sums[:, end] - self._sums[:, start]) / length
        return length * log(max(float(sums[1] - sums[0] ** 2), _LEAST_VARIANCE))

    def _grow_arrays(self) -> None:
        room = len(self._least)
        self._sums = np.concatenate((self._sums, np.zeros((2, room))), axis=1)
        self._least = np.concatenate((self._least, np.full(room, np.inf)))
        self._before = np.concatenate((self._before, np.zeros(room, dtype=np.intp)))
