"""Findings as GitHub's workflow commands, which become annotations.

The format: https://docs.github.com/actions/reference/workflow-commands-for-github-actions.
"""

from collections.abc import Iterable, Iterator

from reports import names
from reports.findings import Level, SourceFinding

_COMMANDS = {Level.WARNING: "warning", Level.NOTE: "notice"}
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def annotations(findings: Iterable[SourceFinding]) -> str:
    """Return one line for each finding that is not accepted."""
    return "".join(f"{_line(finding)}\n" for finding in findings if finding.accepted is None)


def _line(finding: SourceFinding) -> str:
    properties = ",".join(f"{key}={value}" for key, value in _properties(finding))
    return f"::{_COMMANDS[finding.level]} {properties}::{finding.text.translate(_DATA)}"


def _properties(finding: SourceFinding) -> Iterator[tuple[str, str]]:
    if finding.span is not None:
        yield "file", names.line(finding.span.file).translate(_PROPERTY)
        yield "line", str(finding.span.first_line)
        yield "endLine", str(finding.span.last_line)
    yield "title", f"bench-audit {finding.kind.id}".translate(_PROPERTY)
