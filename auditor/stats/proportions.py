"""How often something happens, judged by how often it was seen."""

from scipy import special


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
