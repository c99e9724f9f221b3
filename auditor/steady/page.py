"""When benchmarks are warm, in words: a headline, a row for each, settings to copy."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

import numpy as np
from markupsafe import Markup

from auditor.core import busy
from auditor.core.series.steady import SteadyLabel
from auditor.languages.registry import LANGUAGES
from auditor.steady.document import ProcessSteadiness, SteadyBenchmark, SteadyDocument
from reports import names, number_format
from reports.html import ClosingSection, Facts, build_closing, make_caveat_views, render_template
from reports.plots import draw_line, format_place, make_svg
from reports.wording import LegendEntry

WIDTH, HEIGHT = 300, 64
_ROOM = 0.1
_SPIKE = 5.0
"""Above so many times the distance from the median to the 98th percentile a value is a spike."""

LABELS = {
    SteadyLabel.NOT_STEADY: LegendEntry("✗", "no steady state", "no judged process gets warm"),
    SteadyLabel.INCONSISTENT: LegendEntry(
        "◐", "inconsistent", "some processes get warm, some do not"
    ),
    SteadyLabel.UNKNOWN: LegendEntry(
        "?", "cannot tell", "a process failed, or is too short to be judged"
    ),
    SteadyLabel.STEADY: LegendEntry("●", "steady", "each process gets warm"),
}
"""The classes, in the order in which they are shown."""
KINDS = {
    SteadyLabel.NOT_STEADY: "unreached",
    SteadyLabel.INCONSISTENT: "inconclusive",
    SteadyLabel.UNKNOWN: "invalid",
    SteadyLabel.STEADY: "detected",
}
"""What the style of the pages knows a cell by."""
MOST_DRAWN = 40
"""Benchmarks whose processes are drawn, those first that do not get warm."""

_READ = "bench-audit reads results that are there already; it changes none of them."
_RUN = "bench-audit runs benchmarks in copies of the subject; its own files stay as they are."

Values = Mapping[tuple[str, int, int], Sequence[float]]
"""Seconds per operation of each process, by benchmark, run and fork; warm-up included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SteadyRow:
    """A benchmark: whether its processes get steady, and what to do."""

    id: str  # the benchmark's id
    name: str  # shortest unambiguous part of the id
    label: SteadyLabel  # class of the benchmark
    kind: str  # class, as a style
    word: LegendEntry  # class, in words
    steady: str  # number of steady processes, of all
    start: str  # first steady iteration, median and largest; empty: none is steady
    warm_up: str  # effect of the configured warm-up, at its worst; empty: unknown
    setting: str  # option for a warm-up that is long enough; empty: there is none
    saves: str  # time that this setting saves or costs in a suite run; empty: unknown
    note: str  # the first caveat of its own; empty: none


@dataclass(frozen=True, slots=True, kw_only=True)
class SteadyView:
    """All that is shown of a result."""

    subject: str  # name of the audited code
    headline: str  # the answer in one sentence
    counts: str  # detector, processes, and what the configured warm-up does
    origin: str  # where the series come from
    foot: str  # what the command changes of the subject
    rows: tuple[SteadyRow, ...]  # benchmarks by class
    legend: tuple[tuple[str, LegendEntry, int], ...]
    """(style, word, number of benchmarks) of each class that occurs."""
    kinds: Facts  # (style, word) of each class that occurs
    figures: tuple[tuple[str, tuple[Markup, ...]], ...]
    """Name and drawings of processes of each benchmark; empty: no values."""
    left_out: str  # how many benchmarks are drawn of all; empty: all
    closing: ClosingSection  # caveats and circumstances


def build_view(document: SteadyDocument, values: Values | None = None) -> SteadyView:
    """Put a result into words, and the values into drawings where they are given."""
    short = names.format_labels(benchmark.id for benchmark in document.benchmarks)
    series: dict[str, list[ProcessSteadiness]] = {}
    for process in document.series:
        series.setdefault(process.benchmark, []).append(process)
    order = list(LABELS)
    shared = {caveat.text for caveat in document.caveats}
    rows = [
        _build_row(
            benchmark, short[benchmark.id], series.get(benchmark.id, []), document.harness, shared
        )
        for benchmark in sorted(
            document.benchmarks, key=lambda benchmark: order.index(benchmark.label)
        )
    ]
    labels = [benchmark.label for benchmark in document.benchmarks]
    met = [label for label in LABELS if label in labels]
    return SteadyView(
        subject=names.format_label(document.subject),
        headline=busy.add_to_headline(format_headline(document), document.strain),
        counts=_describe_counts(document),
        origin=_describe_origin(document),
        foot=_RUN if document.config else _READ,
        rows=tuple(rows),
        legend=tuple((KINDS[label], LABELS[label], labels.count(label)) for label in met),
        kinds=tuple((KINDS[label], LABELS[label].word) for label in met),
        figures=tuple(
            (row.name, _draw_processes(series.get(row.id, []), values)) for row in rows[:MOST_DRAWN]
        )
        if values
        else (),
        left_out=f"Of {len(rows)} benchmarks the first {MOST_DRAWN} are drawn."
        if len(rows) > MOST_DRAWN
        else "",
        # How series were made is said in `origin`: they have one arm, and no runs to agree.
        closing=replace(build_closing(document, make_caveat_views(document.caveats)), plan=()),
    )


def _draw_processes(series: Sequence[ProcessSteadiness], values: Values) -> tuple[Markup, ...]:
    process_values = [
        (process, values.get((process.benchmark, process.run, process.fork), ()))
        for process in series
    ]
    return tuple(
        draw_series(process, series_values)
        for process, series_values in process_values
        if len(series_values)
    )


def render_html(document: SteadyDocument, values: Values) -> str:
    """Render a result as one page."""
    return render_template("steady.html.j2", page=build_view(document, values))


def format_headline(document: SteadyDocument) -> str:
    """Say in one line how many benchmarks are steady."""
    labels = [benchmark.label for benchmark in document.benchmarks]
    met = [
        f"{labels.count(label)} {word.word}" for label, word in LABELS.items() if label in labels
    ]
    return f"Of {number_format.format_count(len(labels), 'benchmark')}: {', '.join(reversed(met))}"


def _describe_counts(document: SteadyDocument) -> str:
    processes = number_format.format_count(len(document.series), "process", "processes")
    counts = f"Judged by {document.detector}, {processes}"
    labels = [process.label for process in document.series]
    unjudged_count = labels.count(SteadyLabel.UNKNOWN)
    if 0 < unjudged_count < len(labels):
        counts += f", {unjudged_count} of them not judged"
    if not any(process.warm_up for process in document.series):
        return counts
    early = {
        process.benchmark
        for process in document.series
        if process.warm_up and process.warm_up.early
    }
    warm = [benchmark for benchmark in document.benchmarks if benchmark.label is SteadyLabel.STEADY]
    saved = [_find_saving(benchmark) for benchmark in warm if benchmark.id not in early]
    late = [seconds for seconds in saved if seconds is not None and seconds > 0]
    early_count = number_format.format_count(len(early), "benchmark")
    counts += f"; the configured warm-up is too short in {early_count}"
    if not late:
        return counts
    duration = number_format.format_seconds(sum(late))
    return f"{counts}, in {len(late)} longer than needed, by {duration} in each run"


def _find_saving(benchmark: SteadyBenchmark) -> float | None:
    return None if benchmark.needed is None else benchmark.needed.saved_seconds


def _format_saving(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"{'costs' if seconds < 0 else 'saves'} {number_format.format_seconds(abs(seconds))}"


def _describe_origin(document: SteadyDocument) -> str:
    """Say where the series come from."""
    plan = document.plan
    if not document.config or plan.iterations is None or plan.iteration_seconds is None:
        return "Nothing was run"
    duration = number_format.format_seconds(plan.iteration_seconds)
    return (
        f"Each benchmark was run from the start of a process on, without any warm-up: "
        f"{plan.iterations} iterations of {duration}, or as its author wrote it"
    )


def _build_row(
    benchmark: SteadyBenchmark,
    name: str,
    series: list[ProcessSteadiness],
    harness: str,
    shared: Container[str],
) -> SteadyRow:
    """Put a benchmark into words; what is `shared` by all is said of the whole."""
    starts = [process.steady_from for process in series if process.steady_from is not None]
    texts = [text.text for process in series for text in process.caveats if text.text not in shared]
    return SteadyRow(
        id=names.escape_line(benchmark.id),
        name=name,
        label=benchmark.label,
        kind=KINDS[benchmark.label],
        word=LABELS[benchmark.label],
        steady=f"{len(starts)} of {len(series)}",
        start=f"{median(starts):.0f} (at most {max(starts)})" if starts else "",
        warm_up=_describe_warm_up(series),
        setting=find_warmup_option(harness, benchmark),
        saves=_format_saving(_find_saving(benchmark)),
        note=names.escape_line(texts[0]) if texts else "",
    )


def _describe_warm_up(series: list[ProcessSteadiness]) -> str:
    """Say what the configured warm-up does, at its worst."""
    warm_ups = [process.warm_up for process in series if process.warm_up is not None]
    if not warm_ups:
        return ""
    worst_warm_up = max(
        warm_ups, key=lambda warm_up: (warm_up.early > 0, abs(warm_up.relative_error or 0.0))
    )
    if worst_warm_up.early:
        deviation = (
            "" if worst_warm_up.relative_error is None else f", {worst_warm_up.relative_error:+.1%}"
        )
        return f"{worst_warm_up.early} measured cold{deviation}"
    wasted = [warm_up.wasted_seconds for warm_up in warm_ups if warm_up.wasted_seconds is not None]
    late = f"{median(warm_up.late for warm_up in warm_ups):.0f} too many"
    return f"{late}, {number_format.format_seconds(median(wasted))}" if wasted else late


def find_warmup_option(harness: str, benchmark: SteadyBenchmark) -> str:
    """Return the harness's option for a warm-up that is long enough; empty where it has none."""
    support = LANGUAGES.harnesses.get(harness)
    if support is None or benchmark.warm_iterations is None:
        return ""
    return support.warmup_setting(benchmark.warm_iterations, benchmark.needed)


def decimate_values(values: Sequence[float], columns: int) -> list[tuple[float, float]]:
    """Return the least and the greatest value of so many parts of equal length: no spike is lost.

    Of fewer values each is a part.
    """
    number = len(values)
    columns = min(columns, number)
    edges = [part * number // columns for part in range(columns + 1)]
    return [(min(values[start:stop]), max(values[start:stop])) for start, stop in pairwise(edges)]


def draw_series(series: ProcessSteadiness, values: Sequence[float]) -> Markup:
    """Draw a process; what lies far above everything else is a dot at the upper edge."""
    parts = decimate_values(values, WIDTH)
    low, high = _find_range(values)
    width = WIDTH / len(parts)
    scale = HEIGHT * (1 - 2 * _ROOM) / ((high - low) or 1.0)

    def scale_y(value: float) -> str:
        return format_place(HEIGHT * (1 - _ROOM) - scale * (min(value, high) - low))

    path = "".join(
        f"M{format_place((number + 0.5) * width)} {scale_y(least)}V{scale_y(most)}h.1"
        for number, (least, most) in enumerate(parts)
    )
    spikes = "".join(
        f"M{format_place((number + 0.5) * width)} 3h0"
        for number, (_, most) in enumerate(parts)
        if most > high
    )
    step = WIDTH / len(values)
    never = len(values) if series.label is SteadyLabel.NOT_STEADY else 0
    warm = never if series.steady_from is None else series.steady_from
    body = f'<rect class="warm" width="{format_place(warm * step)}" height="{HEIGHT}"/>'
    body += f'<path class="values" d="{path}"/>'
    body += f'<path class="dot slowed" d="{spikes}"/>' if spikes else ""
    body += "".join(
        draw_line((change + 1) * step, 0, HEIGHT, "change") for change in series.changes
    )
    if series.warm_up is not None:
        body += draw_line(min(series.warm_up.iterations * step, WIDTH), 0, HEIGHT, "needed")
    return make_svg((WIDTH, HEIGHT), _describe_plot(series, values), body, kind="series")


def _find_range(values: Sequence[float]) -> tuple[float, float]:
    array = np.asarray(values)  # sorted, ten million of them as a list would take 320 MB
    places = (0, array.size // 2, min(array.size * 98 // 100, array.size - 1), array.size - 1)
    least, middle, usual, most = np.partition(array, places)[list(places)].tolist()
    # Where nearly all are the same, nothing but them would be in the picture.
    return least, min(most, middle + _SPIKE * (usual - middle)) if usual > middle else most


def _describe_plot(series: ProcessSteadiness, values: Sequence[float]) -> str:
    """Say in words what a drawing shows."""
    number = f"{len(values):,} iterations"
    if series.steady_from is None:
        start = f"{number}, {series.label}"
    else:
        start = f"steady from iteration {series.steady_from:,} of {number}"
    configured = "" if series.warm_up is None else f", warm-up of {series.warm_up.iterations:,}"
    middle = float(np.median(np.asarray(values)))
    times = (
        f"{number_format.format_seconds(min(values))} to "
        f"{number_format.format_seconds(max(values))}, median "
        f"{number_format.format_seconds(middle)}"
    )
    whose = f"run {series.run + 1}, process {series.fork + 1}"
    return f"{whose}: {start}{configured}; {times}"
