"""Spreads and run means of a suite, as shapes under each other, and spreads as dots of pairs."""

import math
from collections.abc import Sequence
from statistics import median, quantiles

from markupsafe import Markup

from reports import number_format
from reports.plots import BOUNDARIES, NOTHING, at, line, svg, text

_LEFT, _WIDTH, _ROW = 150.0, 520.0, 46.0
_NUMBERED = 70.0
"""Left of the axis where rows have numbers for names."""
_LEAST, _MOST = 1e-3, 2.0
_STEPS = 80
_BANDWIDTH = 0.035
"""Of the width of the axis: about what Silverman's rule gives for 100 benchmarks."""
_SIDE = 300.0


def violins(machines: Sequence[tuple[str, Sequence[float]]]) -> Markup:
    """Draw how the spreads are distributed on each machine, with their quartiles, on one axis."""
    if not any(values for _, values in machines):
        return NOTHING
    height = _ROW * len(machines)
    body = "".join(line(_LEFT + _x(border), 0, height, "needed") for border in BOUNDARIES)
    body += _rows([(name, [_x(value) for value in values]) for name, values in machines])
    for tick in (0.01, *BOUNDARIES):
        body += text(_LEFT + _x(tick), height + 16, number_format.share(tick))
    middles = ", ".join(
        f"{name} {number_format.share(median(values) if values else None)}"
        for name, values in machines
    )
    label = f"maximum spreads by machine; in the middle: {middles}"
    return svg((int(_LEFT + _WIDTH + 30), int(height + 22)), label, body, kind="violins")


def deviations(runs: Sequence[tuple[str, Sequence[float]]], limit: float) -> Markup:
    """Draw how far the means of each run deviate; the ends of the axis are -`limit` and +`limit`.

    Larger deviations end at the edge.
    """
    height = _ROW * len(runs)
    body = line(_NUMBERED + _WIDTH / 2, 0, height, "needed")
    places = [(name, [_deviation_x(value, limit) for value in values]) for name, values in runs]
    body += _rows(places, _NUMBERED)
    for tick in (-limit, -limit / 2, 0.0, limit / 2, limit):
        body += text(_NUMBERED + _deviation_x(tick, limit), height + 16, number_format.effect(tick))
    middles = ", ".join(f"{name} {number_format.effect(median(values))}" for name, values in runs)
    label = f"deviations of run means by suite run; in the middle: {middles}"
    return svg((int(_NUMBERED + _WIDTH + 40), int(height + 22)), label, body, kind="violins")


def _deviation_x(value: float, limit: float) -> float:
    return _WIDTH * (min(max(value / limit, -1.0), 1.0) + 1) / 2


def _rows(rows: Sequence[tuple[str, Sequence[float]]], left: float = _LEFT) -> str:
    """Draw a violin for each named row of places, and the axis below."""
    body = ""
    for row, (name, places) in enumerate(rows):
        middle = _ROW * (row + 0.5)
        body += text(0, middle + 4, name, "start") + _violin(places, middle, left)
    height = at(_ROW * len(rows))
    return body + f'<path class="axis" d="M{at(left)} {height}H{at(left + _WIDTH)}"/>'


def _violin(places: Sequence[float], middle: float, left: float) -> str:
    """Draw one shape: the kernel density, above and below; few benchmarks are dots."""
    if not places:
        return text(left, middle + 4, "no spread", "start")
    dots = "".join(f"M{at(left + place)} {at(middle)}h0" for place in places)
    body = f'<path class="dot spread" d="{dots}"/>'
    if len(places) < 3:
        return body
    steps = [_WIDTH * step / _STEPS for step in range(_STEPS + 1)]
    heights = [_density(step, places) for step in steps]
    most = max(heights)
    above = [(step, 0.42 * _ROW * place / most) for step, place in zip(steps, heights, strict=True)]
    shape = [(x, middle - y) for x, y in above] + [(x, middle + y) for x, y in reversed(above)]
    points = " ".join(f"{at(left + x)},{at(y)}" for x, y in shape)
    low, half, high = quantiles(places, n=4, method="inclusive")
    return (
        f'<polygon class="violin" points="{points}"/>{body}'
        f'<path class="quartiles" d="M{at(left + low)} {at(middle)}H{at(left + high)}"/>'
        + line(left + half, middle - 6, middle + 6, "middle")
    )


def _density(place: float, places: Sequence[float]) -> float:
    width = _BANDWIDTH * _WIDTH
    return sum(math.exp(-0.5 * ((place - value) / width) ** 2) for value in places)


def pairs(first: str, second: str, spreads: Sequence[tuple[float, float]]) -> Markup:
    """Draw each benchmark's spread on two machines; above the line it is larger on the second."""
    if not spreads:
        return NOTHING
    scale = _SIDE / _WIDTH
    value, bottom = 46.0, _SIDE + 6
    body = f'<path class="needed" d="M{at(value)} {at(bottom)}L{at(value + _SIDE)} 6"/>'
    body += f'<path class="axis" d="M{at(value)} 6V{at(bottom)}H{at(value + _SIDE)}"/>'
    dots = "".join(
        f"M{at(value + scale * _x(place))} {at(bottom - scale * _x(other))}h0"
        for place, other in spreads
    )
    body += f'<path class="dot spread" d="{dots}"/>'
    for tick in (0.01, 0.1, 0.5):
        body += text(value + scale * _x(tick), bottom + 16, number_format.share(tick))
        body += text(value - 6, bottom - scale * _x(tick) + 4, number_format.share(tick), "end")
    body += text(value + _SIDE / 2, bottom + 32, f"spread on {first}")
    larger = sum(other > place for place, other in spreads)
    label = f"{larger} of {len(spreads)} benchmarks have a larger spread on {second} than {first}"
    return svg((int(value + _SIDE + 10), int(bottom + 38)), label, body, kind="pairs")


def _x(value: float) -> float:
    inside = min(max(value, _LEAST), _MOST)
    return _WIDTH * math.log10(inside / _LEAST) / math.log10(_MOST / _LEAST)
