"""The detection curve in the JSON result, and in words."""

import msgspec

from auditor.core.result import Result
from reports import number_format


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """A pair at one slowdown."""

    slowdown: float
    outcome: Result
    effect: float | None
    interval: tuple[float | None, float | None] | None
    threshold: float | None
    achieved_slowdown: float | None
    reason: str | None


class PairCurve(msgspec.Struct, frozen=True, kw_only=True):
    """The least slowdown that this pair was seen to notice, and the largest below that it was not.

    Both are null where there is none.
    """

    method: str
    benchmark: str
    slowdown: float | None
    unnoticed: float | None
    steps: tuple[Step, ...]


class CurvePoint(msgspec.Struct, frozen=True):
    """In how many of the counted methods the suite notices a slowdown of this size."""

    slowdown: float
    covered: int
    counted: int


class Curve(msgspec.Struct, frozen=True):
    """How small a slowdown is noticed still."""

    pairs: tuple[PairCurve, ...]
    points: tuple[CurvePoint, ...]


def least(curve: Curve | None) -> dict[str, PairCurve]:
    """Return, by method, the pair that was seen to notice the least, or that came nearest."""
    found: dict[str, PairCurve] = {}
    for one in curve.pairs if curve else ():
        known = found.get(one.method)
        if known is None or _size(one) < _size(known):
            found[one.method] = one
    return found


def noticed(one: PairCurve) -> str:
    """Return from which slowdown on a pair notices, or up to which it does not."""
    if one.slowdown is not None:
        return number_format.times(1 + one.slowdown)
    return (
        f"not {number_format.times(1 + one.unnoticed)}"
        if one.unnoticed is not None
        else number_format.NONE
    )


def told(one: PairCurve) -> str:
    """Return the same as a sentence, with the largest slowdown below that is not noticed."""
    if one.slowdown is None:
        return f"{noticed(one)} is noticed" if one.unnoticed is not None else ""
    but = "" if one.unnoticed is None else f", not {number_format.times(1 + one.unnoticed)}"
    return f"notices {noticed(one)} and more{but}"


def suite(curve: Curve | None, undecided: int) -> str:
    """Return in how many methods the suite notices how small a slowdown, in one sentence.

    Where nothing is noticed and methods are `undecided`, nothing is said.
    """
    if curve is None or not any(point.counted for point in curve.points):
        return ""
    steps, before = [], 0
    for point in curve.points:
        if point.covered > before:
            steps.append(f"{number_format.times(1 + point.slowdown)} in {point.covered}")
            before = point.covered
    counted = number_format.count(curve.points[0].counted, "method")
    if not steps and undecided:
        return ""
    if not steps:
        return f"No slowdown that was tried is noticed in any of {counted}."
    return f"It notices {', '.join(steps)} of {counted}."


def _size(one: PairCurve) -> float:
    return float("inf") if one.slowdown is None else one.slowdown
