"""What is wrong with the sources of a suite, as a document.

The names are promised to other programs (reports/schema/lint.schema.json).
"""

from dataclasses import dataclass

import msgspec

from auditor.core.caveats import Caveat
from auditor.core.contracts.lint import Finding, Linted, Rule, Seen, Sure
from auditor.core.subject import Span
from reports.results import schema_of, strict


class LintRule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that was looked for."""

    id: str
    title: str
    advice: str
    sure: Sure
    practice: str | None = None  # bad practice of Costa et al.: RETU, LOOP, FINAL, INVO or FORK
    benchmarks: int = 0  # number of benchmarks that the rule looked at, those of its language


class LintProof(msgspec.Struct, frozen=True):
    """What a run says of a finding."""

    seen: Seen
    text: str


class LintFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One place; `allowed` is the reason that a marker in the source gives, null without one.

    `benchmark` is empty where it is that of no single one.
    """

    rule: str
    sure: Sure
    benchmark: str
    span: Span
    text: str
    allowed: str | None
    proof: LintProof | None

    @property
    def counts(self) -> bool:
        """Tell whether it is to be mended: no marker allows it, and no run refutes it."""
        refuted = self.proof is not None and self.proof.seen is Seen.REFUTED
        return self.allowed is None and not refuted


class LintDocument(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/lint/1"
):
    """The answer to "what is wrong with these benchmarks, by their sources alone?"."""

    bench_audit: str
    subject: str
    revision: str
    benchmarks: int
    rules: tuple[LintRule, ...]
    findings: tuple[LintFinding, ...]
    unread: tuple[str, ...]
    caveats: tuple[Caveat, ...]


@dataclass(frozen=True, slots=True)
class LintedSources:
    """What was looked at, and by which version of bench-audit."""

    subject: str
    revision: str
    version: str


def lint_document(found: Linted, sources: LintedSources) -> LintDocument:
    """Return the result of looking at sources."""
    made = LintDocument(
        bench_audit=sources.version,
        subject=sources.subject,
        revision=sources.revision,
        benchmarks=len(found.benchmarks),
        rules=tuple(_rule(rule, found.applied.get(rule.id, 0)) for rule in found.rules),
        findings=tuple(_finding(finding) for finding in found.findings),
        unread=found.unread,
        caveats=tuple(Caveat(caveat.slug, caveat.text) for caveat in found.caveats),
    )
    return msgspec.convert(strict(msgspec.to_builtins(made)), LintDocument)


def _rule(one: Rule, benchmarks: int) -> LintRule:
    return LintRule(
        id=one.id,
        title=one.title,
        advice=one.advice,
        sure=one.sure,
        practice=one.practice or None,
        benchmarks=benchmarks,
    )


def _finding(one: Finding) -> LintFinding:
    smell, proof = one.smell, one.proof
    return LintFinding(
        rule=one.rule.id,
        sure=one.sure,
        benchmark=smell.benchmark,
        span=Span(smell.span.file, smell.span.first_line, smell.span.last_line),
        text=smell.text,
        allowed=one.allowed or None,
        proof=LintProof(proof.seen, proof.text) if proof else None,
    )


def schema() -> str:
    """Return the JSON Schema of the document, as text."""
    return schema_of(LintDocument, "What is wrong with benchmarks, by their sources")
