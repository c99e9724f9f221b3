"""What every detector of the steady state is asked and answers.

`standardise_windows` gives the last iterations of a run as the models of the study of learned
stopping take them. Source: its public code (ASE 2024).
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Steadiness:
    """Where a series becomes steady.

    `start` is the 0-based index of the first steady iteration, None where it never is. `changes`
    are indices of the last iterations of segments that the detector tells apart, if it does.
    """

    start: int | None
    changes: tuple[int, ...] = ()


class Detector(Protocol):
    """Finds where a series becomes steady."""

    @property
    def name(self) -> str:
        """Return what people call it."""
        ...

    @property
    def min_iterations(self) -> int:
        """Return how many iterations a series must have."""
        ...

    @property
    def max_iterations(self) -> int | None:
        """Return how many it may have, None where memory is the only limit."""
        ...

    @property
    def trained_length(self) -> int | None:
        """Return how many those have that it was made for, None where any number is as good."""
        ...

    @property
    def iteration_seconds(self) -> float | None:
        """Return how long their iterations lasted, None where any length is as good."""
        ...

    def find_steady_start(self, values: Values) -> Steadiness:
        """Judge finite values above zero, in the order measured."""
        ...


WINDOW = 100
"""Iterations that are judged together, the last ones."""
_UNIT = 1e6

Windows = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float32]
Starts = npt.NDArray[np.int64]


def standardise_windows(values: Values, starts: Starts) -> Windows:
    """Return the windows that begin at `starts`, (windows, 100), each with mean 0 and deviation 1.

    A window without any scatter is all zeros.
    """
    windows = np.lib.stride_tricks.sliding_window_view(values * _UNIT, WINDOW)[starts]
    centred = windows - windows.mean(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = centred / windows.std(axis=1, keepdims=True)
    return np.where(np.isfinite(scaled), scaled, 0.0).astype(np.float32)
