"""When benchmarks are warm: on a terminal, and in files."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from auditor.cli import output, tables
from auditor.cli.console import Console
from auditor.core.steady import SteadyLabel
from auditor.core.stored import StoredResults
from reports import document as documents
from reports import steady
from reports.steady_document import SteadyDocument

RESULT, PAGE = "steady.json", "steady.html"
_STYLES = {
    SteadyLabel.STEADY: "green",
    SteadyLabel.INCONSISTENT: "yellow",
    SteadyLabel.UNKNOWN: "yellow",
    SteadyLabel.NOT_STEADY: "red",
}


@contextmanager
def told(console: Console, what: str) -> Iterator[Callable[[int, int], None]]:
    """Draw a bar on a terminal; elsewhere say nothing."""
    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console.err, transient=True, disable=not console.live
    ) as progress:
        task = progress.add_task("", total=None)
        yield lambda done, of: progress.update(task, completed=done, total=of)


def keep(folder: Path, document: SteadyDocument, found: StoredResults) -> None:
    """Write the result and its page; neither where one cannot be made."""
    values = {
        (name, run, fork): (*one.warmups, *one.seconds)
        for run, each in enumerate(found.runs)
        for name, processes in each.processes.items()
        for fork, one in enumerate(processes)
    }
    report = steady.html(document, values)
    output.write(folder / RESULT, documents.text(document))
    output.write(folder / PAGE, report)


def table(document: SteadyDocument) -> RenderableType:
    """Return what a terminal shows."""
    shown = steady.view(document)
    made = tables.lineless("", "benchmark", "", ">processes", ">steady from", "warm-up", "set")
    for row in shown.rows[: tables.MOST_ROWS]:
        style = _STYLES[row.label]
        made.add_row(
            Text(row.word.glyph, style=style), Text(row.name), Text(row.word.word, style=style),
            row.steady, row.start, Text(row.warm_up),
            Text(row.setting or tables.short(row.note), style="dim"),
        )  # fmt: skip
    return Group(
        Text(shown.subject, style="dim"),
        Text(shown.headline, style="bold"),
        Text(shown.counts, style="dim"),
        "",
        tables.and_more(made, len(shown.rows)),
        *tables.section("To know", [f"{one.text} [{one.slug}]" for one in document.caveats]),
    )
