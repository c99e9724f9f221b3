"""The variance of what all members of a group share, beside the variance of each by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
from scipy import special

from auditor.stats.arrays import Array, TrimmedMean, trimmed_mean

Groups = Sequence[Array]


@dataclass(frozen=True, slots=True)
class VarianceComponent:
    """What is known of the variance S that groups add to that of their members.

    `total` is what lies between groups by `freedom` degrees of freedom, on average S and
    `own_variance`, the part of it that their members bring.
    """

    total: float
    own_variance: float
    freedom: int

    @property
    def variance(self) -> float:
        """Return the estimate of S."""
        return max(0.0, self.total - self.own_variance)

    def compute_half_width(self, times: float, level: float) -> float:
        """Return half of the interval that an error of variance `times` S has.

        Were the total all S, that would be t times its root. What members bring is taken off with
        the normal quantile z: t^2 total - z^2 own is z^2 S if there is no end of groups, and with
        few of them it is more by what the total may be too small. So what scatter can hide is in
        it, too, where S seems to be nothing.
        """
        t, z = special.stdtrit(self.freedom, (1 + level) / 2), special.ndtri((1 + level) / 2)
        return sqrt(times * max(0.0, float(t**2 * self.total - z**2 * self.own_variance)))


FEW = 2
"""Families of which there is no middle but the mean."""


def component_between(families: Sequence[Groups]) -> VarianceComponent | None:
    """Return the variance that groups add to that of their members, about the same in all families.

    Each family has a middle and a scatter of its own. For one of N values x in groups of n_g,
    x = middle + group + own with variances S and s, the squares between its a groups are expected
    to be (a - 1) s + (N - sum n_g^2 / N) S, and s is told by those within its groups (analysis of
    variance of unequal groups: Searle, Casella and McCulloch 1992, Variance Components, 3.6).

    Some families scatter many times as much as others, and in some a value was disturbed. So what
    counts of the mean squares, each over the median of its chi-squared distribution, is the
    middle one of all families. Of sum (a - 1) degrees of freedom it keeps two thirds: by then the
    intervals of `compute_half_width` are right in simulations, whatever the number of families.
    None if no family has two groups, and two values in one of them.
    """
    totals, owns, freedom = [], [], 0
    parted = [[trimmed_mean(group) for group in groups] for groups in families]
    run_means = [parts for parts in parted if len(parts) > 1 and _count_freedom(parts)]
    few = len(run_means) <= FEW
    for parts in run_means:
        sizes = np.array([part.size for part in parts])
        middles = np.array([part.middle for part in parts])
        between_squares = float((sizes * (middles - np.average(middles, weights=sizes)) ** 2).sum())
        factor = float(sizes.sum() - (sizes**2).sum() / sizes.sum())
        degrees, inside = len(parts) - 1, _count_freedom(parts)
        within_square = sum(part.squares for part in parts) / inside
        totals.append(between_squares / factor / (1 if few else _compute_chi_median(degrees)))
        owns.append(degrees * within_square / factor / (1 if few else _compute_chi_median(inside)))
        freedom += degrees
    if not run_means:
        return None
    kept_freedom = freedom if few else ceil(2 * freedom / 3)
    return VarianceComponent(float(np.median(totals)), float(np.median(owns)), kept_freedom)


def _count_freedom(parts: Sequence[TrimmedMean]) -> int:
    return sum(part.kept_count - 1 for part in parts)


def _compute_chi_median(freedom: int) -> float:
    """Return the median of a mean square of this freedom whose expectation is 1."""
    return float(special.chdtri(freedom, 0.5)) / freedom


def component_error(single: int, groups: Sequence[int]) -> float:
    """Return how many times S is missing in the variance of a difference of two means.

    One mean is of `single` members of one group, the other of n members of other groups, n_g of
    each. The difference has the variance s (1/single + 1/n) + S (1 + sum (n_g / n)^2): the one
    group is a single draw however many members it has. The pooled mean square of both, by which s
    is known, is expected to be s + S (n - sum n_g^2 / n) / (single + n - 2), and what it already
    brings of S is not added again.
    """
    n = sum(groups)
    squares = sum(size**2 for size in groups)
    inside = (n - squares / n) / (single + n - 2)
    return max(0.0, 1 + squares / n**2 - inside * (1 / single + 1 / n))
