"""The suite as the page shows it: how stable it is, and which benchmarks are redundant."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles

from markupsafe import Markup

from auditor.abs.document import AbsOrStability, Document
from auditor.abs.page import anchors, table
from auditor.abs.page.anchors import PageLink
from auditor.abs.text import advice, cost_benefit, words
from auditor.abs.text.claims import OPEN, ResultFacts
from auditor.core.caveats import Caveat
from auditor.core.stability import BenchmarkVerdict
from reports import charts, names, number_format, plots, violins
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


MOST_RUNS = 12
"""Suite runs that are drawn."""
_LEAST_MEAN_LIMIT = 0.02
_INSIDE = 0.95
"""Part of the deviations that lies between the ends of the axis."""


@dataclass(frozen=True, slots=True)
class RunMeansRow:
    """A suite run in the table."""

    name: str
    middle: str  # median deviation
    half: str  # middle half of the deviations
    benchmarks: str  # benchmarks that have a mean in this run


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMeansView:
    """The deviations of all suite runs."""

    plot: Markup = field(repr=False)
    rows: tuple[RunMeansRow, ...]
    left_out: str  # benchmarks without all runs, and runs that are not drawn; empty: none


_LEAST_LIMIT = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadView:
    """A benchmark's row in the table of spreads."""

    link: PageLink  # name of the benchmark, and the place of this row
    id: str  # the benchmark's id
    spread: str  # of the run means
    order: str  # spread to sort by; empty: unknown
    range: str  # range that the spread falls in, or "incomplete"
    shaky: bool  # whether that range is too wide to trust
    plot: Markup = field(repr=False)  # means of the runs on a strip
    mean: str  # overall mean, in the unit of its tool
    mean_order: str  # overall mean to sort by; empty: unknown
    seconds: str  # duration of its processes in a suite run
    seconds_order: str  # `seconds` to sort by; empty: unknown
    runs: str  # number of complete runs
    visible: str  # smallest slowdown that shows in it; empty: unknown
    problem: str  # outcome and first line of the reason; empty: all runs have values
    lines: str  # the whole reason; empty: `problem` has all of it
    caveats: tuple[Caveat, ...]  # of the benchmark


@dataclass(frozen=True, slots=True, kw_only=True)
class StabilityView:
    """The section on stability."""

    says: str  # summary in words
    plot: Markup = field(repr=False)  # drawing of all spreads
    without_spread: str  # why benchmarks have no spread
    run_means: RunMeansView | None  # deviations by suite run; None: fewer than two runs
    buckets: tuple[table.StabilityRow, ...]  # number of benchmarks by range of spread
    incomplete: int  # number of benchmarks without a spread
    visible: bool  # whether the smallest visible slowdown of any benchmark is known
    limit: str  # deviation at the ends of the strips
    benchmarks: tuple[SpreadView, ...]  # the least stable first
    durations: tuple[str, ...]  # of the complete suite runs


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectingBenchmarkView:
    """A benchmark's row in the table of redundancy, with the methods that it detects."""

    link: PageLink
    is_in_cover: bool
    unique: tuple[PageLink, ...]
    shared: tuple[PageLink, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostView:
    """A benchmark's row in the table of costs."""

    link: PageLink  # name of the benchmark
    seconds: str  # duration of its processes in a suite run
    seconds_order: str  # to sort by; empty: unknown
    part: str  # its part of the time of a suite run
    part_order: str  # to sort by; empty: unknown
    alone: str  # points of the total score that are lost without it; empty: none
    alone_order: str  # to sort by
    together: str  # points that other benchmarks hold as well; empty: none
    together_order: str  # to sort by
    visible: str  # smallest slowdown that shows in it; empty: unknown
    visible_order: str  # to sort by; empty: unknown
    used: str  # part of all counted calls that go to methods it detects; empty: none
    used_order: str  # to sort by; empty: unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class RedundancyView:
    """The section on redundancy."""

    says: str  # summary in words
    saved: str  # time that the cover saves of a suite run
    suite_time: str  # time of a suite run
    costs: tuple[CostView, ...]  # cost and worth of each benchmark, the most expensive first
    density: tuple[DensityRow, ...]  # methods by the number of benchmarks that detect them
    density_curve: DensityCurveView | None  # None: no benchmark detects a method
    watching: tuple[DetectingBenchmarkView, ...]  # benchmarks that detect a method, the cover first
    none: tuple[PageLink, ...]  # benchmarks that detect nothing
    silent: str  # number of `none`, in words


def stability_view(document: AbsOrStability) -> StabilityView:
    """Return the section on stability, least stable benchmarks first."""
    spreads = [
        benchmark.max_spread
        for benchmark in document.benchmarks
        if benchmark.max_spread is not None
    ]
    limit = _choose_strip_limit(document.benchmarks)
    links = anchors.benchmark_links(document)
    ordered = sorted(document.benchmarks, key=_make_sort_key)
    return StabilityView(
        says=words.describe_suite(document),
        plot=plots.draw_spreads(spreads),
        without_spread=_without_spread(document),
        run_means=run_means(document),
        buckets=table.stability_rows(document.stability),
        incomplete=len(document.benchmarks) - len(spreads),
        visible=any(benchmark.visible is not None for benchmark in document.benchmarks),
        limit=number_format.format_share(limit),
        benchmarks=tuple(
            _build_spread_view(verdict, links[verdict.id], limit) for verdict in ordered
        ),
        durations=tuple(
            number_format.format_seconds(suite_second)
            for suite_second in document.stability.suite_seconds
        ),
    )


def _without_spread(document: AbsOrStability) -> str:
    """Say why benchmarks have no spread."""
    if any(map(words.is_withheld, document.benchmarks)):
        return "the runs were made on a busy machine"
    if document.stability.runs < 2:
        return "a spread needs two runs of the suite"
    return "none has values of all runs"


def _make_sort_key(benchmark: BenchmarkVerdict) -> tuple[bool, float]:
    return benchmark.max_spread is None, -(benchmark.max_spread or 0.0)


def _choose_strip_limit(benchmarks: Iterable[BenchmarkVerdict]) -> float:
    """Return the half width of the strips: nine of ten fit, the others end at the edge."""
    spreads = sorted(
        benchmark.max_spread for benchmark in benchmarks if benchmark.max_spread is not None
    )
    return max(_LEAST_LIMIT, spreads[int(0.9 * len(spreads))]) if spreads else _LEAST_LIMIT


def _build_spread_view(benchmark: BenchmarkVerdict, link: PageLink, limit: float) -> SpreadView:
    failed = benchmark.ending.replace("-", " ") if benchmark.ending != "measured" else ""
    reason = benchmark.reason or ""
    short = words.take_first_line(reason)
    return SpreadView(
        link=link,
        id=names.escape_invisible(benchmark.id),
        spread=number_format.format_share(benchmark.max_spread),
        order=_format_sort_key(benchmark.max_spread),
        range=words.BUCKETS[benchmark.bucket] if benchmark.bucket else "incomplete",
        shaky=benchmark.bucket in words.SHAKY,
        plot=plots.draw_run_means(benchmark.means, limit),
        mean=number_format.format_operation_time(benchmark.mean_seconds, benchmark.unit),
        mean_order=_format_sort_key(benchmark.mean_seconds),
        seconds=number_format.format_seconds(benchmark.seconds),
        seconds_order=_format_sort_key(benchmark.seconds),
        runs=str(benchmark.runs),
        visible=number_format.format_factor(1 + benchmark.visible)
        if benchmark.visible is not None
        else "",
        problem=": ".join(filter(None, (failed, short))),
        lines=reason if reason != short else "",
        caveats=benchmark.caveats,
    )


def _format_sort_key(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def redundancy_view(document: Document) -> RedundancyView:
    """Return the section on redundancy: the cover first, in the order it was chosen."""
    benchmarks, methods = anchors.benchmark_links(document), anchors.method_links(document)
    order = {benchmark_id: index for index, benchmark_id in enumerate(document.minimal_cover)}
    facts = ResultFacts(document)
    watching = [
        benchmark for benchmark in document.benchmarks if facts.detects_any_method(benchmark.id)
    ]
    detecting_nothing = [
        benchmark for benchmark in document.benchmarks if facts.detects_nothing(benchmark.id)
    ]
    silent = number_format.format_count(
        len(detecting_nothing), "benchmark detects", "benchmarks detect"
    )
    watching.sort(key=lambda verdict: (order.get(verdict.id, len(order)), -len(verdict.unique)))
    return RedundancyView(
        says=words.describe_cover(document),
        saved=advice.format_cover_saving(document),
        suite_time=number_format.format_seconds(
            sum(benchmark.seconds or 0.0 for benchmark in document.benchmarks)
        ),
        costs=_cost_views(document),
        density=_density_rows(document),
        density_curve=density_curve(document),
        watching=tuple(
            DetectingBenchmarkView(
                link=benchmarks[verdict.id],
                is_in_cover=verdict.id in order,
                unique=tuple(anchors.link_of(methods, method_id) for method_id in verdict.unique),
                shared=tuple(anchors.link_of(methods, method_id) for method_id in verdict.shared),
            )
            for verdict in watching
        ),
        none=tuple(benchmarks[verdict.id] for verdict in detecting_nothing),
        silent=f"{silent} none of these methods",
    )


def _cost_views(document: Document) -> tuple[CostView, ...]:
    """Return what each benchmark costs and buys, the most expensive first."""
    links = anchors.benchmark_links(document)
    return tuple(
        _build_cost_view(benchmark_value, links[benchmark_value.benchmark])
        for benchmark_value in cost_benefit.benchmark_values(document)
    )


def _build_cost_view(value: cost_benefit.BenchmarkValue, link: PageLink) -> CostView:
    return CostView(
        link=link,
        seconds=number_format.format_seconds(value.seconds),
        seconds_order=_format_sort_key(value.seconds),
        part=number_format.format_share(value.part),
        part_order=_format_sort_key(value.part),
        alone=number_format.format_number(value.alone) if value.alone else "",
        alone_order=_format_sort_key(value.alone),
        together=number_format.format_number(value.together) if value.together else "",
        together_order=_format_sort_key(value.together),
        visible=number_format.format_factor(1 + value.visible) if value.visible is not None else "",
        visible_order=_format_sort_key(value.visible),
        used=number_format.format_share(value.used) if value.used else "",
        used_order=_format_sort_key(value.used),
    )


def run_means(document: AbsOrStability) -> RunMeansView | None:
    """Return deviations by suite run; None where no benchmark has two or more runs.

    A deviation is a run mean divided by the benchmark's overall mean, less one.
    """
    runs = document.stability.runs
    complete = [
        benchmark
        for benchmark in document.benchmarks
        if len(benchmark.means) == runs and benchmark.mean_seconds
    ]
    if runs < 2 or not complete:
        return None
    columns = [
        (f"run {number + 1}", [_measure_deviation(benchmark, number) for benchmark in complete])
        for number in range(min(runs, MOST_RUNS))
    ]
    return RunMeansView(
        plot=violins.draw_deviations(columns, _choose_axis_limit(columns)),
        rows=tuple(_build_row(name, values) for name, values in columns),
        left_out=_describe_left_out(len(document.benchmarks) - len(complete), runs),
    )


def _measure_deviation(benchmark: BenchmarkVerdict, number: int) -> float:
    return benchmark.means[number] / (benchmark.mean_seconds or 1.0) - 1


def _choose_axis_limit(columns: Sequence[tuple[str, Sequence[float]]]) -> float:
    sizes = sorted(abs(value) for _, values in columns for value in values)
    return max(_LEAST_MEAN_LIMIT, sizes[int(_INSIDE * (len(sizes) - 1))])


def _build_row(name: str, values: Sequence[float]) -> RunMeansRow:
    half = number_format.NO_VALUE
    if len(values) > 1:
        low, _, high = quantiles(values, n=4, method="inclusive")
        half = f"{number_format.format_effect(low)} … {number_format.format_effect(high)}"
    middle = number_format.format_effect(median(values))
    return RunMeansRow(name, middle, half, str(len(values)))


def _describe_left_out(benchmarks: int, runs: int) -> str:
    parts = []
    if benchmarks:
        without = number_format.format_count(benchmarks, "benchmark")
        parts.append(f"Left out: {without} without values of all runs.")
    if runs > MOST_RUNS:
        parts.append(f"The first {MOST_RUNS} of {runs} runs are drawn.")
    return " ".join(parts)


def _density_rows(document: Document) -> tuple[DensityRow, ...]:
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
