"""Findings as GitHub's workflow commands, which become annotations.

The format: https://docs.github.com/actions/reference/workflow-commands-for-github-actions.
"""

from collections.abc import Iterable, Iterator

from reports import names
from reports.findings import FindingLevel, SourceFinding

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
