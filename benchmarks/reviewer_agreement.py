"""How far reviewers agree with each other, and a method with them (Bauer et al., Section 4)."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

Labels = Mapping[str, Mapping[str, str]]
"""What each reviewer said: label by reviewer by subject; not all need to have seen all."""


class Band(StrEnum):
    """What a kappa is called (Section 2.2, after Landis and Koch 1977)."""

    LOW = "low"
    SLIGHT = "slight"
    FAIR = "fair"
    MODERATE = "moderate"
    SUBSTANTIAL = "substantial"
    ALMOST_PERFECT = "almost perfect"


_UP_TO = (
    (0.2, Band.SLIGHT),
    (0.4, Band.FAIR),
    (0.6, Band.MODERATE),
    (0.8, Band.SUBSTANTIAL),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """How many subjects a method calls what, by what they are: Tables 2 and 3, row by row."""

    similar_as_similar: int
    similar_as_dissimilar: int
    dissimilar_as_similar: int
    dissimilar_as_dissimilar: int

    @property
    def sensitivity(self) -> float | None:
        """Return the share of dissimilar subjects that are called so; None if there are none."""
        return _share(self.dissimilar_as_dissimilar, self.dissimilar_as_similar)

    @property
    def specificity(self) -> float | None:
        """Return the share of similar subjects that are called so; None if there are none."""
        return _share(self.similar_as_similar, self.similar_as_dissimilar)


def fleiss_kappa(labels: Labels) -> float | None:
    """Return the agreement beyond chance, at most 1 (Fleiss 1971, Psychological Bulletin 76:378).

    The reviewers of a subject need not be those of another. None without subjects and where all
    have one label, which chance alone would do. Raises ValueError unless all subjects have the same
    number of labels, at least two.
    """
    if not labels:
        return None
    numbers = {len(by_reviewer) for by_reviewer in labels.values()}
    if len(numbers) > 1 or min(numbers) < 2:
        raise ValueError(f"every subject needs the same number of labels, not {sorted(numbers)}")
    (number,) = numbers
    counts = [Counter(by_reviewer.values()) for by_reviewer in labels.values()]
    total: Counter[str] = sum(counts, Counter())
    agreeing = sum(count * (count - 1) for counter in counts for count in counter.values())
    observed = agreeing / (len(labels) * number * (number - 1))
    chance = sum((count / total.total()) ** 2 for count in total.values())
    return None if len(total) == 1 else (observed - chance) / (1 - chance)


def band(kappa: float) -> Band:
    """Return what the paper calls a kappa; it leaves (0, 0.01) out, slight here as 0 is."""
    if kappa < 0:
        return Band.LOW
    return next((name for limit, name in _UP_TO if kappa <= limit), Band.ALMOST_PERFECT)


def pairwise_agreement(labels: Labels) -> dict[tuple[str, str], float]:
    """Return how many per cent of the subjects that two reviewers saw both call the same (Table 1).

    Pairs are sorted; one without common subjects is left out.
    """
    common: Counter[tuple[str, str]] = Counter()
    same: Counter[tuple[str, str]] = Counter()
    for by_reviewer in labels.values():
        for pair in combinations(sorted(by_reviewer), 2):
            common[pair] += 1
            same[pair] += by_reviewer[pair[0]] == by_reviewer[pair[1]]
    return {pair: 100 * same[pair] / count for pair, count in sorted(common.items())}


def agreed(labels: Labels) -> dict[str, str]:
    """Return the label of each subject that several reviewers saw and all called the same."""
    return {
        subject: next(iter(by_reviewer.values()))
        for subject, by_reviewer in labels.items()
        if len(by_reviewer) > 1 and len(set(by_reviewer.values())) == 1
    }


def confusion(are: Mapping[str, bool], called: Mapping[str, bool]) -> Confusion:
    """Compare what subjects `are` with what they are `called`, True for dissimilar.

    Only subjects in both count.
    """
    counts = Counter((are[subject], called[subject]) for subject in are.keys() & called.keys())
    return Confusion(
        similar_as_similar=counts[False, False],
        similar_as_dissimilar=counts[False, True],
        dissimilar_as_similar=counts[True, False],
        dissimilar_as_dissimilar=counts[True, True],
    )


def _share(part: int, rest: int) -> float | None:
    return part / (part + rest) if part + rest else None
