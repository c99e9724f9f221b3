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
    """The parameters of generation, execution and oracle (Sections 3 to 5.2).

    Spreads are standard deviations as parts of the mean. The length of a suffix is searched between
    `shortest` and `longest`; a suffix has the square root of its length in statements.
    """

    threads: tuple[int, ...] = (2, 8)  # numbers of threads that each test runs with
    tests: int = 5  # number of tests to generate
    warmup_seconds: float = 1.0  # of a process, before it measures
    steady_seconds: float = 1.0  # of a measurement
    crowded_seconds: float = 1.0  # of a measurement with more than `CROWD` threads
    least_seconds: float = 0.005  # of a repetition
    least_repetitions: int = 10  # in a measurement
    stop_spread: float = 0.02  # measurements end once their spread is at most this
    acceptable_spread: float = 0.2  # largest spread of a conclusive test
    least_measurements: int = 3  # of each version
    most_measurements: int = 8  # of each version
    least_conclusive: int = 3  # conclusive tests that a finding needs
    most_tries: int = 12  # lengths of a suffix that are tried
    shortest: int = 16  # length of a suffix, calls: least that is tried
    longest: int = 1_000_000  # length of a suffix, calls: most that is tried
    statements: int = 64  # in a suffix at most; 0: any number
    prefix: int = 10  # calls in a prefix
    report: float = 0.05  # least relative difference of a finding (δ_report)
    confidence: float = 0.99  # level of all intervals
    strict: bool = False
    """Whether the paper's oracle decides, which rejects measurements that spread too far."""
    processes: bool = True  # whether each measurement has a process of its own
    control: bool = True  # whether the tests also run in one thread
    scope: TimedScope = TimedScope.ALL  # what of a repetition is timed
    attempt_seconds: float = 1.0  # of an attempt while tests are generated
    seed: int = 1  # decides everything that is random

    @property
    def in_pairs(self) -> bool:
        """Tell whether measurements of both versions are compared one by one, as they were made."""
        return self.processes and not self.strict

    def choose_measurement_seconds(self, threads: int) -> float:
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
    """The measurements of a test with one number of threads."""

    test: int  # number of the test
    threads: int  # number of threads; SEQUENTIAL: the control
    calls: int  # calls in a repetition
    repetitions: int  # repetitions whose mean is one measurement
    old: tuple[float, ...] = ()  # measurements of the old version, seconds of a repetition
    new: tuple[float, ...] = ()  # measurements of the new version, seconds of a repetition
    reason: str = ""  # why the test is inconclusive (Section 4.2); empty: it is conclusive

    def select_times(self, version: LibraryVersion) -> tuple[float, ...]:
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
    """A test with its vote; all but `timed` and `vote` are None of an inconclusive test."""

    timed: RepetitionTimes  # its measurements
    vote: Vote  # for the faster version
    old: Interval | None = None  # interval of the mean (Student's t), seconds of a repetition
    new: Interval | None = None  # likewise, of the new version
    speedup: float | None = None  # old / new, above 1 where the new version is faster
    ratio: Interval | None = None  # interval of `speedup`


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

    def count_votes(self, vote: Vote) -> int:
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

    `method` is a `Member.key` of the class under test, `reason` says it in words.
    """

    method: str
    distance: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcurrentTestSuite:
    """The tests, and how they were generated."""

    tests: tuple[Test, ...]  # those that both versions can run
    length: int  # calls in a suffix
    tried: tuple[int, ...]  # lengths that Algorithm 1 tried
    methods: tuple[str, ...]  # signatures of the methods that tests call
    focus: tuple[FocusMethod, ...]  # methods that the tests prefer
    dropped: tuple[tuple[str, int], ...] = ()
    """What was left out while tests were generated, and how often."""
    files: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """(path, source) of all tests."""
    caveats: tuple[Caveat, ...] = ()  # of the generation


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationProgress:
    """How far the generation of a suite has come."""

    length: int  # calls in a suffix
    tried: tuple[int, ...]  # lengths that Algorithm 1 tried
    reason: str  # why the length is no better; empty: it is as wanted
    number: int = 0  # of the last test that was tried
    tests: tuple[Test, ...] = ()  # those that both versions can run
    learned: Mapping[str, Any] = field(default_factory=dict)
    """State of the generator that the next test depends on, as JSON values."""
    banned: tuple[Member, ...] = ()  # members that no test can call


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcurrencyVerdict:
    """The answer to "is the new version slower when threads share an object?"."""

    subject: str  # name of the class
    finding: ConcurrencyFinding  # on the new version
    cause: DifferenceCause  # whether one thread alone shows the difference too
    threads: tuple[ThreadVerdict, ...]  # verdicts by number of threads
    control: ThreadVerdict | None  # the same calls in one thread; None: not measured
    smallest: int | None
    """Number of the test that shows the finding with the fewest statements; None: none does."""
    suite: ConcurrentTestSuite  # the tests
    plan: RacePlan  # the parameters
    caveats: tuple[Caveat, ...] = ()  # of the comparison
