"""The variance of what all members of a group share, beside the variance of each by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy import special

from auditor.stats.arrays import Array
from auditor.stats.trimming import trimmed

Groups = Sequence[Array]


@dataclass(frozen=True, slots=True)
class Component:
    """What is known of the variance S that groups add to that of their members.

    `total` is what lies between groups by `freedom` degrees of freedom, on average S and `own`,
    the part of it that their members bring.
    """

    total: float
    own: float
    freedom: int

    @property
    def variance(self) -> float:
        """Return the estimate of S."""
        return max(0.0, self.total - self.own)

    def reach(self, times: float, level: float) -> float:
        """Return half of the interval that an error of variance `times` S has.

        Were the total all S, that would be t times its root. What members bring is taken off with
        the normal quantile z: t^2 total - z^2 own is z^2 S if there is no end of groups, and with
        few of them it is more by what the total may be too small. So what scatter can hide is in
        it, too, where S seems to be nothing.
        """
        t, z = special.stdtrit(self.freedom, (1 + level) / 2), special.ndtri((1 + level) / 2)
        return sqrt(times * max(0.0, float(t**2 * self.total - z**2 * self.own)))


def between(families: Sequence[Groups]) -> Component | None:
    """Return the variance that groups add to that of their members, the same in all families.

    Each family has a middle and a scatter of its own. For one of N values x in groups of n_g,
    x = middle + group + own with variances S and s, the squares between its a groups are expected
    to be (a - 1) s + (N - sum n_g^2 / N) S. Its s is that within its groups. The sum over the
    families of the squares, less that of (a - 1) s, over that of the factors of S estimates S: the
    analysis of variance of unequal groups (Searle, Casella and McCulloch 1992, Variance
    Components, 3.6). Its freedom is sum (a - 1). Of a group of five values one may have been
    disturbed. None if no family has two groups, and two values in one of them.
    """
    total, brought, factors, freedom = 0.0, 0.0, 0.0, 0
    for groups in families:
        parts = [trimmed(group) for group in groups]
        inside = sum(part.kept - 1 for part in parts)
        if len(groups) < 2 or not inside:
            continue
        own = sum(part.squares for part in parts) / inside
        sizes = np.array([group.size for group in groups])
        middles = np.array([part.middle for part in parts])
        total += float((sizes * (middles - np.average(middles, weights=sizes)) ** 2).sum())
        brought += (len(groups) - 1) * own
        factors += float(sizes.sum() - (sizes**2).sum() / sizes.sum())
        freedom += len(groups) - 1
    return Component(total / factors, brought / factors, freedom) if freedom else None


def doubt(single: int, groups: Sequence[int]) -> float:
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
