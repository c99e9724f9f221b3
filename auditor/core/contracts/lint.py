"""Smells of benchmarks: what their sources show without a run."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from auditor.core.caveats import Caveat
from auditor.core.subject import SourceFile, Span


class Confidence(StrEnum):
    """How sure it is that what a rule finds is a fault.

    CERTAIN: the source alone shows it. LIKELY: it hangs on what the source does not show, which is
    most often as the rule takes it. POSSIBLE: it is worth a look.
    """

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"


@dataclass(frozen=True, slots=True, kw_only=True)
class SmellRule:
    """A kind of smell."""

    id: str  # never changes, and names its page (docs/lint/ID.md)
    title: str  # what is wrong, in a line
    advice: str  # what to do, in a sentence
    sure: Confidence  # confidence of its findings, unless a smell has its own
    on: bool = True
    """False: applied on request only, as fewer than four of five findings on real suites were
    right."""
    practice: str = ""  # of Costa et al. (RETU, LOOP, FINAL, INVO, FORK), empty for others


@dataclass(frozen=True, slots=True, kw_only=True)
class Smell:
    """One place that a rule reports."""

    rule: str  # id of the rule
    benchmark: str
    """Name without package or module (`MapBench.put`, `test_push`); empty: not of a single one."""
    span: Span  # the place in the source
    text: str  # a sentence on this place
    top: int
    """First line of the declaration that a marker may stand above: the benchmark's, with
    annotations and decorators, or that of a class or file."""
    calls: tuple[str, ...] | None = None
    """Methods of the project whose results nobody uses, each with as much of its qualified name
    as is known (`Parse`, `UUID.String`); None: the rule is not about results."""
    overlapping: bool = False
    """Whether operations run at once, so that the time of one does not show what is in it."""
    sure: Confidence | None = None  # confidence; None: that of the rule


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFindings:
    """What a look at sources has found: names of benchmarks, smells, and files nobody can read.

    There is a name for each benchmark of each file; smells are in the order of files and lines. A
    file is `unread` where its syntax is broken, and `skipped` where no rule reads its language.
    """

    benchmarks: tuple[str, ...]
    smells: tuple[Smell, ...]
    unread: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()


class Linter(Protocol):
    """Looks at the sources of a suite in one language.

    `file_suffixes` are those of the files that it reads, `comment_prefix` begins a line of comment
    in them. A file that is too large to be looked at `may_hold` benchmarks.
    """

    @property
    def rules(self) -> tuple[SmellRule, ...]: ...
    @property
    def file_suffixes(self) -> tuple[str, ...]: ...
    @property
    def comment_prefix(self) -> str: ...
    def may_hold(self, source: SourceFile, /) -> bool: ...
    def find_smells(self, sources: Iterable[SourceFile], /) -> SourceFindings: ...


class EvidenceState(StrEnum):
    """Whether what was measured bears a finding out."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"


@dataclass(frozen=True, slots=True)
class LintEvidence:
    """What a run says of a finding, and the numbers that say so."""

    state: EvidenceState
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SmellFinding:
    """A smell with its rule.

    `allowed` is the reason that a marker in the source gives for it, empty where none does.
    """

    rule: SmellRule
    smell: Smell
    allowed: str = ""
    proof: LintEvidence | None = None

    @property
    def confidence(self) -> Confidence:
        """Return how sure this finding is."""
        return self.smell.sure or self.rule.sure


@dataclass(frozen=True, slots=True)
class MethodCallRate:
    """How often an operation of a benchmark calls a method, and how long a call takes alone."""

    method: str
    per_operation: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedBenchmark:
    """A benchmark that was measured: seconds of a plain operation, and what it calls."""

    benchmark: str
    seconds: float
    calls: tuple[MethodCallRate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LintResult:
    """What is wrong with the sources of a suite."""

    rules: tuple[SmellRule, ...]  # those that were applied
    benchmarks: tuple[str, ...]  # names of all benchmarks that were read
    findings: tuple[SmellFinding, ...]  # in the order of files and lines
    unread: tuple[str, ...]  # files that could not be read
    caveats: tuple[Caveat, ...] = ()  # of the result
    applied: Mapping[str, int] = field(default_factory=dict)
    """Number of benchmarks that a rule looked at, by its id."""
