"""Paired differences: Wilcoxon's signed-rank test with its interval, and the test of signs."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log

import numpy as np
from scipy import special

from auditor.stats.arrays import Array, check_finite

_MOST = 700.0
"""Of an e-value's logarithm: more is no number, and would not be surer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """Where the middle of the differences lies.

    `estimate` is the Hodges-Lehmann estimate, `interval` is None for too few pairs, `p` is the
    two-sided one against a middle of zero.
    """

    estimate: float
    interval: tuple[float, float] | None
    p: float


def estimate_shift(differences: Sequence[float] | Array, level: float) -> Shift:
    """Judge the middle of a symmetric distribution from a sample, by the exact null distribution.

    Ties share their middle rank; zeros are ranked and then left out (Pratt), so that they speak
    for "no difference" instead of vanishing. The interval is made of Walsh averages and closed:
    with ties it covers at least as often as `level` says.
    """
    values = check_finite(differences)
    first, second = np.triu_indices(values.size)
    walsh = np.sort((values[first] + values[second]) / 2)
    outside = _count_outside(values.size, (1 - level) / 2)
    has_interval = outside is not None
    return Shift(
        estimate=float(np.median(walsh)),
        interval=(float(walsh[outside]), float(walsh[-1 - (outside or 0)]))
        if has_interval
        else None,
        p=_compute_p(values),
    )


def smallest_p(pairs: int) -> float:
    """Return the least two-sided p that so many pairs can have."""
    return min(1.0, 2.0 ** (1 - pairs))


def _compute_p(values: Array) -> float:
    from scipy import stats  # noqa: PLC0415 slow to load, and few commands need it

    ranks = np.rint(2 * stats.rankdata(np.abs(values))).astype(np.int64)
    nonzero = values != 0
    positives = int(ranks[nonzero & (values > 0)].sum())
    chances = _compute_rank_chances(ranks[nonzero])
    tail = min(chances[: positives + 1].sum(), chances[positives:].sum())
    return min(1.0, 2 * float(tail))


def _compute_rank_chances(ranks: np.ndarray) -> Array:
    """Return the chance of each sum of ranks when every sign is a fair coin."""
    chances = np.zeros(int(ranks.sum()) + 1)
    chances[0] = 1.0
    for rank in ranks:
        halved = chances / 2
        chances = halved.copy()
        chances[rank:] += halved[: chances.size - rank]
    return chances


@lru_cache(maxsize=64)
def _count_outside(pairs: int, tail: float) -> int | None:
    """Return how many Walsh averages lie outside at each end; None if not even none will do."""
    below = np.cumsum(_compute_rank_chances(np.arange(1, pairs + 1)))
    count = int(np.searchsorted(below, tail, side="right"))
    return count - 1 if count else None


def sign_evidence(differences: Sequence[float], limit: float) -> float:
    """Return the e-value against "no more than half of the differences lie above `limit`".

    It may be looked at after every pair, and those of independent samples may be multiplied. Each
    pair is a bet on the sign of what is left, at odds drawn evenly between fair and sure (Ramdas et
    al. 2023, Statistical Science 38:576); where the statement is true the e-value reaches 1 / a
    with a chance of at most a.
    """
    left = check_finite(differences) - limit
    wins, losses = int((left > 0).sum()), int((left <= 0).sum())
    chance = float(special.betaincc(wins + 1, losses + 1, 0.5))
    if chance <= 0:
        return 0.0
    log_evidence = float(special.betaln(wins + 1, losses + 1)) + (wins + losses + 1) * log(2)
    return exp(min(log_evidence + log(chance), _MOST))
