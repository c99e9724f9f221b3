"""Findings: what code scanners and editors show beside a place in the source.

Also as GitHub's workflow commands, which become annotations; the format:
https://docs.github.com/actions/reference/workflow-commands-for-github-actions.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from auditor.core.subject import Span
from reports import names


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


_COMMAND_NAMES = {FindingLevel.WARNING: "warning", FindingLevel.NOTE: "notice"}
_DATA_ESCAPES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY_ESCAPES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def format_annotation_lines(findings: Iterable[SourceFinding]) -> str:
    """Return one line for each finding that is not accepted."""
    return "".join(
        f"{_format_annotation(finding)}\n" for finding in findings if finding.accepted is None
    )


def _format_annotation(finding: SourceFinding) -> str:
    properties = ",".join(f"{key}={value}" for key, value in _list_properties(finding))
    text = finding.text.translate(_DATA_ESCAPES)
    return f"::{_COMMAND_NAMES[finding.effective_level]} {properties}::{text}"


def _list_properties(finding: SourceFinding) -> Iterator[tuple[str, str]]:
    if finding.span is not None:
        yield "file", names.escape_line(finding.span.file).translate(_PROPERTY_ESCAPES)
        yield "line", str(finding.span.first_line)
        yield "endLine", str(finding.span.last_line)
    yield "title", f"bench-audit {finding.kind.id}".translate(_PROPERTY_ESCAPES)
