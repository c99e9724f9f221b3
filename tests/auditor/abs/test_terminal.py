"""A result on a terminal: what a row says, and that nothing is padded or cut."""

from dataclasses import replace

import pytest
from rich.console import Console

import examples
from auditor.abs import document_of_verdict
from auditor.abs.page.table import summarise_document
from auditor.abs.terminal import format_summary
from auditor.cli import console
from auditor.core.caveats import Caveat
from auditor.core.result import Verdict

LIMIT = Caveat("borderline", "may lie at the threshold")


def document(**changes):
    return document_of_verdict.build_abs_document(
        replace(examples.audit(), **changes), examples.context()
    )


def printed(document, width=100):
    recorder = Console(width=width, record=True)
    with recorder.capture() as captured:
        recorder.print(format_summary(document))
    return captured.get().replace("\N{NO-BREAK SPACE}", " ").splitlines()


@pytest.mark.parametrize("width", [60, 100])
def test_no_line_is_wider_than_the_terminal_and_no_reason_is_cut(width):
    methods = tuple(
        replace(method, outcome=Verdict.INCONCLUSIVE, reason="cannot be told " * 12 + "END")
        for method in examples.audit().methods[:2]
    )
    lines = printed(document(methods=methods), width)

    assert max(map(len, lines)) <= width
    assert sum("END" in line for line in lines) == 2
    assert not any("\N{HORIZONTAL ELLIPSIS} " in line for line in lines if "cannot" in line)


def test_a_row_shows_the_effect_that_decides_and_by_which_evidence():
    verdict = examples.audit()
    (detected, *_) = [pair for pair in verdict.pairs if pair.outcome is Verdict.DETECTED]
    weak = replace(detected, effect=0.3, interval=(0.26, 0.34), decided_by="injection")
    strong = replace(detected, effect=0.5, interval=(0.45, 0.55), decided_by="share")

    (row,) = [
        row
        for row in summarise_document(document(pairs=(weak, strong))).methods
        if row.id == detected.method
    ]

    assert row.effect.replace("\N{NO-BREAK SPACE}", " ") == "45 … 55 %"
    assert (row.evidence, row.note) == ("CPU samples", "")


def test_of_a_missed_method_the_largest_effect_that_is_possible_is_shown():
    verdict = examples.audit()
    (missed, *_) = [pair for pair in verdict.pairs if pair.outcome is Verdict.MISSED]
    sure = replace(missed, effect=0.1, interval=(0.09, 0.11), decided_by="share")
    wide = replace(missed, effect=0.1, interval=(0.0, 0.27), decided_by="share", threshold=0.25)
    methods = tuple(
        replace(method, outcome=Verdict.MISSED, caveats=(LIMIT,))
        for method in verdict.methods
        if method.id == missed.method
    )

    (row,) = summarise_document(document(pairs=(sure, wide), methods=methods)).methods

    assert row.effect.replace("\N{NO-BREAK SPACE}", " ") == "0 … 27 %"
    assert (
        row.note.replace("\N{NO-BREAK SPACE}", " ")
        == "borderline: the effect may lie at the threshold of 25 %; missed is likelier"
    )


def test_a_method_without_a_verdict_is_not_called_borderline_for_one_of_its_pairs():
    verdict = examples.audit()
    (missed, *_) = [pair for pair in verdict.pairs if pair.outcome is Verdict.MISSED]
    methods = tuple(
        replace(method, outcome=Verdict.INCONCLUSIVE, caveats=(LIMIT,), reason="too short")
        for method in verdict.methods
        if method.id == missed.method
    )

    (row,) = summarise_document(document(pairs=(missed,), methods=methods)).methods

    assert "borderline" not in row.note


def test_in_a_pipe_nothing_is_padded_wrapped_or_cut(capsys):
    long = "a reason of a method that nobody could measure " * 12
    methods = tuple(
        replace(method, outcome=Verdict.INCONCLUSIVE, reason=long)
        for method in examples.audit().methods
    )

    console.Console({}, quiet=False).print_result(format_summary(document(methods=methods)))

    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line != line.rstrip()] == []
    assert sum(long.strip() in line for line in lines) == len(methods)


def test_a_method_has_the_same_name_in_the_table_and_in_each_advice():
    first = examples.audit().methods[0]
    lost = {"outcome": Verdict.UNREACHED, "detected_by": (), "reached_by": ()}
    methods = (
        replace(first, id="pkg.core.Number.add", **lost),
        replace(first, id="pkg.core.Number.sub", **lost),
        replace(first, id="pkg.other.parse", outcome=Verdict.DETECTED),
    )
    summary = summarise_document(document(methods=methods, pairs=()))

    assert [row.name for row in summary.methods][:2] == ["core.Number.add", "core.Number.sub"]
    (unwatched,) = [line for line in summary.advice if line.startswith("Write benchmarks")]
    assert unwatched.endswith(": core.Number.add, core.Number.sub")
