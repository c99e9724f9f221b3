"""How many benchmarks detect a method, and how many benchmarks the methods need (Figure 3)."""

from dataclasses import dataclass, field

from markupsafe import Markup

from auditor.abs.document import Document
from auditor.abs.page import anchors
from auditor.abs.page.anchors import PageLink
from auditor.abs.text.claims import OPEN
from reports import charts, number_format, plots
from reports.charts import Axes, ChartCurve, ChartPoint

_SIZE = (560, 250)
_NAMED_PLACES = 8
"""Numbers of benchmarks that are written below the axis, about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DensityRow:
    """How many methods, and which share of the counted ones, so many benchmarks detect."""

    benchmarks: str
    methods: str
    share: str
    plot: Markup = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceRow:
    """A step of the density curve: one more benchmark, and the methods that are detected then."""

    benchmarks: str  # size of the choice
    added: PageLink  # the benchmark that this step adds
    methods: str  # methods that the choice detects
    share: str  # of the counted methods
    most: str  # methods that any choice of this size can detect at most


@dataclass(frozen=True, slots=True, kw_only=True)
class DensityCurveView:
    """The density curve as a chart, and as a table."""

    says: str
    plot: Markup = field(repr=False)
    rows: tuple[ChoiceRow, ...]
    bounded: bool  # whether another choice might detect more


def density_rows(document: Document) -> tuple[DensityRow, ...]:
    """Return the methods by the number of benchmarks that detect them."""
    open_ = sum(method.outcome in OPEN for method in document.methods)
    none = f"no benchmark ({open_} of them open)" if open_ else "no benchmark"
    return tuple(
        DensityRow(
            benchmarks=number_format.format_count(density.benchmarks, "benchmark")
            if density.benchmarks
            else none,
            methods=number_format.format_number(density.methods),
            share=number_format.format_percent(density.percent),
            plot=plots.draw_score_bar(density.percent, density.percent),
        )
        for density in document.density
    )


def density_curve(document: Document) -> DensityCurveView | None:
    """Return the density curve; None where no benchmark detects a method."""
    if not document.density_curve:
        return None
    links = anchors.benchmark_links(document)
    says, curves = _describe_density(document), _build_curves(document)
    return DensityCurveView(
        says=says,
        bounded=len(curves) > 1,
        plot=plots.make_svg(
            _SIZE, says, charts.draw_chart(_build_axes(document), curves), kind="lines"
        ),
        rows=tuple(
            ChoiceRow(
                benchmarks=str(choice.benchmarks),
                added=anchors.link_of(links, choice.benchmark),
                methods=str(choice.methods),
                share=number_format.format_percent(choice.percent),
                most=str(choice.most),
            )
            for choice in document.density_curve
        ),
    )


def _describe_density(document: Document) -> str:
    """Say how many benchmarks detect half of what the suite detects, and how many all of it."""
    last = document.density_curve[-1]
    half = next(choice for choice in document.density_curve if 2 * choice.methods >= last.methods)
    methods = number_format.format_count(last.methods, "method")
    complete_choice = number_format.format_count(
        last.benchmarks, "benchmark detects", "benchmarks detect"
    )
    if half.benchmarks == last.benchmarks:
        return f"{complete_choice} all {methods} that the suite detects."
    few = number_format.format_count(half.benchmarks, "benchmark detects", "benchmarks detect")
    sentence = f"{few} {half.methods} of the {methods} that the suite detects"
    return f"{sentence}; {complete_choice} all of them."


def _build_axes(document: Document) -> Axes:
    last = document.density_curve[-1].benchmarks
    step = max(1, -(-last // _NAMED_PLACES))
    return Axes(
        size=_SIZE,
        ends=(0.0, float(last)),
        named=tuple((float(size), str(size)) for size in range(0, last + 1, step)),
        across="number of benchmarks",
        units="detected methods in percent",
        most=100.0,
    )


def _build_curves(document: Document) -> list[ChartCurve]:
    """Return what the best choice detects, and the bound of any choice where that is higher."""
    curve = document.density_curve
    start = ChartPoint(0.0, 0.0, 0.0, 0.0)
    curve_points = [_make_point(choice.benchmarks, choice.percent) for choice in curve]
    curves = [ChartCurve("chosen", "first", (start, *curve_points))]
    if any(choice.most > choice.methods for choice in curve):
        bound = [
            _make_point(choice.benchmarks, choice.percent * choice.most / choice.methods)
            for choice in curve
        ]
        curves.append(ChartCurve("bound", "second", (start, *bound)))
    return curves


def _make_point(benchmarks: int, percent: float) -> ChartPoint:
    return ChartPoint(float(benchmarks), percent, percent, percent)
