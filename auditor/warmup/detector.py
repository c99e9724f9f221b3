"""What every detector of the steady state is asked and answers."""

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
