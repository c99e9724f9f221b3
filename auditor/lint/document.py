"""The JSON result of `lint`: its types, and the conversion of findings.

The names are promised to other programs (reports/schema/lint.schema.json).
"""

from dataclasses import dataclass

import msgspec

from auditor.core.caveats import Caveat
from auditor.core.contracts.lint import (
    Confidence,
    EvidenceState,
    LintEvidence,
    LintResult,
    SmellFinding,
    SmellRule,
)
from auditor.core.subject import Span
from reports.results import PlainFields, convert_fields, copy_fields


class LintRule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that was applied."""

    id: str  # names the rule's page, docs/lint/ID.md
    title: str  # what is wrong, in a line
    advice: str  # what to do, in a sentence
    sure: Confidence  # confidence of its findings
    practice: str | None = None  # bad practice of Costa et al.: RETU, LOOP, FINAL, INVO or FORK
    benchmarks: int = 0  # number of benchmarks that the rule looked at, those of its language


class LintFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One place that a rule reports."""

    rule: str  # id of the rule
    sure: Confidence  # confidence
    benchmark: str  # empty: the place belongs to no single one
    span: Span  # the place in the source
    text: str  # a sentence on this place
    allowed: str | None  # reason given by a marker in the source; null: no marker
    proof: LintEvidence | None  # what a measured result says about it; null: nothing

    @property
    def counts(self) -> bool:
        """Tell whether it is to be fixed: no marker allows it and no run refutes it."""
        refuted = self.proof is not None and self.proof.state is EvidenceState.REFUTED
        return self.allowed is None and not refuted


class LintDocument(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/lint/1"
):
    """The findings in the sources of a suite."""

    bench_audit: str  # its version
    subject: str  # name of the audited code
    revision: str  # commit or version; empty: unknown
    benchmarks: int  # number of benchmarks that were read
    rules: tuple[LintRule, ...]  # those that were applied
    findings: tuple[LintFinding, ...]  # in the order of files and lines
    unread: tuple[str, ...]  # files that could not be read
    caveats: tuple[Caveat, ...]  # of the result


@dataclass(frozen=True, slots=True)
class LintedSources:
    """The sources, and the version of bench-audit that read them."""

    subject: str
    revision: str
    version: str


def lint_document(linted: LintResult, sources: LintedSources) -> LintDocument:
    """Return the document of the findings."""
    fields = copy_fields(
        LintDocument,
        linted,
        bench_audit=sources.version,
        subject=sources.subject,
        revision=sources.revision,
        benchmarks=len(linted.benchmarks),
        rules=[_build_rule_fields(rule, linted) for rule in linted.rules],
        findings=[_build_finding_fields(finding) for finding in linted.findings],
    )
    return convert_fields(LintDocument, fields)


def _build_rule_fields(rule: SmellRule, linted: LintResult) -> PlainFields:
    return copy_fields(
        LintRule,
        rule,
        practice=rule.practice or None,
        benchmarks=linted.applied.get(rule.id, 0),
    )


def _build_finding_fields(finding: SmellFinding) -> PlainFields:
    return copy_fields(
        LintFinding,
        finding.smell,
        rule=finding.rule.id,
        sure=finding.confidence,
        allowed=finding.allowed or None,
        proof=finding.proof,
    )
