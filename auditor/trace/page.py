"""Who calls which public method, in words and as a page."""

from dataclasses import dataclass

from auditor.core.result import ReachState
from auditor.trace.document import TracedMethod, TraceDocument
from reports import names, number_format
from reports.html import Closing, Facts, closing, of_whole, rendered
from reports.wording import SET_UP_ONLY, Word

REACHES = {
    ReachState.NOT_AT_ALL: Word("○", "no benchmark", "no benchmark calls it"),
    ReachState.SET_UP_ONLY: SET_UP_ONLY,
    ReachState.UNKNOWN: Word("?", "cannot tell", "it could not be counted"),
    ReachState.IN_LOOP: Word("●", "called", "a benchmark calls it while it is measured"),
}
KINDS = {
    ReachState.NOT_AT_ALL: "unreached",
    ReachState.SET_UP_ONLY: "set-up-only",
    ReachState.UNKNOWN: "inconclusive",
    ReachState.IN_LOOP: "detected",
}
"""What the style of the pages knows a cell by."""
_WITHOUT = (ReachState.NOT_AT_ALL, ReachState.SET_UP_ONLY)
_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRow:
    """A public method."""

    name: str  # shortest unambiguous part of the id
    id: str  # the method's id
    reach: ReachState  # of the suite
    word: Word  # reach, in words
    kind: str  # reach, as a style
    tests: str  # calls by the unit tests
    called: int  # calls by the unit tests, to sort by; -1: not counted
    benchmarks: int  # number of benchmarks that call it in their loop
    callers: str  # these benchmarks, with their calls per operation
    where: str  # FILE:LINE; empty: unknown
    note: str  # why `reach` is unknown, or whose set-up calls it; empty: neither


@dataclass(frozen=True, slots=True)
class BenchmarkRow:
    """A benchmark, how many public methods it calls, and why that is unknown."""

    name: str
    methods: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceView:
    """All that is shown of a map."""

    subject: str  # name of the audited code, and its harness
    headline: str  # the answer in one sentence
    counts: str  # number of benchmarks that ran and that call nothing
    rows: tuple[TraceRow, ...]  # the public methods
    benchmarks: tuple[BenchmarkRow, ...]  # how many public methods each benchmark calls
    legend: tuple[tuple[str, Word, int], ...]
    """(style, word, number of methods) of each reach that occurs."""
    kinds: Facts  # (style, word) of each reach that occurs
    closing: Closing  # caveats and circumstances


def view(document: TraceDocument) -> TraceView:
    """Put a map into words."""
    methods = names.labels(method.id for method in document.methods)
    benchmarks = names.labels(benchmark.id for benchmark in document.benchmarks)
    states = [method.reach for method in document.methods]
    met = [state for state in REACHES if state in states]
    return TraceView(
        subject=f"{names.label(document.subject)} ({document.harness})",
        headline=headline(document),
        counts=_counts(document),
        rows=tuple(_row(method, methods[method.id], benchmarks) for method in document.methods),
        benchmarks=tuple(
            BenchmarkRow(
                benchmarks[benchmark.id],
                number_format.NONE if benchmark.methods is None else str(benchmark.methods),
                names.line(benchmark.reason or ""),
            )
            for benchmark in document.benchmarks
        ),
        legend=tuple((KINDS[state], REACHES[state], states.count(state)) for state in met),
        kinds=tuple((KINDS[state], REACHES[state].word) for state in met),
        closing=closing(document, of_whole(document.caveats)),
    )


def headline(document: TraceDocument) -> str:
    """Say in one line how much of the API no benchmark calls, and name the most used of it."""
    without = [method for method in document.methods if method.reach in _WITHOUT]
    unknown = sum(method.reach is ReachState.UNKNOWN for method in document.methods)
    size = len(document.methods)
    if not without:
        open_ = f"; {unknown} inconclusive" if unknown else ""
        return f"No public method of {size} is known to have no benchmark{open_}"
    text = f"{len(without)} of {number_format.count(size, 'public method')}"
    text += " has no benchmark" if len(without) == 1 else " have no benchmark"
    popular = [method.id for method in without if method.tests][:_NAMED]
    if popular:
        short = names.labels(method.id for method in document.methods)
        text += f"; of these the unit tests call most: {', '.join(short[one] for one in popular)}"
    return text


def _counts(document: TraceDocument) -> str:
    ran = [benchmark for benchmark in document.benchmarks if benchmark.methods is not None]
    failed = len(document.benchmarks) - len(ran)
    text = f"Calls were counted in {number_format.count(len(ran), 'benchmark')}"
    text += f" ({failed} did not run)" if failed else ""
    idle = sum(not benchmark_use.methods for benchmark_use in ran)
    those = "calls" if idle == 1 else "call"
    return f"{text}; {idle} of them {those} no public method." if idle else f"{text}."


def _row(method: TracedMethod, name: str, benchmarks: dict[str, str]) -> TraceRow:
    calls = [
        f"{benchmarks[caller.benchmark]} ({_per_operation(caller.calls_per_operation)})"
        for caller in method.called_by
    ]
    more = f" and {len(calls) - _NAMED} more" if len(calls) > _NAMED else ""
    span = method.span
    return TraceRow(
        name=name,
        id=names.line(method.id),
        reach=method.reach,
        word=REACHES[method.reach],
        kind=KINDS[method.reach],
        tests=number_format.number(method.tests),
        called=-1 if method.tests is None else method.tests,
        benchmarks=len(calls),
        callers=", ".join(calls[:_NAMED]) + more,
        where=names.line(f"{span.file}:{span.first_line}") if span else "",
        note=names.line(_note(method, benchmarks)),
    )


def _per_operation(calls: float | None) -> str:
    return "calls unknown" if calls is None else f"{number_format.number(calls)} per operation"


def _note(method: TracedMethod, benchmarks: dict[str, str]) -> str:
    if method.reason:
        return method.reason
    if method.reach is not ReachState.SET_UP_ONLY:
        return ""
    those = [benchmarks[each] for each in method.set_up_in]
    more = f" and {len(those) - _NAMED} more" if len(those) > _NAMED else ""
    return f"in the set-up of {', '.join(those[:_NAMED])}{more}"


def html(document: TraceDocument) -> str:
    """Render a map as one page."""
    return rendered("trace.html.j2", page=view(document))
