"""Checks of values before anything is computed from them, and their trimmed mean."""

from collections.abc import Iterable, Sized
from dataclasses import dataclass
from math import exp

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def check_finite(values: Iterable[float], least: int = 1) -> Array:
    """Return the values as a read-only array; raises ValueError if too few or not all finite."""
    # What has a length is taken as it is: ten million values need no tuple.
    array = np.array(values if isinstance(values, Sized) else tuple(values), dtype=np.float64)
    if array.ndim != 1 or array.size < least:
        raise ValueError(f"{array.size} values where at least {least} are needed")
    if not np.isfinite(array).all():
        raise ValueError("a value is not finite")
    array.setflags(write=False)
    return array


def check_positive(values: Iterable[float], least: int = 1) -> Array:
    """Return the values as `check_finite` does; raises ValueError unless all are above zero."""
    array = check_finite(values, least)
    if (array <= 0).any():
        raise ValueError("a value is not positive")
    return array


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


def trimmed_geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean without TRIMMED of the values at each end."""
    return exp(trimmed_mean(np.log(check_positive(values))).middle)
