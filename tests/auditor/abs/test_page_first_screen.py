"""The first screen of a page: the answer, its grounds, the machine, the gate, the next step."""

from dataclasses import replace

import crowds
import pytest
from comparisons import full_comparison
from concurrencies import document as races
from msgspec import structs
from page_text import unlinked
from test_qualify_words import build_document as qualified

import examples
from auditor.abs import document_of_verdict
from auditor.abs.page import table
from auditor.abs.page.report import render_page
from auditor.compare import page as comparison
from auditor.compare import terminal as comparison_terminal
from auditor.concurrency import page as concurrency
from auditor.core.caveats import Caveat
from auditor.core.errors import Exit
from auditor.core.jobs import HostInterference
from auditor.core.result import Verdict
from auditor.qualify import page as qualify
from reports.html import make_gate_view

BUSY = HostInterference(waited=0.97, foreign=1.0)
INSTEAD = " in the place of 5, by --inconclusive"
FAILED = ["gate failed: at least 80 %, the total score is 54 %"]


def document(strain=None):
    context = examples.context() if strain is None else examples.context(strain=strain)
    return document_of_verdict.build_abs_document(examples.audit(), context)


@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 800, 1400])
def test_the_first_screen_has_the_answer_the_score_the_gate_and_the_next_step(visit, width):
    gate = make_gate_view(Exit.GATE_FAILED, Exit.GATE_FAILED, FAILED)
    page = render_page(document(BUSY), gate=gate)
    tab, _ = visit(page, viewport={"width": width, "height": 900})

    for place in (".alert", "h1", "#gate", ".answers", ".score:first-child .big"):
        box = tab.locator(place).bounding_box()
        assert box["y"] + box["height"] <= 900, place
    assert "exit code 1" in tab.locator("#gate").inner_text()
    assert tab.locator(".answers a[href='#next']").is_visible()


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_method_names_outcomes_and_columns_are_those_of_the_terminal(visit, scheme):
    audit = document()
    tab, _ = visit(audit, color_scheme=scheme)
    rows = tab.locator(".method-table tbody tr").all()

    heads = tab.locator(".method-table th[scope=col]").all_inner_texts()
    assert [head.removesuffix("↕").strip() for head in heads] == [
        "method", "outcome", "detects from", "detected by", "60\N{NO-BREAK SPACE}% adds", "by",
    ]  # fmt: skip
    cells = [row.locator("td").all_inner_texts() for row in rows]
    assert cells == [
        [
            f"{row.glyph} {row.word}",
            row.notices,
            f"{row.detected_by} of {row.reached_by}" if row.reached_by else "",
            row.effect,
            row.evidence,
        ]
        for row in table.method_rows(audit)
    ]


@pytest.mark.parametrize(
    ("verdict", "code", "title", "ending"),
    [
        (Exit.OK, Exit.OK, "Gate passed", "exit code 0"),
        (Exit.GATE_FAILED, Exit.GATE_FAILED, "Gate failed", "exit code 1"),
        (Exit.NO_VERDICT, Exit.NO_VERDICT, "No verdict", "exit code 5"),
        (
            Exit.NO_VERDICT,
            Exit.OK,
            "No verdict",
            "exit code 0" + INSTEAD,
        ),
    ],
)
def test_what_a_gate_said_is_shown_with_its_exit_code(verdict, code, title, ending):
    gate = make_gate_view(verdict, code, ["said <b>\n"])

    for page in (
        render_page(document(), gate=gate),
        comparison.render_html(full_comparison(), gate),
        concurrency.render_html(races(), gate),
        qualify.render_html(qualified(), gate),
    ):
        assert f"<b>{title}</b>, {ending}</p>" in page
        assert "<li>said &lt;b&gt;\\n</li>" in page


def test_a_command_without_a_gate_shows_none(tmp_path):
    assert make_gate_view(Exit.OK, Exit.OK, []) is None
    assert 'id="gate"' not in render_page(document())

    comparison_terminal.FILES.write_gate_page(tmp_path, full_comparison(), None)
    assert not list(tmp_path.iterdir())

    comparison_terminal.FILES.write_gate_page(
        tmp_path, full_comparison(), make_gate_view(Exit.OK, Exit.OK, ["gate passed"])
    )
    assert 'id="gate"' in (tmp_path / "compare.html").read_text()


def test_a_score_that_nothing_is_known_of_is_no_zero():
    crashed = document_of_verdict.build_abs_document(examples.all_crashed(), examples.context())

    rows = table.score_rows(crashed)

    assert {row.percent for row in rows} == {"\N{EN DASH}"}
    assert all(row.bounds for row in rows)
    assert f'<p class="big">{rows[0].bounds}</p>' in render_page(crashed)


def test_a_suite_without_spreads_has_no_empty_table_of_them():
    verdict = examples.audit()
    benchmarks = tuple(
        replace(benchmark, max_spread=None, bucket=None)
        for benchmark in verdict.stability.benchmarks
    )
    bare = replace(verdict, stability=replace(verdict.stability, benchmarks=benchmarks))

    page = unlinked(render_page(document_of_verdict.build_abs_document(bare, examples.context())))

    assert "No benchmark has a spread: none has values of all runs." in page
    assert "The spread of each benchmark" not in page


@pytest.mark.parametrize(("slug", "text"), [("distorted", ""), ("few-runs", "29 … 43\u00a0%")])
def test_an_effect_that_the_probe_distorts_is_not_shown(slug, text):
    audit = document()
    method = audit.methods[0]
    caveats = (Caveat(slug, "why"),)
    pairs = [
        replace(
            pair,
            outcome=Verdict.INCONCLUSIVE,
            effect=0.36,
            interval=(0.29, 0.43),
            decided_by=None,
            caveats=caveats,
        )
        for pair in audit.pairs
        if pair.method == method.id
    ]
    undecided = replace(method, outcome=Verdict.INCONCLUSIVE, detected_by=(), caveats=caveats)

    open_audit = structs.replace(audit, methods=(undecided,), pairs=tuple(pairs), curve=None)
    (row,) = table.method_rows(open_audit)

    assert row.effect == text


def test_a_large_page_lists_each_term_once():
    page = render_page(crowds.crowd(20, 100, 5))

    assert page.count('id="term-threshold"') == 1
