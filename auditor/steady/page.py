"""When benchmarks are warm, in words: a headline, a row for each, settings to copy."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from markupsafe import Markup

from auditor.core import busy
from auditor.core.series.steady import SteadyLabel
from auditor.languages.registry import LANGUAGES
from auditor.steady import page_series_plot
from auditor.steady.document import ProcessSteadiness, SteadyBenchmark, SteadyDocument
from reports import names
from reports import number_format as figures
from reports.html import Closing, Facts, closing, of_whole, rendered
from reports.wording import Word

LABELS = {
    SteadyLabel.NOT_STEADY: Word("✗", "no steady state", "no process gets warm"),
    SteadyLabel.INCONSISTENT: Word("◐", "inconsistent", "some processes get warm, some do not"),
    SteadyLabel.UNKNOWN: Word("?", "cannot tell", "there is too little to judge by"),
    SteadyLabel.STEADY: Word("●", "steady", "each process gets warm"),
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
    word: Word  # class, in words
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
    made: str  # where the series come from
    foot: str  # what the command changes of the subject
    rows: tuple[SteadyRow, ...]  # benchmarks by class
    legend: tuple[tuple[str, Word, int], ...]
    """(style, word, number of benchmarks) of each class that occurs."""
    kinds: Facts  # (style, word) of each class that occurs
    figures: tuple[tuple[str, tuple[Markup, ...]], ...]
    """Name and drawings of processes of each benchmark; empty: no values."""
    left_out: str  # how many benchmarks are drawn of all; empty: all
    closing: Closing  # caveats and circumstances


def view(document: SteadyDocument, values: Values | None = None) -> SteadyView:
    """Put a result into words, and the values into drawings where they are given."""
    short = names.labels(benchmark.id for benchmark in document.benchmarks)
    series: dict[str, list[ProcessSteadiness]] = {}
    for process in document.series:
        series.setdefault(process.benchmark, []).append(process)
    order = list(LABELS)
    shared = {caveat.text for caveat in document.caveats}
    rows = [
        _row(benchmark, short[benchmark.id], series.get(benchmark.id, []), document.harness, shared)
        for benchmark in sorted(
            document.benchmarks, key=lambda benchmark: order.index(benchmark.label)
        )
    ]
    labels = [benchmark.label for benchmark in document.benchmarks]
    met = [label for label in LABELS if label in labels]
    return SteadyView(
        subject=names.label(document.subject),
        headline=busy.add_to_headline(headline(document), document.strain),
        counts=_counts(document),
        made=_origin(document),
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
        # How series were made is said in `made`: they have one arm, and no runs to agree.
        closing=replace(closing(document, of_whole(document.caveats)), plan=()),
    )


def _draw_processes(series: Sequence[ProcessSteadiness], values: Values) -> tuple[Markup, ...]:
    known = [
        (process, values.get((process.benchmark, process.run, process.fork), ()))
        for process in series
    ]
    return tuple(page_series_plot.strip(process, own) for process, own in known if len(own))


def html(document: SteadyDocument, values: Values) -> str:
    """Render a result as one page."""
    return rendered("steady.html.j2", page=view(document, values))


def headline(document: SteadyDocument) -> str:
    """Say in one line how many benchmarks are steady."""
    labels = [benchmark.label for benchmark in document.benchmarks]
    met = [
        f"{labels.count(label)} {word.word}" for label, word in LABELS.items() if label in labels
    ]
    return f"Of {figures.count(len(labels), 'benchmark')}: {', '.join(reversed(met))}"


def _counts(document: SteadyDocument) -> str:
    processes = figures.count(len(document.series), "process", "processes")
    counts = f"Judged by {document.detector}, {processes}"
    if not any(process.warm_up for process in document.series):
        return counts
    early = {
        process.benchmark
        for process in document.series
        if process.warm_up and process.warm_up.early
    }
    warm = [benchmark for benchmark in document.benchmarks if benchmark.label is SteadyLabel.STEADY]
    saved = [_saved(benchmark) for benchmark in warm if benchmark.id not in early]
    late = [one for one in saved if one is not None and one > 0]
    counts += f"; the configured warm-up is too short in {figures.count(len(early), 'benchmark')}"
    if not late:
        return counts
    return (
        f"{counts}, in {len(late)} longer than needed, by {figures.seconds(sum(late))} in each run"
    )


def _saved(benchmark: SteadyBenchmark) -> float | None:
    return None if benchmark.needed is None else benchmark.needed.saved_seconds


def _saves(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"{'costs' if seconds < 0 else 'saves'} {figures.seconds(abs(seconds))}"


def _origin(document: SteadyDocument) -> str:
    """Say where the series come from."""
    plan = document.plan
    if not document.config or plan.iterations is None or plan.iteration_seconds is None:
        return "Nothing was run"
    each = figures.seconds(plan.iteration_seconds)
    return (
        f"Each benchmark was run from the start of a process on, without any warm-up: "
        f"{plan.iterations} iterations of {each}, or as its author wrote it"
    )


def _row(
    benchmark: SteadyBenchmark,
    name: str,
    series: list[ProcessSteadiness],
    harness: str,
    shared: Container[str],
) -> SteadyRow:
    """Put a benchmark into words; what is `shared` by all is said of the whole."""
    starts = [process.steady_from for process in series if process.steady_from is not None]
    said = [text.text for process in series for text in process.caveats if text.text not in shared]
    return SteadyRow(
        id=names.line(benchmark.id),
        name=name,
        label=benchmark.label,
        kind=KINDS[benchmark.label],
        word=LABELS[benchmark.label],
        steady=f"{len(starts)} of {len(series)}",
        start=f"{median(starts):.0f} (at most {max(starts)})" if starts else "",
        warm_up=_warm_up(series),
        setting=setting(harness, benchmark),
        saves=_saves(_saved(benchmark)),
        note=names.line(said[0]) if said else "",
    )


def _warm_up(series: list[ProcessSteadiness]) -> str:
    """Say what the configured warm-up does, at its worst."""
    warm_ups = [process.warm_up for process in series if process.warm_up is not None]
    if not warm_ups:
        return ""
    worst = max(warm_ups, key=lambda warm_up: (warm_up.early > 0, abs(warm_up.off or 0.0)))
    if worst.early:
        off = "" if worst.off is None else f", {worst.off:+.1%}"
        return f"{worst.early} measured cold{off}"
    wasted = [warm_up.wasted_seconds for warm_up in warm_ups if warm_up.wasted_seconds is not None]
    late = f"{median(warm_up.late for warm_up in warm_ups):.0f} too many"
    return f"{late}, {figures.seconds(median(wasted))}" if wasted else late


def setting(harness: str, benchmark: SteadyBenchmark) -> str:
    """Return the harness's option for a warm-up that is long enough; empty where it has none."""
    support = LANGUAGES.harnesses.get(harness)
    if support is None or benchmark.warm_iterations is None:
        return ""
    return support.warmup_setting(benchmark.warm_iterations, benchmark.needed)
