"""Smells of benchmarks on a terminal, and as an exit code."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.cli import output, tables
from auditor.cli.console import Console
from auditor.core.contracts.lint import Confidence, SmellRule
from auditor.core.errors import Exit
from auditor.lint import text as lint_words
from auditor.lint.document import LintDocument, LintFinding
from reports import names, number_format

FORMATS = ("table", "json", "markdown", "sarif", "github")
SURE = (Confidence.CERTAIN, Confidence.LIKELY, Confidence.POSSIBLE)
"""The surest first."""
_STYLES = {Confidence.CERTAIN: "red", Confidence.LIKELY: "yellow", Confidence.POSSIBLE: ""}


def print_result(document: LintDocument, format_: str, console: Console) -> None:
    """Print a result in one of FORMATS."""
    output.print_in_format(
        document,
        format_,
        console,
        build_table,
        markdown=lint_words.render_markdown,
        sarif=lint_words.render_sarif,
        github=lint_words.render_annotations,
    )


def build_table(document: LintDocument) -> RenderableType:
    """Return what a terminal shows: each finding with its place, then what to do by rule."""
    parts: list[RenderableType] = [
        Text(names.escape_line(lint_words.format_headline(document)), style="bold")
    ]
    for finding in document.findings:
        parts += ["", *_render_finding(finding)]
    rule_ids = {finding.rule for finding in document.findings if finding.counts}
    advice = [f"{rule.id}: {rule.advice}" for rule in document.rules if rule.id in rule_ids]
    parts += tables.build_section("What to do", advice)
    caveat_lines = [
        f"{names.escape_line(caveat.text)} [{caveat.slug}]" for caveat in document.caveats
    ]
    parts += tables.build_section("To know", caveat_lines)
    return Group(*parts)


def _render_finding(finding: LintFinding) -> list[RenderableType]:
    head = Text(names.escape_line(lint_words.format_place(finding)))
    head.append(f" {finding.rule}", style=_STYLES[finding.sure] if finding.counts else "dim")
    head.append(f" ({finding.sure})", style="dim")
    if finding.benchmark:
        head.append(f" {names.escape_line(finding.benchmark)}")
    text = Text(f"  {names.escape_line(finding.text)}", style="" if finding.counts else "dim")
    lines: list[RenderableType] = [head, text]
    evidence_text = names.escape_line(lint_words.describe_state(finding))
    return [*lines, Text(f"  {evidence_text}", style="dim")] if evidence_text else lines


def build_rule_table(rules: Sequence[SmellRule]) -> RenderableType:
    """Return all rules, and whether they are looked for unless asked otherwise."""
    result_table = tables.make_borderless_table("rule", "sure", "on", "practice", "what")
    for rule in rules:
        on = "yes" if rule.on else "no"
        result_table.add_row(rule.id, Text(str(rule.sure)), on, rule.practice, Text(rule.title))
    return result_table


def judge_gate(document: LintDocument, fail_on: str | None) -> tuple[Exit, list[str]]:
    """Return the exit code and what to say about it; nothing is said where nothing was asked."""
    if fail_on is None:
        return Exit.OK, []
    enough = SURE[: SURE.index(Confidence(fail_on)) + 1]
    findings = [
        finding for finding in document.findings if finding.counts and finding.sure in enough
    ]
    if findings:
        count = number_format.format_count(len(findings), "finding")
        return Exit.GATE_FAILED, [f"gate failed: {count} at least {fail_on}"]
    if document.unread:
        unread = number_format.format_count(len(document.unread), "file")
        text = f"gate undecided: {unread} with benchmarks cannot be read"
        return Exit.NO_VERDICT, [text]
    return Exit.OK, [f"gate passed: no finding at least {fail_on}"]
