"""What a configured warm-up costs and spoils: metrics of the ASE 2024 study of learned stopping.

Indices are 0-based; a series' *last warm-up* iteration is one less than its first steady one.
"""

import numpy as np

from auditor.core.suite import IterationSettings
from auditor.stats.arrays import Array
from auditor.stats.ratios import resampled_means
from auditor.warmup.configured import estimate_iteration_times, place_warmup
from auditor.warmup.detector import Values


def map_iterations(values: Values, settings: IterationSettings) -> tuple[int, int]:
    """Return the last warm-up and the last measured iteration of a series under some settings."""
    return place_warmup(estimate_iteration_times(values), settings)


def sum_iteration_times(values: Values) -> float:
    """Return how long iterations of about 100 ms took together."""
    return float(estimate_iteration_times(values).sum())


def time_wasted(values: Values, last_warm_up: int, last_needed: int) -> float:
    """Return how many seconds a warm-up is longer than needed, less than 0 where it is too short.

    Its absolute value is the warm-up estimation error (WEE).
    """
    return sum_iteration_times(values[: last_warm_up + 1]) - sum_iteration_times(
        values[: last_needed + 1]
    )


def bootstrap_deviation(
    measured: list[Values], steady: list[Values], resamples: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the 95 % interval of the mean of what was measured over that of steady iterations.

    Each list has the forks' values. Forks are drawn first, then values in each drawn fork, so
    longer ones weigh more. What was measured is off where the interval excludes 1.
    """
    ratios = _resample_forks(measured, resamples, rng) / _resample_forks(steady, resamples, rng)
    low, high = np.quantile(ratios, (0.025, 0.975))
    return float(low), float(high)


def _resample_forks(forks: list[Values], resamples: int, rng: np.random.Generator) -> Array:
    """Return means of resampled forks, weighted by their lengths."""
    sizes = np.array([len(fork_values) for fork_values in forks], dtype=np.float64)
    times = rng.multinomial(len(forks), np.full(len(forks), 1 / len(forks)), size=resamples)
    sums = np.zeros(resamples)
    for index, fork in enumerate(forks):
        for turn in range(int(times[:, index].max())):
            mask = times[:, index] > turn
            sums[mask] += sizes[index] * resampled_means(fork, int(mask.sum()), rng)
    return np.asarray(sums / (times @ sizes))
