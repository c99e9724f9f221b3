"""The JSON result of `concurrency`: its types, and the conversion of a verdict.

The names are promised to other programs (reports/schema/concurrency.schema.json).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isinf
from statistics import fmean

import msgspec

from auditor.core.caveats import Caveat
from auditor.core.contracts.concurrency import (
    ConcurrencyFinding,
    ConcurrencyVerdict,
    ConcurrentTestSuite,
    DifferenceCause,
    FocusMethod,
    JudgedTest,
    ThreadVerdict,
    TimedScope,
    Vote,
)
from auditor.core.provenance import NamedValues
from reports.results import Plain, Range, read_as, schema_of, strict

Ratio = tuple[float, float | None]
"""Both ends of an interval of speed-ups; the upper one is null where there is none."""


class Origin(msgspec.Struct, frozen=True):
    """The path or revision of a version of the class, as the user wrote it."""

    given: str
    revision: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """The origin of both versions and the environment of their runs."""

    old: Origin
    new: Origin
    host: str
    host_facts: NamedValues
    versions: NamedValues
    version: str  # of bench-audit
    command: str
    started: str  # UTC, ISO 8601
    ended: str


class ConcurrencyPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters; spreads are parts of the mean, `report` is the least difference (0.05)."""

    threads: tuple[int, ...]
    tests: int
    warmup_seconds: float
    steady_seconds: float
    crowded_seconds: float
    least_seconds: float
    least_repetitions: int
    stop_spread: float
    acceptable_spread: float
    least_measurements: int
    most_measurements: int
    least_conclusive: int
    most_tries: int
    shortest: int
    longest: int
    statements: int
    prefix: int
    report: float
    confidence: float
    strict: bool
    processes: bool
    control: bool
    scope: TimedScope
    attempt_seconds: float


class Votes(msgspec.Struct, frozen=True, kw_only=True):
    """The number of tests by their vote."""

    old: int
    new: int
    none: int
    inconclusive: int


class MeasuredTest(msgspec.Struct, frozen=True, kw_only=True):
    """A test with one number of threads; times are seconds of a repetition."""

    test: int
    vote: Vote
    speedup: float | None
    """old / new: the geometric mean of the pairs, else the quotient of the means."""
    speedup_interval: Ratio | None
    """That of the geometric mean, else between the farthest ends of both intervals."""
    calls: int  # calls in a repetition
    repetitions: int  # repetitions whose mean is one measurement
    old: tuple[float, ...]  # measurements of the old version
    new: tuple[float, ...]  # measurements of the new version
    old_interval: Range | None  # of the mean; null: the test is inconclusive
    new_interval: Range | None
    reason: str  # why the test is inconclusive; empty: it is conclusive


class ThreadsResult(msgspec.Struct, frozen=True, kw_only=True):
    """The tests with one number of threads and their finding."""

    threads: int  # 0: the control, the same calls in one thread
    finding: ConcurrencyFinding
    votes: Votes
    speedup: float | None  # mean of the conclusive tests
    speedup_interval: Ratio | None
    """Means of both ends: it is about these tests, not about all that might be generated."""
    left_out: int  # tests that were not run, as they could not change the finding
    tests: tuple[MeasuredTest, ...]


class GeneratedTest(msgspec.Struct, frozen=True, kw_only=True):
    """The size of a generated test."""

    test: int
    prefix: int  # statements
    suffixes: tuple[int, ...]  # statements of each
    repeats: int  # how often each suffix is repeated


class DroppedPart(msgspec.Struct, frozen=True):
    """Something that was left out while tests were generated, and how often."""

    what: str
    times: int


class ConcurrencyDocument(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/concurrency/1"
):
    """Whether the new version of a class is slower when threads share an object."""

    subject: str  # the class
    old: Origin
    new: Origin
    host: str
    host_facts: dict[str, str]
    seed: int
    plan: ConcurrencyPlan
    versions: dict[str, str]
    bench_audit: str
    command: str
    started: str
    ended: str
    finding: ConcurrencyFinding
    cause: DifferenceCause
    threads: tuple[ThreadsResult, ...]
    control: ThreadsResult | None
    smallest: int | None  # number of the test that shows the finding with the fewest statements
    tests: tuple[GeneratedTest, ...]
    length: int  # calls in a suffix
    tried: tuple[int, ...]  # lengths that were tried
    methods: tuple[str, ...]
    focus: tuple[FocusMethod, ...]
    dropped: tuple[DroppedPart, ...]
    files: tuple[str, ...]  # names of the generated sources
    caveats: tuple[Caveat, ...]


def concurrency_document(
    verdict: ConcurrencyVerdict, circumstances: Circumstances
) -> ConcurrencyDocument:
    """Return the document of a comparison of two versions of a class."""
    fields = {
        **_circumstances(circumstances),
        **_suite(verdict.suite),
        "schema": "bench-audit/concurrency/1",
        "subject": verdict.subject,
        "seed": verdict.plan.seed,
        "plan": verdict.plan,
        "finding": verdict.finding,
        "cause": verdict.cause,
        "threads": [_threads(thread) for thread in verdict.threads],
        "control": verdict.control and _threads(verdict.control),
        "smallest": verdict.smallest,
        "caveats": tuple(dict.fromkeys((*verdict.suite.caveats, *verdict.caveats))),
    }
    return msgspec.convert(strict(msgspec.to_builtins(fields)), ConcurrencyDocument)


def _circumstances(around: Circumstances) -> Plain:
    return {
        "old": around.old,
        "new": around.new,
        **{name: getattr(around, name) for name in ("host", "command", "started", "ended")},
        "host_facts": dict(around.host_facts),
        "versions": dict(around.versions),
        "bench_audit": around.version,
    }


def _suite(suite: ConcurrentTestSuite) -> Plain:
    tests = [
        {
            "test": test.number,
            "prefix": len(test.prefix),
            "suffixes": [len(suffix) for suffix in test.suffixes],
            "repeats": test.repeats,
        }
        for test in suite.tests
    ]
    return {
        "tests": tests,
        "length": suite.length,
        "tried": suite.tried,
        "methods": suite.methods,
        "focus": suite.focus,
        "dropped": [{"what": what, "times": times} for what, times in suite.dropped],
        "files": [name for name, _ in suite.files],
    }


def _threads(verdict: ThreadVerdict) -> Plain:
    intervals = [_interval(test) for test in verdict.tests]
    return {
        "threads": verdict.threads,
        "finding": verdict.finding,
        "votes": {vote.value: verdict.votes(vote) for vote in Vote},
        "speedup": verdict.speedup,
        "speedup_interval": _mean([interval for interval in intervals if interval is not None]),
        "left_out": verdict.left_out,
        "tests": [
            _test_fields(test, interval)
            for test, interval in zip(verdict.tests, intervals, strict=True)
        ],
    }


def _test_fields(judged_test: JudgedTest, interval: Ratio | None) -> Plain:
    timed = judged_test.timed
    return {
        "test": timed.test,
        "vote": judged_test.vote,
        "speedup": judged_test.speedup,
        "speedup_interval": interval,
        **{name: getattr(timed, name) for name in _TIMED},
        "old_interval": judged_test.old,
        "new_interval": judged_test.new,
    }


_TIMED = ("calls", "repetitions", "old", "new", "reason")


def _interval(judged_test: JudgedTest) -> Ratio | None:
    if judged_test.ratio is None:
        return None
    low, high = judged_test.ratio
    return low, None if isinf(high) else high


def _mean(intervals: Sequence[Ratio]) -> Ratio | None:
    if not intervals:
        return None
    highs = [high for _, high in intervals if high is not None]
    most = fmean(highs) if len(highs) == len(intervals) else None
    return fmean(low for low, _ in intervals), most


def read(written: str | bytes) -> ConcurrencyDocument:
    """Return the document in a file; raises UsageError for anything else."""
    return read_as(ConcurrencyDocument, "concurrency", written)


def schema() -> str:
    """Return the JSON Schema of the document, as text."""
    return schema_of(ConcurrencyDocument, "bench-audit comparison of two versions of a class")
