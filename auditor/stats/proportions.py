"""How often something happens, judged by how often it was seen."""

from scipy import special


def upper_bound(seen: int, tries: int, level: float) -> float:
    """Return the one-sided upper bound of a chance (Clopper and Pearson 1934, Biometrika 26:404).

    It lies above the true chance with a probability of at least `level`. 1 without tries; raises
    ValueError for more seen than tried.
    """
    if not 0 <= seen <= tries:
        raise ValueError(f"{seen} of {tries} cannot be seen")
    return 1.0 if seen == tries else float(special.betaincinv(seen + 1, tries - seen, level))


def lower_bound(seen: int, tries: int, level: float) -> float:
    """Return the one-sided lower bound of a chance, as `upper_bound`; 0 without tries."""
    return 1.0 - upper_bound(tries - seen, tries, level)
