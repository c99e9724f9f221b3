"""Values that were taken together in rounds: what a round shares is no difference of its sides."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt

import numpy as np
from scipy import linalg

from auditor.stats.arrays import Array, check_positive, count_kept, trimmed_mean
from auditor.stats.compare import Ratio, t_half


@dataclass(frozen=True, slots=True)
class Contrast:
    """A weighted sum of the logarithms of a round's sides, `middle` on average over all rounds.

    A randomised complete block design: how fast the machine is in a round is the same for all
    sides of it and falls out where weights sum to 0. `variance` is that of a contrast of length 1,
    pooled over all that are orthogonal to each other, since all sides are taken to scatter alike;
    `length` is the sum of the squared weights.
    """

    middle: float
    variance: float
    length: float
    rounds: int
    sides: int

    def compute_ratio(self, level: float) -> Ratio:
        """Return exp(middle) with its t interval."""
        half = self.compute_half_width(self.rounds, level)
        low, centre, high = np.exp([self.middle - half, self.middle, self.middle + half])
        return Ratio(float(centre), float(low), float(high))

    def compute_half_width(self, rounds: int, level: float) -> float:
        """Return half of the interval, as a logarithm, that so many rounds would give."""
        left = count_kept(rounds)
        error = sqrt(self.variance * self.length / left)
        return t_half(error, (self.sides - 1) * (left - 1), level)


def compute_contrast(rounds: Sequence[Sequence[float]], weights: Sequence[float]) -> Contrast:
    """Return the contrast of positive values of shape (rounds, sides); `weights` sum to 0.

    At least 2 rounds. Of five rounds one may have been disturbed: means are trimmed and their
    scatter is that of the values drawn in (Yuen 1974, Biometrika 61:165).
    """
    logs: Array = np.log([check_positive(values) for values in rounds])
    parts = [trimmed_mean(logs @ row) for row in _make_orthogonal(len(weights))]
    weight_vector = np.asarray(weights, dtype=np.float64)
    return Contrast(
        middle=trimmed_mean(logs @ weight_vector).middle,
        variance=sum(part.squares for part in parts) / sum(part.kept_count - 1 for part in parts),
        length=float(weight_vector @ weight_vector),
        rounds=len(logs),
        sides=len(weights),
    )


@cache
def _make_orthogonal(sides: int) -> Array:
    """Return contrasts of length 1 of so many sides, orthogonal to each other, shape (n - 1, n)."""
    contrasts: Array = linalg.helmert(sides)
    return contrasts
