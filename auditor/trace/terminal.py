"""A map of calls on a terminal, and in files."""

from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.cli import output, tables
from auditor.cli.console import Console
from auditor.core.result import ReachState
from auditor.trace import page
from auditor.trace.document import TraceDocument
from reports import results

FORMATS = ("table", "json")
RESULT, PAGE = "trace.json", "trace.html"
_STYLES = {
    ReachState.NOT_AT_ALL: "red",
    ReachState.SET_UP_ONLY: "red",
    ReachState.UNKNOWN: "yellow",
    ReachState.IN_LOOP: "green",
}


def keep(folder: Path, document: TraceDocument) -> None:
    """Write the result and its page; neither where one cannot be made."""
    texts = {RESULT: results.text(document), PAGE: page.html(document)}
    output.keep(folder, texts)


def show(document: TraceDocument, format_: str, console: Console) -> None:
    """Print a map in one of FORMATS."""
    output.show(document, format_, console, table)


def table(document: TraceDocument) -> RenderableType:
    """Return what a terminal shows."""
    view = page.view(document)
    made = tables.lineless("", "method", "", ">unit tests", ">benchmarks", "", "where")
    for row in view.rows[: tables.MOST_ROWS]:
        style = _STYLES[row.reach]
        made.add_row(
            Text(row.word.glyph, style=style), Text(row.name), Text(row.word.word, style=style),
            row.tests, str(row.benchmarks or ""),
            Text(tables.short(row.callers or row.note), style="dim"), Text(row.where, style="dim"),
        )  # fmt: skip
    failed = [
        f"{benchmark.name}: {tables.short(benchmark.note)}"
        for benchmark in view.benchmarks
        if benchmark.note
    ]
    return Group(
        Text(view.subject, style="dim"),
        Text(view.headline, style="bold"),
        Text(view.counts, style="dim"),
        "",
        tables.and_more(made, len(view.rows)),
        *tables.section("Benchmarks that did not run", tables.first_lines(failed)),
        *tables.section(
            "To know", [f"{caveat.text} [{caveat.slug}]" for caveat in view.closing.caveats]
        ),
    )
