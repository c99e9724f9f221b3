"""KB-KSSD: a step found by two kernels, then Kelly's probability of being steady (Beseda et al.).

Source: `docs/explanation/steady-state.md`; Sections 3.1 to 3.3 of the paper for smoothing, step
and windows. Only downward steps are found: code gets warm by getting faster.
"""

from bisect import bisect_left, insort
from dataclasses import dataclass

import numpy as np

from auditor.warmup.detector import Steadiness, Values

_HALF = 15
"""Half the length of the short kernel, iterations."""
_LEAST_WINDOW = 3
"""A remainder shorter than this is no window: its scatter has no degree of freedom."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KbKssd:
    """The detector, with the published parameters."""

    name = "kb-kssd"
    min_iterations = 2 * _HALF  # shorter series have no place for the short kernel
    max_iterations = None
    trained_length = None
    iteration_seconds = None

    outlier_window: int = 100  # W_o, iterations
    window: int = 500  # n_k of Kelly's test, iterations
    critical: float = 4.0  # t, standard deviations
    step_window: int = 70  # w_s, iterations
    probability: float = 0.95  # p, least share of a window that must lie near its mean
    upper: float = 98.0  # percentile above which a value is an outlier
    lower: float = 2.0  # percentile below which a value is an outlier
    least_steady: int = 1  # iterations that must follow the start

    def find_steady_start(self, values: Values) -> Steadiness:
        """Judge a series; `start` is the published index itself, None for its -1."""
        smooth = self.smooth_outliers(values)
        step = self.find_step(smooth)
        shares = self.compute_probabilities(smooth, step)
        below = np.flatnonzero(shares < self.probability)
        start = int(below[-1]) + 1 if below.size else 0
        # A run of equal probabilities counts as one: the index is where the earliest one begins.
        if start > len(shares) - 1 - self.least_steady:
            return Steadiness(None, _list_changes(step))
        return Steadiness(start, _list_changes(step))

    def smooth_outliers(self, values: Values) -> Values:
        """Replace outliers by the medians of their chunks, one by one; the first value stays."""
        smooth = np.array(values, dtype=np.float64)
        rest = len(smooth) - 1
        for chunk in np.array_split(smooth[1:], max(1, rest // self.outlier_window)):
            _smooth_chunk(chunk, self.upper, self.lower)
        return smooth

    def find_step(self, smooth: Values) -> int | None:
        """Return the last index before a downward step, None where there is none."""
        centred = smooth - smooth.mean()
        long, short = _find_long_step(centred), _find_short_step(centred)
        if long is not None and short is not None and abs(long - short) <= 1:
            long = None
        if long is None and short is None:
            return None
        candidates = [-1 if index is None else index for index in (short, long)]
        small, step = min(candidates), max(candidates)
        if long is None:
            small = step
        elif small == 0:
            return step
        else:
            step = self._choose_step(centred, small, step)
        if _compute_median(centred[:step]) - _compute_median(centred[step:]) < abs(
            _compute_median(centred) / 2
        ):
            return small if step > small else None
        return step

    def _choose_step(self, centred: Values, small: int, big: int) -> int:
        """Choose between two steps: the later one if what lies between is still high."""
        before = _compute_median(centred[max(big - self.step_window, 0) : big + 1])
        after = _compute_median(centred[big + 1 : big + 1 + self.step_window])
        between = _compute_median(centred[small + 1 : big])
        high = between > 2 * abs(before - after) + _compute_median(centred[big + 1 :])
        return big if high else small

    def compute_probabilities(self, smooth: Values, step: int | None) -> Values:
        """Return for each value the share of its window that lies near the window's mean."""
        if step is None:
            return self._compute_window_shares(smooth)
        after = self._compute_window_shares(smooth[step + 1 :])
        return np.concatenate((np.zeros(step + 1), after))

    def _compute_window_shares(self, side: Values) -> Values:
        n = len(side)
        if n == 0:
            return np.empty(0)
        if n == 1:
            return np.zeros(1)
        starts = list(range(0, n, self.window))
        if n - starts[-1] < _LEAST_WINDOW:
            starts.pop()
        if not starts:
            return np.full(n, -1.0)
        shares = np.empty(n)
        for start, end in zip(starts, [*starts[1:], n], strict=True):
            shares[start:end] = self._compute_share(side[start:end])
        return shares

    def _compute_share(self, window: Values) -> float:
        n = len(window)
        ascending = np.arange(1, n + 1)
        slope = (window[-1] - window[0]) / (n - 1)
        mean = (window.sum() - slope * (n * (n + 1) / 2)) / n
        residuals = window - slope * ascending - mean
        deviation = float(np.sqrt(residuals @ residuals / (n - 2)))
        return float(np.count_nonzero(abs(window - mean) <= self.critical * deviation) / n)


def _list_changes(step: int | None) -> tuple[int, ...]:
    return () if step is None else (step,)


def _smooth_chunk(chunk: Values, upper: float, lower: float) -> None:
    """Replace the outliers of a chunk in its place; each replacement changes the median."""
    high, low = np.percentile(chunk, (upper, lower))
    ordered = sorted(chunk.tolist())
    for index in (*np.flatnonzero(chunk > high), *np.flatnonzero(chunk < low)):
        del ordered[bisect_left(ordered, chunk[index])]
        insort(ordered, value := _compute_joint_median(ordered, float(chunk[index])))
        chunk[index] = value


def _compute_joint_median(ordered: list[float], value: float) -> float:
    """Return the median of a value and all others, which are in ascending order."""
    values = list(ordered)
    insort(values, value)
    half = len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2


def _compute_median(values: Values) -> float:
    return float(np.median(values)) if len(values) else float("nan")


def _find_long_step(centred: Values) -> int | None:
    """Return the last index of the left part where the sum of it is largest (CUSUM)."""
    sums = np.concatenate(([0.0], np.cumsum(centred)))
    index = int(np.argmax(sums)) - 1
    return None if index in {-1, len(centred) - 1} else index


def _find_short_step(centred: Values) -> int | None:
    """Return the last index before the steepest fall between neighbouring pieces.

    By convolution, not by sums from the start: replaced outliers make exact ties, and the first
    of them counts.
    """
    kernel = np.repeat((1.0, -1.0), _HALF)
    index = int(np.argmin(np.convolve(centred, kernel, "valid"))) + _HALF - 1
    return None if index in {-1, len(centred) - 1} else index
