"""Five people's starts of one series, as one reference (Beseda et al., Section 3.5 of the method).

A cluster is a set of labels of which each has two others within 50 iterations, or is within 50 of
such a one: DBSCAN in one dimension, with three points to a core.
"""

from collections.abc import Sequence
from statistics import median

MAX_DISTANCE = 50
CORE = 3


def clustered(labels: Sequence[int]) -> tuple[int, ...]:
    """Return the labels that belong to some cluster, in their order."""
    cores = [
        label
        for label in labels
        if sum(abs(label - neighbour) <= MAX_DISTANCE for neighbour in labels) >= CORE
    ]
    return tuple(
        label for label in labels if any(abs(label - core) <= MAX_DISTANCE for core in cores)
    )


def reference(labels: Sequence[int], *, in_order: bool = True) -> int:
    """Return the reference of five labels, given in the order of the judges.

    Of four that agree the published code takes the third one in that order, not the third
    smallest (`in_order` false), which its text seems to mean.
    """
    agreed = clustered(labels)
    if not agreed:
        return middle(labels)
    if len(agreed) == len(labels) - 1:
        return agreed[2] if in_order else sorted(agreed)[2]
    return int(median(agreed))


def middle(labels: Sequence[int]) -> int:
    """Return the median, of an even number the whole part of it."""
    return int(median(labels))
