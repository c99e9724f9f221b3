"""A group of which some values may have been disturbed."""

from dataclasses import dataclass

import numpy as np

from auditor.stats.arrays import Array

TRIMMED = 0.2
"""Share of a group left out at each end: of 5 values, the least and the greatest."""


@dataclass(frozen=True, slots=True)
class TrimmedMean:
    """Return the mean of `count_kept` of `size` values, and the squares of all, winsorised.

    `squares` / (kept - 1) / kept is the squared standard error of the mean (Yuen 1974).
    """

    middle: float
    squares: float
    kept_count: int
    size: int


def count_kept(size: int) -> int:
    """Return how many of so many values are left in."""
    return size - 2 * int(TRIMMED * size)


def trimmed_mean(values: Array) -> TrimmedMean:
    """Leave out TRIMMED of the values at each end."""
    ordered = np.sort(values)
    cut = (ordered.size - count_kept(ordered.size)) // 2
    inner = ordered[cut : ordered.size - cut]
    total = inner.sum()
    # As if `cut` values stood at each of the ends: quicker than to draw them in.
    deviations = inner - (total + cut * (inner[0] + inner[-1])) / ordered.size
    squares = deviations @ deviations + cut * (deviations[0] ** 2 + deviations[-1] ** 2)
    return TrimmedMean(
        float(total / inner.size), float(squares), int(inner.size), int(ordered.size)
    )
