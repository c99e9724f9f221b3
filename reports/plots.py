"""Plots as SVG text. Colours come from the page's style sheet, so that they follow its scheme.

Dots are drawn as lines without length and with round ends: a tenth of the bytes of circles.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import fmean, median

from markupsafe import Markup, escape

from reports import number_format

EMPTY_PLOT = Markup("")
SPREAD_BOUNDARIES = (0.05, 0.1, 0.25, 0.5)
"""Where the buckets of Table 3 of the paper meet."""
_MIN_SPREAD, _MAX_SPREAD = 1e-3, 2.0
_RUN_HEIGHT = 66


def make_svg(size: tuple[int, int], label: str, body: str, *, kind: str) -> Markup:
    """Return a drawing of a kind that the style sheet knows; `label` is what it says in words."""
    stretch = ' preserveAspectRatio="none"' if kind == "bar" else ""
    width, height = size
    head = f'<svg class="{kind}" viewBox="0 0 {width} {height}"{stretch} role="img"'
    # Everything put into `body` is made of numbers and of escaped text.
    return Markup('{} aria-label="{}">{}</svg>').format(Markup(head), label, Markup(body))  # noqa: S704


def format_place(value: float) -> str:
    """Write a place with as many digits as can be seen."""
    return f"{value:.1f}".removesuffix(".0")


def _draw_dots(points: Iterable[tuple[float, float]], kind: str) -> str:
    path = "".join(f"M{format_place(x)} {format_place(y)}h0" for x, y in points)
    return f'<path class="dot {kind}" d="{path}"/>' if path else ""


def draw_line(x: float, top: float, bottom: float, kind: str) -> str:
    """Return a vertical line."""
    return (
        f'<path class="{kind}" d="M{format_place(x)} {format_place(top)}V{format_place(bottom)}"/>'
    )


def draw_text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    """Return words at a place, which is their middle, "start" or "end"."""
    place = f'x="{format_place(x)}" y="{format_place(y)}"'
    return f'<text {place} text-anchor="{anchor}">{escape(words)}</text>'


def draw_score_bar(low: float, high: float) -> Markup:
    """Draw a bar filled to `low` percent and hatched up to `high`."""
    body = (
        '<rect class="track" width="300" height="10"/>'
        f'<rect class="detected" width="{format_place(3 * low)}" height="10"/>'
        f'<rect class="open" x="{format_place(3 * low)}" width="{format_place(3 * (high - low))}"'
        ' height="10"/>'
    )
    label = f"between {number_format.format_percent(low)} and {number_format.format_percent(high)}"
    return make_svg((300, 10), label, body, kind="bar")


def draw_part_bar(counts: Sequence[tuple[str, int]]) -> Markup:
    """Draw a bar divided among kinds."""
    total = sum(count for _, count in counts)
    if not total:
        return EMPTY_PLOT
    body, x = "", 0.0
    for kind, count in counts:
        width = 900 * count / total
        place = f'x="{format_place(x)}" width="{format_place(max(width - 3, 1))}"'
        body += f'<rect class="{kind}" {place} height="12"/>'
        x += width
    label = ", ".join(f"{count} {kind}" for kind, count in counts)
    return make_svg((900, 12), label, body, kind="bar")


def draw_forest(
    effect: float | None, interval: tuple[float | None, float | None] | None, needed: float | None
) -> Markup:
    """Draw an effect and its interval in multiples of the effect that is needed.

    So that one axis serves all pairs: 0 is no effect, 1 is the threshold. `draw_forest_scale` has
    to be in the page.
    """
    if effect is None or not needed:
        return EMPTY_PLOT
    body = '<use href="#scale"/>'
    if interval is not None and interval[0] is not None and interval[1] is not None:
        low, high = _scale_multiple(interval[0] / needed), _scale_multiple(interval[1] / needed)
        body += f'<path class="whisker" d="M{format_place(low)} 10H{format_place(high)}"/>'
    body += _draw_dots([(_scale_multiple(effect / needed), 10)], "big")
    label = f"{effect / needed:.2f} times the threshold"
    return make_svg((210, 20), label, body, kind="forest")


def _scale_multiple(multiple: float) -> float:
    return 5 + 200 * (min(max(multiple, -0.5), 2.5) + 0.5) / 3


def draw_forest_scale() -> Markup:
    """Return the lines of no effect and of what is needed, for each `draw_forest` to use."""
    lines = draw_line(_scale_multiple(0), 0, 20, "axis") + draw_line(
        _scale_multiple(1), 0, 20, "needed"
    )
    return Markup('<g id="scale">{}</g>').format(Markup(lines))  # noqa: S704 - made of numbers


def draw_forest_axis(needed: str) -> Markup:
    """Draw the scale above a column of `draw_forest`; `needed` is the word for the threshold."""
    body = draw_text(_scale_multiple(0), 12, "0") + draw_text(_scale_multiple(1), 12, needed)
    return make_svg((210, 16), f"0, and {needed}", body, kind="forest")


def draw_arms(runs: Sequence[tuple[Sequence[float | None], Sequence[float | None]]]) -> Markup:
    """Draw the blocks of (reference, slowed) of each run as dots on one scale, a lane for each arm.

    Values are seconds per operation; downwards is the order in which they were measured, the
    vertical line of a lane is its median.
    """
    lanes = [
        (index, kind, [value for value in arm if value is not None])
        for index, run in enumerate(runs)
        for kind, arm in zip(("reference", "slowed"), run, strict=True)
    ]
    all_values = [value for _, _, values in lanes for value in values]
    if not all_values:
        return EMPTY_PLOT
    lowest, highest = min(all_values), max(all_values)
    pixel_scale = 434 / (highest - lowest) if highest > lowest else 0.0
    body, median_texts = "", []
    for run_index, kind, values in lanes:
        top = _RUN_HEIGHT * run_index + (6 if kind == "reference" else 34)
        number_text = f"{run_index + 1} " if len(runs) > 1 and kind == "reference" else ""
        body += draw_text(98, top + 14, f"{number_text}{kind}", "end")
        if not values:
            continue
        xs = [108 + pixel_scale * (value - lowest) for value in values]
        body += _draw_swarm(xs, top, kind)
        body += draw_line(
            round(108 + pixel_scale * (median(values) - lowest)), top - 3, top + 23, "median"
        )
        median_texts.append(
            f"run {run_index + 1} {kind} {number_format.format_seconds(median(values))}"
        )
    bottom = _RUN_HEIGHT * len(runs)
    body += f'<path class="axis" d="M108 {bottom}H542"/>'
    body += draw_text(108, bottom + 14, number_format.format_seconds(lowest), "start")
    body += draw_text(542, bottom + 14, number_format.format_seconds(highest), "end")
    return make_svg((552, bottom + 20), f"medians: {', '.join(median_texts)}", body, kind="blocks")


def _draw_swarm(xs: Sequence[float], top: int, kind: str) -> str:
    """Write dots from the top down in whole units, each relative to the last: few bytes."""
    step = 20 / max(len(xs) - 1, 1)
    places = [(round(x), round(top + step * index)) for index, x in enumerate(xs)]
    path = f"M{places[0][0]} {places[0][1]}h0"
    for (x, y), (next_x, next_y) in pairwise(places):
        path += f"m{next_x - x} {next_y - y}h0"
    return f'<path class="dot {kind}" d="{path}"/>'


def draw_staircase(points: Sequence[tuple[str, float]]) -> Markup:
    """Draw (what is tried, percent that is detected) as a staircase, the points evenly apart."""
    if not points:
        return EMPTY_PLOT
    step_width = 430 / len(points)
    xs = [44 + step_width * index for index in range(len(points))]
    ys = [112 - share for _, share in points]
    body = "".join(
        f'<path class="axis" d="M44 {112 - share}H474"/>'
        + draw_text(38, 116 - share, number_format.format_percent(share), "end")
        for share in (0, 50, 100)
    )
    stairs = "".join(
        f"{'V' if number else 'M44 '}{format_place(y)}H{format_place(x + step_width)}"
        for number, (x, y) in enumerate(zip(xs, ys, strict=True))
    )
    body += f'<path class="stairs" d="{stairs}"/>'
    body += _draw_dots(zip(xs, ys, strict=True), "big")
    body += "".join(draw_text(x, 131, size) for x, (size, _) in zip(xs, points, strict=True))
    label = ", ".join(f"{size}: {number_format.format_percent(share)}" for size, share in points)
    return make_svg(
        (484, 138), f"methods in which a slowdown is noticed: {label}", body, kind="curve"
    )


def draw_spreads(values: Sequence[float]) -> Markup:
    """Draw one dot for each benchmark's spread on a logarithmic axis with the buckets' borders."""
    if not values:
        return EMPTY_PLOT
    columns = Counter(round(_scale_spread(value) / 8) for value in values)
    step = min(8.0, 110 / max(columns.values()))
    body = "".join(
        draw_line(_scale_spread(border), 6, 126, "needed") for border in SPREAD_BOUNDARIES
    )
    body += '<path class="axis" d="M0 126H520"/>'
    body += _draw_dots(
        (
            (8.0 * column, 121 - step * index)
            for column, count in sorted(columns.items())
            for index in range(count)
        ),
        "spread",
    )
    for tick in (0.01, *SPREAD_BOUNDARIES):
        body += draw_text(_scale_spread(tick), 142, number_format.format_share(tick))
    body += draw_text(0, 142, f"≤ {number_format.format_share(_MIN_SPREAD)}", "start")
    body += draw_text(520, 142, f"≥ {number_format.format_share(_MAX_SPREAD)}", "end")
    label = f"maximum spreads of {len(values)} benchmarks, each a dot"
    return make_svg((520, 150), label, body, kind="spreads")


def _scale_spread(value: float) -> float:
    inside = min(max(value, _MIN_SPREAD), _MAX_SPREAD)
    return 8 + 496 * math.log10(inside / _MIN_SPREAD) / math.log10(_MAX_SPREAD / _MIN_SPREAD)


def draw_run_means(means: Sequence[float | None], limit: float) -> Markup:
    """Draw how far each run's mean is from their mean; the ends are -`limit` and +`limit`."""
    known_means = [mean for mean in means if mean is not None]
    overall_mean = fmean(known_means) if known_means else 0.0
    if not overall_mean:
        return EMPTY_PLOT
    deviations = [min(max((mean / overall_mean - 1) / limit, -1.0), 1.0) for mean in known_means]
    body = '<path class="axis" d="M4 8H176"/>' + draw_line(90, 2, 14, "axis")
    body += _draw_dots(((90 + 84 * value, 8) for value in deviations), "run")
    label = ", ".join(number_format.format_seconds(mean) for mean in known_means)
    return make_svg((180, 16), f"means of the runs: {label}", body, kind="strip")
