"""Smells of benchmarks in words, as Markdown, and for tools that show such in the source."""

from collections.abc import Iterator, Sequence

from auditor.core.contracts.lint import Confidence, EvidenceState
from auditor.lint.document import LintDocument, LintFinding
from reports import names, number_format
from reports.annotations import annotations
from reports.findings import FindingKind, Level, SourceFinding
from reports.markdown import CAVEATS, code, prose
from reports.sarif import LogCategory, sarif_log

_LEVELS = {
    Confidence.CERTAIN: Level.WARNING,
    Confidence.LIKELY: Level.WARNING,
    Confidence.POSSIBLE: Level.NOTE,
}
_CATEGORY = LogCategory("bench-audit-lint/", "benchAuditSmell/v1")
_ROWS = 100
"""Rows of a table in Markdown; the rest is counted."""


def headline(document: LintDocument) -> str:
    """Return what is wrong, in a sentence."""
    looked = number_format.count(document.benchmarks, "benchmark")
    if not document.benchmarks:
        return "No benchmark was found in these sources."
    counted = [finding for finding in document.findings if finding.counts]
    if not counted:
        applied = sum(rule.benchmarks > 0 for rule in document.rules)
        rules = number_format.count(applied, "rule")
        return f"{rules} found nothing in {looked}{_besides(document)}."
    found = number_format.count(len(counted), "finding")
    return f"{found}{_in(counted, looked)}{_besides(document)}."


def _in(counted: Sequence[LintFinding], looked: str) -> str:
    """Return in how many benchmarks findings are; some are of what several share."""
    inside = [finding for finding in counted if finding.benchmark]
    of = len({(finding.span.file, finding.benchmark) for finding in inside})
    if len(inside) == len(counted):
        return f" in {of} of {looked}"
    return f", {len(inside)} of them in {of} of {looked}" if inside else f" beside {looked}"


def _besides(document: LintDocument) -> str:
    allowed = sum(finding.allowed is not None for finding in document.findings)
    refuted = sum(finding.allowed is None and not finding.counts for finding in document.findings)
    parts = [
        f"{number} {what}"
        for number, what in ((allowed, "allowed"), (refuted, "refuted"))
        if number
    ]
    return f" ({', '.join(parts)})" if parts else ""


def place(finding: LintFinding) -> str:
    """Return file and line, as editors and terminals open them."""
    return f"{finding.span.file}:{finding.span.first_line}"


def state(finding: LintFinding) -> str:
    """Return what is known besides the sources: that it is allowed, or what a run says."""
    if finding.allowed is not None:
        return f"allowed: {finding.allowed}"
    return "" if finding.proof is None else f"{finding.proof.seen}: {finding.proof.text}"


def markdown(document: LintDocument) -> str:
    """Return the findings that count, names in code spans."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: LintDocument) -> Iterator[str]:
    yield f"## Benchmarks of {code(document.subject)} by their sources"
    yield from ("", f"**{prose(headline(document))}**")
    counted = [finding for finding in document.findings if finding.counts]
    if counted:
        yield from (
            "",
            "| rule | sure | where | benchmark | what |",
            "| --- | --- | --- | --- | --- |",
        )
    for finding in counted[:_ROWS]:
        what = prose(finding.text)
        where, benchmark = code(place(finding)), code(finding.benchmark)
        yield f"| {finding.rule} | {finding.sure} | {where} | {benchmark} | {what} |"
    if len(counted) > _ROWS:
        yield from ("", f"and {len(counted) - _ROWS} more")
    if document.caveats:
        yield from ("", "### Caveats", "")
    for caveat in document.caveats[:CAVEATS]:
        yield f"* {code(caveat.slug)}: {prose(caveat.text)}"


def sarif(document: LintDocument) -> str:
    """Return a log with a result for each finding; what is allowed or refuted is suppressed."""
    findings, kinds = _findings(document)
    return sarif_log(findings, kinds, document.bench_audit, _CATEGORY)


def github(document: LintDocument) -> str:
    """Return one line for each finding that counts, those that are surest first."""
    findings, _ = _findings(document)
    return annotations(sorted(findings, key=lambda finding: finding.level is Level.NOTE))


def _findings(document: LintDocument) -> tuple[list[SourceFinding], list[FindingKind]]:
    kinds = {
        rule.id: FindingKind(rule.id, _LEVELS[rule.sure], rule.title, rule.advice)
        for rule in document.rules
    }
    seen: dict[tuple[str, ...], int] = {}
    findings = []
    for finding in document.findings:
        key = (finding.rule, finding.span.file, finding.benchmark)
        seen[key] = number = seen.get(key, 0) + 1
        refuted = finding.proof is not None and finding.proof.seen is EvidenceState.REFUTED
        findings.append(
            SourceFinding(
                kind=kinds[finding.rule],
                owner=finding.benchmark or finding.span.file,
                text=names.line(finding.text),
                span=finding.span,
                accepted=state(finding) if finding.allowed is not None or refuted else None,
                marked=finding.allowed is not None,
                identity="\0".join((*key, str(number))),
                own_level=_LEVELS[finding.sure],
            )
        )
    return findings, list(kinds.values())
