"""Our detector: two forests that learned from people's judgements of whole series.

`benchmarks/results/steady.md` says what they saw, how good they are, and how they are made again.

`compute_features` says what a series looks like, in numbers that do not depend on its unit or its
length. Times are taken as logarithms, relative to the level and the scatter of the last third;
places are fractions of the length.
"""

from collections.abc import Iterator
from functools import cache
from importlib import resources
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from auditor.warmup.detector import Steadiness, Values
from auditor.warmup.forest import Forest, compute_weights, weighted_median

LEAST = 1000
"""Iterations: with fewer the smallest parts have no median worth the name."""
_TINY = 1e-9
_PARTS = 60
_SMALL = (0, 1, 2, 3, 5, 8, 12)
_GROWING = 30
_FAR = 50.0

Named = Iterator[tuple[str, float]]


class LogSeries:
    """A series as logarithms, with the level and the scatter that its end has."""

    def __init__(self, values: Values) -> None:
        """Take times above zero."""
        self.logs = np.log(values)
        self.n = len(values)
        self.end = self.logs[self.n - self.n // 3 :]
        self.level = float(np.median(self.end))
        self.scatter = float(_measure_scatter(self.end - self.level)) + _TINY
        self.jitter = float(_measure_scatter(np.diff(self.end)) / np.sqrt(2)) + _TINY
        width = self.n // _PARTS
        parts = self.logs[: width * _PARTS].reshape(_PARTS, width)
        self.medians = np.median(parts, axis=1)
        self.scatters = _measure_scatter(parts - self.medians[:, None], axis=1) + _TINY


LENGTH = 3000
"""Iterations of the series that were judged."""
ITERATION_SECONDS = 0.1
"""How long they lasted."""
MODEL = "learned.npz"


class ForestModel:
    """The two forests, and what they learned from.

    One says whether a series becomes steady, by the shares of such series in its leaves; the other
    says where, by the starts that people saw in series that are like it.
    """

    def __init__(self, arrays: dict[str, npt.NDArray[np.generic]]) -> None:
        """Take the arrays of a model file, by their names."""
        self._arrays = arrays
        self.names = [str(name) for name in arrays["names"]]
        self._steady = Forest.from_arrays(arrays, "steady")
        self._shares = np.asarray(arrays["steady_shares"], dtype=np.float64)
        self._start = Forest.from_arrays(arrays, "start")
        self._known = np.asarray(arrays["start_leaves"], dtype=np.int32)
        self._starts = np.asarray(arrays["starts"], dtype=np.float64)
        self.threshold = float(arrays["threshold"])

    def save_model(self, path: Path) -> None:
        """Write the arrays to a file."""
        with path.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **self._arrays)

    def estimate_steady_chance(self, case: Values) -> float:
        """Return how sure it is that a series becomes steady, 0 to 1."""
        return float(self._shares[self._steady.find_leaves(case)].mean())

    def estimate_start(self, case: Values) -> float:
        """Return where a series of LENGTH iterations would be steady, if it is at all."""
        likeness = compute_weights(self._start.find_leaves(case), self._known)
        return weighted_median(self._starts, likeness)


@cache
def load_shipped_forests() -> ForestModel:
    """Return the model that comes with this package."""
    with (resources.files("auditor.warmup") / MODEL).open("rb") as file:
        return ForestModel(dict(np.load(file, allow_pickle=False)))


class LearnedDetector:
    """The detector; without a model it takes the shipped one."""

    name = "learned"
    min_iterations = LEAST
    max_iterations = None
    trained_length = LENGTH
    iteration_seconds = ITERATION_SECONDS

    def __init__(self, model: ForestModel | None = None) -> None:
        """Take a model; the shipped one is not kept, as other processes are handed a detector."""
        self._given = model

    @property
    def _forest_model(self) -> ForestModel:
        return self._given or load_shipped_forests()

    def find_steady_start(self, values: Values) -> Steadiness:
        """Judge a series; places are taken as parts of its length."""
        case = self._build_case(values)
        if self._forest_model.estimate_steady_chance(case) < self._forest_model.threshold:
            return Steadiness(None)
        return Steadiness(_scale_start(self._forest_model.estimate_start(case), len(values)))

    def _build_case(self, values: Values) -> Values:
        feature_values = compute_features(values)
        return np.array([feature_values[name] for name in self._forest_model.names])


def _scale_start(start: float, length: int) -> int:
    return min(round(start * length / LENGTH), length - 1)


def compute_features(values: Values) -> dict[str, float]:
    """Return all features by name, in an order that is always the same; none is infinite."""
    looks = LogSeries(values)
    feature_values: dict[str, float] = {}
    for group in (
        _measure_series, _compare_growing_parts, _measure_bands, _measure_splits,
        _measure_scatter_split, _measure_tails, _measure_autocorrelation, _measure_trends,
        _measure_wander, _measure_shape, _compare_tenths,
    ):  # fmt: skip
        feature_values |= dict(group(looks))
    return feature_values


def _measure_scatter(deviations: Values, axis: int | None = None) -> Values:
    """Return the median absolute value, scaled to the standard deviation of normal values."""
    return np.asarray(1.4826 * np.median(abs(deviations), axis=axis))


def _measure_series(looks: LogSeries) -> Named:
    yield "scatter", float(np.log(looks.scatter))
    yield "jitter", float(np.log(looks.jitter))
    yield "scatter to jitter", float(np.log(looks.scatter / looks.jitter))
    yield "time", float(np.median(looks.logs))
    top, bottom = np.percentile(looks.logs, (99.5, 0.5))
    yield "range", float(top - bottom)
    yield "slowest at", int(looks.logs.argmax()) / looks.n
    yield "slowest", float(looks.logs.max() - np.median(looks.logs))
    yield "fastest at", int(looks.logs.argmin()) / looks.n


def _compare_growing_parts(looks: LogSeries) -> Named:
    """Compare parts that grow with the end: the first iterations matter one by one."""
    edges = np.concatenate((_SMALL, np.geomspace(20, looks.n, _GROWING).round())).astype(int)
    for index, (start, stop) in enumerate(pairwise(edges.tolist())):
        part = looks.logs[start:stop]
        middle = float(np.median(part))
        yield f"part {index} off", middle - looks.level
        yield f"part {index} far", _clip_value((middle - looks.level) / looks.scatter)
        if start >= _SMALL[-1]:
            scatter = float(_measure_scatter(part - middle)) + _TINY
            yield f"part {index} scatter", float(np.log(scatter / looks.scatter))


def _measure_bands(looks: LogSeries) -> Named:
    """Tell when medians are last outside, and first inside, of bands around the level."""
    deviations = looks.medians - looks.level
    bands = [(f"{width} deviations", width * looks.scatter) for width in (1, 2, 3, 5)]
    bands += [(f"{width:.1%}", width) for width in (0.005, 0.01, 0.02, 0.05, 0.1)]
    for name, width in bands:
        outside = np.flatnonzero(abs(deviations) > width)
        above = np.flatnonzero(deviations > width)
        inside = np.flatnonzero(abs(deviations) <= width)
        yield f"last outside {name}", (outside[-1] + 1) / _PARTS if outside.size else 0.0
        yield f"last above {name}", (above[-1] + 1) / _PARTS if above.size else 0.0
        yield f"first inside {name}", inside[0] / _PARTS if inside.size else 1.0
        yield f"outside {name}", outside.size / _PARTS


def _measure_splits(looks: LogSeries) -> Named:
    """Split in two where the parts differ most, and each part again: ranks, and clipped values."""
    ranks = looks.logs.argsort().argsort() / looks.n
    deviations = looks.logs - np.median(looks.logs)
    for name, values in (
        ("ranks", ranks),
        ("values", (deviations / (_measure_scatter(deviations) + _TINY)).clip(-6, 6)),
    ):
        centred = values - values.mean()
        sums = centred.cumsum()
        size = float(np.sqrt(looks.n) * (centred.std() + _TINY))
        for kind, position in (("sum", int(abs(sums).argmax())), ("rise", int(sums.argmax()))):
            yield f"{kind} of {name} at", position / looks.n
            yield f"{kind} of {name}", float(sums[position]) / size
        total = float(centred @ centred) + _TINY
        cut, gain = _find_best_split(centred)
        yield f"split of {name} at", cut / looks.n
        yield f"split of {name}", gain / total
        for side, start, stop in (("left", 0, cut), ("right", cut, looks.n)):
            inner, gain = _find_best_split(centred[start:stop])
            yield f"{side} split of {name} at", (start + inner) / looks.n
            yield f"{side} split of {name}", gain / total


def _find_best_split(values: Values) -> tuple[int, float]:
    """Return how many values lie before the best cut, and what it takes off the sum of squares."""
    n = len(values)
    if n < 2 * len(_SMALL):
        return 0, 0.0
    sums = (values - values.mean()).cumsum()[:-1]
    before = np.arange(1, n)
    gains = sums**2 * n / (before * (n - before))
    best = int(gains.argmax())
    return best + 1, float(gains[best])


def _measure_scatter_split(looks: LogSeries) -> Named:
    scatters = np.log(looks.scatters)
    cut, gain = _find_best_split(scatters)
    centred = scatters - scatters.mean()
    yield "split of scatter at", cut / _PARTS
    yield "split of scatter", gain / (float(centred @ centred) + _TINY)
    yield "scatter falls", float(np.sign(centred[:cut].sum()))


def _measure_tails(looks: LogSeries) -> Named:
    far = (looks.logs - np.median(looks.logs)) / looks.scatter
    percents = (0.5, 1, 2, 5, 95, 98, 99, 99.5)
    for percent, value in zip(percents, np.percentile(far, percents), strict=True):
        yield f"percentile {percent}", _clip_value(float(value))
    for width in (4, 8, 16):
        outliers = np.flatnonzero(abs(far) > width)
        yield f"outliers {width}", outliers.size / looks.n
        yield f"last outlier {width}", outliers[-1] / looks.n if outliers.size else 0.0
        yield (
            f"middle outlier {width}",
            float(np.median(outliers)) / looks.n if outliers.size else 0.0,
        )


def _measure_autocorrelation(looks: LogSeries) -> Named:
    for name, values, lags in (
        ("end", looks.end, (1, 2, 5, 10, 25, 50, 100)),
        ("whole", looks.logs, (1, 10, 100)),
    ):
        centred = values - values.mean()
        power = float(centred @ centred) + _TINY**2
        for lag in lags:
            yield f"memory {lag} of {name}", float(centred[:-lag] @ centred[lag:]) / power


def _measure_trends(looks: LogSeries) -> Named:
    n = looks.n
    clipped_logs = ((looks.logs - looks.level) / looks.scatter).clip(-5, 5)
    for start, stop in (
        (0, n), (0, n // 2), (n // 2, n), (n // 3, n), (2 * n // 3, n), (n - n // 6, n)
    ):  # fmt: skip
        part = clipped_logs[start:stop]
        along = np.arange(len(part)) - (len(part) - 1) / 2
        slope = float(along @ part / (along @ along))
        yield f"trend {start / n:.2f} {stop / n:.2f}", _clip_value(slope * len(part))


def _measure_wander(looks: LogSeries) -> Named:
    """Tell how far medians of blocks of several lengths wander once the beginning is over."""
    rest = looks.logs[looks.n // 6 :]
    for parts in (300, 120, 60, 30, 12, 6):
        width = looks.n // parts
        blocks = np.median(rest[: len(rest) // width * width].reshape(-1, width), axis=1)
        wide = float(blocks.max() - blocks.min())
        steps = float(np.median(abs(np.diff(blocks))))
        yield f"blocks {parts} scatter", float(np.log(blocks.std() / looks.scatter + 1e-6))
        yield f"blocks {parts} steps", float(np.log(steps / looks.scatter + 1e-6))
        yield f"blocks {parts} range", float(np.log(wide / looks.scatter + 1e-6))
        yield f"blocks {parts} wide", float(np.log(wide + 1e-6))


def _measure_shape(looks: LogSeries) -> Named:
    """Tell whether the end has several levels, or a rhythm."""
    clipped_end = ((looks.end - looks.level) / looks.scatter).clip(-5, 5)
    counts, _ = np.histogram(clipped_end, bins=20, range=(-5, 5))
    shares = counts / counts.sum()
    yield "entropy", float(-(shares[shares > 0] * np.log(shares[shares > 0])).sum())
    inner = shares[1:-1]
    peaks = (inner > shares[:-2]) & (inner >= shares[2:]) & (inner > 0.04)
    yield "peaks", float(peaks.sum())
    centred = looks.end - looks.end.mean()
    power = abs(np.fft.rfft(centred * np.hanning(len(centred)))[1:]) ** 2
    power = power / (power.sum() + _TINY**2)
    yield "rhythm", float(power.max())
    yield "rhythm at", int(power.argmax()) / len(power)
    yield "slow rhythms", float(power[:10].sum())
    yield "middle rhythms", float(power[10:100].sum())


def _compare_tenths(looks: LogSeries) -> Named:
    """Compare the values of each tenth with those of the last one."""
    parts = np.array_split(looks.logs, 10)
    last = np.sort(parts[-1])
    for index, part in enumerate(parts):
        ordered = np.sort(part)
        pooled_values = np.concatenate((ordered, last))
        part_shares = np.searchsorted(ordered, pooled_values, "right") / len(ordered)
        last_shares = np.searchsorted(last, pooled_values, "right") / len(last)
        yield f"tenth {index} unlike", float(abs(part_shares - last_shares).max())
        yield f"tenth {index} above", float((part > looks.level).mean())


def _clip_value(value: float) -> float:
    return min(max(float(value), -_FAR), _FAR)
