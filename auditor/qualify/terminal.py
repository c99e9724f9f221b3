"""What a gate is worth, on a terminal, as files and as an exit code."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.cli import output, tables
from auditor.cli.console import Console
from auditor.cli.outputs import deliver
from auditor.core.contracts.qualify import DemandState, ShownCase
from auditor.core.errors import Exit
from auditor.qualify import page
from auditor.qualify.document import CheckoutPairRate, QualifyDocument
from auditor.qualify.markdown import markdown
from auditor.qualify.text import SIDES, answer, cells, headline, method
from reports import number_format, results
from reports.html import GateView

FORMATS = ("table", "json", "markdown")
RESULT, PAGE, TEXT = "qualify.json", "qualify.html", "qualify.md"
_WIDTH = 20
_GATES = {
    DemandState.FAILED: "gate failed",
    DemandState.UNDECIDED: "gate undecided",
    DemandState.PASSED: "gate passed",
}


def keep(folder: Path, document: QualifyDocument) -> None:
    """Write the result, its page and its Markdown."""
    texts = {
        RESULT: results.text(document),
        PAGE: page.html(document),
        TEXT: markdown(document),
    }
    output.keep(folder, texts)


def keep_gate(folder: Path, document: QualifyDocument, gate: GateView | None) -> None:
    """Write the page again, with what the gates said; leave it if they said nothing."""
    if gate is not None:
        output.write(folder / PAGE, page.html(document, gate))


def deliver_files(given: Mapping[str, Any], folder: Path, console: Console) -> None:
    """Write the files that -o names, and open the page if asked."""
    made = {".json": folder / RESULT, ".html": folder / PAGE, ".md": folder / TEXT}
    deliver(given, made, console)


def show(document: QualifyDocument, format_: str, console: Console) -> None:
    """Print a result in one of FORMATS."""
    output.show(document, format_, console, table, markdown=markdown)


def line(shown_pair: ShownCase, left: int) -> str:
    """Return one answer in a line, for those who watch."""
    what = SIDES[shown_pair.case.side]
    if shown_pair.case.method:
        what = f"{shown_pair.case.method} {shown_pair.case.factor:g}x, {what}"
    text = answer(shown_pair.answer, shown_pair.turn)
    return f"{what}: {text} ({number_format.seconds(shown_pair.seconds)}; about {left} more)"


def table(document: QualifyDocument) -> RenderableType:
    """Return what a terminal shows."""
    took = document.gate_seconds
    parts: list[RenderableType] = [
        Text(f"{document.gate}", style="dim"),
        Text(headline(document), style="bold"),
        *([Text(f"A run takes {number_format.seconds(took)}.", style="dim")] if took else []),
        "",
        _rates(document),
    ]
    parts += tables.section(
        "What is wrong with it",
        [f"{diagnose.flaw}: {diagnose.evidence}" for diagnose in document.diagnoses],
    )
    parts += tables.section(
        "Methods", [method(slowed_method) for slowed_method in document.methods]
    )
    parts += tables.section(
        "To know", [f"{caveat.text} [{caveat.slug}]" for caveat in document.caveats]
    )
    return Group(*parts)


def _rates(document: QualifyDocument) -> RenderableType:
    rates = tables.lineless(
        "pair", ">times as long", ">achieved", ">alarms", ">rate", ">90 % interval", ""
    )
    for rate in document.rates:
        name = f"{SIDES[rate.side]}, {rate.method}" if rate.method else SIDES[rate.side]
        rates.add_row(Text(name), *cells(rate), Text(_bar(rate)))
    return rates


def _bar(rate: CheckoutPairRate) -> str:
    return "" if rate.rate is None else "█" * round(_WIDTH * rate.rate)


def judge(document: QualifyDocument) -> tuple[Exit, list[str]]:
    """Return the verdict and what to say about it; nothing where nothing was asked."""
    said = [f"{_GATES[demand.answer]}: {demand.asked}: {demand.why}" for demand in document.demands]
    answers = {demand.answer for demand in document.demands}
    if DemandState.FAILED in answers:
        return Exit.GATE_FAILED, said
    if DemandState.UNDECIDED in answers:
        return Exit.NO_VERDICT, said
    return Exit.OK, said
