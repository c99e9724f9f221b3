"""Precision and recall over the least difference that is reported, as a drawing of its own.

It is not part of a page, so it has its own colours, for light and dark.
"""

from collections.abc import Sequence
from typing import Literal

from markupsafe import escape

from reports import charts, figures
from reports.charts import Axes, Curve, Point

SIZE = (600, 300)
MOST_NAMED = 8
"""Places of the axis that are named."""
_STYLE = (
    "text{font:12px sans-serif;fill:#545b64}rect{fill:#fcfcfb}path{fill:none;stroke:#dcdfe3}"
    ".needed{stroke:#545b64;stroke-dasharray:3 3}.way{stroke-width:2}"
    ".dot{stroke-width:7;stroke-linecap:round}.first{stroke:#2468b4}.second{stroke:#c65f00}"
    ".way.second{stroke-dasharray:6 4}.dot.second{stroke-linecap:square}text.first,text.second"
    "{stroke:none;fill:#1a1d21}"
    "@media(prefers-color-scheme:dark){text{fill:#a3abb5}rect{fill:#14171a}path{stroke:#343a41}"
    ".needed{stroke:#a3abb5}.first{stroke:#5b9fe8}.second{stroke:#f0913a}"
    "text.first,text.second{fill:#e8eaed}}"
)
Row = tuple[float, float | None, float | None]
"""A least difference, precision and recall: parts of one; None where there is nothing to divide."""


def svg(points: Sequence[Row], default: float) -> str:
    """Draw precision and recall; a dashed line stands at the `default` least difference.

    `points` are in order, at least one.
    """
    curves = (_curve("precision", "first", points, 1), _curve("recall", "second", points, 2))
    deltas = [delta for delta, _, _ in points]
    every = -(-len(deltas) // MOST_NAMED)
    axes = Axes(
        size=SIZE,
        ends=(deltas[0], deltas[-1]),
        named=tuple((delta, figures.share(delta)) for delta in deltas[::every]),
        across="least difference that is reported",
        units="percent",
        most=100.0,
        mark=default if deltas[0] <= default <= deltas[-1] else None,
    )
    width, height = SIZE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'aria-labelledby="title words">\n<title id="title">Precision and recall by the least '
        f'difference that is reported</title>\n<desc id="words">{escape(told(points))}.</desc>\n'
        f'<style>{_STYLE}</style>\n<rect width="{width}" height="{height}"/>\n'
        f"{charts.body(axes, curves)}\n</svg>\n"
    )


def _curve(name: str, kind: str, points: Sequence[Row], column: Literal[1, 2]) -> Curve:
    known = ((row[0], row[column]) for row in points)
    return Curve(
        name,
        kind,
        tuple(
            Point(delta, 100 * part, 100 * part, 100 * part)
            for delta, part in known
            if part is not None
        ),
    )


def told(points: Sequence[Row]) -> str:
    """Say the same in words."""
    return "; ".join(
        f"from {figures.share(delta)}: precision {figures.share(precision)}, "
        f"recall {figures.share(recall)}"
        for delta, precision, recall in points
    )
