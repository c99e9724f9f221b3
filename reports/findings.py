"""Findings: what code scanners and editors show beside a place in the source."""

from dataclasses import dataclass
from enum import StrEnum

from auditor.core.subject import Span


class FindingLevel(StrEnum):
    """The severity of a finding."""

    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class FindingKind:
    """A kind of finding: its id (a promise), what it is, and what to do."""

    id: str
    level: FindingLevel
    title: str
    advice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFinding:
    """A finding about a method or a benchmark."""

    kind: FindingKind  # of the finding
    owner: str  # id of the method or benchmark
    text: str  # one line without invisible characters
    span: Span | None  # None: the place in the source is unknown
    accepted: str | None  # reason why the user accepts it; None: not accepted
    marked: bool  # a marker in the source accepts it, not the configuration
    identity: str  # stays the same when the lines of the finding move
    own_level: FindingLevel | None = None  # None: that of the kind

    @property
    def effective_level(self) -> FindingLevel:
        """Return the severity of this finding."""
        return self.own_level or self.kind.level
