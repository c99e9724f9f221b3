"""When benchmarks are warm, in words: a headline, a row for each, settings to copy."""

from dataclasses import dataclass
from statistics import median

from auditor.core.steady import SteadyLabel
from reports import figures, names
from reports.steady_document import Benchmark, Series, SteadyDocument
from reports.words import Word

LABELS = {
    SteadyLabel.NOT_STEADY: Word("✗", "no steady state", "no process gets warm"),
    SteadyLabel.INCONSISTENT: Word("◐", "inconsistent", "some processes get warm, some do not"),
    SteadyLabel.UNKNOWN: Word("?", "cannot tell", "there is too little to judge by"),
    SteadyLabel.STEADY: Word("●", "steady", "each process gets warm"),
}
"""The classes, in the order in which they are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A benchmark: its class, how many processes are steady, from where, and what to do."""

    name: str
    label: SteadyLabel
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


def view(document: SteadyDocument) -> View:
    """Put a result into words."""
    short = names.labels(one.id for one in document.benchmarks)
    series: dict[str, list[Series]] = {}
    for each in document.series:
        series.setdefault(each.benchmark, []).append(each)
    order = list(LABELS)
    rows = [
        _row(one, short[one.id], series.get(one.id, []), document.harness)
        for one in sorted(document.benchmarks, key=lambda one: order.index(one.label))
    ]
    return View(
        subject=names.label(document.subject),
        headline=headline(document),
        counts=_counts(document),
        rows=tuple(rows),
    )


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
    said = f"judged by {document.detector}, {processes}"
    if not found:
        return f"{said}; the configured warm-up is not known"
    said += f"; the warm-up is too short in {figures.count(len(early), 'benchmark')}"
    return f"{said} and takes {figures.seconds(wasted)} longer than needed in the others"


def _row(one: Benchmark, name: str, series: list[Series], harness: str) -> Row:
    starts = [each.steady_from for each in series if each.steady_from is not None]
    said = list(dict.fromkeys(text.text for each in series for text in each.caveats))
    return Row(
        name=name,
        label=one.label,
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
        time = (
            "" if seconds is None else f", time = {round(1000 * seconds)}, timeUnit = MILLISECONDS"
        )
        return f"@Warmup(iterations = {iterations}{time})"
    if harness == "pyperf":
        return f"--warmups={iterations}"
    return ""
