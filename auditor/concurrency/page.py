"""Two versions of a class under threads: what is shown of them, and the page."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from statistics import fmean

from markupsafe import Markup

from auditor.concurrency import text as words
from auditor.concurrency.document import (
    ConcurrencyDocument,
    ConcurrencyPlan,
    GeneratedTest,
    MeasuredTest,
    Origin,
    ThreadsResult,
)
from auditor.core import busy
from auditor.core.contracts.concurrency import (
    CROWD,
    SEQUENTIAL,
    ConcurrencyFinding,
    TimedScope,
    Vote,
)
from reports import charts, names, number_format, plots
from reports.charts import Axes, ChartCurve, ChartPoint
from reports.html import ClosingSection, Facts, GateView, make_caveat_views, render_template
from reports.results import NullableRange
from reports.wording import LegendEntry

WIDE, SMALL = (600, 300), (400, 230)
_UNITS = ((1e6, "million "), (1e3, "thousand "), (1.0, ""))

_FINDING_KINDS = {
    ConcurrencyFinding.REGRESSION: "missed",
    ConcurrencyFinding.IMPROVEMENT: "detected",
    ConcurrencyFinding.INCONCLUSIVE: "inconclusive",
    ConcurrencyFinding.NONE: "plain",
}
_VOTE_KINDS = {
    Vote.OLD: "missed",
    Vote.NEW: "detected",
    Vote.INCONCLUSIVE: "inconclusive",
    Vote.NONE: "plain",
}
"""What the style of the pages knows a cell by."""
_SCOPES = {
    TimedScope.ALL: "from the first start of a suffix to the last end",
    TimedScope.EACH: "each suffix by itself",
}
_BUSY = {"host-load", busy.SLUG}
"""Caveats of work that others did beside the races."""
MOST_DRAWN = 12
"""Tests that have a drawing of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadsRow:
    """The tests with one number of threads."""

    threads: str  # number of threads, or the control
    finding: ConcurrencyFinding  # of these tests
    kind: str  # finding, as a style
    word: LegendEntry  # finding, in words
    votes: tuple[int, int, int, int]  # for old, for new, for none, inconclusive
    speedup: str  # old / new, mean of the conclusive tests
    interval: str  # of the speed-up
    left_out: int  # number of tests that could not change the finding


@dataclass(frozen=True, slots=True)
class VoteCell:
    """A test with one number of threads."""

    kind: str  # vote, as a style
    word: LegendEntry | None  # vote, in words; None: the test did not run
    speedup: str  # old / new
    interval: str  # of the speed-up
    times: str  # mean repetition of the old and the new version; empty: inconclusive
    note: str  # why it is inconclusive or did not run; empty: it is conclusive


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedTestRow:
    """A test: what it is made of, and a cell for each number of threads."""

    number: int
    smallest: bool
    composition: str
    cells: tuple[VoteCell, ...]
    plot: Markup = field(repr=False)


@dataclass(frozen=True, slots=True)
class FocusRow:
    """A method that the tests prefer, and why."""

    method: str
    distance: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcurrencyView:
    """All that is shown of a comparison."""

    subject: str  # name of the class
    versions: str  # old … new
    headline: str  # the finding in one sentence
    cause: str  # whether one thread alone shows the difference too
    rows: tuple[ThreadsRow, ...]  # one for each number of threads
    plot: Markup = field(repr=False)  # throughput by number of threads
    plot_note: str  # which tests `plot` shows
    smallest: str  # the smallest test that shows the finding; empty: none
    tests: tuple[GeneratedTestRow, ...]  # the smallest test that shows the finding, then by size
    focus: tuple[FocusRow, ...]  # methods that the tests prefer
    methods: tuple[str, ...]  # those that tests call
    length: str  # length of a suffix, and the lengths that were tried
    dropped: tuple[str, ...]  # what was left out, and how often
    files: tuple[str, ...]  # paths of the generated sources
    closing: ClosingSection  # caveats and circumstances


def _format_headline(document: ConcurrencyDocument) -> str:
    """Return the finding; where other work ran beside the races, that is said first."""
    answer = words.format_headline(document)
    return f"Busy machine: {answer}" if _is_busy(document) else answer


def _is_busy(document: ConcurrencyDocument) -> bool:
    return any(caveat.slug in _BUSY for caveat in document.caveats)


def build_view(document: ConcurrencyDocument) -> ConcurrencyView:
    """Put a document into words."""
    common = find_conclusive_tests(document)
    return ConcurrencyView(
        subject=names.format_label(document.subject),
        versions=f"{_format_origin(document.old)} … {_format_origin(document.new)}",
        headline=_format_headline(document),
        cause=words.describe_cause(document),
        rows=tuple(map(_build_row, _list_lanes(document))),
        plot=draw_curve(document, common),
        plot_note=_describe_plot(document, len(common)),
        smallest=_describe_smallest(document),
        tests=tuple(_build_test_rows(document)),
        focus=tuple(
            FocusRow(
                names.format_label(focus.method),
                _format_distance(focus.distance),
                names.escape_line(focus.reason),
            )
            for focus in document.focus
        ),
        methods=tuple(map(names.format_label, document.methods)),
        length=_describe_length(document),
        dropped=tuple(
            f"{names.escape_line(dropped_part.part)}: "
            f"{number_format.format_count(dropped_part.times, 'time')}"
            for dropped_part in document.dropped
        ),
        files=tuple(names.format_label(f"suite/{file}") for file in document.files),
        closing=_build_closing(document),
    )


def render_html(document: ConcurrencyDocument, gate: GateView | None = None) -> str:
    """Render a comparison as one page, with what the gate said."""
    return render_template(
        "concurrency.html.j2",
        page=build_view(document),
        findings=tuple((_FINDING_KINDS[finding], word) for finding, word in words.FINDINGS.items()),
        votes=tuple((_VOTE_KINDS[vote], word) for vote, word in words.VOTES.items()),
        gate=gate,
    )


def _format_origin(origin: Origin) -> str:
    version_text = names.format_label(origin.description)
    text = names.format_label(origin.revision[:12])
    return version_text if not text or version_text.endswith(text) else f"{version_text} ({text})"


def _build_row(lane: ThreadsResult) -> ThreadsRow:
    votes = lane.votes
    return ThreadsRow(
        threads=_lane_name(lane),
        finding=lane.finding,
        kind=_FINDING_KINDS[lane.finding],
        word=words.FINDINGS[lane.finding],
        votes=(votes.old, votes.new, votes.none, votes.inconclusive),
        speedup=words.format_ratio(lane.speedup),
        interval=words.format_interval(lane.speedup_interval),
        left_out=lane.left_out,
    )


def _describe_plot(document: ConcurrencyDocument, common: int) -> str:
    if document.plan.scope is not TimedScope.ALL:
        return "Each suffix was timed by itself, which tells nothing of the throughput of all."
    if not common:
        return "No test is conclusive with all of the numbers of threads, so there is no curve."
    count_text = f"{common} of {number_format.format_count(len(document.tests), 'test')}"
    return (
        f"{count_text}, which are conclusive with each number of threads that has a point, one "
        "after the other. Each thread has calls of its own, so other threads add other calls, too."
    )


def _build_test_rows(document: ConcurrencyDocument) -> Iterator[GeneratedTestRow]:
    """Yield the tests: the smallest that shows the finding, then by their statements."""
    lanes = _list_lanes(document)
    lane_tests = [{test.test: test for test in lane.tests} for lane in lanes]
    order = sorted(
        document.tests,
        key=lambda test: (test.test != document.smallest, _count_statements(test), test.test),
    )
    for index, generated_test in enumerate(order):
        runs = sum(
            generated_test.test in tests_by_number
            and tests_by_number[generated_test.test].speedup is not None
            for tests_by_number in lane_tests
        )
        yield GeneratedTestRow(
            number=generated_test.test,
            smallest=generated_test.test == document.smallest,
            composition=_format_composition(generated_test),
            cells=tuple(
                _build_cell(tests_by_number.get(generated_test.test))
                for tests_by_number in lane_tests
            ),
            plot=draw_curve(document, {generated_test.test}, SMALL)
            if index < MOST_DRAWN and runs > 1
            else Markup(),
        )


def _count_statements(test: GeneratedTest) -> int:
    return test.prefix + sum(test.suffixes)


def _format_composition(test: GeneratedTest) -> str:
    sizes = sorted({min(test.suffixes, default=0), max(test.suffixes, default=0)})
    suffix = " to ".join(map(str, sizes))
    return f"{test.prefix} + {suffix}, {test.repeats:,} times"


def _build_cell(test: MeasuredTest | None) -> VoteCell:
    if test is None:
        return VoteCell("plain", None, number_format.NO_VALUE, "", "", "left out")
    return VoteCell(
        _VOTE_KINDS[test.vote],
        words.VOTES[test.vote],
        words.format_ratio(test.speedup),
        words.format_interval(test.speedup_interval),
        "" if test.speedup is None else f"{_format_mean(test.old)} → {_format_mean(test.new)}",
        names.escape_line(test.reason),
    )


def _format_mean(values: Sequence[float]) -> str:
    return number_format.format_seconds(fmean(values))


def _describe_smallest(document: ConcurrencyDocument) -> str:
    generated_test = next((test for test in document.tests if test.test == document.smallest), None)
    if generated_test is None:
        return ""
    size = number_format.format_count(_count_statements(generated_test), "statement")
    number = generated_test.test
    return f"Of those that vote for what was found, test {number} is the smallest: {size} in all."


def _format_distance(distance: int) -> str:
    return "changed" if distance == 0 else number_format.format_count(distance, "call") + " away"


def _describe_length(document: ConcurrencyDocument) -> str:
    text = f"A suffix is {document.length:,} calls long"
    if not document.tried:
        return f"{text}."
    return f"{text}; tried were {', '.join(f'{length:,}' for length in document.tried)}."


def _build_closing(document: ConcurrencyDocument) -> ClosingSection:
    circumstances = (
        ("Old", _format_origin(document.old)),
        ("New", _format_origin(document.new)),
        ("Host", document.host),
        ("Started", document.started),
        ("Ended", document.ended),
    )
    return ClosingSection(
        caveats=tuple(make_caveat_views(document.caveats)),
        circumstances=tuple((name, value) for name, value in circumstances if value),
        host=tuple(document.host_facts.items()),
        plan=(
            *_list_generation_facts(document.plan),
            *_list_execution_facts(document.plan),
            ("seed", f"{document.seed}"),
        ),
        versions=(("bench-audit", document.bench_audit), *document.versions.items()),
        command=document.command,
        config="",
        machine="Busy machine" if _is_busy(document) else "",
    )


def _list_generation_facts(plan: ConcurrencyPlan) -> Facts:
    tries = number_format.format_count(plan.most_tries, "try", "tries")
    calls = f"{plan.shortest:,} to {plan.longest:,} calls, {tries}"
    return (
        ("threads", ", ".join(map(str, plan.threads))),
        ("tests", str(plan.tests)),
        ("calls of a prefix", str(plan.prefix)),
        ("length of a suffix", calls),
        ("repetition", f"at least {number_format.format_seconds(plan.least_seconds)}"),
        ("call while made", f"at most {number_format.format_seconds(plan.attempt_seconds)}"),
    )


def _list_execution_facts(plan: ConcurrencyPlan) -> Facts:
    steady = number_format.format_seconds(plan.steady_seconds)
    if plan.crowded_seconds != plan.steady_seconds:
        steady += (
            f", {number_format.format_seconds(plan.crowded_seconds)} with more than {CROWD} threads"
        )
    stop, accept = map(number_format.format_share, (plan.stop_spread, plan.acceptable_spread))
    spreads = f"stop at {stop}, accept {accept}"
    return (
        ("warm-up", number_format.format_seconds(plan.warmup_seconds)),
        (
            "a measurement",
            f"{steady}, at least "
            f"{number_format.format_count(plan.least_repetitions, 'repetition')}",
        ),
        ("measurements", f"{plan.least_measurements} to {plan.most_measurements} of each version"),
        ("spread", spreads),
        ("processes", "one for each measurement" if plan.processes else "shared"),
        ("what is timed", _SCOPES[plan.scope]),
        ("control", "yes" if plan.control else "no"),
        ("least difference", number_format.format_share(plan.report)),
        ("confidence", number_format.format_share(plan.confidence)),
        ("conclusive tests", f"at least {plan.least_conclusive} for a finding"),
    )


def _list_lanes(document: ConcurrencyDocument) -> tuple[ThreadsResult, ...]:
    """Return the control, where there is one, and the numbers of threads from the least on."""
    ordered = sorted(document.threads, key=lambda thread: thread.threads)
    return (*([document.control] if document.control else []), *ordered)


def _lane_name(lane: ThreadsResult) -> str:
    """Return how many threads there are; the control is the one that tells of one thread."""
    return "1 (control)" if lane.threads == SEQUENTIAL else str(lane.threads)


def find_conclusive_tests(document: ConcurrencyDocument) -> frozenset[int]:
    """Return the tests that are conclusive with each number of threads that has such tests.

    Else the points of a curve would be of different tests. A number with which all are open has
    no point.
    """
    all_ = [
        {test.test for test in lane.tests if test.speedup is not None}
        for lane in _list_lanes(document)
    ]
    test_sets = [test_numbers for test_numbers in all_ if test_numbers]
    return frozenset[int]().union(*test_sets).intersection(*test_sets)


def draw_curve(
    document: ConcurrencyDocument, tests: Container[int], size: tuple[int, int] = WIDE
) -> Markup:
    """Draw the throughput of tests that are done one after the other.

    NOTHING without a test, and where each suffix was timed by itself: this tells nothing of what
    all threads do together.
    """
    lane_tests = [
        (lane, [test for test in lane.tests if test.test in tests and test.speedup is not None])
        for lane in _list_lanes(document)
    ]
    measured_lanes = [
        (lane, measured_tests) for lane, measured_tests in lane_tests if measured_tests
    ]
    if document.plan.scope is not TimedScope.ALL or not measured_lanes:
        return plots.EMPTY_PLOT
    old = [
        _compute_rate(
            index, measured_tests, [(test.old, test.old_interval) for test in measured_tests]
        )
        for index, (_, measured_tests) in enumerate(measured_lanes)
    ]
    new = [
        _compute_rate(
            index, measured_tests, [(test.new, test.new_interval) for test in measured_tests]
        )
        for index, (_, measured_tests) in enumerate(measured_lanes)
    ]
    names = [_lane_name(lane) for lane, _ in measured_lanes]
    return _draw_chart(names, (old, new), size)


def _compute_rate(
    position: int,
    tests: Sequence[MeasuredTest],
    times: Sequence[tuple[Sequence[float], NullableRange | None]],
) -> ChartPoint:
    """Return the calls per second at a place, between what both ends of all intervals give."""
    calls = sum(test.calls for test in tests)
    mean = sum(fmean(values) for values, _ in times)
    least, most = (sum(_read_bound(interval, end) for _, interval in times) for end in (0, 1))
    return ChartPoint(position, calls / mean, calls / most, calls / least if least > 0 else inf)


def _read_bound(interval: NullableRange | None, end: int) -> float:
    return (interval[end] if interval else None) or 0.0


def _draw_chart(
    names: Sequence[str], versions: tuple[list[ChartPoint], list[ChartPoint]], size: tuple[int, int]
) -> Markup:
    points = [point for version in versions for point in version]
    most = max(point.high if point.high < inf else point.value for point in points)
    scale, unit = next(
        (unit_choice for unit_choice in _UNITS if most >= unit_choice[0]), _UNITS[-1]
    )
    curves = tuple(
        ChartCurve(name, kind, tuple(_scale_point(point, scale) for point in version))
        for name, kind, version in zip(("old", "new"), ("first", "second"), versions, strict=True)
    )
    axes = Axes(
        size=size,
        ends=(0.0, len(names) - 1.0),
        named=tuple((float(index), name) for index, name in enumerate(names)),
        across="threads",
        units=f"{unit}calls per second",
        most=charts.choose_ticks(most / scale)[-1],
    )
    text = "; ".join(
        f"threads {name}: old {number_format.format_number(old.value)}, "
        f"new {number_format.format_number(new.value)}"
        for name, old, new in zip(names, *versions, strict=True)
    )
    label = f"calls per second with {text}"
    return plots.make_svg(size, label, charts.draw_chart(axes, curves), kind="lines")


def _scale_point(point: ChartPoint, scale: float) -> ChartPoint:
    return ChartPoint(point.x, point.value / scale, point.low / scale, point.high / scale)
