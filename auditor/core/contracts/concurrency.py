"""Two versions of a thread-safe class, the tests that are made for them, and what these showed.

The words are those of Pradel, Huggler and Gross (ISSTA 2014): a class under test, its old and its
new version, tests of a prefix and suffixes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from auditor.core.caveats import Caveat
from auditor.core.contracts.concurrent_test import Member, Test
from auditor.core.result import Interval


class LibraryVersion(StrEnum):
    """Which of the two."""

    OLD = "old"
    NEW = "new"


class TimedScope(StrEnum):
    """What of a repetition counts (Section 4.1).

    ALL: from the first start of a suffix to the last end; EACH: the time that a suffix takes, as a
    mean of all.
    """

    ALL = "all"
    EACH = "each"


@dataclass(frozen=True, slots=True, kw_only=True)
class RacePlan:
    """The parameters of generation, execution and oracle; seconds (Sections 3 to 5.2).

    `tests` are made for each pair of classes and run with each of `threads`. `crowded_seconds` is
    the steady state with more than `CROWD` threads. `processes` tells whether each measurement has
    a process of its own. Spreads are standard deviations as parts of the mean. `report` is
    δ_report; with fewer than `least_conclusive` tests nothing is found. Between `shortest` and
    `longest` the length of a suffix is looked for, in calls; it has the square root of that in
    statements, but no more than `statements` (0: any number). With `strict` the oracle is the
    paper's, and no measurements are accepted that are spread too far. `attempt_seconds` is what an
    attempt may take while tests are made.
    """

    threads: tuple[int, ...] = (2, 8)
    tests: int = 5
    warmup_seconds: float = 1.0
    steady_seconds: float = 1.0
    crowded_seconds: float = 1.0
    least_seconds: float = 0.005
    least_repetitions: int = 10
    stop_spread: float = 0.02
    acceptable_spread: float = 0.2
    least_measurements: int = 3
    most_measurements: int = 8
    least_conclusive: int = 3
    most_tries: int = 12
    shortest: int = 16
    longest: int = 1_000_000
    statements: int = 64
    prefix: int = 10
    report: float = 0.05
    confidence: float = 0.99
    strict: bool = False
    processes: bool = True
    control: bool = True
    scope: TimedScope = TimedScope.ALL
    attempt_seconds: float = 1.0
    seed: int = 1

    @property
    def in_pairs(self) -> bool:
        """Tell whether measurements of both versions are compared one by one, as they were made."""
        return self.processes and not self.strict

    def steady(self, threads: int) -> float:
        """Return t_s, the seconds of a measurement."""
        return self.crowded_seconds if threads > CROWD else self.steady_seconds


CROWD = 8
PAPER = RacePlan(
    threads=(8, 64),
    warmup_seconds=10.0,
    steady_seconds=20.0,
    crowded_seconds=40.0,
    least_repetitions=50,
    stop_spread=0.01,
    acceptable_spread=0.02,
    confidence=0.98,
    most_measurements=5,
    least_conclusive=1,
    most_tries=20,
    attempt_seconds=10.0,
    statements=0,
    strict=True,
    processes=False,
    control=False,
)
"""The values of the paper (Section 5.2); where it gives none (the lengths), ours."""


SEQUENTIAL = 0
"""The number of threads of the control: all suffixes one after the other, in one thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepetitionTimes:
    """What a test took with so many threads: seconds of a repetition, one of each measurement.

    `calls` are those of a repetition. `reason` is empty of a conclusive test (Section 4.2).
    """

    test: int
    threads: int
    calls: int
    repetitions: int
    old: tuple[float, ...] = ()
    new: tuple[float, ...] = ()
    reason: str = ""

    def of(self, version: LibraryVersion) -> tuple[float, ...]:
        """Return the measurements of a version."""
        return self.old if version is LibraryVersion.OLD else self.new


class Vote(StrEnum):
    """Which version outperforms the other in a test (Section 4.3)."""

    OLD = "old"
    NEW = "new"
    NONE = "none"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedTest:
    """A test with its vote; `speedup` is old / new, above 1 where the new version is faster.

    `old` and `new` are the intervals of the means (Student's t), seconds of a repetition, `ratio`
    is that of the speed-up; all four are None of an inconclusive test.
    """

    timed: RepetitionTimes
    vote: Vote
    old: Interval | None = None
    new: Interval | None = None
    speedup: float | None = None
    ratio: Interval | None = None


class ConcurrencyFinding(StrEnum):
    """What is said of the new version."""

    REGRESSION = "regression"
    IMPROVEMENT = "improvement"
    NONE = "none"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadVerdict:
    """The votes of the tests with one number of threads, and what they come to.

    `speedup` is the mean of the conclusive tests (Table 2), None without any. `left_out` tests
    were not run, as they could not have changed the finding.
    """

    threads: int
    finding: ConcurrencyFinding
    tests: tuple[JudgedTest, ...]
    speedup: float | None
    left_out: int = 0

    def votes(self, vote: Vote) -> int:
        """Return how many tests voted so."""
        return sum(test.vote is vote for test in self.tests)


class DifferenceCause(StrEnum):
    """Whether one thread alone shows the difference, too."""

    CONCURRENCY = "concurrency"
    ANYWAY = "also with one thread"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusMethod:
    """A method that the tests prefer; `distance` 0: it was changed, 1: it calls one that was.

    `method` is a `Member.key` of the class under test, `why` says it in words.
    """

    method: str
    distance: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcurrentTestSuite:
    """The tests, and how they were made.

    `length` is that of a suffix in calls, `tried` the lengths that Algorithm 1 went through.
    `dropped` tells of what was left out while they were made, and how often.
    """

    tests: tuple[Test, ...]
    length: int
    tried: tuple[int, ...]
    methods: tuple[str, ...]
    focus: tuple[FocusMethod, ...]
    dropped: tuple[tuple[str, int], ...] = ()
    files: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the making of a suite has come: its length was found, then test after test was tried.

    `number` is that of the last one, `reason` says why the length is no better. What the next test
    hangs on is in `learned`, as the maker of tests has it written, and in `banned`, what no test
    can call.
    """

    length: int
    tried: tuple[int, ...]
    reason: str
    number: int = 0
    tests: tuple[Test, ...] = ()
    learned: Mapping[str, Any] = field(default_factory=dict)
    banned: tuple[Member, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcurrencyVerdict:
    """The answer to "is the new version slower when threads share an object?".

    `control` are the same calls in one thread. `smallest` is the number of the test that shows
    the finding with the fewest statements, None where there is nothing to show.
    """

    subject: str
    finding: ConcurrencyFinding
    cause: DifferenceCause
    threads: tuple[ThreadVerdict, ...]
    control: ThreadVerdict | None
    smallest: int | None
    suite: ConcurrentTestSuite
    plan: RacePlan
    caveats: tuple[Caveat, ...] = ()
