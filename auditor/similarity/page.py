"""Whether runs are alike, in words: a headline, a row for each benchmark, and a page."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean

from auditor.core import busy
from auditor.core.series.similarity import Measure, PairSimilarity
from auditor.similarity.document import BenchmarkSimilarity, SimilarityDocument
from reports import names
from reports import number_format as figures
from reports.html import (
    CaveatView,
    ClosingSection,
    Facts,
    build_closing,
    make_caveat_views,
    render_template,
)
from reports.wording import LegendEntry

THETA = 0.25
"""The dissimilarity above which a measure counts (Bauer et al., ICPE 2023, Section 3.2)."""
MOST_RUNS = 30
"""Runs of a benchmark that are set against each other."""
_STEPS = 5
_OF_CORPUS = re.compile(r"([^#]+__[^#]+)#[^#]+#[^#]*")
"""`owner__repo#benchmark#parameters`; other tools' names may have a # as well."""


@dataclass(frozen=True, slots=True)
class HeatmapCell:
    """A number; `kind` tells the style sheet its side of the threshold, and how far from it."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """Means over the benchmarks of an application; `unlike` of so many (`size`) are dissimilar."""

    name: str
    unlike: int
    size: int
    cells: tuple[HeatmapCell, ...]


@dataclass(frozen=True, slots=True)
class HeatmapHead:
    """A run at the edge of a matrix, as people count."""

    number: str
    is_outlier: bool


@dataclass(frozen=True, slots=True)
class HeatmapRow:
    """A run against all that are drawn, None being itself; `unlike` is of all that there are."""

    head: HeatmapHead
    cells: tuple[HeatmapCell | None, ...]
    unlike: str


@dataclass(frozen=True, slots=True)
class Heatmap:
    """Runs against runs; `left_out` says where there was no room for all."""

    heads: tuple[HeatmapHead, ...]
    lines: tuple[HeatmapRow, ...]
    left_out: str


DISSIMILAR, UNKNOWN, SIMILAR = "unlike", "unknown", "alike"
KINDS = {
    DISSIMILAR: LegendEntry(
        "✗", "dissimilar", "at least three of the five mean measures are above .25"
    ),
    UNKNOWN: LegendEntry("?", "cannot tell", "there are too few runs, or too few values"),
    SIMILAR: LegendEntry("●", "similar", "the runs may be compared"),
}
"""In the order in which they are shown."""
CELLS = {DISSIMILAR: "missed", UNKNOWN: "inconclusive", SIMILAR: "detected"}
"""What the style of the pages knows a cell by."""
MEASURES = {
    Measure.CORRELATION: ("correlation", "they do not rise and fall together"),
    Measure.COMPRESSION: ("compression", "they share no patterns"),
    Measure.FOURIER: ("Fourier", "their values lie far apart, iteration by iteration"),
    Measure.COSINE: ("cosine", "their shapes differ, whatever their scale"),
    Measure.KOLMOGOROV_SMIRNOV: ("Kolmogorov–Smirnov", "their values are distributed differently"),  # noqa: RUF001 - the dash is meant
}
"""The five measures: what they are called, and what a high value says of two runs."""
MOST_MAPPED = 200
"""Benchmarks in the map of measures, the least alike first."""
MOST_DRAWN = 40
"""Benchmarks whose runs are set against each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarityRow:
    """A benchmark: whether its runs are alike, and which run to repeat."""

    id: str  # the benchmark's id
    name: str  # shortest unambiguous part of the id
    kind: str  # alike, unlike or unknown
    word: LegendEntry  # `_classify_benchmark`, in words
    cell: str  # `_classify_benchmark`, as a style
    runs: str  # number of runs
    values: str  # number of compared values of each run; empty: none
    unlike: int  # number of dissimilar pairs
    pairs: int  # number of pairs
    measures: tuple[str, ...]  # means of M1 to M5; empty texts: unknown
    heat: tuple[HeatmapCell, ...]  # cells of these means; empty: unknown
    outlier_text: str  # outlier runs, which are to be repeated; empty: none
    note: str  # the first caveat; empty: none


@dataclass(frozen=True, slots=True)
class RunComparison:
    """The runs of a benchmark against each other, and in words what there is to see."""

    id: str
    name: str
    lines: tuple[str, ...]
    matrix: Heatmap


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarityView:
    """All that is shown of a result.

    `run_description` says what the runs are, or heads their `files`. `was_run` tells
    whether the suite was run for it.
    """

    subject: str  # name of the audited code
    headline: str  # the answer in one sentence
    was_run: bool  # whether the suite was run for it
    run_description: str  # what the runs are, or the heading of `files`
    files: tuple[str, ...]  # names of the runs; empty: they have numbers only
    rows: tuple[SimilarityRow, ...]  # the least alike first
    legend: tuple[tuple[str, LegendEntry, int], ...]
    """(style, word, number of benchmarks) of each kind that occurs."""
    kinds: Facts  # (style, word) of each kind that occurs
    measures: tuple[tuple[str, str, str], ...]
    """(number, name, meaning of a high value) of M1 to M5."""
    applications: tuple[Application, ...]  # benchmarks whose runs differ, by application
    mapped: tuple[SimilarityRow, ...]  # rows in the map of measures
    unmapped: str  # how many benchmarks the map shows of all; empty: all
    figures: tuple[RunComparison, ...]  # benchmarks whose runs are set against each other
    left_out: str  # how many benchmarks `figures` shows of all; empty: all
    closing: ClosingSection  # caveats and circumstances


def build_view(document: SimilarityDocument, runs: Sequence[str] = ()) -> SimilarityView:
    """Put a result into words; `runs` are their names, none where each is a process."""
    runs_label, called = _describe_runs(document, runs)
    short = _choose_labels(document)
    order = list(KINDS)
    benchmarks = sorted(
        document.benchmarks,
        key=lambda benchmark: (
            order.index(_classify_benchmark(benchmark)),
            -_compute_mean(benchmark),
        ),
    )
    rows = tuple(_build_row(benchmark, short[benchmark.id], called) for benchmark in benchmarks)
    similarity_rows = tuple(row for row in rows if row.heat)
    figure_benchmarks = _worth_drawing(benchmarks)
    counts = Counter(row.kind for row in rows)
    return SimilarityView(
        subject=names.format_label(document.subject),
        headline=busy.add_to_headline(format_headline(document), document.strain),
        was_run=bool(document.config),
        run_description=runs_label,
        files=called,
        rows=rows,
        legend=tuple(
            (CELLS[category], KINDS[category], counts[category])
            for category in KINDS
            if counts[category]
        ),
        kinds=tuple(
            (CELLS[category], KINDS[category].word) for category in KINDS if counts[category]
        ),
        measures=tuple((measure.value, *MEASURES[measure]) for measure in Measure),
        applications=list_applications(document.benchmarks),
        mapped=similarity_rows[:MOST_MAPPED],
        unmapped=_describe_cut(MOST_MAPPED, len(similarity_rows)),
        figures=tuple(
            _compare_runs(benchmark, short[benchmark.id], called)
            for benchmark in figure_benchmarks[:MOST_DRAWN]
        ),
        left_out=_describe_cut(MOST_DRAWN, len(figure_benchmarks)),
        # How the runs were made is said above: they have one arm.
        closing=replace(build_closing(document, _list_caveats(document)), plan=()),
    )


def render_html(document: SimilarityDocument, runs: Sequence[str]) -> str:
    """Render a result as one page; `runs` are their names, none where each is a process."""
    return render_template("similarity.html.j2", page=build_view(document, runs))


def format_headline(document: SimilarityDocument) -> str:
    """Say in one line how many benchmarks have runs that are alike."""
    kinds = [_classify_benchmark(benchmark) for benchmark in document.benchmarks]
    dissimilar_count = kinds.count(DISSIMILAR)
    outlier_count = sum(bool(benchmark.outlier_runs) for benchmark in document.benchmarks)
    text = (
        f"The runs of {dissimilar_count} of {figures.format_count(len(kinds), 'benchmark')} are "
        "dissimilar"
    )
    if kinds.count(UNKNOWN):
        text += f", {kinds.count(UNKNOWN)} inconclusive"
    return f"{text}; in {outlier_count} a run stands apart" if outlier_count else text


def _classify_benchmark(benchmark: BenchmarkSimilarity) -> str:
    """Return which of KINDS a benchmark is."""
    if benchmark.dissimilar is None:
        return UNKNOWN
    return DISSIMILAR if benchmark.dissimilar else SIMILAR


def _describe_runs(
    document: SimilarityDocument, runs: Sequence[str]
) -> tuple[str, tuple[str, ...]]:
    """Say what the runs are; names that are more than a number, as those of files, are listed."""
    if not runs:
        subject = names.format_label(document.subject)
        return f"Each process of {subject} is a run; run 1 is the first one.", ()
    if list(runs) == [f"run {number}" for number in range(1, len(runs) + 1)]:
        return "Runs have the numbers that they were made with.", ()
    return "Which run is which", tuple(names.format_label(run) for run in runs)


def _compute_mean(benchmark: BenchmarkSimilarity) -> float:
    return 0.0 if benchmark.means is None else fmean(benchmark.means)


def _describe_cut(most: int, number: int) -> str:
    return f"Of {number:,} benchmarks the first {most} are shown." if number > most else ""


def _choose_labels(document: SimilarityDocument) -> dict[str, str]:
    """Return what is shown of each name: the whole of those that look the same when cut."""
    ids = [benchmark.id for benchmark in document.benchmarks]
    short, long_labels = names.format_labels(ids), names.strip_shared_prefix(ids)
    times = Counter(short.values())
    return {
        benchmark_id: names.escape_line(long_labels[benchmark_id]) if times[label] > 1 else label
        for benchmark_id, label in short.items()
    }


def _build_row(benchmark: BenchmarkSimilarity, name: str, files: Sequence[str]) -> SimilarityRow:
    category = _classify_benchmark(benchmark)
    return SimilarityRow(
        id=names.escape_line(benchmark.id),
        name=name,
        kind=category,
        word=KINDS[category],
        cell=CELLS[category],
        runs=str(benchmark.runs),
        values=f"{benchmark.values:,}" if benchmark.values else "",
        unlike=sum(pair.dissimilar for pair in benchmark.pairs),
        pairs=len(benchmark.pairs),
        measures=tuple(f"{value:.2f}" for value in benchmark.means or ()) or ("",) * 5,
        heat=_build_cells(benchmark.means) if benchmark.means else (),
        outlier_text=", ".join(_run_name(run, files) for run in benchmark.outlier_runs),
        note=names.escape_line(benchmark.caveats[0].text) if benchmark.caveats else "",
    )


def _run_name(run: int, files: Sequence[str]) -> str:
    return f"{run + 1} ({files[run]})" if files else str(run + 1)


def _worth_drawing(benchmarks: Sequence[BenchmarkSimilarity]) -> list[BenchmarkSimilarity]:
    """Return those that are dissimilar, or in which a run stands apart; first those that both."""
    similarities = [
        benchmark for benchmark in benchmarks if benchmark.dissimilar or benchmark.outlier_runs
    ]
    return sorted(
        similarities, key=lambda benchmark: (not benchmark.dissimilar, not benchmark.outlier_runs)
    )


def _compare_runs(benchmark: BenchmarkSimilarity, name: str, files: Sequence[str]) -> RunComparison:
    texts = (_describe_outliers(benchmark, files), describe_groups(benchmark))
    return RunComparison(names.escape_line(benchmark.id), name, texts, build_heatmap(benchmark))


def _describe_outliers(benchmark: BenchmarkSimilarity, files: Sequence[str]) -> str:
    """Say which run is to be repeated."""
    dissimilar_counts = _count_dissimilar(benchmark)
    if not benchmark.outlier_runs:
        pairs = sum(pair.dissimilar for pair in benchmark.pairs)
        return f"No run stands apart: {pairs} of {len(benchmark.pairs)} pairs are dissimilar."
    called = ", ".join(_run_name(run, files) for run in benchmark.outlier_runs)
    if len(benchmark.outlier_runs) > 1:
        return f"Runs {called} stand apart: each is dissimilar to most others."
    count = dissimilar_counts[benchmark.outlier_runs[0]]
    return (
        f"Run {called} stands apart: it is dissimilar to {count} of {len(dissimilar_counts) - 1} "
        "others."
    )


def _list_caveats(document: SimilarityDocument) -> Iterator[CaveatView]:
    """Yield those of the whole, then each kind once with the number of benchmarks that have it."""
    yield from make_caveat_views(document.caveats)
    texts_by_slug: dict[str, list[str]] = {}
    for benchmark in document.benchmarks:
        for caveat in benchmark.caveats:
            texts_by_slug.setdefault(caveat.slug, []).append(names.escape_line(caveat.text))
    for slug, texts in texts_by_slug.items():
        example = texts[0] if len(set(texts)) == 1 else f"{texts[0]}, for example"
        yield CaveatView(slug, example, figures.format_count(len(texts), "benchmark"))


def build_cell(value: float) -> HeatmapCell:
    """Return a dissimilarity, from 0 to 1."""
    if value > THETA:
        side, share = "far", (value - THETA) / (1 - THETA)
    else:
        side, share = "near", (THETA - value) / THETA
    return HeatmapCell(f"{side} much-{min(int(share * _STEPS) + 1, _STEPS)}", f"{value:.2f}")


def _build_cells(means: Sequence[float]) -> tuple[HeatmapCell, ...]:
    """Return the five measures, and behind them their mean."""
    return tuple(build_cell(value) for value in (*means, fmean(means)))


def list_applications(benchmarks: Sequence[BenchmarkSimilarity]) -> tuple[Application, ...]:
    """Return the applications of a corpus, the least alike first; none where there is only one."""
    by_application: dict[str, list[BenchmarkSimilarity]] = {}
    for benchmark in benchmarks:
        named = _OF_CORPUS.fullmatch(benchmark.id)
        if named is None:
            return ()
        if benchmark.means is not None:
            by_application.setdefault(named[1], []).append(benchmark)
    if len(by_application) < 2:
        return ()
    means = {name: _average_measures(similarities) for name, similarities in by_application.items()}
    return tuple(
        Application(
            name=name,
            unlike=sum(bool(similarity.dissimilar) for similarity in by_application[name]),
            size=len(by_application[name]),
            cells=_build_cells(means[name]),
        )
        for name in sorted(by_application, key=lambda name: -fmean(means[name]))
    )


def _average_measures(benchmarks: Sequence[BenchmarkSimilarity]) -> list[float]:
    rows = [benchmark.means for benchmark in benchmarks if benchmark.means is not None]
    return [fmean(column) for column in zip(*rows, strict=True)]


def build_heatmap(benchmark: BenchmarkSimilarity) -> Heatmap:
    """Set the runs of a benchmark against each other: how many of the measures are above THETA.

    Of too many those are drawn that are unlike most others.
    """
    dissimilar_counts = _count_dissimilar(benchmark)
    matrix_runs = sorted(
        sorted(dissimilar_counts, key=lambda run: -dissimilar_counts[run])[:MOST_RUNS]
    )
    pairs = {(pair.first, pair.second): _count_measures(pair) for pair in benchmark.pairs}
    heads = {run: HeatmapHead(str(run + 1), run in benchmark.outlier_runs) for run in matrix_runs}
    return Heatmap(
        heads=tuple(heads.values()),
        lines=tuple(
            HeatmapRow(
                heads[run],
                tuple(pairs.get((min(run, column), max(run, column))) for column in matrix_runs),
                f"{dissimilar_counts[run]} of {len(dissimilar_counts) - 1}",
            )
            for run in matrix_runs
        ),
        left_out=(
            f"Of {len(dissimilar_counts)} runs the {MOST_RUNS} are drawn that are unlike most "
            "others."
        )
        if len(dissimilar_counts) > MOST_RUNS
        else "",
    )


def _count_measures(pair: PairSimilarity) -> HeatmapCell:
    above = sum(value > THETA for value in pair.measures)
    side = "far" if pair.dissimilar else "near"
    return HeatmapCell(f"{side} much-{abs(2 * above - len(pair.measures))}", str(above))


def _count_dissimilar(benchmark: BenchmarkSimilarity) -> dict[int, int]:
    """Return for each run that was compared how many others it is dissimilar to."""
    runs = sorted({run for pair in benchmark.pairs for run in (pair.first, pair.second)})
    unlike = Counter(
        run for pair in benchmark.pairs if pair.dissimilar for run in (pair.first, pair.second)
    )
    return {run: unlike[run] for run in runs}


def describe_groups(benchmark: BenchmarkSimilarity) -> str:
    """Say what SAME's clustering finds."""
    if benchmark.groups is None:
        return ""
    if len(benchmark.groups) == 1:
        return "SAME finds one group of all runs."
    together = [
        f"{_format_run_numbers(group)} together" for group in benchmark.groups if len(group) > 1
    ]
    single_runs = sorted(group[0] for group in benchmark.groups if len(group) == 1)
    if single_runs:
        together.append(
            f"{_format_run_numbers(single_runs)} {'each ' if len(single_runs) > 1 else ''}alone"
        )
    return f"SAME finds {len(benchmark.groups)} groups: {'; '.join(together)}."


def _format_run_numbers(runs: Sequence[int]) -> str:
    """Return what people call these runs, who count from one: `runs 1 to 3, 5`."""
    breaks = [
        number
        for number, (current, following) in enumerate(pairwise(runs), 1)
        if following != current + 1
    ]
    edges = [0, *breaks, len(runs)]
    parts = [(runs[start] + 1, runs[stop - 1] + 1) for start, stop in pairwise(edges)]
    ranges = [
        str(first) if first == last else f"{first}{' to ' if last > first + 1 else ', '}{last}"
        for first, last in parts
    ]
    return f"{'run' if len(runs) == 1 else 'runs'} {', '.join(ranges)}"
