"""Two unpaired groups: a rank-sum test, and the interval of a ratio."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, hypot, sqrt
from statistics import fmean, stdev

import numpy as np
from scipy import special

from auditor.stats.arrays import Array, check_finite, check_positive, count_kept, trimmed_mean
from auditor.stats.components import VarianceComponent, component_error

EXACT_UP_TO = 8
"""Size of the smaller group up to which scipy's own rule takes the exact distribution."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """A quotient of two middles, and its confidence interval."""

    estimate: float
    low: float
    high: float


def rank_sum_p(
    first_group: Sequence[float] | Array, second_group: Sequence[float] | Array
) -> float:
    """Return the two-sided p of the Wilcoxon rank-sum (Mann-Whitney) test.

    Small groups with ties get the exact permutation distribution, for which scipy would take the
    normal one: 5 against 5 would then never be below .01.
    """
    from scipy import stats  # noqa: PLC0415 slow to load, and few commands need it

    first, second = check_finite(first_group), check_finite(second_group)
    pooled = np.concatenate([first, second])
    tied = np.unique(pooled).size < pooled.size
    small = first if first.size <= second.size else second
    if tied and small.size <= EXACT_UP_TO:
        ranks = np.rint(2 * stats.rankdata(pooled)).astype(np.int64)
        small_ranks = ranks[: first.size] if small is first else ranks[first.size :]
        return _permutation_p(ranks, int(small_ranks.sum()), small.size)
    return float(stats.mannwhitneyu(first, second, alternative="two-sided").pvalue)


def smallest_rank_sum_p(first_size: int, second_size: int) -> float:
    """Return the least two-sided p that groups of these sizes can have when all is exact."""
    return min(1.0, 2 / comb(first_size + second_size, first_size))


def _permutation_p(ranks: np.ndarray, observed: int, size: int) -> float:
    """Return twice the smaller tail among all choices of `size` of the (doubled) ranks."""
    sums = np.zeros((size + 1, int(ranks.sum()) + 1))
    sums[0, 0] = 1.0
    for rank in ranks:
        sums[1:, rank:] += sums[:-1, :-rank].copy()
    counts = sums[size] / sums[size].sum()
    tail = min(counts[: observed + 1].sum(), counts[observed:].sum())
    return min(1.0, 2 * float(tail))


def t_half(error: float, freedom: int, level: float) -> float:
    """Return half of the two-sided t interval of a mean with this standard error."""
    return float(special.stdtrit(freedom, (1 + level) / 2)) * error


def relative_width(means: Sequence[float], level: float) -> float:
    """Return how wide the two-sided t interval of the mean of two or more is, relative to it."""
    half = t_half(stdev(means) / sqrt(len(means)), len(means) - 1, level)
    return 2 * half / fmean(means)


def estimate_ratio(
    above: Sequence[float],
    below: Sequence[float],
    level: float,
    component: VarianceComponent | None = None,
    groups: Sequence[int] = (),
) -> Ratio | None:
    """Return the quotient of the trimmed geometric means with its t interval.

    The values are one per process, and of five processes one may have been disturbed: Yuen's
    interval (1974, Biometrika 61:165) of the logarithms is hardly wider for it and keeps its
    level. Both groups are taken to scatter alike, so one value in a group is enough if the other
    has two. None where nothing tells the scatter.

    Where processes of a binary share an error, `component` is what is known of its variance: all
    of `above` are of one binary, those of `below` of several, `groups` of each
    (`components.doubt`). Independent errors, each at `level`, add up in squares.
    """
    parts = [trimmed_mean(np.log(check_positive(values))) for values in (above, below)]
    freedom = sum(part.kept_count for part in parts) - 2
    if freedom < 1:
        return None
    squares = sum(part.squares for part in parts)
    error = sqrt(squares / freedom * sum(1 / part.kept_count for part in parts))
    half = t_half(error, freedom, level)
    if component is not None:
        half = hypot(half, component.compute_half_width(component_error(len(above), groups), level))
    middle = parts[0].middle - parts[1].middle
    low, centre, high = np.exp([middle - half, middle, middle + half])
    return Ratio(float(centre), float(low), float(high))


def predict_half_width(
    above: Sequence[float], below: Sequence[float], *, sizes: tuple[int, int], level: float
) -> float:
    """Return half of the interval, as a logarithm, that groups of other sizes would have.

    They are taken to scatter as these do.
    """
    parts = [trimmed_mean(np.log(check_positive(values))) for values in (above, below)]
    variance = sum(part.squares for part in parts) / (sum(part.kept_count for part in parts) - 2)
    left = [count_kept(size) for size in sizes]
    return t_half(
        sqrt(variance * sum(1 / remaining_size for remaining_size in left)), sum(left) - 2, level
    )
