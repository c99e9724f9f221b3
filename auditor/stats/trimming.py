"""A group of which some values may have been disturbed."""

from dataclasses import dataclass

import numpy as np

from auditor.stats.arrays import Array

TRIMMED = 0.2
"""Share of a group left out at each end: of 5 values, the least and the greatest."""


@dataclass(frozen=True, slots=True)
class TrimmedMean:
    """The mean of the `kept` values of `size`, and the squares with the others drawn in to them.

    `squares` / (kept - 1) / kept is the squared standard error of the mean (Yuen 1974).
    """

    middle: float
    squares: float
    kept: int
    size: int


def kept(size: int) -> int:
    """Return how many of so many values are left in."""
    return size - 2 * int(TRIMMED * size)


def trimmed_mean(values: Array) -> TrimmedMean:
    """Leave out TRIMMED of the values at each end."""
    ordered = np.sort(values)
    cut = (ordered.size - kept(ordered.size)) // 2
    inner = ordered[cut : ordered.size - cut]
    whole = inner.sum()
    # As if `cut` values stood at each of the ends: quicker than to draw them in.
    off = inner - (whole + cut * (inner[0] + inner[-1])) / ordered.size
    squares = off @ off + cut * (off[0] ** 2 + off[-1] ** 2)
    return TrimmedMean(
        float(whole / inner.size), float(squares), int(inner.size), int(ordered.size)
    )
