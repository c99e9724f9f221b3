"""CP-SSD: change points of mean and variance; warm from the last one that matters (Traini et al.).

Source: `docs/explanation/steady-state.md`. Outliers are left out for the change points only;
segments are compared as they were measured.

The change points come from optimal partitioning, with CROPS and an elbow. Killick, Fearnhead and
Eckley (2012) for the cost; Haynes, Eckley and Fearnhead (2017) for CROPS; Satopaa et al. (2011)
for the elbow. `docs/explanation/steady-state.md` says why this is our own.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, log, log1p, pi

import numpy as np

from auditor.stats.ratios import ratio_interval
from auditor.warmup.detector import Steadiness, Values

_LEAST_VARIANCE = 1e-11
"""Of a segment whose values are all the same."""
_LEAST_SEGMENT = 2
_FALL_BACK = 15.0
_SAME = 1.5e-8
"""Penalties whose relative distance is smaller count as one."""
_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class Segmentation:
    """Segments by their ends (exclusive), and what they cost without penalties."""

    ends: tuple[int, ...]
    cost: float

    @property
    def change_count(self) -> int:
        """Return the number of change points."""
        return len(self.ends) - 1


class Partitions:
    """The best partitions of a series by penalty; the costs of all segments are kept.

    The elbow is a penalty at which two partitions cost the same, so that the last digit decides.
    Hence all is computed in the order of operations, and from sums of as many digits, as in the
    program whose results were published. Costs take 8 n^2 bytes, 72 MB for 3,000 values; they are
    computed once for all penalties of a series.
    """

    def __init__(self, values: Values) -> None:
        """Compute the costs of all segments."""
        self._costs = _compute_segment_costs(values)

    def find_best_partitions(self, penalties: Values) -> list[Segmentation]:
        """Return the partition of least cost for each penalty per change point.

        A start that has once been too dear by the penalty is left out from then on (PELT), though
        with segments of at least two values it might still have been the best: so is the
        published one.
        """
        number = len(self._costs) - 1
        least = np.full((number + 1, len(penalties)), np.inf)
        least[0] = -penalties
        for end in range(_LEAST_SEGMENT, 2 * _LEAST_SEGMENT):
            least[end] = self._costs[end, 0]
        before = np.zeros((number + 1, len(penalties)), dtype=np.intp)
        starts = np.array([0, _LEAST_SEGMENT])
        left_out = np.zeros((2, len(penalties)), dtype=bool)
        for end in range(2 * _LEAST_SEGMENT, number + 1):
            total = least[starts] + self._costs[end, starts, None] + penalties
            total[left_out] = np.inf
            before[end] = starts[total.argmin(axis=0)]
            least[end] = total.min(axis=0)
            left_out = total > least[end] + penalties
            keep_mask = ~left_out.all(axis=1)
            starts = np.append(starts[keep_mask], end - _LEAST_SEGMENT + 1)
            left_out = np.concatenate((left_out[keep_mask], np.zeros_like(left_out[:1])))
        return [
            self._trace_segments(before[:, index], float(least[-1, index]), float(penalties[index]))
            for index in range(len(penalties))
        ]

    def _trace_segments(self, before: np.ndarray, penalised: float, penalty: float) -> Segmentation:
        ends = [len(before) - 1]
        while ends[-1]:
            ends.append(int(before[ends[-1]]))
        return Segmentation(tuple(ends[-2::-1]), penalised - (len(ends) - 2) * penalty)


_ITERATION_SECONDS = 0.1
_WINDOW = 200
_REACH = 3.0
_MOST = 6000
"""Iterations for which the costs of all segments take 288 MB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CpSsd:
    """The detector, with the published parameters.

    A segment is unlike the last one where the 95 % interval of the ratio of their means lies
    beyond `tolerance`; at least `least_steady` iterations must follow the start.
    """

    name = "cp-ssd"
    min_iterations = _WINDOW
    max_iterations = _MOST
    trained_length = None
    iteration_seconds = None

    tolerance: float = 0.05
    least_steady: int = 500
    resamples: int = 10_000
    seed: int = 1

    def find_steady_start(self, values: Values) -> Steadiness:
        """Judge a series; `start` is one more than the published index of the last warm-up."""
        inliers = without_outliers(values)
        segmentation = find_change_points(values[inliers], choose_penalty_range(len(inliers)))
        changes = [int(inliers[end - 1]) for end in segmentation.ends]
        return self.judge_changes(values, changes)

    def judge_changes(self, values: Values, changes: list[int]) -> Steadiness:
        """Judge by change points (last indices of segments, that of the series included)."""
        last = self._last_warm_up(values, changes)
        steady = last <= len(values) - 1 - self.least_steady
        return Steadiness(last + 1 if steady else None, tuple(changes[:-1]))

    def _last_warm_up(self, values: Values, changes: list[int]) -> int:
        ends = [0, *changes]
        rng = np.random.default_rng(self.seed)
        reference = values[ends[-2] + 1 :] if len(ends) > 2 else values
        for number in range(len(ends) - 2, 0, -1):
            first = 0 if ends[number - 1] == 0 else ends[number - 1] + 1
            segment = values[first : ends[number] + 1]
            low, high = ratio_interval(reference, segment, self.resamples, rng)
            if high <= 1 - self.tolerance or low >= 1 + self.tolerance:
                return ends[number]
        return 0


def choose_penalty_range(number: int) -> tuple[float, float]:
    """Return the range of penalties that are tried for so many values."""
    return 4 * log(number), 100_000 * log(number)


def without_outliers(values: Values) -> np.ndarray:
    """Return the indices of values that no window of 200 calls outliers.

    The first ones never are: so many as it takes code that runs this often to get compiled.
    """
    operations = ceil(_ITERATION_SECONDS / float(values.mean()))
    skip = ceil(_WINDOW / log1p(operations))
    rest = values[skip:]
    if len(rest) < _WINDOW:
        return np.arange(len(values))
    windows = np.lib.stride_tricks.sliding_window_view(rest, _WINDOW)
    low, middle, high = np.percentile(windows, (1, 50, 99), axis=1)
    reach = _REACH * (high - low)
    below = _align_window_bounds(middle - reach, -np.inf).max(axis=1)
    above = _align_window_bounds(middle + reach, np.inf).min(axis=1)
    bad = skip + np.flatnonzero((rest < below) | (rest > above))
    return np.setdiff1d(np.arange(len(values)), bad)


def _align_window_bounds(bounds: Values, none: float) -> Values:
    """Return for each value the bounds of the windows that hold it; at the ends some are `none`."""
    edge = np.full(_WINDOW - 1, none)
    return np.lib.stride_tricks.sliding_window_view(np.concatenate((edge, bounds, edge)), _WINDOW)


def _compute_segment_costs(values: Values) -> np.ndarray:
    """Return the cost of each segment by its end and its start, both (n + 1), else infinite."""
    number = len(values)
    sums, squares = _compute_prefix_sums(values), _compute_prefix_sums(values * values)
    costs = np.full((number + 1, number + 1), np.inf)
    constant = log(2 * pi)
    for end in range(_LEAST_SEGMENT, number + 1):
        starts = end - _LEAST_SEGMENT + 1
        lengths = np.arange(end, _LEAST_SEGMENT - 1, -1.0)
        sum_ = sums[end] - sums[:starts]
        variance = (squares[end] - squares[:starts] - sum_ * sum_ / lengths) / lengths
        variance[variance <= 0] = _LEAST_VARIANCE
        # numpy's own logarithm may differ in the last digit, by processor
        logs = np.fromiter(map(log, variance.tolist()), np.float64, starts)
        costs[end, :starts] = lengths * (constant + logs + 1)
    return costs


def _compute_prefix_sums(values: Values) -> Values:
    """Return the sums of the first 0, 1, 2 … values, added with more digits than they have."""
    extended = np.cumsum(values.astype(np.longdouble))
    return np.concatenate(([0.0], extended.astype(np.float64)))


def find_change_points(values: Values, between: tuple[float, float]) -> Segmentation:
    """Return the partition at the elbow of those for the penalties in a range."""
    partitions = Partitions(values)
    penalties, changes = run_crops(partitions, between)
    penalty = find_elbow(penalties, changes)
    if len(penalties) == 1:
        penalty = float(penalties[0])
    elif penalty is None:
        penalty = _FALL_BACK * log(len(values))
    return partitions.find_best_partitions(np.array([penalty]))[0]


def run_crops(partitions: Partitions, between: tuple[float, float]) -> tuple[Values, Values]:
    """Return the penalties from which on a number of change points is best, and these numbers.

    Both descend: the penalties from the largest one, so the numbers ascend. The last penalty is
    the lower end of the range.
    """
    segmentations = dict(
        zip(between, partitions.find_best_partitions(np.array(between)), strict=True)
    )
    while new_penalties := _find_middle_penalties(segmentations):
        for first in range(0, len(new_penalties), _AT_ONCE):
            batch = new_penalties[first : first + _AT_ONCE]
            segmentations.update(
                zip(batch, partitions.find_best_partitions(np.array(batch)), strict=True)
            )
    return _find_break_penalties(list(segmentations.values()), between[0])


def _find_middle_penalties(segmentations: dict[float, Segmentation]) -> list[float]:
    """Return the penalties at which neighbours cost the same that leave out numbers of changes."""
    tried_penalties = np.array(sorted(segmentations))
    penalties = []
    for low, high in pairwise(tried_penalties.tolist()):
        more, fewer = segmentations[low], segmentations[high]
        if more.change_count > fewer.change_count + 1:
            middle = (fewer.cost - more.cost) * (1 / (more.change_count - fewer.change_count))
            if (abs(middle - tried_penalties) >= _SAME * abs(middle)).all():
                penalties.append(middle)
    return penalties


def _find_break_penalties(segmentations: list[Segmentation], low: float) -> tuple[Values, Values]:
    cheapest: dict[int, float] = {}
    for segmentation in segmentations:
        cheapest[segmentation.change_count] = min(
            segmentation.cost, cheapest.get(segmentation.change_count, np.inf)
        )
    numbers = sorted(cheapest, reverse=True)
    penalties = [low]
    for more, fewer in pairwise(numbers):
        penalties.append((cheapest[more] - cheapest[fewer]) / (fewer - more))
    return np.array(penalties[::-1]), np.array(numbers[::-1], dtype=np.float64)


def find_elbow(x: Values, y: Values) -> float | None:
    """Return the x of the knee of a convex, falling curve that is given from its largest x.

    Kneedle with a sensitivity of 1; None where there is none.
    """
    if len(x) < 2 or x[0] == x[-1] or y.max() == y.min():
        return None
    along = (x - x.min()) / (x.max() - x.min())
    down = 1 - (y - y.min()) / (y.max() - y.min())
    difference = down - along
    bound = abs(np.diff(along).mean())
    left, right = (
        np.concatenate((difference[:1], difference[:-1])),
        np.concatenate((difference[1:], difference[-1:])),
    )
    tops, valleys = (
        (difference >= left) & (difference >= right),
        (difference <= left) & (difference <= right),
    )
    threshold, knee = None, 0
    for index in range(len(difference) - 1):
        if tops[index]:
            if along[index] == 1:
                return None
            threshold, knee = difference[index] - bound, index
        if threshold is not None and valleys[index]:
            threshold = 0.0
        if threshold is not None and difference[index + 1] < threshold:
            return float(x[knee]) or None
    return None
