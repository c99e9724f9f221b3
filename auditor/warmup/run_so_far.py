"""What a run looks like so far: its last window, and what led to it, in numbers without a unit.

Times are taken as logarithms relative to the level of the last window, so that benchmarks of any
speed are alike; how fast one is, and how long it has run, are numbers of their own.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import log

import numpy as np

from auditor.stats.arrays import Array
from auditor.warmup.partition import Partition
from auditor.warmup.windows import WINDOW

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

    def observe(self, seconds: float, lasted: float) -> None:
        """Take an iteration: its seconds an operation, above zero, and how long it lasted."""
        if self.n == len(self._logs):
            self._logs = np.concatenate((self._logs, np.empty(self.n)))
            self._passed = np.concatenate((self._passed, np.empty(self.n)))
        self._logs[self.n] = log(seconds)
        for partition in self.partitions:
            partition.observe(float(self._logs[self.n] - self._logs[0]))
        self.lasted += lasted
        self._passed[self.n] = self.lasted
        self.n += 1

    @property
    def logs(self) -> Array:
        """Return the logarithms of what iterations took (iterations,), seconds an operation."""
        return self._logs[: self.n]

    @property
    def passed(self) -> Array:
        """Return the seconds that had passed at the end of each iteration (iterations,)."""
        return self._passed[: self.n]

    def features(self) -> dict[str, float]:
        """Return all features by name, in an order that is always the same; none is infinite."""
        look = _Look(self)
        found: dict[str, float] = {}
        for group in (
            _place, _window, _halves, _before, _alike, _jumps, _course, _wanders, _changes,
        ):  # fmt: skip
            found |= dict(group(look))
        return found


class _Look:
    """What a run looks like at one moment, with the level and the scatter of its last window."""

    def __init__(self, run: RunSoFar) -> None:
        self.n = run.n
        self.lasted = run.lasted
        self.partitions = run.partitions
        logs = run.logs
        self.speed = float(logs[-WINDOW:].mean())
        self.level = middle(logs[-WINDOW:])
        self.logs = logs - self.level
        self.window = self.logs[-WINDOW:]
        self.scatter = 1.4826 * middle(abs(self.window)) + _TINY
        self.blocks = blocks(self.logs)


def middle(values: Array) -> float:
    """Return the median; numpy's own takes longer to find out what it was given."""
    half = len(values) // 2
    ordered = np.sort(values)
    return float(ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2)


def blocks(values: Array) -> Array:
    """Return the middle of each block; they end with the values, whose first ones may fill none."""
    whole = np.sort(values[len(values) % BLOCK :].reshape(-1, BLOCK), axis=1)
    return np.asarray(whole[:, 4:6].mean(axis=1))


def _place(run: _Look) -> Named:
    yield "iterations", float(run.n)
    yield "seconds", run.lasted
    yield "operations", float(np.log(run.lasted) - run.speed)
    yield "time", run.speed


def _window(run: _Look) -> Named:
    values = run.window
    mean = float(values.mean())
    off = values - mean
    power = float(off @ off) + _TINY**2
    deviation = float(np.sqrt(power / WINDOW))
    steps = np.diff(values)
    yield "scatter", float(np.log(run.scatter))
    yield "deviation", float(np.log(deviation))
    yield "tails", float(np.log(deviation / run.scatter))
    yield "mean off", mean / run.scatter
    yield "jitter", float(np.log((steps @ steps / WINDOW) / power * WINDOW + _TINY))
    yield "memory 1", float(off[:-1] @ off[1:]) / power
    yield "memory 5", float(off[:-5] @ off[5:]) / power
    slope = float(_EDGES @ off) / float(_EDGES @ _EDGES)
    yield "slope", slope * WINDOW
    yield "slope far", slope * WINDOW / run.scatter
    ordered = np.sort(values)
    for at in (0, 2, 10, 25, 75, 90, 97, 99):
        yield f"rank {at}", _clipped(ordered[at] / run.scatter)
    sums = off.cumsum()
    yield "sum", float(abs(sums).max()) / (deviation * 10)
    yield "sum at", float(abs(sums).argmax())


def _halves(run: _Look) -> Named:
    quarters = np.sort(run.window.reshape(4, 25), axis=1)[:, 12]
    for index in range(3):
        change = float(quarters[index] - quarters[3])
        yield f"quarter {index}", change
        yield f"quarter {index} far", _clipped(change / run.scatter)


def _before(run: _Look) -> Named:
    """Compare what lies before the window, by its distance; and the first iterations."""
    start = max(run.n - WINDOW, 0)
    for back in _BACK:
        part = run.logs[max(start - back, 0) : start]
        level = middle(part) if len(part) else 0.0
        yield f"before {back}", level
        yield f"before {back} far", _clipped(level / run.scatter)
    for first in _FIRST:
        yield f"first {first}", middle(run.logs[:first])


def _alike(run: _Look) -> Named:
    """For how long have blocks had the level of the window?"""
    off = abs(run.blocks[::-1])
    for name, band in [(f"{band:.1%}", band) for band in _BANDS] + [
        (f"{times} deviations", times * run.scatter) for times in (0.5, 1, 2, 4)
    ]:
        outside = off > band
        since = int(outside.argmax()) if outside.any() else len(outside)
        yield f"within {name}", float(since * BLOCK)
        yield f"share within {name}", since / len(outside)
        yield f"outside {name}", float(outside.mean())


def _jumps(run: _Look) -> Named:
    """Split the run where its parts differ most, then its last part again, and again."""
    near = (run.logs / run.scatter).clip(-_CLIP, _CLIP)
    start = 0
    for turn in range(_SPLITS):
        cut, gain = _split(near[start:])
        before, after = near[start : start + cut], near[start + cut :]
        jump = float(before.mean() - after.mean()) if cut else 0.0
        yield f"cut {turn} since", float(run.n - start - cut)
        yield f"cut {turn} gain", gain
        yield f"cut {turn} jump", jump * run.scatter
        yield f"cut {turn} far", jump
        start += cut
    cut, gain = _split(run.blocks)
    yield "blocks cut since", float((len(run.blocks) - cut) * BLOCK)
    yield "blocks cut gain", float(np.log(gain + _TINY))
    yield (
        "blocks cut jump",
        float(run.blocks[:cut].mean() - run.blocks[cut:].mean()) if cut else 0.0,
    )


def _split(values: Array) -> tuple[int, float]:
    """Return how many values lie before the best cut, and the mean square it explains."""
    n = len(values)
    if n < _LEAST_SPLIT:
        return 0, 0.0
    sums = (values - values.mean()).cumsum()[:-1]
    before = np.arange(1, n)
    gains = sums**2 / (before * (n - before))
    at = int(gains.argmax())
    return at + 1, float(gains[at])


def _course(run: _Look) -> Named:
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
    off = 1.4826 * middle(abs(earlier - middle(earlier))) + _TINY if len(earlier) else run.scatter
    yield "scatter before", float(np.log(off / run.scatter))


def _wanders(run: _Look) -> Named:
    """How far do means of neighbours of several lengths lie apart (Allan's deviation)?"""
    recent = run.logs[-5 * WINDOW :]
    near = recent.clip(-_CLIP * run.scatter, _CLIP * run.scatter)
    sums = np.concatenate(([0.0], near.cumsum()))
    for width in _SCALES:
        means = np.diff(sums[len(near) % width :: width]) / width
        apart = float(abs(np.diff(means)).mean())
        yield f"apart {width}", float(np.log(apart + _TINY))
        yield f"apart {width} far", float(np.log(apart / run.scatter * width**0.5 + _TINY))
    for width in (5, 10, 30):
        last = run.blocks[-width:]
        order = last.argsort().argsort() - (len(last) - 1) / 2
        along = np.arange(len(last)) - (len(last) - 1) / 2
        yield f"trend {width}", float(along @ order / max(float(along @ along), 1.0))


def _changes(run: _Look) -> Named:
    """What would be said of the run if this were its end? Levels are those of its segments."""
    for index, partition in enumerate(run.partitions):
        found = np.array(partition.segments(_SEGMENTS))
        starts, ends, means, variances = found.T
        off = abs(means - means[0])
        yield f"{index} changes", float(len(found))
        yield f"{index} changed since", float(run.n - starts[0])
        yield f"{index} gain", partition.gain()
        yield f"{index} jump", float(means[1] - means[0]) if len(found) > 1 else 0.0
        yield (
            f"{index} calmer",
            float(np.log((variances[1] + _TINY**2) / (variances[0] + _TINY**2)))
            if len(found) > 1
            else 0.0,
        )
        yield f"{index} farthest", float(off.max())
        yield f"{index} spread", float(off @ (ends - starts)) / float(ends[0])
        for level in _LEVELS:
            outside = np.flatnonzero(off > level)
            since = ends[outside[0]] if outside.size else starts[-1]
            yield f"{index} steady at {level}", float(run.n - since)
            yield f"{index} share steady at {level}", float((run.n - since) / run.n)
            inside = float((ends - starts)[off <= level].sum())
            yield f"{index} time at {level}", inside / float(ends[0] - starts[-1])


def _clipped(value: float) -> float:
    return min(max(float(value), -50.0), 50.0)


def vector(found: Mapping[str, float], names: Sequence[str]) -> Array:
    """Return features in the order of some names."""
    return np.array([found[name] for name in names])
