"""Allocations in the JSON result, on the page and in a terminal."""

from dataclasses import replace

import msgspec
import pytest
from page_text import unlinked
from schema_checks import check_schema

import examples
from auditor.abs import document, document_of_verdict
from auditor.abs.page import allocations, table
from auditor.abs.page.matrix import MatrixCell, pair_matrix
from auditor.abs.page.page_budget import choose_listed_pairs
from auditor.abs.page.report import render_page
from auditor.core.result import Verdict
from reports import results

VERDICT = examples.allocated(examples.audit())
RESULT_DOCUMENT = document_of_verdict.build_abs_document(VERDICT, examples.context())


def test_the_result_satisfies_its_schema_and_is_read_back_the_same():
    text = results.format_json(RESULT_DOCUMENT)

    check_schema("result", text)
    assert document.parse_document(text) == RESULT_DOCUMENT
    assert RESULT_DOCUMENT.allocations.bytes == 64
    assert len(RESULT_DOCUMENT.allocations.pairs) == len(VERDICT.allocations.pairs)


def test_a_result_of_before_is_still_read():
    older = msgspec.to_builtins(
        document_of_verdict.build_abs_document(examples.audit(), examples.context())
    )
    del older["allocations"]

    assert document.parse_document(results.format_json(older)).allocations is None


def test_each_cell_has_the_mark_of_its_pair_and_says_it_in_words():
    matrix = pair_matrix(RESULT_DOCUMENT, choose_listed_pairs(RESULT_DOCUMENT).places)

    cells = [
        cell
        for line in matrix.lines
        for cell in line.cells
        if isinstance(cell, MatrixCell) and cell.mark
    ]
    assert len(cells) == len(VERDICT.allocations.pairs)
    words = {"▲": "shows", "△": "hidden", "◇": "open"}
    assert {cell.mark for cell in cells} == set(words)
    for cell in cells:
        assert cell.title.endswith(f"; one more allocation per call {words[cell.mark]}")
    shown_count = sum(
        int(line.allocation_total.split(" of ")[0])
        for line in matrix.lines
        if " of " in line.allocation_total
    )
    assert shown_count == [cell.mark for cell in cells].count("▲")
    assert [word.word for word in matrix.marks] == ["shows", "hidden", "open"]


def test_the_page_has_the_answer_and_each_pair():
    text = unlinked(render_page(RESULT_DOCUMENT))

    section = text.split('<section id="allocations">')[1].split("</section>")[0]
    assert allocations.format_headline(RESULT_DOCUMENT.allocations) in section
    assert section.count("<tr>") == 1 + len(VERDICT.allocations.pairs)
    assert "<b>what is" not in section
    assert 'href="#allocations"' in text


def test_a_page_that_was_not_asked_has_neither_marks_nor_section():
    text = render_page(document_of_verdict.build_abs_document(examples.audit(), examples.context()))

    assert "allocation" not in text
    assert "<sup>" not in text


@pytest.mark.parametrize(
    ("noticed", "undecided", "message"),
    [
        (2, 0, "would show in 2 of 5 methods."),
        (2, 1, "would show in 2 of 5 methods, and perhaps in 1 more."),
        (0, 5, "is open for all 5 methods."),
    ],
)
def test_the_headline_says_how_many_and_how_many_perhaps(noticed, undecided, message):
    result_allocations = RESULT_DOCUMENT.allocations

    headline = allocations.format_headline(
        replace(result_allocations, noticed=noticed, undecided=undecided, counted=5)
    )

    assert "one more allocation of 64 bytes per call" in headline.lower()
    assert headline.endswith(message)


def test_a_terminal_has_a_column_and_names_whom_nobody_watches():
    summary = table.summarise_document(RESULT_DOCUMENT)

    assert any(" of " in row.allocation for row in summary.methods)
    first, second = summary.allocations
    assert first.startswith("One more allocation of 64 bytes per call would show in ")
    assert second.startswith("Could start to allocate without anyone noticing: ")
    silent = [
        method for method in VERDICT.allocations.methods if method.outcome in allocations.SILENT
    ]
    named_methods = second.partition(": ")[2].partition(" and ")[0].split(", ")
    assert len(named_methods) == min(5, len(silent)) > 0
    loud = {
        method.id for method in VERDICT.allocations.methods if method.outcome is Verdict.DETECTED
    }
    assert not [
        name for name in named_methods if any(loud_id.endswith(f".{name}") for loud_id in loud)
    ]


def test_without_them_a_terminal_has_nothing_of_it():
    summary = table.summarise_document(
        document_of_verdict.build_abs_document(examples.audit(), examples.context())
    )

    assert summary.allocations == ()
    assert {row.allocation for row in summary.methods} == {""}


def test_nothing_that_could_be_judged_is_no_zero():
    none = replace(VERDICT.allocations, noticed=0, undecided=0, counted=0)
    result_document = document_of_verdict.build_abs_document(
        replace(VERDICT, allocations=none), examples.context()
    )

    assert "in no method that could be judged" in allocations.format_headline(
        result_document.allocations
    )
