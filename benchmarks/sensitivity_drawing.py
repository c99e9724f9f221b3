"""Precision and recall over the least difference that is reported, as a drawing of its own."""

from collections.abc import Sequence
from typing import Literal

import curve_drawing

from reports import number_format
from reports.charts import Axes, ChartCurve, ChartPoint

SIZE = (600, 300)
MOST_NAMED = 8
"""Places of the axis that are named."""
Row = tuple[float, float | None, float | None]
"""A least difference, precision and recall: parts of one; None where there is nothing to divide."""


def svg(points: Sequence[Row], default: float) -> str:
    """Draw precision and recall; a dashed line stands at the `default` least difference.

    `points` are in order, at least one.
    """
    first, second = curve_drawing.KINDS
    curves = (_curve("precision", first, points, 1), _curve("recall", second, points, 2))
    deltas = [delta for delta, _, _ in points]
    step = -(-len(deltas) // MOST_NAMED)
    axes = Axes(
        size=SIZE,
        ends=(deltas[0], deltas[-1]),
        named=tuple((delta, number_format.format_share(delta)) for delta in deltas[::step]),
        across="least difference that is reported",
        units="percent",
        most=100.0,
        mark=default if deltas[0] <= default <= deltas[-1] else None,
    )
    title = "Precision and recall by the least difference that is reported"
    return curve_drawing.svg(title, describe_points(points), axes, curves)


def _curve(name: str, kind: str, points: Sequence[Row], column: Literal[1, 2]) -> ChartCurve:
    shares = ((row[0], row[column]) for row in points)
    return ChartCurve(
        name,
        kind,
        tuple(
            ChartPoint(delta, 100 * part, 100 * part, 100 * part)
            for delta, part in shares
            if part is not None
        ),
    )


def describe_points(points: Sequence[Row]) -> str:
    """Say the same in words."""
    return "; ".join(
        f"from {number_format.format_share(delta)}: precision "
        f"{number_format.format_share(precision)}, "
        f"recall {number_format.format_share(recall)}"
        for delta, precision, recall in points
    )
