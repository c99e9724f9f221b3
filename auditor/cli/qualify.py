"""What a gate is worth, on a terminal, as Markdown and as an exit code."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.cli import options, tables
from auditor.cli.console import Console
from auditor.core.errors import Exit
from auditor.core.qualify import Answer, Asked, Shown, Side
from reports import figures
from reports.markdown import CAVEATS, code, prose
from reports.qualify_document import Cell, Method, QualifyDocument

FORMATS = ("table", "json", "markdown")
RESULT, MARKDOWN = "qualify.json", "qualify.md"
_WIDTH = 20
_SIDES = {Side.SAME: "alike", Side.SLOWED: "head slower", Side.SPED: "head faster"}
_GATES = {
    Asked.FAILED: "gate failed",
    Asked.UNDECIDED: "gate undecided",
    Asked.PASSED: "gate passed",
}


def show(document: QualifyDocument, format_: str, console: Console) -> None:
    """Print a result in one of FORMATS."""
    if format_ == "json":
        console.document(document)
    elif format_ == "markdown":
        console.text(markdown(document))
    else:
        console.result(table(document))


def line(one: Shown, left: int) -> str:
    """Return one answer in a line, for those who watch."""
    what = _SIDES[one.case.side]
    if one.case.method:
        what = f"{one.case.method} {one.case.factor:g}x, {what}"
    answer = {Answer.ALARM: "alarm", Answer.QUIET: "quiet", Answer.FAILED: "no answer"}[one.answer]
    again = f" at run {one.turn}" if one.answer is Answer.ALARM and one.turn > 1 else ""
    return f"{what}: {answer}{again} ({figures.seconds(one.seconds)}; about {left} more)"


def headline(document: QualifyDocument) -> str:
    """Return what the gate is worth, in a sentence."""
    flaws = [str(one.flaw) for one in document.diagnoses]
    seen = [
        f"{one.method} from {one.seen_from:g}x on"
        for one in document.methods
        if one.seen_from is not None
    ]
    if flaws:
        said = f"This gate is {' and '.join(flaws)}"
        return f"{said}; it sees {', '.join(seen)}." if seen else f"{said}."
    if not seen:
        return "Cannot tell what this gate sees: more runs are needed (--runs, --budget)."
    same = [one for one in document.rates if one.side is Side.SAME]
    alarms = f"{same[0].alarms} false alarms in {same[0].shown} runs" if same else ""
    return f"This gate works: it sees {', '.join(seen)}; {alarms}."


def table(document: QualifyDocument) -> RenderableType:
    """Return what a terminal shows."""
    took = document.gate_seconds
    parts: list[RenderableType] = [
        Text(f"{document.gate}", style="dim"),
        Text(headline(document), style="bold"),
        *([Text(f"A run takes {figures.seconds(took)}.", style="dim")] if took else []),
        "",
        _rates(document),
    ]
    parts += tables.section(
        "What is wrong with it", [f"{one.flaw}: {one.evidence}" for one in document.diagnoses]
    )
    parts += tables.section("Methods", [_method(one) for one in document.methods])
    parts += tables.section("To know", [f"{one.text} [{one.slug}]" for one in document.caveats])
    return Group(*parts)


def _method(one: Method) -> str:
    """Say what is known of a method that was slowed."""
    if one.refusal:
        return f"{one.method} cannot be slowed: {one.refusal}"
    if not one.reached_by:
        return f"{one.method}: no benchmark calls it"
    took = f" takes {figures.seconds(one.seconds)}" if one.seconds else ""
    how = "" if one.calibrated else "; slowed by the clock, which is too little for short methods"
    callers = len(one.reached_by)
    return f"{one.method}{took}, called by {callers} benchmark{'s' * (callers != 1)}{how}"


def _rates(document: QualifyDocument) -> RenderableType:
    made = tables.lineless(
        "pair", ">times as long", ">achieved", ">alarms", ">rate", ">90 % interval", ""
    )
    for one in document.rates:
        name = f"{_SIDES[one.side]}, {one.method}" if one.method else _SIDES[one.side]
        made.add_row(Text(name), *_cells(one), Text(_bar(one)))
    return made


def _cells(one: Cell) -> tuple[str, str, str, str, str]:
    factor = f"{one.factor:g}" if one.method else ""
    achieved = "" if one.achieved is None else f"{one.achieved:.2f}"
    if one.skipped:
        return factor, achieved, "not shown", "", "larger ones are not seen"
    low, high = one.interval
    failed = f" ({one.failed} no answer)" if one.failed else ""
    rate = "" if one.rate is None else f"{one.rate:.0%}"
    return (
        factor,
        achieved,
        f"{one.alarms} of {one.shown}{failed}",
        rate,
        f"{low:.0%} to {high:.0%}",
    )


def _bar(one: Cell) -> str:
    return "" if one.rate is None else "█" * round(_WIDTH * one.rate)


def markdown(document: QualifyDocument) -> str:
    """Return headline, rates, diagnoses and caveats; names in code spans."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: QualifyDocument) -> Iterator[str]:
    yield f"## {code(document.gate)}"
    yield from ("", f"**{code(headline(document))}**", "")
    yield "| pair | times as long | achieved | alarms | rate | 90 % interval |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for one in document.rates:
        name = f"{_SIDES[one.side]}, {code(one.method)}" if one.method else _SIDES[one.side]
        yield f"| {name} | {' | '.join(_cells(one))} |"
    if document.diagnoses:
        yield from ("", "### What is wrong with it", "")
    for found in document.diagnoses:
        yield f"* **{found.flaw}**: {code(found.evidence)}"
    if document.caveats:
        yield from ("", "### Caveats", "")
    for caveat in document.caveats[:CAVEATS]:
        yield f"* {code(caveat.slug)}: {prose(caveat.text)}"


def judge(document: QualifyDocument, inconclusive: str | None) -> tuple[Exit, list[str]]:
    """Return the exit code and what to say about it; nothing where nothing was asked."""
    said = [f"{_GATES[one.answer]}: {one.asked}: {one.why}" for one in document.demands]
    answers = {one.answer for one in document.demands}
    if Asked.FAILED in answers:
        return Exit.GATE_FAILED, said
    if Asked.UNDECIDED in answers:
        return options.instead(inconclusive), said
    return Exit.OK, said
