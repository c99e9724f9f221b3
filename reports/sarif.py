"""Findings as SARIF 2.1.0, for code scanning.

The format: https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from auditor.core.subject import Span
from reports import names, number_format
from reports.findings import FindingKind, SourceFinding
from reports.results import PlainFields

SCHEMA_URL = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_ROOT_ID = "%SRCROOT%"
_BRACKET = re.compile(r"(\\*)([\[\]])")


@dataclass(frozen=True, slots=True)
class LogCategory:
    """What tells the logs of one command from those of another."""

    id: str  # services replace the older log of the same category
    fingerprint: str  # name and version of the fingerprints


def format_sarif_log(
    findings: Sequence[SourceFinding],
    kinds: Sequence[FindingKind],
    version: str,
    category: LogCategory,
) -> str:
    """Return the findings of these kinds as the text of a log; `version` is that of bench-audit.

    A finding without a span has no result, since services refuse results without a place. A
    notification in the log counts them. Accepted findings are suppressed results.
    """
    placed_findings = [finding for finding in findings if finding.span is not None]
    run: PlainFields = {
        "tool": {
            "driver": {
                "name": "bench-audit",
                "version": version,
                "rules": [_build_rule(kind) for kind in kinds],
            }
        },
        "automationDetails": {"id": category.id},
        "invocations": [_build_invocation(len(findings) - len(placed_findings))],
        "originalUriBaseIds": {_ROOT_ID: {"description": {"text": "The root of the audited tree"}}},
        "columnKind": "unicodeCodePoints",
        "results": [
            _build_result(source_finding, kinds, category.fingerprint)
            for source_finding in placed_findings
        ],
    }
    log = {"$schema": SCHEMA_URL, "version": "2.1.0", "runs": [run]}
    # In ASCII, half a letter that no file can hold is an escape like any other.
    return json.dumps(log, indent=1, allow_nan=False) + "\n"


def _build_rule(kind: FindingKind) -> PlainFields:
    return {
        "id": kind.id,
        "shortDescription": {"text": kind.title},
        "help": {"text": kind.advice},
        "defaultConfiguration": {"level": kind.level.value},
    }


def _build_invocation(unplaced: int) -> PlainFields:
    if not unplaced:
        return {"executionSuccessful": True}
    methods = number_format.format_count(unplaced, "method")
    text = f"left out, because their place in the source is not known: {methods}"
    note = {"level": "note", "message": {"text": text}}
    return {"executionSuccessful": True, "toolExecutionNotifications": [note]}


def _build_result(
    finding: SourceFinding, kinds: Sequence[FindingKind], fingerprint: str
) -> PlainFields:
    digest = hashlib.sha256(finding.identity.encode(errors="surrogatepass")).hexdigest()[:32]
    result: PlainFields = {
        "ruleId": finding.kind.id,
        "ruleIndex": kinds.index(finding.kind),
        "level": finding.effective_level.value,
        "message": {"text": _escape_message(finding.text)},
        "locations": [_build_location(finding)],
        # GitHub reads the first of these only.
        "partialFingerprints": {"primaryLocationLineHash": f"{digest}:1", fingerprint: digest},
    }
    if finding.accepted is not None:
        kind = "inSource" if finding.marked else "external"
        result["suppressions"] = [
            {"kind": kind, "justification": names.escape_line(finding.accepted)}
        ]
    return result


def _build_location(finding: SourceFinding) -> PlainFields:
    logical = {"fullyQualifiedName": names.escape_line(finding.owner), "kind": "function"}
    return {
        "physicalLocation": _build_physical_location(finding.span),
        "logicalLocations": [logical],
    }


def _build_physical_location(span: Span | None) -> PlainFields:
    if span is None:
        raise ValueError("a result needs a place")
    first = max(1, span.first_line)
    return {
        "artifactLocation": {
            "uri": quote(span.file, safe="/", errors="surrogatepass"),
            "uriBaseId": _ROOT_ID,
        },
        "region": {"startLine": first, "endLine": max(first, span.last_line)},
    }


def _escape_message(text: str) -> str:
    """Escape what would be placeholders (section 3.11.5) or links (3.11.6)."""
    literal = text.replace("{", "{{").replace("}", "}}")
    # A backslash before a bracket is doubled, lest it take ours for its own.
    return _BRACKET.sub(lambda match: f"{2 * match[1]}\\{match[2]}", literal)
