"""Smells of benchmarks in words, as Markdown, and for tools that show such in the source."""

from collections.abc import Iterator, Sequence

from auditor.core.contracts.lint import Confidence, EvidenceState
from auditor.lint.document import LintDocument, LintFinding
from reports import names, number_format
from reports.findings import FindingKind, FindingLevel, SourceFinding, format_annotation_lines
from reports.markdown import MAX_CAVEATS, format_code, format_prose
from reports.sarif import LogCategory, format_sarif_log

_LEVELS = {
    Confidence.CERTAIN: FindingLevel.WARNING,
    Confidence.LIKELY: FindingLevel.WARNING,
    Confidence.POSSIBLE: FindingLevel.NOTE,
}
_CATEGORY = LogCategory("bench-audit-lint/", "benchAuditSmell/v1")
_ROWS = 100
"""Rows of a table in Markdown; the rest is counted."""


def format_headline(document: LintDocument) -> str:
    """Return what is wrong, in a sentence."""
    benchmark_count = number_format.format_count(document.benchmarks, "benchmark")
    if not document.benchmarks and document.unread:
        return "No benchmark of these sources could be read."
    if not document.benchmarks:
        return "No benchmark was found in these sources."
    counted = [finding for finding in document.findings if finding.counts]
    if not counted:
        applied = sum(rule.benchmarks > 0 for rule in document.rules)
        rules = number_format.format_count(applied, "rule")
        return f"{rules} found nothing in {benchmark_count}{_format_exceptions(document)}."
    finding_count = number_format.format_count(len(counted), "finding")
    affected = _format_benchmark_count(counted, benchmark_count)
    return f"{finding_count}{affected}{_format_exceptions(document)}."


def _format_benchmark_count(counted: Sequence[LintFinding], looked: str) -> str:
    """Return in how many benchmarks findings are; some are of what several share."""
    inside = [finding for finding in counted if finding.benchmark]
    affected_count = len({(finding.span.file, finding.benchmark) for finding in inside})
    if len(inside) == len(counted):
        return f" in {affected_count} of {looked}"
    return (
        f", {len(inside)} of them in {affected_count} of {looked}"
        if inside
        else f" beside {looked}"
    )


def _format_exceptions(document: LintDocument) -> str:
    allowed = sum(finding.allowed is not None for finding in document.findings)
    refuted = sum(finding.allowed is None and not finding.counts for finding in document.findings)
    parts = [
        f"{number} {label}"
        for number, label in ((allowed, "allowed"), (refuted, "refuted"))
        if number
    ]
    return f" ({', '.join(parts)})" if parts else ""


def format_place(finding: LintFinding) -> str:
    """Return file and line, as editors and terminals open them."""
    return f"{finding.span.file}:{finding.span.first_line}"


def describe_state(finding: LintFinding) -> str:
    """Return what is known besides the sources: that it is allowed, or what a run says."""
    if finding.allowed is not None:
        return f"allowed: {finding.allowed}"
    return "" if finding.proof is None else f"{finding.proof.state}: {finding.proof.text}"


def render_markdown(document: LintDocument) -> str:
    """Return the findings that count, names in code spans."""
    return "\n".join(_format_lines(document)) + "\n"


def _format_lines(document: LintDocument) -> Iterator[str]:
    yield f"## Benchmarks of {format_code(document.subject)} by their sources"
    yield from ("", f"**{format_prose(format_headline(document))}**")
    counted = [finding for finding in document.findings if finding.counts]
    if counted:
        yield from (
            "",
            "| rule | sure | where | benchmark | what |",
            "| --- | --- | --- | --- | --- |",
        )
    for finding in counted[:_ROWS]:
        description = format_prose(finding.text)
        location, benchmark = format_code(format_place(finding)), format_code(finding.benchmark)
        yield f"| {finding.rule} | {finding.sure} | {location} | {benchmark} | {description} |"
    if len(counted) > _ROWS:
        yield from ("", f"and {len(counted) - _ROWS} more")
    if document.caveats:
        yield from ("", "### Caveats", "")
    for caveat in document.caveats[:MAX_CAVEATS]:
        yield f"* {format_code(caveat.slug)}: {format_prose(caveat.text)}"


def render_sarif(document: LintDocument) -> str:
    """Return a log with a result for each finding; what is allowed or refuted is suppressed."""
    findings, kinds = _convert_findings(document)
    return format_sarif_log(findings, kinds, document.bench_audit, _CATEGORY)


def render_annotations(document: LintDocument) -> str:
    """Return one line for each finding that counts, those that are surest first."""
    findings, _ = _convert_findings(document)
    return format_annotation_lines(
        sorted(findings, key=lambda finding: finding.effective_level is FindingLevel.NOTE)
    )


def _convert_findings(document: LintDocument) -> tuple[list[SourceFinding], list[FindingKind]]:
    kinds = {
        rule.id: FindingKind(rule.id, _LEVELS[rule.sure], rule.title, rule.advice)
        for rule in document.rules
    }
    counts_by_key: dict[tuple[str, ...], int] = {}
    findings = []
    for finding in document.findings:
        key = (finding.rule, finding.span.file, finding.benchmark)
        counts_by_key[key] = number = counts_by_key.get(key, 0) + 1
        refuted = finding.proof is not None and finding.proof.state is EvidenceState.REFUTED
        findings.append(
            SourceFinding(
                kind=kinds[finding.rule],
                owner=finding.benchmark or finding.span.file,
                text=names.escape_line(finding.text),
                span=finding.span,
                accepted=describe_state(finding)
                if finding.allowed is not None or refuted
                else None,
                marked=finding.allowed is not None,
                identity="\0".join((*key, str(number))),
                own_level=_LEVELS[finding.sure],
            )
        )
    return findings, list(kinds.values())
