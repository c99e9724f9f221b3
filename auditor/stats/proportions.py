"""How often something happens, judged by how often it was seen, and what follows for a median."""

from collections.abc import Sequence
from math import comb

from scipy import special

from auditor.stats.arrays import Array, check_finite


def upper_bound(hits: int, tries: int, level: float) -> float:
    """Return the one-sided upper bound of a chance (Clopper and Pearson 1934, Biometrika 26:404).

    It lies above the true chance with a probability of at least `level`. 1 without tries; raises
    ValueError for more seen than tried.
    """
    if not 0 <= hits <= tries:
        raise ValueError(f"{hits} of {tries} cannot be seen")
    return 1.0 if hits == tries else float(special.betaincinv(hits + 1, tries - hits, level))


def lower_bound(hits: int, tries: int, level: float) -> float:
    """Return the one-sided lower bound of a chance, as `upper_bound`; 0 without tries."""
    return 1.0 - upper_bound(tries - hits, tries, level)


def median_interval(values: Sequence[float] | Array, level: float) -> tuple[float, float] | None:
    """Return the narrowest interval of order statistics that holds the median; None for too few.

    The k-th values from both ends hold the median of any distribution with a probability of at
    least 1 - 2 P(B < k), B binomial of n and 1/2 (David and Nagaraja, Order Statistics, 7.1). Of 12
    values, the second from either end do so with 99.4 %: one that is disturbed does no harm.
    Raises ValueError for values that are not finite.
    """
    ordered = sorted(check_finite(values))
    n = len(ordered)
    tail, inside = 0.0, 0
    for k in range(n // 2):
        tail += comb(n, k) / 2**n
        if 2 * tail > 1 - level:
            break
        inside = k + 1
    return (float(ordered[inside - 1]), float(ordered[n - inside])) if inside else None
