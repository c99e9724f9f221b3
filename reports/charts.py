"""Curves with their intervals over one axis, as the body of a drawing.

Kinds are classes: whoever shows a chart has the style. Curves differ in more than their colour.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import escape

from reports.plots import draw_line, draw_text, format_place

LEFT_MARGIN, RIGHT_MARGIN, TOP_MARGIN, BOTTOM_MARGIN = 44, 84, 26, 40
_LABEL_DISTANCE = 14.0
"""Between the names of two curves, which stand at their ends."""
_CURVE_SHIFT = 3.0
"""How far points of neighbouring curves are moved, so that no interval hides another."""
_AXIS_INSET = 36
"""From the left end of the axis to the first point, whose name may be long."""
_TICK_FACTORS = (1.0, 2.0, 2.5, 5.0, 10.0)
_TICK_COUNT = 4


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """A value at a place of the axis, between `low` and `high`."""

    x: float
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ChartCurve:
    """Points from left to right, with the name that stands at the end and a kind."""

    name: str
    kind: str
    points: tuple[ChartPoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Axes:
    """What surrounds the curves."""

    size: tuple[int, int]  # width and height
    ends: tuple[float, float]  # of the axis to the right
    named: tuple[tuple[float, str], ...]  # places of that axis that have a name
    across: str  # name of that axis
    units: str  # of the axis upwards
    most: float  # upper end of the axis upwards; the lower one is zero
    mark: float | None = None  # place of a dashed line; None: there is none

    def scale_x(self, place: float) -> float:
        """Return where a place of the axis is drawn; a single one is in the middle."""
        first, last = self.ends
        part = (place - first) / (last - first) if last > first else 0.5
        return (
            LEFT_MARGIN
            + _AXIS_INSET
            + (self.size[0] - LEFT_MARGIN - RIGHT_MARGIN - _AXIS_INSET) * part
        )

    def scale_y(self, value: float) -> float:
        """Return at which height a value is drawn; what lies beyond is cut off."""
        inside = min(max(value / self.most, 0.0), 1.0) if self.most else 0.0
        return TOP_MARGIN + (self.size[1] - TOP_MARGIN - BOTTOM_MARGIN) * (1 - inside)


def choose_ticks(highest_value: float) -> tuple[float, ...]:
    """Return round values from zero to the first one that is not below `highest_value`."""
    highest_value = highest_value if highest_value > 0 else 1.0
    rough_step = highest_value / _TICK_COUNT
    power_of_ten = 10.0 ** math.floor(math.log10(rough_step))
    step = next(
        power_of_ten * factor
        for factor in _TICK_FACTORS
        if power_of_ten * factor >= rough_step * (1 - 1e-9)
    )
    return tuple(step * number for number in range(math.ceil(highest_value / step - 1e-9) + 1))


def draw_chart(axes: Axes, curves: Sequence[ChartCurve]) -> str:
    """Draw curves and what surrounds them; zero is always in the picture."""
    return (
        _draw_frame(axes)
        + "".join(_draw_curve(axes, curve, _find_shift(curves, curve)) for curve in curves)
        + _draw_labels(axes, curves)
    )


def _draw_frame(axes: Axes) -> str:
    right, bottom = axes.size[0] - RIGHT_MARGIN, axes.size[1] - BOTTOM_MARGIN
    drawing = draw_text(0, 12, axes.units, "start")
    for value in choose_ticks(axes.most):
        height = format_place(axes.scale_y(value))
        drawing += f'<path class="axis" d="M{LEFT_MARGIN} {height}H{right}"/>'
        drawing += draw_text(LEFT_MARGIN - 6, axes.scale_y(value) + 4, f"{value:g}", "end")
    for place, name in axes.named:
        drawing += draw_text(axes.scale_x(place), bottom + 16, name)
    if axes.mark is not None:
        drawing += draw_line(axes.scale_x(axes.mark), TOP_MARGIN, bottom, "needed")
    return drawing + draw_text((LEFT_MARGIN + right) / 2, bottom + 33, axes.across)


def _find_shift(curves: Sequence[ChartCurve], curve: ChartCurve) -> float:
    return _CURVE_SHIFT * (2 * curves.index(curve) - len(curves) + 1)


def _draw_curve(axes: Axes, curve: ChartCurve, shift: float) -> str:
    places = [(axes.scale_x(point.x) + shift, point) for point in curve.points]
    whiskers = "".join(
        f"M{format_place(x)} {format_place(axes.scale_y(point.low))}"
        f"V{format_place(axes.scale_y(point.high))}"
        for x, point in places
        if point.high > point.low
    )
    drawing = f'<path class="whisker {curve.kind}" d="{whiskers}"/>' if whiskers else ""
    path = "L".join(
        f"{format_place(x)} {format_place(axes.scale_y(point.value))}" for x, point in places
    )
    dots = "".join(
        f"M{format_place(x)} {format_place(axes.scale_y(point.value))}h0" for x, point in places
    )
    if path:
        drawing += f'<path class="way {curve.kind}" d="M{path}"/>'
        drawing += f'<path class="dot {curve.kind}" d="{dots}"/>'
    return drawing


def _draw_labels(axes: Axes, curves: Sequence[ChartCurve]) -> str:
    """Write the names behind the last points, one below the other where these are close."""
    drawing, label_y = "", -_LABEL_DISTANCE
    plotted_curves = [curve for curve in curves if curve.points]
    for curve in sorted(plotted_curves, key=lambda curve: -curve.points[-1].value):
        last_point = curve.points[-1]
        label_y = max(axes.scale_y(last_point.value), label_y + _LABEL_DISTANCE)
        x, y = format_place(axes.scale_x(last_point.x) + 12), format_place(label_y + 4)
        drawing += f'<text class="{curve.kind}" x="{x}" y="{y}">{escape(curve.name)}</text>'
    return drawing
