"""What is learned from: windows of a series, each stable or not, some of each fork.

Source: the study of learned stopping (ASE 2024), as its public code does it: its text states other
distances between windows, which do not give the numbers of segments that it reports.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from auditor.warmup.detector import WINDOW, Starts

PER_CLASS = 50
"""Segments of each class that a fork gives, where it has so many."""


@dataclass(frozen=True, slots=True)
class Segments:
    """Where the windows of a fork start, and which of them are stable; both (windows,)."""

    starts: Starts
    stable: npt.NDArray[np.bool_]


def segments(last_warm_up: int, length: int) -> Segments:
    """Return 100 windows of a steady fork, evenly over both classes.

    A window is stable that starts behind the last warm-up iteration. Of a class that has less than
    50 windows all are taken, and so many more of the other.
    """
    last = length - WINDOW
    unstable, stable = (
        _spread(0, last_warm_up, PER_CLASS),
        _spread(last_warm_up + 1, last, PER_CLASS),
    )
    if len(unstable) < PER_CLASS:
        stable = _spread(last_warm_up + 1, last, 2 * PER_CLASS - len(unstable))
    elif len(stable) < PER_CLASS:
        unstable = _spread(0, last_warm_up, 2 * PER_CLASS - len(stable))
    starts = np.concatenate((unstable, stable))
    return Segments(starts, starts > last_warm_up)


def _spread(first: int, last: int, number: int) -> Starts:
    """Return whole numbers from first to last, as evenly as they can be, each once."""
    if last < first:
        return np.array([], dtype=np.int64)
    return np.unique(np.linspace(first, last, number).astype(np.int64))
