"""Paired differences looked at again and again: what holds at all looks at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

from scipy import special

from auditor.stats.arrays import check_finite
from auditor.stats.signed_rank import Shift, estimate_shift

LOOKS = (3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 30)
"""Numbers of pairs after which a decision may fall: close together where most do."""
EARLY = 0.25
"""Share of the error that the looks before the last may make together."""
LEAST_DEVIATION = 0.005
"""Standard deviation that log ratios are taken to have at least: three may be alike by luck."""


@dataclass(frozen=True, slots=True)
class InterimAnalysis:
    """After `pairs` pairs the interval reaches `critical` standard errors to either side."""

    pairs: int
    critical: float


@lru_cache(maxsize=64)
def plan_analyses(most: int, level: float) -> tuple[InterimAnalysis, ...]:
    """Return the looks before the last of `most` pairs.

    All intervals together hold with `level` (Bonferroni), whenever one stops (Jennison and Turnbull
    1999, chapter 9: repeated confidence intervals). The early ones share EARLY of the error.
    """
    numbers = [pairs for pairs in LOOKS if pairs < most]
    tail = (1 - level) * EARLY / max(1, len(numbers)) / 2
    return tuple(
        InterimAnalysis(pairs, float(special.stdtrit(pairs - 1, 1 - tail))) for pairs in numbers
    )


def repeated_critical_value(differences: Sequence[float], most: int, level: float) -> Shift:
    """Judge the middle from the pairs up to the last look; `most` is how many were planned.

    The interval is the repeated one, None before the first look.

    With all pairs the signed-rank interval is taken, on which single disturbed pairs have no hold;
    before, t intervals, which need no more than three pairs.
    """
    values = check_finite(differences)
    last = 1 - (1 - level) * (1 - EARLY)
    if values.size >= most:
        rank_shift = estimate_shift(values, last)
        if rank_shift.interval is not None:
            p = min(1.0, rank_shift.p / (1 - EARLY))
            return Shift(estimate=rank_shift.estimate, interval=rank_shift.interval, p=p)
    planned = plan_analyses(most, level)
    reached = [look for look in planned if look.pairs <= values.size]
    if values.size >= most > 1:
        reached.append(
            InterimAnalysis(values.size, float(special.stdtrit(values.size - 1, (1 + last) / 2)))
        )
    if not reached:
        return Shift(estimate=float(values.mean()), interval=None, p=1.0)
    look = reached[-1]
    pair_values = values[: look.pairs]
    middle = float(pair_values.mean())
    error = max(float(pair_values.std(ddof=1)), LEAST_DEVIATION) / sqrt(look.pairs)
    tail = float(special.stdtr(look.pairs - 1, -abs(middle) / error))
    return Shift(
        estimate=middle,
        interval=(middle - look.critical * error, middle + look.critical * error),
        p=min(1.0, 2 * tail * max(1, len(planned)) / EARLY),
    )
