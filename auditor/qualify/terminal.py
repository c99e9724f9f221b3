"""What a gate is worth, on a terminal, as files and as an exit code."""

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.cli import tables
from auditor.cli.outputs import ResultFiles
from auditor.core.contracts.qualify import DemandState, ShownCase
from auditor.core.errors import Exit
from auditor.qualify import page
from auditor.qualify.document import CheckoutPairRate, QualifyDocument
from auditor.qualify.markdown import render_markdown
from auditor.qualify.text import (
    SIDES,
    describe_method,
    format_answer,
    format_headline,
    format_rate_cells,
)
from reports import number_format

_BAR_WIDTH = 20
_GATE_WORDS = {
    DemandState.FAILED: "gate failed",
    DemandState.UNDECIDED: "gate undecided",
    DemandState.PASSED: "gate passed",
}


def format_answer_line(shown_pair: ShownCase, left: int) -> str:
    """Return one answer in a line, for those who watch."""
    case_label = SIDES[shown_pair.case.side]
    if shown_pair.case.method:
        case_label = f"{shown_pair.case.method} {shown_pair.case.factor:g}x, {case_label}"
    text = format_answer(shown_pair.answer, shown_pair.turn)
    return (
        f"{case_label}: {text} ({number_format.format_seconds(shown_pair.seconds)}; about {left} "
        "more)"
    )


def build_table(document: QualifyDocument) -> RenderableType:
    """Return what a terminal shows."""
    gate_seconds = document.gate_seconds
    parts: list[RenderableType] = [
        Text(f"{document.gate}", style="dim"),
        Text(format_headline(document), style="bold"),
        *(
            [Text(f"A run takes {number_format.format_seconds(gate_seconds)}.", style="dim")]
            if gate_seconds
            else []
        ),
        "",
        _build_rate_table(document),
    ]
    parts += tables.build_section(
        "What is wrong with it",
        [f"{diagnose.flaw}: {diagnose.evidence}" for diagnose in document.diagnoses],
    )
    parts += tables.build_section(
        "Methods", [describe_method(slowed_method) for slowed_method in document.methods]
    )
    parts += tables.build_caveat_section(document.caveats)
    return Group(*parts)


def _build_rate_table(document: QualifyDocument) -> RenderableType:
    rate_table = tables.make_borderless_table(
        "pair", ">times as long", ">achieved", ">alarms", ">rate", ">90 % interval", ""
    )
    for rate in document.rates:
        name = f"{SIDES[rate.side]}, {rate.method}" if rate.method else SIDES[rate.side]
        rate_table.add_row(Text(name), *format_rate_cells(rate), Text(_draw_bar(rate)))
    return rate_table


def _draw_bar(rate: CheckoutPairRate) -> str:
    return "" if rate.rate is None else "█" * round(_BAR_WIDTH * rate.rate)


def judge_gate(document: QualifyDocument) -> tuple[Exit, list[str]]:
    """Return the verdict and what to say about it; nothing where nothing was asked."""
    if not any(rate.pair_count for rate in document.rates):
        return Exit.NO_VERDICT, ["no verdict: the gate answered for no pair of checkouts"]
    messages = [
        f"{_GATE_WORDS[demand.answer]}: {demand.requirement}: {demand.reason}"
        for demand in document.demands
    ]
    answers = {demand.answer for demand in document.demands}
    if DemandState.FAILED in answers:
        return Exit.GATE_FAILED, messages
    if DemandState.UNDECIDED in answers:
        return Exit.NO_VERDICT, messages
    return Exit.OK, messages


FILES = ResultFiles("qualify", build_table, {".html": page.render_html, ".md": render_markdown})
