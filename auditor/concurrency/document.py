"""The JSON result of `concurrency`: its types, and the way from a verdict to them.

The names are promised to other programs (reports/schema/concurrency.schema.json).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isinf
from statistics import fmean

import msgspec

from auditor.core.caveats import Caveat
from auditor.core.contracts.concurrency import (
    Cause,
    ConcurrencyVerdict,
    Finding,
    Judged,
    Scope,
    Suite,
    ThreadVerdict,
    Vote,
)
from auditor.core.provenance import NamedValues
from reports.results import Plain, Range, read_as, schema_of, strict

Ratio = tuple[float, float | None]
"""Both ends of an interval of speed-ups; the upper one is null where there is none."""


class Origin(msgspec.Struct, frozen=True):
    """Where a version of the class comes from: as the user wrote it, and its revision if any."""

    given: str
    revision: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """Where the versions come from, and where and with what they were run.

    `started` and `ended` are UTC in ISO 8601; `version` is bench-audit's own.
    """

    old: Origin
    new: Origin
    host: str
    host_facts: NamedValues
    versions: NamedValues
    version: str
    command: str
    started: str
    ended: str


class Plan(msgspec.Struct, frozen=True, kw_only=True):
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
    scope: Scope
    attempt_seconds: float


class Votes(msgspec.Struct, frozen=True, kw_only=True):
    """How many tests say that a version outperforms the other, that none does, or nothing."""

    old: int
    new: int
    none: int
    inconclusive: int


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """A test with one number of threads.

    `old` and `new` are the measurements, seconds of a repetition of so many `calls`; a measurement
    is the mean of `repetitions`. The intervals are those of their means. `speedup` is old / new:
    where measurements were made in pairs the geometric mean with its interval, else the quotient of
    the means, and its interval lies between the farthest ends of theirs. `reason` is empty of a
    conclusive test, the others have no intervals.
    """

    test: int
    vote: Vote
    speedup: float | None
    speedup_interval: Ratio | None
    calls: int
    repetitions: int
    old: tuple[float, ...]
    new: tuple[float, ...]
    old_interval: Range | None
    new_interval: Range | None
    reason: str


class Threads(msgspec.Struct, frozen=True, kw_only=True):
    """What the tests come to with one number of threads; 0: the control, the same in one thread.

    `speedup` and both ends of its interval are means of the conclusive tests: of these tests, not
    of all that might have been made. `left_out` tests could not have changed the finding.
    """

    threads: int
    finding: Finding
    votes: Votes
    speedup: float | None
    speedup_interval: Ratio | None
    left_out: int
    tests: tuple[Measured, ...]


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """A test: the statements of its prefix, and of each suffix, which is done `repeats` times."""

    test: int
    prefix: int
    suffixes: tuple[int, ...]
    repeats: int


class Focus(msgspec.Struct, frozen=True):
    """A method that the tests prefer; `distance` 0: it was changed, 1: it calls one that was."""

    method: str
    distance: int
    why: str


class Dropped(msgspec.Struct, frozen=True):
    """What was left out while tests were made, and how often."""

    what: str
    times: int


class ConcurrencyDocument(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/concurrency/1"
):
    """The answer to "is the new version slower when threads share an object?".

    `subject` is the class. `smallest` is the number of the test that shows the finding with the
    fewest statements. `length` is that of a suffix in calls, `tried` the lengths that were tried.
    `files` are the names of the generated sources.
    """

    subject: str
    old: Origin
    new: Origin
    host: str
    host_facts: dict[str, str]
    seed: int
    plan: Plan
    versions: dict[str, str]
    bench_audit: str
    command: str
    started: str
    ended: str
    finding: Finding
    cause: Cause
    threads: tuple[Threads, ...]
    control: Threads | None
    smallest: int | None
    tests: tuple[Made, ...]
    length: int
    tried: tuple[int, ...]
    methods: tuple[str, ...]
    focus: tuple[Focus, ...]
    dropped: tuple[Dropped, ...]
    files: tuple[str, ...]
    caveats: tuple[Caveat, ...]


def concurrency_document(found: ConcurrencyVerdict, around: Circumstances) -> ConcurrencyDocument:
    """Return the result of comparing two versions of a class."""
    made = {
        **_circumstances(around),
        **_suite(found.suite),
        "schema": "bench-audit/concurrency/1",
        "subject": found.subject,
        "seed": found.plan.seed,
        "plan": found.plan,
        "finding": found.finding,
        "cause": found.cause,
        "threads": [_threads(thread) for thread in found.threads],
        "control": found.control and _threads(found.control),
        "smallest": found.smallest,
        "caveats": tuple(dict.fromkeys((*found.suite.caveats, *found.caveats))),
    }
    return msgspec.convert(strict(msgspec.to_builtins(made)), ConcurrencyDocument)


def _circumstances(around: Circumstances) -> Plain:
    return {
        "old": around.old,
        "new": around.new,
        **{name: getattr(around, name) for name in ("host", "command", "started", "ended")},
        "host_facts": dict(around.host_facts),
        "versions": dict(around.versions),
        "bench_audit": around.version,
    }


def _suite(suite: Suite) -> Plain:
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


def _threads(one: ThreadVerdict) -> Plain:
    intervals = [_interval(test) for test in one.tests]
    return {
        "threads": one.threads,
        "finding": one.finding,
        "votes": {vote.value: one.votes(vote) for vote in Vote},
        "speedup": one.speedup,
        "speedup_interval": _mean([each for each in intervals if each is not None]),
        "left_out": one.left_out,
        "tests": [
            _measured(each, interval) for each, interval in zip(one.tests, intervals, strict=True)
        ],
    }


def _measured(one: Judged, interval: Ratio | None) -> Plain:
    timed = one.timed
    return {
        "test": timed.test,
        "vote": one.vote,
        "speedup": one.speedup,
        "speedup_interval": interval,
        **{name: getattr(timed, name) for name in _TIMED},
        "old_interval": one.old,
        "new_interval": one.new,
    }


_TIMED = ("calls", "repetitions", "old", "new", "reason")


def _interval(one: Judged) -> Ratio | None:
    if one.ratio is None:
        return None
    low, high = one.ratio
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
