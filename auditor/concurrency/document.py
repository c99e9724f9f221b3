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
from reports.results import (
    NullableRange,
    PlainFields,
    convert_fields,
    copy_fields,
    decode_document,
)

Ratio = tuple[float, float | None]
"""Both ends of an interval of speed-ups; the upper one is null where there is none."""


class Origin(msgspec.Struct, frozen=True):
    """The path or revision of a version of the class, as the user wrote it."""

    description: str
    revision: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """The origin of both versions and the environment of their runs."""

    old: Origin  # origin of the old version
    new: Origin  # origin of the new version
    host: str  # where the tests ran
    host_facts: NamedValues  # such as ("cores", "8")
    versions: NamedValues  # of the tools
    version: str  # of bench-audit
    command: str  # the command line
    started: str  # UTC, ISO 8601
    ended: str  # UTC, ISO 8601


class ConcurrencyPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters; spreads are standard deviations as parts of the mean."""

    threads: tuple[int, ...]  # numbers of threads that each test runs with
    tests: int  # number of tests to generate
    warmup_seconds: float  # of a process, before it measures
    steady_seconds: float  # of a measurement
    crowded_seconds: float  # of a measurement with more than 8 threads
    least_seconds: float  # of a repetition
    least_repetitions: int  # in a measurement
    stop_spread: float  # measurements end once their spread is at most this
    acceptable_spread: float  # largest spread of a conclusive test
    least_measurements: int  # of each version
    most_measurements: int  # of each version
    least_conclusive: int  # conclusive tests that a finding needs
    most_tries: int  # lengths of a suffix that are tried
    shortest: int  # length of a suffix, calls: least that is tried
    longest: int  # length of a suffix, calls: most that is tried
    statements: int  # in a suffix at most; 0: any number
    prefix: int  # calls in a prefix
    report: float  # least relative difference of a finding (δ_report)
    confidence: float  # level of all intervals
    strict: bool  # whether the paper's oracle decides
    processes: bool  # whether each measurement has a process of its own
    control: bool  # whether the tests also run in one thread
    scope: TimedScope  # what of a repetition is timed
    attempt_seconds: float  # of an attempt while tests are generated


class Votes(msgspec.Struct, frozen=True, kw_only=True):
    """The number of tests by their vote."""

    old: int
    new: int
    none: int
    inconclusive: int


class MeasuredTest(msgspec.Struct, frozen=True, kw_only=True):
    """A test with one number of threads; times are seconds of a repetition."""

    test: int  # number of the test
    vote: Vote  # for the faster version
    speedup: float | None
    """old / new: the geometric mean of the pairs, else the quotient of the means."""
    speedup_interval: Ratio | None
    """That of the geometric mean, else between the farthest ends of both intervals."""
    calls: int  # calls in a repetition
    repetitions: int  # repetitions whose mean is one measurement
    old: tuple[float, ...]  # measurements of the old version
    new: tuple[float, ...]  # measurements of the new version
    old_interval: NullableRange | None  # of the mean; null: the test is inconclusive
    new_interval: NullableRange | None  # likewise
    reason: str  # why the test is inconclusive; empty: it is conclusive


class ThreadsResult(msgspec.Struct, frozen=True, kw_only=True):
    """The tests with one number of threads and their finding."""

    threads: int  # 0: the control, the same calls in one thread
    finding: ConcurrencyFinding  # of these tests
    votes: Votes  # number of tests by vote
    speedup: float | None  # mean of the conclusive tests
    speedup_interval: Ratio | None
    """Means of both ends: it is about these tests, not about all that might be generated."""
    left_out: int  # tests that were not run, as they could not change the finding
    tests: tuple[MeasuredTest, ...]  # those that ran


class GeneratedTest(msgspec.Struct, frozen=True, kw_only=True):
    """The size of a generated test."""

    test: int
    prefix: int  # statements
    suffixes: tuple[int, ...]  # statements of each
    repeats: int  # how often each suffix is repeated


class DroppedPart(msgspec.Struct, frozen=True):
    """Something that was left out while tests were generated, and how often."""

    part: str
    times: int


class ConcurrencyDocument(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/concurrency/1"
):
    """Whether the new version of a class is slower when threads share an object."""

    subject: str  # the class
    old: Origin  # origin of the old version
    new: Origin  # origin of the new version
    host: str  # where the tests ran
    host_facts: dict[str, str]  # such as "cores": "8"
    seed: int  # decides everything that is random
    plan: ConcurrencyPlan  # the parameters
    versions: dict[str, str]  # of the tools
    bench_audit: str  # its version
    command: str  # the command line
    started: str  # UTC, ISO 8601
    ended: str  # UTC, ISO 8601
    finding: ConcurrencyFinding  # on the new version
    cause: DifferenceCause  # whether one thread alone shows the difference too
    threads: tuple[ThreadsResult, ...]  # results by number of threads
    control: ThreadsResult | None  # the same calls in one thread; null: not measured
    smallest: int | None  # number of the test that shows the finding with the fewest statements
    tests: tuple[GeneratedTest, ...]  # those that were generated
    length: int  # calls in a suffix
    tried: tuple[int, ...]  # lengths that were tried
    methods: tuple[str, ...]  # signatures of the methods that tests call
    focus: tuple[FocusMethod, ...]  # methods that the tests prefer
    dropped: tuple[DroppedPart, ...]  # what was left out while tests were generated
    files: tuple[str, ...]  # names of the generated sources
    caveats: tuple[Caveat, ...]  # of the comparison


def concurrency_document(
    verdict: ConcurrencyVerdict, circumstances: Circumstances
) -> ConcurrencyDocument:
    """Return the document of a comparison of two versions of a class."""
    fields = copy_fields(
        ConcurrencyDocument,
        verdict,
        **{
            name: getattr(circumstances, name)
            for name in ("old", "new", "host", "command", "started", "ended")
        },
        host_facts=dict(circumstances.host_facts),
        versions=dict(circumstances.versions),
        bench_audit=circumstances.version,
        **_build_suite_fields(verdict.suite),
        seed=verdict.plan.seed,
        threads=[_build_thread_fields(thread) for thread in verdict.threads],
        control=verdict.control and _build_thread_fields(verdict.control),
        caveats=tuple(dict.fromkeys((*verdict.suite.caveats, *verdict.caveats))),
    )
    return convert_fields(ConcurrencyDocument, fields)


def _build_suite_fields(suite: ConcurrentTestSuite) -> PlainFields:
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
        **{name: getattr(suite, name) for name in ("length", "tried", "methods", "focus")},
        "dropped": [{"part": part, "times": times} for part, times in suite.dropped],
        "files": [name for name, _ in suite.files],
    }


def _build_thread_fields(verdict: ThreadVerdict) -> PlainFields:
    intervals = [_convert_interval(test) for test in verdict.tests]
    return copy_fields(
        ThreadsResult,
        verdict,
        votes={vote.value: verdict.count_votes(vote) for vote in Vote},
        speedup_interval=_average_intervals(
            [interval for interval in intervals if interval is not None]
        ),
        tests=[
            copy_fields(
                MeasuredTest,
                test.timed,
                vote=test.vote,
                speedup=test.speedup,
                speedup_interval=interval,
                old_interval=test.old,
                new_interval=test.new,
            )
            for test, interval in zip(verdict.tests, intervals, strict=True)
        ],
    )


def _convert_interval(judged_test: JudgedTest) -> Ratio | None:
    if judged_test.ratio is None:
        return None
    low, high = judged_test.ratio
    return low, None if isinf(high) else high


def _average_intervals(intervals: Sequence[Ratio]) -> Ratio | None:
    if not intervals:
        return None
    highs = [high for _, high in intervals if high is not None]
    most = fmean(highs) if len(highs) == len(intervals) else None
    return fmean(low for low, _ in intervals), most


def parse_document(data: str | bytes) -> ConcurrencyDocument:
    """Return the document in a file; raises UsageError for anything else."""
    return decode_document(ConcurrencyDocument, "concurrency", data)
