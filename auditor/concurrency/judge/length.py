"""How long the suffixes of tests are to be (Pradel et al., Algorithm 1)."""

from collections.abc import Generator
from dataclasses import dataclass

from auditor.core.contracts.concurrency import RacePlan


@dataclass(frozen=True, slots=True)
class LengthAttempt:
    """What a random test of a length took with a version: seconds, and repetitions in t_s."""

    seconds: float
    repetitions: float


@dataclass(frozen=True, slots=True)
class SuffixLength:
    """The length found, in calls; `reason` says why it is the longest, if none was found."""

    calls: int
    tried: tuple[int, ...]
    reason: str = ""


def search_length(
    plan: RacePlan,
) -> Generator[int, tuple[LengthAttempt, LengthAttempt] | None, SuffixLength]:
    """Yield lengths to try; is sent what both versions took, None where no test could be made.

    A length at which no test works counts as too long. What is fallen back on is the upper bound
    that the search has come to: the maximum, unless that was too long. Where versions are so far
    apart that a length is too short for one and too long for the other it is that length, which a
    race can still scale; with `Plan.strict` the maximum, as in the paper.
    """
    low, high = plan.shortest, plan.longest
    if low == high:
        return SuffixLength(low, ())
    tried: list[int] = []
    while low < high and len(tried) < plan.most_tries:
        # Between two powers of ten the middle is their geometric mean: lengths range over four.
        middle = max(low, round((low * high) ** 0.5))
        if middle in tried:
            break
        tried.append(middle)
        attempts = yield middle
        short = attempts is not None and any(
            length_attempt.seconds <= plan.least_seconds for length_attempt in attempts
        )
        long = attempts is None or any(
            length_attempt.repetitions <= plan.least_repetitions for length_attempt in attempts
        )
        if short and long:
            calls = plan.longest if plan.strict else middle
            return SuffixLength(
                calls,
                tuple(tried),
                "a test of this length is too short for one version and too long for the other; "
                "change --longest",
            )
        if not short and not long:
            return SuffixLength(middle, tuple(tried))
        low, high = (middle, high) if short else (low, middle)
    return SuffixLength(
        high,
        tuple(tried),
        f"none of {len(tried)} test lengths is both measurable and repeatable; change --longest "
        "or --steady",
    )
