"""Findings of `abs`, methods that no benchmark covers, as SARIF and as annotations too."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from auditor.abs.document import Document
from auditor.abs.model import MethodVerdict
from auditor.abs.text import words
from auditor.core.accepted import CONFIGURATION
from auditor.core.result import Verdict
from reports import names, number_format, wording
from reports.findings import FindingKind, FindingLevel, SourceFinding, format_annotation_lines
from reports.sarif import LogCategory, format_sarif_log

MISSED = FindingKind(
    "missed",
    FindingLevel.WARNING,
    "Benchmarks call the method, but none detects a slowdown of it",
    "Write a benchmark in which this method is most of what is measured.",
)
UNREACHED = FindingKind(
    "unreached",
    FindingLevel.WARNING,
    "No benchmark calls the method while it is measured",
    "Write a benchmark that calls this method.",
)
SET_UP_ONLY = FindingKind(
    "set-up-only",
    FindingLevel.WARNING,
    "Benchmarks call the method in set-up only, so never while they are measured",
    "Write a benchmark that calls this method in its measured loop.",
)
UNDECIDED = FindingKind(
    "undecided",
    FindingLevel.NOTE,
    "Whether a benchmark detects a slowdown of the method is open",
    "The reason beside it says what would decide: time, iterations, or another slowdown.",
)
BROKEN = FindingKind(
    "broken",
    FindingLevel.NOTE,
    "Benchmarks crash or do not end with the method slowed",
    "Find out why the benchmarks fail when this method takes longer.",
)
KINDS = (MISSED, UNREACHED, SET_UP_ONLY, UNDECIDED, BROKEN)
"""In the order in which findings are listed."""
_CATEGORY = LogCategory("bench-audit/", "benchAuditMethod/v1")
_BY_OUTCOME: Mapping[Verdict, FindingKind] = MappingProxyType(
    {
        Verdict.MISSED: MISSED,
        Verdict.UNREACHED: UNREACHED,
        Verdict.INCONCLUSIVE: UNDECIDED,
        Verdict.CRASHED: BROKEN,
        Verdict.TIMED_OUT: BROKEN,
    }
)


def format_sarif(document: Document) -> str:
    """Return a SARIF log with one result for each finding; accepted misses are suppressed."""
    return format_sarif_log(sorted_findings(document), KINDS, document.bench_audit, _CATEGORY)


def format_annotations(document: Document) -> str:
    """Return one GitHub annotation for each finding, except accepted misses.

    The most telling are first: GitHub shows ten warnings and ten notices of a step.
    """
    return format_annotation_lines(sorted_findings(document))


def sorted_findings(document: Document) -> tuple[SourceFinding, ...]:
    """Return them by kind, within a kind in the order of the methods."""
    findings = list(_each_finding(document))
    return tuple(finding for kind in KINDS for finding in findings if finding.kind is kind)


def _each_finding(document: Document) -> Iterator[SourceFinding]:
    accepted = {
        accepted_miss.method: accepted_miss
        for accepted_miss in document.accepted
        if accepted_miss.left_out
    }
    guessed = words.is_estimate(document)
    for method in document.methods:
        kind = kind_of(method)
        if kind is None:
            continue
        miss = accepted.get(method.id)
        yield SourceFinding(
            kind=kind,
            owner=method.id,
            text=_describe_finding(kind, method, document.slowdown, guessed=guessed),
            span=method.span,
            accepted=miss.reason if miss else None,
            marked=miss is not None and miss.location != CONFIGURATION,
            # Of the name alone, so that a method is the same one wherever its lines move.
            identity=method.id,
        )


def kind_of(method: MethodVerdict) -> FindingKind | None:
    """Return what is wrong with how a method is watched; None where nothing is known to be."""
    if words.word_of(method) is wording.SET_UP_ONLY:
        return SET_UP_ONLY
    return _BY_OUTCOME.get(method.outcome)


def _describe_finding(
    kind: FindingKind, method: MethodVerdict, slowdown: float | None, *, guessed: bool
) -> str:
    name = names.format_label(method.id)
    reason = (
        f": {names.format_label(words.take_first_line(method.reason))}" if method.reason else ""
    )
    if kind is MISSED:
        slowdown_text = (
            "got slower"
            if slowdown is None
            else f"took {number_format.format_share(slowdown)} longer"
        )
        caller_count = len(method.reached_by)
        called = (
            f" ({number_format.format_count(caller_count, 'benchmark')} call it)"
            if caller_count > 1
            else ""
        )
        nobody = "By estimate, no benchmark" if guessed else "No benchmark"
        return f"{nobody} would detect it if {name} {slowdown_text}{called}{reason}"
    if kind is UNREACHED:
        none = "No benchmark"
        if method.reason and method.reason.startswith("none of the benchmarks"):
            none = "None of the benchmarks that could be measured"
        return f"{none} calls {name}, so none would detect it if it got slower"
    if kind is SET_UP_ONLY:
        return f"{name} is called in set-up only, so no benchmark would detect it if it got slower"
    if kind is UNDECIDED:
        return f"Whether a benchmark detects a slowdown of {name} is open{reason}"
    return f"With {name} slowed, benchmarks crash or do not end{reason}"
