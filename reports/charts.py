"""Curves with their intervals over one axis, as the body of a drawing.

Kinds are classes: whoever shows a chart has the style. Curves differ in more than their colour.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import escape

from reports.plots import at, line, text

LEFT, RIGHT, TOP, BOTTOM = 44, 84, 26, 40
_APART = 14.0
"""Between the names of two curves, which stand at their ends."""
_ASIDE = 3.0
"""How far points of neighbouring curves are moved, so that no interval hides another."""
_INSIDE = 36
"""From the left end of the axis to the first point, whose name may be long."""
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_TICKS = 4


@dataclass(frozen=True, slots=True)
class Point:
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
    points: tuple[Point, ...]


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

    def x(self, place: float) -> float:
        """Return where a place of the axis is drawn; a single one is in the middle."""
        first, last = self.ends
        part = (place - first) / (last - first) if last > first else 0.5
        return LEFT + _INSIDE + (self.size[0] - LEFT - RIGHT - _INSIDE) * part

    def y(self, value: float) -> float:
        """Return at which height a value is drawn; what lies beyond is cut off."""
        inside = min(max(value / self.most, 0.0), 1.0) if self.most else 0.0
        return TOP + (self.size[1] - TOP - BOTTOM) * (1 - inside)


def ticks(most: float) -> tuple[float, ...]:
    """Return round values from zero to the first one that is not below `most`."""
    most = most if most > 0 else 1.0
    rough = most / _TICKS
    whole = 10.0 ** math.floor(math.log10(rough))
    step = next(whole * one for one in _STEPS if whole * one >= rough * (1 - 1e-9))
    return tuple(step * number for number in range(math.ceil(most / step - 1e-9) + 1))


def body(axes: Axes, curves: Sequence[ChartCurve]) -> str:
    """Draw curves and what surrounds them; zero is always in the picture."""
    return (
        _frame(axes)
        + "".join(_curve(axes, curve, _shift(curves, curve)) for curve in curves)
        + _names(axes, curves)
    )


def _frame(axes: Axes) -> str:
    right, bottom = axes.size[0] - RIGHT, axes.size[1] - BOTTOM
    drawn = text(0, 12, axes.units, "start")
    for value in ticks(axes.most):
        height = at(axes.y(value))
        drawn += f'<path class="axis" d="M{LEFT} {height}H{right}"/>'
        drawn += text(LEFT - 6, axes.y(value) + 4, f"{value:g}", "end")
    for place, name in axes.named:
        drawn += text(axes.x(place), bottom + 16, name)
    if axes.mark is not None:
        drawn += line(axes.x(axes.mark), TOP, bottom, "needed")
    return drawn + text((LEFT + right) / 2, bottom + 33, axes.across)


def _shift(curves: Sequence[ChartCurve], curve: ChartCurve) -> float:
    return _ASIDE * (2 * curves.index(curve) - len(curves) + 1)


def _curve(axes: Axes, curve: ChartCurve, shift: float) -> str:
    places = [(axes.x(point.x) + shift, point) for point in curve.points]
    whiskers = "".join(
        f"M{at(x)} {at(axes.y(point.low))}V{at(axes.y(point.high))}"
        for x, point in places
        if point.high > point.low
    )
    drawn = f'<path class="whisker {curve.kind}" d="{whiskers}"/>' if whiskers else ""
    way = "L".join(f"{at(x)} {at(axes.y(point.value))}" for x, point in places)
    dots = "".join(f"M{at(x)} {at(axes.y(point.value))}h0" for x, point in places)
    if way:
        drawn += f'<path class="way {curve.kind}" d="M{way}"/>'
        drawn += f'<path class="dot {curve.kind}" d="{dots}"/>'
    return drawn


def _names(axes: Axes, curves: Sequence[ChartCurve]) -> str:
    """Write the names behind the last points, one below the other where these are close."""
    drawn, above = "", -_APART
    known = [curve for curve in curves if curve.points]
    for one in sorted(known, key=lambda curve: -curve.points[-1].value):
        last = one.points[-1]
        above = max(axes.y(last.value), above + _APART)
        x, y = at(axes.x(last.x) + 12), at(above + 4)
        drawn += f'<text class="{one.kind}" x="{x}" y="{y}">{escape(one.name)}</text>'
    return drawn
