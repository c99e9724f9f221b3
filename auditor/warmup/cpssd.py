"""CP-SSD: change points of mean and variance; warm from the last one that matters (Traini et al.).

Source: `docs/explanation/steady-state.md`. Outliers are left out for the change points only;
segments are compared as they were measured.
"""

from dataclasses import dataclass
from math import ceil, log, log1p

import numpy as np

from auditor.stats.ratios import ratio_interval
from auditor.warmup.change_points import find_change_points
from auditor.warmup.detector import Steadiness, Values

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
