"""Past commits that made code faster or slower, and whether the suite would have noticed them."""

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
    """A commit to be tried; `why` says how it was found, empty where it was given."""

    commit: Commit
    kind: CommitKind
    why: str = ""


class CommitDetection(StrEnum):
    """Whether the suite would have noticed a commit; FAILED: it could not be tried."""

    NOTICED = "noticed"
    MISSED = "missed"
    UNKNOWN = "cannot tell"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkShift:
    """A benchmark that noticed: how many times as much head needs as base."""

    benchmark: str
    dimension: Dimension
    ratio: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitResult:
    """A commit beside its parent.

    `by` noticed it, `against` moved the other way. `benchmarks` is how many were compared,
    `visible` the least change of any that would have been seen. `methods` are those that the commit
    changed or added, `watched` those whose slowdown a benchmark notices that both revisions have,
    `unwatched` those whose slowdown none of these does. `added` are benchmarks that came with it.
    """

    change: PastChange
    noticed: CommitDetection
    reason: str = ""
    by: tuple[BenchmarkShift, ...] = ()
    against: tuple[BenchmarkShift, ...] = ()
    benchmarks: int = 0
    visible: float | None = None
    methods: tuple[str, ...] = ()
    watched: tuple[str, ...] = ()
    unwatched: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    seconds: float = 0.0

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

    both: int
    watched_only: int
    noticed_only: int
    neither: int
    phi: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Backtest:
    """The answer to "would the suite have noticed?", newest commit first."""

    tried: tuple[CommitResult, ...]
    agreement: Agreement
