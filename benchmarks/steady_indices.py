"""Sobol's indices of KB-KSSD's parameters, ours and the published ones, as a table and a figure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

PARAMETERS = {
    "window": "n_k",
    "step_window": "w_s",
    "critical": "t",
    "probability": "p",
    "outlier_window": "W_o",
}
"""The detector's names, and those of the paper."""


@dataclass(frozen=True, slots=True)
class Index:
    """An index and its 95 % interval, shares of the variance."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return it as the tables show it."""
        return f"{self.value:6.3f} ({self.low:5.2f}, {self.high:5.2f})"

    def meets(self, index: "Index") -> bool:
        """Tell whether the intervals have a value in common."""
        return self.low <= index.high and index.low <= self.high


FIRST = {
    "window": Index(0.197, 0.15, 0.24),
    "step_window": Index(0.006, 0.00, 0.01),
    "critical": Index(0.157, 0.11, 0.20),
    "probability": Index(0.111, 0.07, 0.15),
    "outlier_window": Index(0.154, 0.12, 0.19),
}
TOTAL = {
    "window": Index(0.463, 0.41, 0.51),
    "step_window": Index(0.014, 0.01, 0.02),
    "critical": Index(0.462, 0.41, 0.52),
    "probability": Index(0.357, 0.31, 0.41),
    "outlier_window": Index(0.261, 0.24, 0.28),
}
"""Table 2 of the paper: 24,576 evaluations on 407 series."""
FEWER = {
    "window": Index(0.317, 0.26, 0.38),
    "step_window": Index(0.012, 0.01, 0.01),
    "critical": Index(0.390, 0.31, 0.47),
    "probability": Index(0.299, 0.22, 0.37),
    "outlier_window": Index(0.196, 0.16, 0.23),
}
"""Table 3: total indices of 6,144 evaluations."""
SECOND = {
    ("window", "step_window"): Index(-0.028, -0.09, 0.04),
    ("window", "critical"): Index(0.072, 0.00, 0.14),
    ("window", "probability"): Index(0.040, -0.03, 0.11),
    ("window", "outlier_window"): Index(0.003, -0.06, 0.07),
    ("step_window", "critical"): Index(-0.001, -0.01, 0.01),
    ("step_window", "probability"): Index(0.001, -0.01, 0.01),
    ("step_window", "outlier_window"): Index(0.005, -0.01, 0.02),
    ("critical", "probability"): Index(0.132, 0.04, 0.23),
    ("critical", "outlier_window"): Index(0.017, -0.05, 0.08),
    ("probability", "outlier_window"): Index(0.012, -0.05, 0.07),
}
"""The appendix's figures, from the script of the public replication data that plots them."""


@dataclass(frozen=True, slots=True)
class Indices:
    """What was measured, by the detector's names of parameters and of pairs of them."""

    first: Mapping[str, Index]
    total: Mapping[str, Index]
    second: Mapping[tuple[str, str], Index]


def table(indices: Indices) -> Iterator[str]:
    """Yield the lines that show ours beside the published ones."""
    heads = ("first order", "published", "total", "published", "published, 6,144")
    yield f"{'':20}" + "".join(f"{head:>23}" for head in heads).rstrip()
    for name, symbol in PARAMETERS.items():
        row = (indices.first[name], FIRST[name], indices.total[name], TOTAL[name], FEWER[name])
        yield f"{f'{name} ({symbol})':20}" + "".join(f"{index!s:>23}" for index in row)
    yield f"\n{'second order':31}{'ours':>23}{'published':>23}"
    for pair, index in indices.second.items():
        yield f"{' x '.join(pair):31}{index!s:>23}{SECOND[pair]!s:>23}"
    met = (
        _met("first order", indices.first, FIRST),
        _met("total", indices.total, TOTAL),
        _met("total of 6,144 evaluations", indices.total, FEWER),
        _met("second order", indices.second, SECOND),
    )
    yield f"\nintervals that meet the published ones: {', '.join(met)}"


def _met(label: str, indices: Mapping[Any, Index], published: Mapping[Any, Index]) -> str:
    hits = sum(index.meets(published[key]) for key, index in indices.items())
    return f"{hits} of {len(indices)} {label}"


WIDTH, HEIGHT = 640, 300
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 44, 26
BAR = 20
KINDS = {
    "first order": "#1f5fa8",
    "published first order": "#a9c7e8",
    "total": "#b3541e",
    "published total": "#eec3a4",
}
"""The bars of each parameter and their colours."""


def figure(indices: Indices, evaluations: int) -> str:
    """Draw bars of first-order and total indices with intervals, as an SVG document."""
    bars = {
        name: (indices.first[name], FIRST[name], indices.total[name], TOTAL[name])
        for name in PARAMETERS
    }
    all_indices = [index for group in bars.values() for index in group]
    axis = Axis(
        min(0.0, *(index.low for index in all_indices)), max(index.high for index in all_indices)
    )
    words = "; ".join(
        f"{PARAMETERS[name]} "
        + ", ".join(f"{kind} {index.value:.2f}" for kind, index in _named(group))
        for name, group in bars.items()
    )
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            'role="img" aria-labelledby="title words" font-family="sans-serif" font-size="12">',
            "<title id=\"title\">Sobol's indices of KB-KSSD's parameters, measured with "
            f"{evaluations:,} evaluations and published</title>",
            f'<desc id="words">{words}.</desc>',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
            *_legend(),
            *_lines(axis),
            *(
                line
                for index, name in enumerate(bars)
                for line in _group(axis, index, name, bars[name])
            ),
            "</svg>\n",
        )
    )


@dataclass(frozen=True, slots=True)
class Axis:
    """The range of shares that is drawn."""

    low: float
    high: float

    def y(self, share: float) -> float:
        """Return the height at which a share is drawn."""
        room = HEIGHT - TOP - BOTTOM
        return round(TOP + room * (self.high - share) / (self.high - self.low), 1)


def _named(group: Sequence[Index]) -> Iterator[tuple[str, Index]]:
    return zip(KINDS, group, strict=True)


def _legend() -> Iterator[str]:
    x = LEFT
    for kind, colour in KINDS.items():
        yield f'<rect x="{x}" y="12" width="12" height="12" fill="{colour}"/>'
        yield f'<text x="{x + 17}" y="22">{kind}</text>'
        x += 48 + 6 * len(kind)


def _lines(axis: Axis) -> Iterator[str]:
    step = 10.0 ** floor(log10(axis.high - axis.low))
    for number in range(ceil(axis.low / step), floor(axis.high / step) + 1):
        y, colour = axis.y(number * step), "#ddd" if number else "#555"
        yield f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" stroke="{colour}"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{number * step:g}</text>'


def _group(axis: Axis, position: int, name: str, group: Sequence[Index]) -> Iterator[str]:
    room = (WIDTH - LEFT - RIGHT) / len(PARAMETERS)
    x = round(LEFT + room * position + (room - BAR * len(group)) / 2, 1)
    for number, (kind, index) in enumerate(_named(group)):
        left, top, zero = x + number * BAR, axis.y(max(index.value, 0)), axis.y(min(index.value, 0))
        yield (
            f'<rect x="{left + 1:.1f}" y="{top}" width="{BAR - 2}" height="{zero - top:.1f}" '
            f'fill="{KINDS[kind]}"/>'
        )
        low, high = axis.y(index.low), axis.y(index.high)
        middle = left + BAR / 2
        yield (
            f'<path d="M{middle - 4:.1f} {high}h8m-4 0V{low}m-4 0h8" fill="none" stroke="#222"/>'
        )
    words = f"{name} ({PARAMETERS[name]})"
    yield f'<text x="{x + BAR * 2}" y="{HEIGHT - 8}" text-anchor="middle">{words}</text>'
