"""Spreads and run means of a suite, as shapes under each other, and spreads as dots of pairs."""

import math
from collections.abc import Sequence
from statistics import median, quantiles

from markupsafe import Markup

from reports import number_format
from reports.plots import (
    EMPTY_PLOT,
    SPREAD_BOUNDARIES,
    draw_line,
    draw_text,
    format_place,
    make_svg,
)

_LABEL_WIDTH, _AXIS_WIDTH, _ROW_HEIGHT = 150.0, 520.0, 46.0
_NUMBER_WIDTH = 70.0
"""Left of the axis where rows have numbers for names."""
_MIN_SPREAD, _MAX_SPREAD = 1e-3, 2.0
_DENSITY_STEPS = 80
_BANDWIDTH = 0.035
"""Of the width of the axis: about what Silverman's rule gives for 100 benchmarks."""
_SCATTER_SIDE = 300.0


def draw_violins(machines: Sequence[tuple[str, Sequence[float]]]) -> Markup:
    """Draw how the spreads are distributed on each machine, with their quartiles, on one axis."""
    if not any(values for _, values in machines):
        return EMPTY_PLOT
    height = _ROW_HEIGHT * len(machines)
    body = "".join(
        draw_line(_LABEL_WIDTH + _scale_spread(border), 0, height, "needed")
        for border in SPREAD_BOUNDARIES
    )
    body += _draw_rows(
        [(name, [_scale_spread(value) for value in values]) for name, values in machines]
    )
    for tick in (0.01, *SPREAD_BOUNDARIES):
        body += draw_text(
            _LABEL_WIDTH + _scale_spread(tick), height + 16, number_format.format_share(tick)
        )
    middles = ", ".join(
        f"{name} {number_format.format_share(median(values) if values else None)}"
        for name, values in machines
    )
    label = f"maximum spreads by machine; in the middle: {middles}"
    return make_svg(
        (int(_LABEL_WIDTH + _AXIS_WIDTH + 30), int(height + 22)), label, body, kind="violins"
    )


def draw_deviations(runs: Sequence[tuple[str, Sequence[float]]], limit: float) -> Markup:
    """Draw how far the means of each run deviate; the ends of the axis are -`limit` and +`limit`.

    Larger deviations end at the edge.
    """
    height = _ROW_HEIGHT * len(runs)
    body = draw_line(_NUMBER_WIDTH + _AXIS_WIDTH / 2, 0, height, "needed")
    places = [(name, [_scale_deviation(value, limit) for value in values]) for name, values in runs]
    body += _draw_rows(places, _NUMBER_WIDTH)
    for tick in (-limit, -limit / 2, 0.0, limit / 2, limit):
        body += draw_text(
            _NUMBER_WIDTH + _scale_deviation(tick, limit),
            height + 16,
            number_format.format_effect(tick),
        )
    middles = ", ".join(
        f"{name} {number_format.format_effect(median(values))}" for name, values in runs
    )
    label = f"deviations of run means by suite run; in the middle: {middles}"
    return make_svg(
        (int(_NUMBER_WIDTH + _AXIS_WIDTH + 40), int(height + 22)), label, body, kind="violins"
    )


def _scale_deviation(value: float, limit: float) -> float:
    return _AXIS_WIDTH * (min(max(value / limit, -1.0), 1.0) + 1) / 2


def _draw_rows(rows: Sequence[tuple[str, Sequence[float]]], left: float = _LABEL_WIDTH) -> str:
    """Draw a violin for each named row of places, and the axis below."""
    body = ""
    for row, (name, places) in enumerate(rows):
        middle = _ROW_HEIGHT * (row + 0.5)
        body += draw_text(0, middle + 4, name, "start") + _draw_violin(places, middle, left)
    height = format_place(_ROW_HEIGHT * len(rows))
    right = format_place(left + _AXIS_WIDTH)
    return body + f'<path class="axis" d="M{format_place(left)} {height}H{right}"/>'


def _draw_violin(places: Sequence[float], middle: float, left: float) -> str:
    """Draw one shape: the kernel density, above and below; few benchmarks are dots."""
    if not places:
        return draw_text(left, middle + 4, "no spread", "start")
    dots = "".join(f"M{format_place(left + place)} {format_place(middle)}h0" for place in places)
    body = f'<path class="dot spread" d="{dots}"/>'
    if len(places) < 3:
        return body
    steps = [_AXIS_WIDTH * step / _DENSITY_STEPS for step in range(_DENSITY_STEPS + 1)]
    heights = [_estimate_density(step, places) for step in steps]
    highest = max(heights)
    upper_points = [
        (step, 0.42 * _ROW_HEIGHT * place / highest)
        for step, place in zip(steps, heights, strict=True)
    ]
    shape = [(x, middle - y) for x, y in upper_points] + [
        (x, middle + y) for x, y in reversed(upper_points)
    ]
    points = " ".join(f"{format_place(left + x)},{format_place(y)}" for x, y in shape)
    low, half, high = quantiles(places, n=4, method="inclusive")
    return (
        f'<polygon class="violin" points="{points}"/>{body}'
        f'<path class="quartiles" d="M{format_place(left + low)} {format_place(middle)}'
        f'H{format_place(left + high)}"/>'
        + draw_line(left + half, middle - 6, middle + 6, "middle")
    )


def _estimate_density(place: float, places: Sequence[float]) -> float:
    width = _BANDWIDTH * _AXIS_WIDTH
    return sum(math.exp(-0.5 * ((place - value) / width) ** 2) for value in places)


def draw_spread_pairs(first: str, second: str, spreads: Sequence[tuple[float, float]]) -> Markup:
    """Draw each benchmark's spread on two machines; above the line it is larger on the second."""
    if not spreads:
        return EMPTY_PLOT
    scale = _SCATTER_SIDE / _AXIS_WIDTH
    left, bottom = 46.0, _SCATTER_SIDE + 6
    x_start, x_end, y_bottom = map(format_place, (left, left + _SCATTER_SIDE, bottom))
    body = f'<path class="needed" d="M{x_start} {y_bottom}L{x_end} 6"/>'
    body += f'<path class="axis" d="M{x_start} 6V{y_bottom}H{x_end}"/>'
    dots = "".join(
        f"M{format_place(left + scale * _scale_spread(first_spread))} "
        f"{format_place(bottom - scale * _scale_spread(second_spread))}h0"
        for first_spread, second_spread in spreads
    )
    body += f'<path class="dot spread" d="{dots}"/>'
    for tick in (0.01, 0.1, 0.5):
        body += draw_text(
            left + scale * _scale_spread(tick), bottom + 16, number_format.format_share(tick)
        )
        body += draw_text(
            left - 6,
            bottom - scale * _scale_spread(tick) + 4,
            number_format.format_share(tick),
            "end",
        )
    body += draw_text(left + _SCATTER_SIDE / 2, bottom + 32, f"spread on {first}")
    larger = sum(second_spread > first_spread for first_spread, second_spread in spreads)
    label = f"{larger} of {len(spreads)} benchmarks have a larger spread on {second} than {first}"
    return make_svg((int(left + _SCATTER_SIDE + 10), int(bottom + 38)), label, body, kind="pairs")


def _scale_spread(value: float) -> float:
    inside = min(max(value, _MIN_SPREAD), _MAX_SPREAD)
    return _AXIS_WIDTH * math.log10(inside / _MIN_SPREAD) / math.log10(_MAX_SPREAD / _MIN_SPREAD)
