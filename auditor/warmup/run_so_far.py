"""What a run looks like so far: its last window, and what led to it, in numbers without a unit.

Times are taken as logarithms relative to the level of the last window, so that benchmarks of any
speed are alike; how fast one is, and how long it has run, are numbers of their own.

`Partition` says where a run that goes on has changed so far: optimal partitioning, one value after
the other (Killick, Fearnhead and Eckley, 2012: the cost of a change of mean and variance). It
looks at a run as CP-SSD would at its end, with fixed penalties, as there is no elbow in a part of
a series.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import log

import numpy as np
import numpy.typing as npt

from auditor.stats.arrays import Array
from auditor.warmup.detector import WINDOW

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


BLOCK = 10
"""Iterations whose middle stands for all of them."""
_TINY = 1e-6
_CLIP = 6.0
_BANDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
_BACK = (20, 50, 100, 200, 400)
_FIRST = (1, 3, 10, 30)
_SPLITS = 3
_PENALTIES = (40.0, 150.0, 600.0)
_SEGMENTS = 40
_LEVELS = (0.02, 0.05, 0.1)
_SCALES = (1, 2, 5, 10, 20, 50)
_LEAST_SPLIT = 8
_EDGES = np.arange(WINDOW) - (WINDOW - 1) / 2

Named = Iterator[tuple[str, float]]


class RunSoFar:
    """A run as it goes on; it has features from the first whole window on."""

    def __init__(self) -> None:
        """Begin."""
        self.n = 0
        self.lasted = 0.0
        self._logs = np.empty(1024)
        self._passed = np.empty(1024)
        self.partitions = tuple(Partition(penalty) for penalty in _PENALTIES)

    def add_iteration(self, seconds: float, lasted: float) -> None:
        """Take an iteration: its seconds an operation, above zero, and how long it lasted."""
        if self.n == len(self._logs):
            self._logs = np.concatenate((self._logs, np.empty(self.n)))
            self._passed = np.concatenate((self._passed, np.empty(self.n)))
        self._logs[self.n] = log(seconds)
        for partition in self.partitions:
            partition.add_value(float(self._logs[self.n] - self._logs[0]))
        self.lasted += lasted
        self._passed[self.n] = self.lasted
        self.n += 1

    @property
    def log_times(self) -> Array:
        """Return the logarithms of what iterations took (iterations,), seconds an operation."""
        return self._logs[: self.n]

    @property
    def elapsed_seconds(self) -> Array:
        """Return the seconds that had passed at the end of each iteration (iterations,)."""
        return self._passed[: self.n]

    def compute_features(self) -> dict[str, float]:
        """Return all features by name, in an order that is always the same; none is infinite."""
        look = _RunSnapshot(self)
        feature_values: dict[str, float] = {}
        for group in (
            _measure_progress, _measure_window, _compare_quarters, _compare_earlier_parts,
            _measure_unchanged_time, _measure_jumps, _measure_course, _measure_wander,
            _measure_changes,
        ):  # fmt: skip
            feature_values |= dict(group(look))
        return feature_values


class _RunSnapshot:
    """What a run looks like at one moment, with the level and the scatter of its last window."""

    def __init__(self, run: RunSoFar) -> None:
        self.n = run.n
        self.lasted = run.lasted
        self.partitions = run.partitions
        logs = run.log_times
        self.speed = float(logs[-WINDOW:].mean())
        self.level = compute_median(logs[-WINDOW:])
        self.logs = logs - self.level
        self.window = self.logs[-WINDOW:]
        self.scatter = 1.4826 * compute_median(abs(self.window)) + _TINY
        self.blocks = compute_block_medians(self.logs)


def compute_median(values: Array) -> float:
    """Return the median; numpy's own takes longer to find out what it was given."""
    half = len(values) // 2
    ordered = np.sort(values)
    return float(ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2)


def compute_block_medians(values: Array) -> Array:
    """Return the middle of each block; they end with the values, whose first ones may fill none."""
    sorted_blocks = np.sort(values[len(values) % BLOCK :].reshape(-1, BLOCK), axis=1)
    return np.asarray(sorted_blocks[:, 4:6].mean(axis=1))


def _measure_progress(run: _RunSnapshot) -> Named:
    yield "iterations", float(run.n)
    yield "seconds", run.lasted
    yield "operations", float(np.log(run.lasted) - run.speed)
    yield "time", run.speed


def _measure_window(run: _RunSnapshot) -> Named:
    values = run.window
    mean = float(values.mean())
    centred = values - mean
    power = float(centred @ centred) + _TINY**2
    deviation = float(np.sqrt(power / WINDOW))
    steps = np.diff(values)
    yield "scatter", float(np.log(run.scatter))
    yield "deviation", float(np.log(deviation))
    yield "tails", float(np.log(deviation / run.scatter))
    yield "mean off", mean / run.scatter
    yield "jitter", float(np.log((steps @ steps / WINDOW) / power * WINDOW + _TINY))
    yield "memory 1", float(centred[:-1] @ centred[1:]) / power
    yield "memory 5", float(centred[:-5] @ centred[5:]) / power
    slope = float(_EDGES @ centred) / float(_EDGES @ _EDGES)
    yield "slope", slope * WINDOW
    yield "slope far", slope * WINDOW / run.scatter
    ordered = np.sort(values)
    for rank in (0, 2, 10, 25, 75, 90, 97, 99):
        yield f"rank {rank}", _clip_value(ordered[rank] / run.scatter)
    sums = centred.cumsum()
    yield "sum", float(abs(sums).max()) / (deviation * 10)
    yield "sum at", float(abs(sums).argmax())


def _compare_quarters(run: _RunSnapshot) -> Named:
    quarters = np.sort(run.window.reshape(4, 25), axis=1)[:, 12]
    for index in range(3):
        change = float(quarters[index] - quarters[3])
        yield f"quarter {index}", change
        yield f"quarter {index} far", _clip_value(change / run.scatter)


def _compare_earlier_parts(run: _RunSnapshot) -> Named:
    """Compare what lies before the window, by its distance; and the first iterations."""
    start = max(run.n - WINDOW, 0)
    for back in _BACK:
        part = run.logs[max(start - back, 0) : start]
        level = compute_median(part) if len(part) else 0.0
        yield f"before {back}", level
        yield f"before {back} far", _clip_value(level / run.scatter)
    for first in _FIRST:
        yield f"first {first}", compute_median(run.logs[:first])


def _measure_unchanged_time(run: _RunSnapshot) -> Named:
    """For how long have blocks had the level of the window?"""
    distances = abs(run.blocks[::-1])
    for name, band in [(f"{band:.1%}", band) for band in _BANDS] + [
        (f"{times} deviations", times * run.scatter) for times in (0.5, 1, 2, 4)
    ]:
        outside = distances > band
        since = int(outside.argmax()) if outside.any() else len(outside)
        yield f"within {name}", float(since * BLOCK)
        yield f"share within {name}", since / len(outside)
        yield f"outside {name}", float(outside.mean())


def _measure_jumps(run: _RunSnapshot) -> Named:
    """Split the run where its parts differ most, then its last part again, and again."""
    clipped_logs = (run.logs / run.scatter).clip(-_CLIP, _CLIP)
    start = 0
    for turn in range(_SPLITS):
        cut, gain = _find_best_split(clipped_logs[start:])
        before, after = clipped_logs[start : start + cut], clipped_logs[start + cut :]
        jump = float(before.mean() - after.mean()) if cut else 0.0
        yield f"cut {turn} since", float(run.n - start - cut)
        yield f"cut {turn} gain", gain
        yield f"cut {turn} jump", jump * run.scatter
        yield f"cut {turn} far", jump
        start += cut
    cut, gain = _find_best_split(run.blocks)
    yield "blocks cut since", float((len(run.blocks) - cut) * BLOCK)
    yield "blocks cut gain", float(np.log(gain + _TINY))
    yield (
        "blocks cut jump",
        float(run.blocks[:cut].mean() - run.blocks[cut:].mean()) if cut else 0.0,
    )


def _find_best_split(values: Array) -> tuple[int, float]:
    """Return how many values lie before the best cut, and the mean square it explains."""
    n = len(values)
    if n < _LEAST_SPLIT:
        return 0, 0.0
    sums = (values - values.mean()).cumsum()[:-1]
    before = np.arange(1, n)
    gains = sums**2 / (before * (n - before))
    best = int(gains.argmax())
    return best + 1, float(gains[best])


def _measure_course(run: _RunSnapshot) -> Named:
    """Where does the window stand among all there was?"""
    blocks = run.blocks
    yield "blocks above", float((blocks > 0).mean())
    yield "since the fastest", float((len(blocks) - int(blocks.argmin())) * BLOCK)
    yield "since the slowest", float((len(blocks) - int(blocks.argmax())) * BLOCK)
    yield "fastest", float(blocks.min())
    yield "slowest", float(blocks.max())
    yield "wander", float(np.log(blocks.std() + _TINY))
    yield "wander far", float(np.log(blocks.std() / run.scatter + _TINY))
    recent = blocks[-WINDOW // BLOCK * 3 :]
    yield "recent wander", float(np.log(recent.std() / run.scatter + _TINY))
    steps = abs(np.diff(blocks))
    yield "greatest step", float(steps.max())
    yield "since the greatest step", float((len(steps) - int(steps.argmax())) * BLOCK)
    outliers = abs(run.logs) > 5 * run.scatter
    yield "outliers", float(outliers.mean())
    yield "outliers of the window", float(outliers[-WINDOW:].mean())
    earlier = run.logs[: -WINDOW or None][-WINDOW:]
    earlier_scatter = (
        1.4826 * compute_median(abs(earlier - compute_median(earlier))) + _TINY
        if len(earlier)
        else run.scatter
    )
    yield "scatter before", float(np.log(earlier_scatter / run.scatter))


def _measure_wander(run: _RunSnapshot) -> Named:
    """How far do means of neighbours of several lengths lie apart (Allan's deviation)?"""
    recent = run.logs[-5 * WINDOW :]
    clipped_logs = recent.clip(-_CLIP * run.scatter, _CLIP * run.scatter)
    sums = np.concatenate(([0.0], clipped_logs.cumsum()))
    for width in _SCALES:
        means = np.diff(sums[len(clipped_logs) % width :: width]) / width
        distance = float(abs(np.diff(means)).mean())
        yield f"apart {width}", float(np.log(distance + _TINY))
        yield f"apart {width} far", float(np.log(distance / run.scatter * width**0.5 + _TINY))
    for width in (5, 10, 30):
        last = run.blocks[-width:]
        order = last.argsort().argsort() - (len(last) - 1) / 2
        along = np.arange(len(last)) - (len(last) - 1) / 2
        yield f"trend {width}", float(along @ order / max(float(along @ along), 1.0))


def _measure_changes(run: _RunSnapshot) -> Named:
    """What would be said of the run if this were its end? Levels are those of its segments."""
    for index, partition in enumerate(run.partitions):
        segments = np.array(partition.list_segments(_SEGMENTS))
        starts, ends, means, variances = segments.T
        distances = abs(means - means[0])
        yield f"{index} changes", float(len(segments))
        yield f"{index} changed since", float(run.n - starts[0])
        yield f"{index} gain", partition.compute_gain()
        yield f"{index} jump", float(means[1] - means[0]) if len(segments) > 1 else 0.0
        yield (
            f"{index} calmer",
            float(np.log((variances[1] + _TINY**2) / (variances[0] + _TINY**2)))
            if len(segments) > 1
            else 0.0,
        )
        yield f"{index} farthest", float(distances.max())
        yield f"{index} spread", float(distances @ (ends - starts)) / float(ends[0])
        for level in _LEVELS:
            outside = np.flatnonzero(distances > level)
            since = ends[outside[0]] if outside.size else starts[-1]
            yield f"{index} steady at {level}", float(run.n - since)
            yield f"{index} share steady at {level}", float((run.n - since) / run.n)
            inside = float((ends - starts)[distances <= level].sum())
            yield f"{index} time at {level}", inside / float(ends[0] - starts[-1])


def _clip_value(value: float) -> float:
    return min(max(float(value), -50.0), 50.0)


def build_feature_vector(feature_values: Mapping[str, float], names: Sequence[str]) -> Array:
    """Return features in the order of some names."""
    return np.array([feature_values[name] for name in names])
