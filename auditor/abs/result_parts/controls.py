"""The zero-delay methods in the JSON result, and in words."""

from statistics import median

import msgspec

from reports import number_format


class Controls(msgspec.Struct, frozen=True):
    """Pairs slowed by nothing: how many were judged, which were "detected" all the same.

    `bound` is the one-sided 95 % upper bound of the chance of that.
    """

    judged: int
    alarms: tuple[tuple[str, str], ...]
    bound: float
    effects: tuple[float | None, ...]


def told(controls: Controls | None) -> str:
    """Return how often nothing was taken for a slowdown, in one sentence; empty without any."""
    if controls is None or not controls.judged:
        return ""
    pairs = number_format.count(controls.judged, "pair")
    seen = len(controls.alarms)
    detected = "none was" if not seen else f"{seen} {'was' if seen == 1 else 'were'}"
    sizes = [abs(effect) for effect in controls.effects if effect is not None]
    noise = f", effects of {number_format.share(median(sizes))} in the median" if sizes else ""
    return (
        f"Control: {pairs} slowed by nothing, {detected} detected (chance at most "
        f"{number_format.share(controls.bound)}, with 95 % confidence){noise}."
    )
