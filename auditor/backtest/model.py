"""Past commits that made code faster or slower, and whether the suite would have detected them."""

from dataclasses import dataclass
from enum import StrEnum

from auditor.compare.model import Dimension
from auditor.core.contracts.history import Commit


class CommitKind(StrEnum):
    """What a commit did: it made something faster, slower, or nobody has said which."""

    FIX = "fix"
    CAUSE = "cause"
    EITHER = "either"


@dataclass(frozen=True, slots=True, kw_only=True)
class PastChange:
    """A commit to be tried; `found_by` says how it was found, empty where it was given."""

    commit: Commit
    kind: CommitKind
    found_by: str = ""


class CommitDetection(StrEnum):
    """Whether the suite would have detected a commit; FAILED: it could not be tried."""

    DETECTED = "detected"
    MISSED = "missed"
    UNKNOWN = "cannot tell"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkShift:
    """A benchmark whose result the commit moved."""

    benchmark: str
    dimension: Dimension
    ratio: float | None  # head / base


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitResult:
    """A commit compared with its parent."""

    change: PastChange  # the commit, and what it did
    noticed: CommitDetection  # whether the suite detects it
    reason: str = ""  # why it could not be tried or decided; empty: it is decided
    detected_by: tuple[BenchmarkShift, ...] = ()  # benchmarks that detect it
    against: tuple[BenchmarkShift, ...] = ()  # benchmarks that moved the other way
    benchmarks: int = 0  # number of compared benchmarks
    visible: float | None = None  # minimum detectable change of any benchmark
    methods: tuple[str, ...] = ()  # methods that the commit changed or added
    watched: tuple[str, ...] = ()  # of these: a benchmark of both revisions detects a slowdown
    unwatched: tuple[str, ...] = ()  # of these: no benchmark of both revisions does
    added: tuple[str, ...] = ()  # benchmarks that came with the commit
    seconds: float = 0.0  # that the comparison took

    @property
    def is_watched(self) -> bool | None:
        """Tell whether a changed method is watched; None where that is not known."""
        if self.watched:
            return True
        return False if self.methods and len(self.unwatched) == len(self.methods) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How "a changed method is watched" and "the commit is noticed" go together.

    `phi` is the correlation of the two (Pearson's, of 0 and 1), None where one of them never
    varies.
    """

    agreed: int
    watched_only: int
    noticed_only: int
    neither: int
    phi: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Backtest:
    """The answer to "would the suite have detected it?", newest commit first."""

    tried: tuple[CommitResult, ...]
    agreement: Agreement
