"""The detection curve in words."""

from auditor.abs.model import DetectionCurve, PairCurve
from reports import number_format


def most_sensitive_pairs(curve: DetectionCurve | None) -> dict[str, PairCurve]:
    """Return, by method, the pair that detected the smallest slowdown, or came nearest to it."""
    by_method: dict[str, PairCurve] = {}
    for pair in curve.pairs if curve else ():
        best = by_method.get(pair.method)
        if best is None or _find_detected_size(pair) < _find_detected_size(best):
            by_method[pair.method] = pair
    return by_method


def format_limit(pair: PairCurve) -> str:
    """Return from which slowdown on a pair detects, or up to which it does not."""
    if pair.slowdown is not None:
        return number_format.format_factor(1 + pair.slowdown)
    return (
        f"not {number_format.format_factor(1 + pair.unnoticed)}"
        if pair.unnoticed is not None
        else number_format.NO_VALUE
    )


def format_pair_curve(pair: PairCurve) -> str:
    """Return the same as a sentence, with the largest slowdown below that is not detected."""
    unnoticed = "" if pair.unnoticed is None else number_format.format_factor(1 + pair.unnoticed)
    if pair.slowdown is None:
        return f"{unnoticed} is not detected" if unnoticed else ""
    but = f", not {unnoticed}" if unnoticed else ""
    return f"detects {format_limit(pair)} and more{but}"


def format_suite_curve(curve: DetectionCurve | None, undecided: int) -> str:
    """Return in how many methods the suite detects how small a slowdown, in one sentence.

    The sentence is empty where nothing is detected and methods are `undecided`.
    """
    if curve is None or not any(point.counted for point in curve.points):
        return ""
    steps, covered = [], 0
    for point in curve.points:
        if point.covered > covered:
            steps.append(f"{number_format.format_factor(1 + point.slowdown)} in {point.covered}")
            covered = point.covered
    method_count = number_format.format_count(curve.points[0].counted, "method")
    if not steps and undecided:
        return ""
    if not steps:
        return f"No slowdown that was tried is detected in any of {method_count}."
    return f"It detects {', '.join(steps)} of {method_count}."


def _find_detected_size(pair: PairCurve) -> float:
    return float("inf") if pair.slowdown is None else pair.slowdown
