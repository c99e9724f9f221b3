"""Who calls which public method, in words and as a page."""

from dataclasses import dataclass

from auditor.core.result import ReachState
from auditor.trace.document import TracedMethod, TraceDocument
from reports import names, number_format
from reports.html import ClosingSection, Facts, build_closing, make_caveat_views, render_template
from reports.wording import SET_UP_ONLY, LegendEntry

REACH_WORDS = {
    ReachState.NOT_AT_ALL: LegendEntry("○", "no benchmark", "no benchmark calls it"),
    ReachState.SET_UP_ONLY: SET_UP_ONLY,
    ReachState.UNKNOWN: LegendEntry("?", "cannot tell", "it could not be counted"),
    ReachState.IN_LOOP: LegendEntry("●", "called", "a benchmark calls it while it is measured"),
}
REACH_STYLES = {
    ReachState.NOT_AT_ALL: "unreached",
    ReachState.SET_UP_ONLY: "set-up-only",
    ReachState.UNKNOWN: "inconclusive",
    ReachState.IN_LOOP: "detected",
}
"""What the style of the pages knows a cell by."""
_UNREACHED_STATES = (ReachState.NOT_AT_ALL, ReachState.SET_UP_ONLY)
_MAX_NAMES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRow:
    """A public method."""

    name: str  # shortest unambiguous part of the id
    id: str  # the method's id
    reach: ReachState  # of the suite
    word: LegendEntry  # reach, in words
    kind: str  # reach, as a style
    tests: str  # calls by the unit tests
    called: int  # calls by the unit tests, to sort by; -1: not counted
    benchmarks: int  # number of benchmarks that call it in their loop
    callers: str  # these benchmarks, with their calls per operation
    location: str  # FILE:LINE; empty: unknown
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
    legend: tuple[tuple[str, LegendEntry, int], ...]
    """(style, word, number of methods) of each reach that occurs."""
    kinds: Facts  # (style, word) of each reach that occurs
    closing: ClosingSection  # caveats and circumstances


def build_view(document: TraceDocument) -> TraceView:
    """Put a map into words."""
    methods = names.format_labels(method.id for method in document.methods)
    benchmarks = names.format_labels(benchmark.id for benchmark in document.benchmarks)
    states = [method.reach for method in document.methods]
    occurring_states = [state for state in REACH_WORDS if state in states]
    return TraceView(
        subject=f"{names.format_label(document.subject)} ({document.harness})",
        headline=format_headline(document),
        counts=_describe_counts(document),
        rows=tuple(
            _build_row(method, methods[method.id], benchmarks) for method in document.methods
        ),
        benchmarks=tuple(
            BenchmarkRow(
                benchmarks[benchmark.id],
                number_format.NO_VALUE if benchmark.methods is None else str(benchmark.methods),
                names.escape_line(benchmark.reason or ""),
            )
            for benchmark in document.benchmarks
        ),
        legend=tuple(
            (REACH_STYLES[state], REACH_WORDS[state], states.count(state))
            for state in occurring_states
        ),
        kinds=tuple((REACH_STYLES[state], REACH_WORDS[state].word) for state in occurring_states),
        closing=build_closing(document, make_caveat_views(document.caveats)),
    )


def format_headline(document: TraceDocument) -> str:
    """Say in one line how much of the API no benchmark calls, and name the most used of it."""
    unreached_methods = [method for method in document.methods if method.reach in _UNREACHED_STATES]
    unknown_count = sum(method.reach is ReachState.UNKNOWN for method in document.methods)
    method_count = len(document.methods)
    if not unreached_methods:
        unknown_text = f"; {unknown_count} inconclusive" if unknown_count else ""
        return f"No public method of {method_count} is known to have no benchmark{unknown_text}"
    text = (
        f"{len(unreached_methods)} of {number_format.format_count(method_count, 'public method')}"
    )
    text += " has no benchmark" if len(unreached_methods) == 1 else " have no benchmark"
    top_ids = [method.id for method in unreached_methods if method.tests][:_MAX_NAMES]
    if top_ids:
        labels = names.format_labels(method.id for method in document.methods)
        text += f"; of these the unit tests call most: {', '.join(labels[key] for key in top_ids)}"
    return text


def _describe_counts(document: TraceDocument) -> str:
    finished_benchmarks = [
        benchmark for benchmark in document.benchmarks if benchmark.methods is not None
    ]
    failed_count = len(document.benchmarks) - len(finished_benchmarks)
    text = (
        f"Calls were counted in {number_format.format_count(len(finished_benchmarks), 'benchmark')}"
    )
    text += f" ({failed_count} did not run)" if failed_count else ""
    idle_count = sum(not benchmark_use.methods for benchmark_use in finished_benchmarks)
    verb = "calls" if idle_count == 1 else "call"
    return f"{text}; {idle_count} of them {verb} no public method." if idle_count else f"{text}."


def _build_row(method: TracedMethod, name: str, benchmarks: dict[str, str]) -> TraceRow:
    calls = [
        f"{benchmarks[caller.benchmark]} ({_format_call_rate(caller.calls_per_operation)})"
        for caller in method.called_by
    ]
    omitted_text = f" and {len(calls) - _MAX_NAMES} more" if len(calls) > _MAX_NAMES else ""
    span = method.span
    return TraceRow(
        name=name,
        id=names.escape_line(method.id),
        reach=method.reach,
        word=REACH_WORDS[method.reach],
        kind=REACH_STYLES[method.reach],
        tests=number_format.format_number(method.tests),
        called=-1 if method.tests is None else method.tests,
        benchmarks=len(calls),
        callers=", ".join(calls[:_MAX_NAMES]) + omitted_text,
        location=names.escape_line(f"{span.file}:{span.first_line}") if span else "",
        note=names.escape_line(_format_note(method, benchmarks)),
    )


def _format_call_rate(calls: float | None) -> str:
    return (
        "calls unknown" if calls is None else f"{number_format.format_number(calls)} per operation"
    )


def _format_note(method: TracedMethod, benchmarks: dict[str, str]) -> str:
    if method.reason:
        return method.reason
    if method.reach is not ReachState.SET_UP_ONLY:
        return ""
    benchmark_names = [benchmarks[benchmark_id] for benchmark_id in method.set_up_in]
    omitted_text = (
        f" and {len(benchmark_names) - _MAX_NAMES} more"
        if len(benchmark_names) > _MAX_NAMES
        else ""
    )
    return f"in the set-up of {', '.join(benchmark_names[:_MAX_NAMES])}{omitted_text}"


def render_html(document: TraceDocument) -> str:
    """Render a map as one page."""
    return render_template("trace.html.j2", page=build_view(document))
