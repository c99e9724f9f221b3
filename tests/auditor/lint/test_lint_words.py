"""Smells of benchmarks as a document, in words, as Markdown, SARIF and annotations."""

import json
from dataclasses import replace

import pytest
from msgspec import structs
from rich.console import Console
from schema_checks import check_schema

from auditor.core.caveats import Caveat
from auditor.core.contracts.lint import (
    Confidence,
    EvidenceState,
    LintEvidence,
    LintResult,
    Smell,
    SmellFinding,
    SmellRule,
)
from auditor.core.errors import Exit
from auditor.core.subject import Span
from auditor.lint import terminal
from auditor.lint.document import LintedSources, lint_document
from auditor.lint.text import format_headline, render_annotations, render_markdown, render_sarif
from reports import results

SOURCES = LintedSources("ring", "abc", "1.2")


def rule(sure):
    return SmellRule(id=f"go-{sure}", title=f"It is {sure}", advice="Use b.N.", sure=sure)


RULES = tuple(rule(confidence) for confidence in Confidence)


def finding(
    sure=Confidence.LIKELY, benchmark="BenchmarkPush", line=7, text="b.N is not used", **more
):
    smell = Smell(
        rule=f"go-{sure}",
        benchmark=benchmark,
        span=Span("ring_test.go", line, line + 1),
        text=text,
        top=5,
    )
    return SmellFinding(rule=rule(sure), smell=smell, **more)


def build_document(*findings, caveats=(), benchmarks=("BenchmarkPush", "BenchmarkPop")):
    linted = LintResult(
        rules=RULES,
        benchmarks=benchmarks,
        findings=findings,
        unread=(),
        applied={lint_rule.id: len(benchmarks) for lint_rule in RULES[:2]},
        caveats=caveats,
    )
    return lint_document(linted, SOURCES)


ALLOWED = finding(allowed="it is meant so")
REFUTED = finding(line=9, proof=LintEvidence(EvidenceState.REFUTED, "an invocation takes 2 s"))
CONFIRMED = finding(
    line=11, proof=LintEvidence(EvidenceState.CONFIRMED, "an invocation takes 2e-06 s")
)


def render_terminal(document):
    console = Console(width=200)
    with console.capture() as captured:
        console.print(terminal.build_table(document))
    return captured.get()


def test_findings_beside_benchmarks_are_not_counted_as_some():
    inside, shared = finding(), finding(benchmark="")

    assert (
        format_headline(build_document(inside, shared))
        == "2 findings, 1 of them in 1 of 2 benchmarks."
    )
    assert format_headline(build_document(shared)) == "1 finding beside 2 benchmarks."


def test_a_terminal_gets_no_line_that_a_file_name_began():
    odd = finding(text="it \x1b[31m is", benchmark="Odd\n::error::x")
    odd = replace(odd, smell=replace(odd.smell, span=Span("a\n::error::y.go", 1, 1)))

    printed = render_terminal(
        build_document(odd, caveats=(Caveat("lint-unread", "b\n::error::z.go"),))
    )

    assert "::error::" in printed
    assert not any(line.lstrip().startswith("::") for line in printed.splitlines())
    assert "\x1b" not in printed


def test_what_could_not_be_read_passes_no_gate():
    read = build_document()
    unread = structs.replace(read, unread=("a_test.go",))
    bad = structs.replace(build_document(finding()), unread=("a_test.go",))

    assert terminal.judge_gate(read, "likely")[0] is Exit.OK
    assert terminal.judge_gate(unread, "likely") == (
        Exit.NO_VERDICT,
        ["gate undecided: 1 file with benchmarks cannot be read"],
    )
    assert terminal.judge_gate(bad, "likely")[0] is Exit.GATE_FAILED
    assert terminal.judge_gate(unread, None)[0] is Exit.OK


def test_the_document_is_what_its_schema_says():
    document = build_document(
        ALLOWED, REFUTED, finding(benchmark=""), caveats=(Caveat("lint-unread", "t"),)
    )

    check_schema("lint", results.format_json(document))


def test_a_name_that_is_no_text_is_written_as_escapes():
    odd = LintedSources("r\udcff", "abc", "1.2")
    document = lint_document(LintResult(rules=(), benchmarks=(), findings=(), unread=()), odd)

    assert json.loads(results.format_json(document))["subject"] == r"r\udcff"


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (build_document(benchmarks=()), "No benchmark was found in these sources."),
        (build_document(), "2 rules found nothing in 2 benchmarks."),
        (build_document(finding(), finding(line=8)), "2 findings in 1 of 2 benchmarks."),
        (
            build_document(finding(), ALLOWED, REFUTED, CONFIRMED),
            "2 findings in 1 of 2 benchmarks (1 allowed, 1 refuted).",
        ),
        (build_document(ALLOWED), "2 rules found nothing in 2 benchmarks (1 allowed)."),
    ],
)
def test_the_answer_comes_first(document, message):
    assert format_headline(document) == message
    assert render_terminal(document).splitlines()[0].rstrip() == message


def test_a_terminal_shows_places_reasons_and_what_to_do():
    text = render_terminal(
        build_document(finding(), ALLOWED, CONFIRMED, finding(Confidence.POSSIBLE, line=20))
    )

    lines = [line.rstrip() for line in text.splitlines()]
    index = lines.index("ring_test.go:7 go-likely (likely) BenchmarkPush")
    assert lines[index + 1] == "  b.N is not used"
    assert "allowed: it is meant so" in text
    assert "confirmed: an invocation takes 2e-06 s" in text
    assert text.count("Use b.N.") == 2


def test_markup_in_sources_is_shown_as_it_is():
    assert "[red]x[/red]" in render_terminal(build_document(finding(text="[red]x[/red]")))


def test_markdown_has_names_in_code_spans_and_what_counts_only():
    text = render_markdown(build_document(finding(text="@all <b>"), ALLOWED, REFUTED))

    assert "| go-likely | likely | `ring_test.go:7` | `BenchmarkPush` | `@all <b>` |" in text
    assert ":9" not in text
    assert "meant" not in text


def test_markdown_of_many_says_how_many_more():
    text = render_markdown(build_document(*(finding(line=number) for number in range(1, 131))))

    assert text.endswith("\nand 30 more\n")


def test_annotations_are_the_surest_first_and_leave_out_what_does_not_count():
    lines = render_annotations(
        build_document(finding(Confidence.POSSIBLE), finding(line=8), ALLOWED, REFUTED)
    ).splitlines()

    assert [line.partition(" ")[0] for line in lines] == ["::warning", "::notice"]
    assert "file=ring_test.go,line=8,endLine=9,title=bench-audit go-likely::" in lines[0]


def test_sarif_suppresses_what_is_allowed_or_refuted_and_tells_findings_apart():
    log = json.loads(
        render_sarif(build_document(finding(), ALLOWED, REFUTED, finding(Confidence.POSSIBLE)))
    )
    (run,) = log["runs"]
    results = run["results"]

    assert run["automationDetails"]["id"] == "bench-audit-lint/"
    assert [entry["id"] for entry in run["tool"]["driver"]["rules"]] == [
        lint_rule.id for lint_rule in RULES
    ]
    assert [result["level"] for result in results] == ["warning"] * 3 + ["note"]
    suppressed = [result.get("suppressions") for result in results]
    assert suppressed == [
        None,
        [{"kind": "inSource", "justification": "allowed: it is meant so"}],
        [{"kind": "external", "justification": "refuted: an invocation takes 2 s"}],
        None,
    ]
    prints = [result["partialFingerprints"]["benchAuditSmell/v1"] for result in results]
    assert len(set(prints)) == 4


def test_a_finding_is_the_same_one_where_lines_move():
    first, moved = (
        json.loads(render_sarif(build_document(finding(line=line)))) for line in (7, 70)
    )

    results = [log["runs"][0]["results"][0]["partialFingerprints"] for log in (first, moved)]
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("findings", "fail_on", "code"),
    [
        ((finding(),), None, Exit.OK),
        ((finding(),), "likely", Exit.GATE_FAILED),
        ((finding(),), "certain", Exit.OK),
        ((finding(),), "possible", Exit.GATE_FAILED),
        ((ALLOWED, REFUTED), "possible", Exit.OK),
        ((), "possible", Exit.OK),
    ],
)
def test_a_gate_asks_for_findings_that_are_sure_enough(findings, fail_on, code):
    exit_code, texts = terminal.judge_gate(build_document(*findings), fail_on)

    assert exit_code is code
    assert bool(texts) is (fail_on is not None)
