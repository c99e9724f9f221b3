"""Two versions of a class under threads: what is shown of them, and the page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from markupsafe import Markup

from auditor.concurrency import page_throughput
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
from auditor.core.contracts.concurrency import CROWD, ConcurrencyFinding, TimedScope, Vote
from reports import names, number_format
from reports.html import Closing, Facts, GateView, of_whole, rendered
from reports.wording import Word

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
    word: Word  # finding, in words
    votes: tuple[int, int, int, int]  # for old, for new, for none, inconclusive
    speedup: str  # old / new, mean of the conclusive tests
    interval: str  # of the speed-up
    left_out: int  # number of tests that could not change the finding


@dataclass(frozen=True, slots=True)
class VoteCell:
    """A test with one number of threads."""

    kind: str  # vote, as a style
    word: Word | None  # vote, in words; None: the test did not run
    speedup: str  # old / new
    interval: str  # of the speed-up
    times: str  # mean repetition of the old and the new version; empty: inconclusive
    note: str  # why it is inconclusive or did not run; empty: it is conclusive


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeRow:
    """A test: what it is made of, and a cell for each number of threads."""

    number: int
    smallest: bool
    made: str
    cells: tuple[VoteCell, ...]
    plot: Markup = field(repr=False)


@dataclass(frozen=True, slots=True)
class FocusRow:
    """A method that the tests prefer, and why."""

    method: str
    distance: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcurrencyView:
    """All that is shown of a comparison."""

    subject: str  # name of the class
    versions: str  # old … new
    headline: str  # the finding in one sentence
    cause: str  # whether one thread alone shows the difference too
    rows: tuple[ThreadsRow, ...]  # one for each number of threads
    plot: Markup = field(repr=False)  # throughput by number of threads
    drawn: str  # which tests `plot` shows
    smallest: str  # the smallest test that shows the finding; empty: none
    tests: tuple[MadeRow, ...]  # the smallest test that shows the finding, then by size
    focus: tuple[FocusRow, ...]  # methods that the tests prefer
    methods: tuple[str, ...]  # those that tests call
    length: str  # length of a suffix, and the lengths that were tried
    dropped: tuple[str, ...]  # what was left out, and how often
    files: tuple[str, ...]  # paths of the generated sources
    closing: Closing  # caveats and circumstances


def _headline(document: ConcurrencyDocument) -> str:
    """Return the finding; where other work ran beside the races, that is said first."""
    answer = words.headline(document)
    return f"Busy machine: {answer}" if _is_busy(document) else answer


def _is_busy(document: ConcurrencyDocument) -> bool:
    return any(caveat.slug in _BUSY for caveat in document.caveats)


def view(document: ConcurrencyDocument) -> ConcurrencyView:
    """Put a document into words."""
    common = page_throughput.conclusive_tests(document)
    return ConcurrencyView(
        subject=names.label(document.subject),
        versions=f"{_origin(document.old)} … {_origin(document.new)}",
        headline=_headline(document),
        cause=words.cause(document),
        rows=tuple(map(_row, page_throughput.lanes(document))),
        plot=page_throughput.curve(document, common),
        drawn=_drawn(document, len(common)),
        smallest=_smallest(document),
        tests=tuple(_tests(document)),
        focus=tuple(
            FocusRow(names.label(focus.method), _distance(focus.distance), names.line(focus.why))
            for focus in document.focus
        ),
        methods=tuple(map(names.label, document.methods)),
        length=_length(document),
        dropped=tuple(
            f"{names.line(dropped_part.what)}: {number_format.count(dropped_part.times, 'time')}"
            for dropped_part in document.dropped
        ),
        files=tuple(names.label(f"suite/{file}") for file in document.files),
        closing=_closing(document),
    )


def html(document: ConcurrencyDocument, gate: GateView | None = None) -> str:
    """Render a comparison as one page, with what the gate said."""
    return rendered(
        "concurrency.html.j2",
        page=view(document),
        findings=tuple((_FINDING_KINDS[finding], word) for finding, word in words.FINDINGS.items()),
        votes=tuple((_VOTE_KINDS[vote], word) for vote, word in words.VOTES.items()),
        gate=gate,
    )


def _origin(origin: Origin) -> str:
    given = names.label(origin.given)
    text = names.label(origin.revision[:12])
    return given if not text or given.endswith(text) else f"{given} ({text})"


def _row(lane: ThreadsResult) -> ThreadsRow:
    votes = lane.votes
    return ThreadsRow(
        threads=page_throughput.lane_name(lane),
        finding=lane.finding,
        kind=_FINDING_KINDS[lane.finding],
        word=words.FINDINGS[lane.finding],
        votes=(votes.old, votes.new, votes.none, votes.inconclusive),
        speedup=words.ratio(lane.speedup),
        interval=words.interval(lane.speedup_interval),
        left_out=lane.left_out,
    )


def _drawn(document: ConcurrencyDocument, common: int) -> str:
    if document.plan.scope is not TimedScope.ALL:
        return "Each suffix was timed by itself, which tells nothing of the throughput of all."
    if not common:
        return "No test is conclusive with all of the numbers of threads, so there is no curve."
    those = f"{common} of {number_format.count(len(document.tests), 'test')}"
    return (
        f"{those}, which are conclusive with each number of threads that has a point, one after "
        "the other. Each thread has calls of its own, so other threads add other calls, too."
    )


def _tests(document: ConcurrencyDocument) -> Iterator[MadeRow]:
    """Yield the tests: the smallest that shows the finding, then by their statements."""
    lanes = page_throughput.lanes(document)
    found = [{test.test: test for test in lane.tests} for lane in lanes]
    order = sorted(
        document.tests,
        key=lambda test: (test.test != document.smallest, _statements(test), test.test),
    )
    for index, generated_test in enumerate(order):
        runs = sum(
            generated_test.test in each and each[generated_test.test].speedup is not None
            for each in found
        )
        yield MadeRow(
            number=generated_test.test,
            smallest=generated_test.test == document.smallest,
            made=_made(generated_test),
            cells=tuple(_cell(each.get(generated_test.test)) for each in found),
            plot=page_throughput.curve(document, {generated_test.test}, page_throughput.SMALL)
            if index < MOST_DRAWN and runs > 1
            else Markup(),
        )


def _statements(test: GeneratedTest) -> int:
    return test.prefix + sum(test.suffixes)


def _made(test: GeneratedTest) -> str:
    sizes = sorted({min(test.suffixes, default=0), max(test.suffixes, default=0)})
    suffix = " to ".join(map(str, sizes))
    return f"{test.prefix} + {suffix}, {test.repeats:,} times"


def _cell(test: MeasuredTest | None) -> VoteCell:
    if test is None:
        return VoteCell("plain", None, number_format.NONE, "", "", "left out")
    return VoteCell(
        _VOTE_KINDS[test.vote],
        words.VOTES[test.vote],
        words.ratio(test.speedup),
        words.interval(test.speedup_interval),
        "" if test.speedup is None else f"{_mean(test.old)} → {_mean(test.new)}",
        names.line(test.reason),
    )


def _mean(values: Sequence[float]) -> str:
    return number_format.seconds(fmean(values))


def _smallest(document: ConcurrencyDocument) -> str:
    generated_test = next((test for test in document.tests if test.test == document.smallest), None)
    if generated_test is None:
        return ""
    size = number_format.count(_statements(generated_test), "statement")
    number = generated_test.test
    return f"Of those that vote for what was found, test {number} is the smallest: {size} in all."


def _distance(distance: int) -> str:
    return "changed" if distance == 0 else number_format.count(distance, "call") + " away"


def _length(document: ConcurrencyDocument) -> str:
    text = f"A suffix is {document.length:,} calls long"
    if not document.tried:
        return f"{text}."
    return f"{text}; tried were {', '.join(f'{one:,}' for one in document.tried)}."


def _closing(document: ConcurrencyDocument) -> Closing:
    circumstances = (
        ("Old", _origin(document.old)),
        ("New", _origin(document.new)),
        ("Host", document.host),
        ("Started", document.started),
        ("Ended", document.ended),
    )
    return Closing(
        caveats=tuple(of_whole(document.caveats)),
        circumstances=tuple((name, value) for name, value in circumstances if value),
        host=tuple(document.host_facts.items()),
        plan=(
            *_generation(document.plan),
            *_execution(document.plan),
            ("seed", f"{document.seed}"),
        ),
        versions=(("bench-audit", document.bench_audit), *document.versions.items()),
        command=document.command,
        config="",
        machine="Busy machine" if _is_busy(document) else "",
    )


def _generation(plan: ConcurrencyPlan) -> Facts:
    tries = number_format.count(plan.most_tries, "try", "tries")
    calls = f"{plan.shortest:,} to {plan.longest:,} calls, {tries}"
    return (
        ("threads", ", ".join(map(str, plan.threads))),
        ("tests", str(plan.tests)),
        ("calls of a prefix", str(plan.prefix)),
        ("length of a suffix", calls),
        ("repetition", f"at least {number_format.seconds(plan.least_seconds)}"),
        ("call while made", f"at most {number_format.seconds(plan.attempt_seconds)}"),
    )


def _execution(plan: ConcurrencyPlan) -> Facts:
    steady = number_format.seconds(plan.steady_seconds)
    if plan.crowded_seconds != plan.steady_seconds:
        steady += f", {number_format.seconds(plan.crowded_seconds)} with more than {CROWD} threads"
    stop, accept = map(number_format.share, (plan.stop_spread, plan.acceptable_spread))
    spreads = f"stop at {stop}, accept {accept}"
    return (
        ("warm-up", number_format.seconds(plan.warmup_seconds)),
        (
            "a measurement",
            f"{steady}, at least {number_format.count(plan.least_repetitions, 'repetition')}",
        ),
        ("measurements", f"{plan.least_measurements} to {plan.most_measurements} of each version"),
        ("spread", spreads),
        ("processes", "one for each measurement" if plan.processes else "shared"),
        ("what is timed", _SCOPES[plan.scope]),
        ("control", "yes" if plan.control else "no"),
        ("least difference", number_format.share(plan.report)),
        ("confidence", number_format.share(plan.confidence)),
        ("conclusive tests", f"at least {plan.least_conclusive} for a finding"),
    )
