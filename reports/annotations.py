"""Findings as GitHub's workflow commands, which become annotations.

The format: https://docs.github.com/actions/reference/workflow-commands-for-github-actions.
"""

from collections.abc import Iterable, Iterator

from reports import names
from reports.findings import Level, SourceFinding

_COMMANDS = {Level.WARNING: "warning", Level.NOTE: "notice"}
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def annotations(found: Iterable[SourceFinding]) -> str:
    """Return one line for each finding that is not accepted."""
    return "".join(f"{_line(one)}\n" for one in found if one.accepted is None)


def _line(one: SourceFinding) -> str:
    properties = ",".join(f"{key}={value}" for key, value in _properties(one))
    return f"::{_COMMANDS[one.level]} {properties}::{one.text.translate(_DATA)}"


def _properties(one: SourceFinding) -> Iterator[tuple[str, str]]:
    if one.span is not None:
        yield "file", names.line(one.span.file).translate(_PROPERTY)
        yield "line", str(one.span.first_line)
        yield "endLine", str(one.span.last_line)
    yield "title", f"bench-audit {one.kind.id}".translate(_PROPERTY)
