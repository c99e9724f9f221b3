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

NOTHING = Markup("")
BOUNDARIES = (0.05, 0.1, 0.25, 0.5)
"""Where the buckets of Table 3 of the paper meet."""
_LEAST, _MOST = 1e-3, 2.0
_RUN = 66


def svg(size: tuple[int, int], label: str, body: str, *, kind: str) -> Markup:
    """Return a drawing of a kind that the style sheet knows; `label` is what it says in words."""
    stretch = ' preserveAspectRatio="none"' if kind == "bar" else ""
    width, height = size
    head = f'<svg class="{kind}" viewBox="0 0 {width} {height}"{stretch} role="img"'
    # Everything put into `body` is made of numbers and of escaped text.
    return Markup('{} aria-label="{}">{}</svg>').format(Markup(head), label, Markup(body))  # noqa: S704


def at(value: float) -> str:
    """Write a place with as many digits as can be seen."""
    return f"{value:.1f}".removesuffix(".0")


def _dots(points: Iterable[tuple[float, float]], kind: str) -> str:
    path = "".join(f"M{at(x)} {at(y)}h0" for x, y in points)
    return f'<path class="dot {kind}" d="{path}"/>' if path else ""


def line(x: float, top: float, bottom: float, kind: str) -> str:
    """Return a vertical line."""
    return f'<path class="{kind}" d="M{at(x)} {at(top)}V{at(bottom)}"/>'


def text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    """Return words at a place, which is their middle, "start" or "end"."""
    return f'<text x="{at(x)}" y="{at(y)}" text-anchor="{anchor}">{escape(words)}</text>'


def score(low: float, high: float) -> Markup:
    """Draw a bar filled to `low` percent and hatched up to `high`."""
    body = (
        '<rect class="track" width="300" height="10"/>'
        f'<rect class="detected" width="{at(3 * low)}" height="10"/>'
        f'<rect class="open" x="{at(3 * low)}" width="{at(3 * (high - low))}" height="10"/>'
    )
    label = f"between {number_format.percent(low)} and {number_format.percent(high)}"
    return svg((300, 10), label, body, kind="bar")


def parts(counts: Sequence[tuple[str, int]]) -> Markup:
    """Draw a bar divided among kinds."""
    whole = sum(count for _, count in counts)
    if not whole:
        return NOTHING
    body, x = "", 0.0
    for kind, count in counts:
        width = 900 * count / whole
        body += f'<rect class="{kind}" x="{at(x)}" width="{at(max(width - 3, 1))}" height="12"/>'
        x += width
    label = ", ".join(f"{count} {kind}" for kind, count in counts)
    return svg((900, 12), label, body, kind="bar")


def forest(
    effect: float | None, interval: tuple[float | None, float | None] | None, needed: float | None
) -> Markup:
    """Draw an effect and its interval in multiples of the effect that is needed.

    So that one axis serves all pairs: 0 is no effect, 1 is the threshold. `scale` has to be in the
    page.
    """
    if effect is None or not needed:
        return NOTHING
    body = '<use href="#scale"/>'
    if interval is not None and interval[0] is not None and interval[1] is not None:
        low, high = _multiple(interval[0] / needed), _multiple(interval[1] / needed)
        body += f'<path class="whisker" d="M{at(low)} 10H{at(high)}"/>'
    body += _dots([(_multiple(effect / needed), 10)], "big")
    label = f"{effect / needed:.2f} times the threshold"
    return svg((210, 20), label, body, kind="forest")


def _multiple(times: float) -> float:
    return 5 + 200 * (min(max(times, -0.5), 2.5) + 0.5) / 3


def scale() -> Markup:
    """Return the lines of no effect and of what is needed, for each `forest` to use."""
    lines = line(_multiple(0), 0, 20, "axis") + line(_multiple(1), 0, 20, "needed")
    return Markup('<g id="scale">{}</g>').format(Markup(lines))  # noqa: S704 - made of numbers


def forest_axis(needed: str) -> Markup:
    """Draw the scale above a column of `forest`; `needed` is the word for the threshold."""
    body = text(_multiple(0), 12, "0") + text(_multiple(1), 12, needed)
    return svg((210, 16), f"0, and {needed}", body, kind="forest")


def arms(runs: Sequence[tuple[Sequence[float | None], Sequence[float | None]]]) -> Markup:
    """Draw the blocks of (reference, slowed) of each run as dots on one scale, a lane for each arm.

    Values are seconds per operation; downwards is the order in which they were measured, the
    vertical line of a lane is its median.
    """
    lanes = [
        (index, kind, [value for value in arm if value is not None])
        for index, run in enumerate(runs)
        for kind, arm in zip(("reference", "slowed"), run, strict=True)
    ]
    every = [value for _, _, values in lanes for value in values]
    if not every:
        return NOTHING
    least, most = min(every), max(every)
    wide = 434 / (most - least) if most > least else 0.0
    body, said = "", []
    for at, kind, values in lanes:
        top = _RUN * at + (6 if kind == "reference" else 34)
        number = f"{at + 1} " if len(runs) > 1 and kind == "reference" else ""
        body += text(98, top + 14, f"{number}{kind}", "end")
        if not values:
            continue
        xs = [108 + wide * (value - least) for value in values]
        body += _swarm(xs, top, kind)
        body += line(round(108 + wide * (median(values) - least)), top - 3, top + 23, "median")
        said.append(f"run {at + 1} {kind} {number_format.seconds(median(values))}")
    bottom = _RUN * len(runs)
    body += f'<path class="axis" d="M108 {bottom}H542"/>'
    body += text(108, bottom + 14, number_format.seconds(least), "start")
    body += text(542, bottom + 14, number_format.seconds(most), "end")
    return svg((552, bottom + 20), f"medians: {', '.join(said)}", body, kind="blocks")


def _swarm(xs: Sequence[float], top: int, kind: str) -> str:
    """Write dots from the top down in whole units, each relative to the last: few bytes."""
    step = 20 / max(len(xs) - 1, 1)
    places = [(round(x), round(top + step * index)) for index, x in enumerate(xs)]
    path = f"M{places[0][0]} {places[0][1]}h0"
    for (x, y), (next_x, next_y) in pairwise(places):
        path += f"m{next_x - x} {next_y - y}h0"
    return f'<path class="dot {kind}" d="{path}"/>'


def steps(points: Sequence[tuple[str, float]]) -> Markup:
    """Draw (what is tried, percent that is detected) as a staircase, the points evenly apart."""
    if not points:
        return NOTHING
    value = 430 / len(points)
    xs = [44 + value * index for index in range(len(points))]
    ys = [112 - share for _, share in points]
    body = "".join(
        f'<path class="axis" d="M44 {112 - share}H474"/>'
        + text(38, 116 - share, number_format.percent(share), "end")
        for share in (0, 50, 100)
    )
    stairs = "".join(
        f"{'V' if number else 'M44 '}{at(y)}H{at(x + value)}"
        for number, (x, y) in enumerate(zip(xs, ys, strict=True))
    )
    body += f'<path class="stairs" d="{stairs}"/>'
    body += _dots(zip(xs, ys, strict=True), "big")
    body += "".join(text(x, 131, size) for x, (size, _) in zip(xs, points, strict=True))
    label = ", ".join(f"{size}: {number_format.percent(share)}" for size, share in points)
    return svg((484, 138), f"methods in which a slowdown is noticed: {label}", body, kind="curve")


def spreads(values: Sequence[float]) -> Markup:
    """Draw one dot for each benchmark's spread on a logarithmic axis with the buckets' borders."""
    if not values:
        return NOTHING
    columns = Counter(round(_log(value) / 8) for value in values)
    step = min(8.0, 110 / max(columns.values()))
    body = "".join(line(_log(border), 6, 126, "needed") for border in BOUNDARIES)
    body += '<path class="axis" d="M0 126H520"/>'
    body += _dots(
        (
            (8.0 * column, 121 - step * index)
            for column, count in sorted(columns.items())
            for index in range(count)
        ),
        "spread",
    )
    for tick in (0.01, *BOUNDARIES):
        body += text(_log(tick), 142, number_format.share(tick))
    body += text(0, 142, f"≤ {number_format.share(_LEAST)}", "start")
    body += text(520, 142, f"≥ {number_format.share(_MOST)}", "end")
    label = f"maximum spreads of {len(values)} benchmarks, each a dot"
    return svg((520, 150), label, body, kind="spreads")


def _log(value: float) -> float:
    inside = min(max(value, _LEAST), _MOST)
    return 8 + 496 * math.log10(inside / _LEAST) / math.log10(_MOST / _LEAST)


def strip(means: Sequence[float | None], limit: float) -> Markup:
    """Draw how far each run's mean is from their mean; the ends are -`limit` and +`limit`."""
    known = [mean for mean in means if mean is not None]
    middle = fmean(known) if known else 0.0
    if not middle:
        return NOTHING
    away = [min(max((mean / middle - 1) / limit, -1.0), 1.0) for mean in known]
    body = '<path class="axis" d="M4 8H176"/>' + line(90, 2, 14, "axis")
    body += _dots(((90 + 84 * value, 8) for value in away), "run")
    label = ", ".join(number_format.seconds(mean) for mean in known)
    return svg((180, 16), f"means of the runs: {label}", body, kind="strip")
