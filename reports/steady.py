"""When benchmarks are warm, in words: a headline, a row for each, settings to copy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from statistics import median

from markupsafe import Markup

from auditor.core.steady import SteadyLabel
from reports import figures, names, page, strips
from reports.steady_document import Benchmark, Series, SteadyDocument
from reports.words import Word

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

Values = Mapping[tuple[str, int, int], Sequence[float]]
"""Seconds per operation of each process, by benchmark, run and fork; warm-up included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A benchmark: its class, how many processes are steady, from where, and what to do."""

    id: str
    name: str
    label: SteadyLabel
    kind: str
    word: Word
    steady: str
    start: str
    warm_up: str
    setting: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """All that is shown of a result."""

    subject: str
    headline: str
    counts: str
    rows: tuple[Row, ...]
    legend: tuple[tuple[str, Word, int], ...]
    kinds: page.Facts
    figures: tuple[tuple[str, tuple[Markup, ...]], ...]
    left_out: str
    closing: page.Closing


def view(document: SteadyDocument, values: Values | None = None) -> View:
    """Put a result into words, and the values into drawings where they are given."""
    short = names.labels(one.id for one in document.benchmarks)
    series: dict[str, list[Series]] = {}
    for each in document.series:
        series.setdefault(each.benchmark, []).append(each)
    order = list(LABELS)
    rows = [
        _row(one, short[one.id], series.get(one.id, []), document.harness)
        for one in sorted(document.benchmarks, key=lambda one: order.index(one.label))
    ]
    labels = [one.label for one in document.benchmarks]
    met = [each for each in LABELS if each in labels]
    return View(
        subject=names.label(document.subject),
        headline=headline(document),
        counts=_counts(document),
        rows=tuple(rows),
        legend=tuple((KINDS[each], LABELS[each], labels.count(each)) for each in met),
        kinds=tuple((KINDS[each], LABELS[each].word) for each in met),
        figures=tuple(
            (row.name, _drawn(series.get(row.id, []), values)) for row in rows[:MOST_DRAWN]
        )
        if values
        else (),
        left_out=f"Of {len(rows)} benchmarks the first {MOST_DRAWN} are drawn."
        if len(rows) > MOST_DRAWN
        else "",
        # Nothing was timed here: there is no plan of blocks and runs.
        closing=replace(page.closing(document, page.of_whole(document.caveats)), plan=()),
    )


def _drawn(series: Sequence[Series], values: Values) -> tuple[Markup, ...]:
    known = [(one, values.get((one.benchmark, one.run, one.fork), ())) for one in series]
    return tuple(strips.strip(one, own) for one, own in known if len(own))


def html(document: SteadyDocument, values: Values) -> str:
    """Render a result as one page."""
    return page.rendered("steady.html.j2", page=view(document, values))


def headline(document: SteadyDocument) -> str:
    """Say in one line how many benchmarks are steady."""
    labels = [one.label for one in document.benchmarks]
    met = [f"{labels.count(each)} {word.word}" for each, word in LABELS.items() if each in labels]
    return f"Of {figures.count(len(labels), 'benchmark')}: {', '.join(reversed(met))}"


def _counts(document: SteadyDocument) -> str:
    found = [one.warm_up for one in document.series if one.warm_up is not None]
    early = {one.benchmark for one in document.series if one.warm_up and one.warm_up.early}
    wasted = sum(one.wasted_seconds or 0.0 for one in found)
    processes = figures.count(len(document.series), "process", "processes")
    said = f"Judged by {document.detector}, {processes}"
    if not found:
        return said
    said += f"; the warm-up is too short in {figures.count(len(early), 'benchmark')}"
    return f"{said} and takes {figures.seconds(wasted)} longer than needed in the others"


def _row(one: Benchmark, name: str, series: list[Series], harness: str) -> Row:
    starts = [each.steady_from for each in series if each.steady_from is not None]
    said = list(dict.fromkeys(text.text for each in series for text in each.caveats))
    return Row(
        id=names.line(one.id),
        name=name,
        label=one.label,
        kind=KINDS[one.label],
        word=LABELS[one.label],
        steady=f"{len(starts)} of {len(series)}",
        start=f"{median(starts):.0f} (at most {max(starts)})" if starts else "",
        warm_up=_warm_up(series),
        setting=setting(harness, one.warm_iterations, one.iteration_seconds),
        note=names.line(said[0]) if said else "",
    )


def _warm_up(series: list[Series]) -> str:
    """Say what the configured warm-up does, at its worst."""
    known = [one.warm_up for one in series if one.warm_up is not None]
    if not known:
        return ""
    worst = max(known, key=lambda one: one.early)
    if worst.early:
        off = "" if worst.off is None else f", {worst.off:+.1%}"
        return f"{worst.early} too few{off}"
    wasted = [one.wasted_seconds for one in known]
    late = f"{median(one.late for one in known):.0f} too many"
    if any(one is None for one in wasted):
        return late
    return f"{late}, {figures.seconds(sum(one or 0.0 for one in wasted))}"


def setting(harness: str, iterations: int | None, seconds: float | None) -> str:
    """Return what to write for a warm-up of so many iterations, where the harness has one."""
    if iterations is None:
        return ""
    if harness == "jmh":
        return f"@Warmup({_jmh(iterations, seconds)})"
    if harness == "pyperf":
        return f"--warmups={iterations}"
    return ""


def _jmh(iterations: int, seconds: float | None) -> str:
    """Write JMH's values; short iterations that take a second or more together become longer."""
    if seconds is None:
        return f"iterations = {iterations}"
    whole = iterations * seconds
    if seconds < 1 <= whole:
        return f"iterations = {ceil(whole)}, time = 1"
    return f"iterations = {iterations}, time = {round(1000 * seconds)}, timeUnit = MILLISECONDS"
