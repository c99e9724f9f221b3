"""A group of which some values may have been disturbed."""

from dataclasses import dataclass

import numpy as np

from auditor.stats.arrays import Array

TRIMMED = 0.2
"""Share of a group left out at each end: of 5 values, the least and the greatest."""


@dataclass(frozen=True, slots=True)
class Trimmed:
    """The mean of the `kept` values of `size`, and the squares with the others drawn in to them.

    `squares` / (kept - 1) / kept is the squared standard error of the mean (Yuen 1974).
    """

    middle: float
    squares: float
    kept: int
    size: int


def trimmed(values: Array) -> Trimmed:
    """Leave out TRIMMED of the values at each end."""
    ordered = np.sort(values)
    cut = int(TRIMMED * ordered.size)
    inner = ordered[cut : ordered.size - cut]
    winsorized = np.clip(ordered, inner[0], inner[-1])
    squares = float(((winsorized - winsorized.mean()) ** 2).sum())
    return Trimmed(float(inner.mean()), squares, int(inner.size), int(ordered.size))
