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


def write_results(folder: Path, document: TraceDocument) -> None:
    """Write the result and its page; neither where one cannot be made."""
    texts = {RESULT: results.format_json(document), PAGE: page.render_html(document)}
    output.write_files(folder, texts)


def print_result(document: TraceDocument, format_: str, console: Console) -> None:
    """Print a map in one of FORMATS."""
    output.print_in_format(document, format_, console, build_table)


def build_table(document: TraceDocument) -> RenderableType:
    """Return what a terminal shows."""
    view = page.build_view(document)
    method_table = tables.make_borderless_table(
        "", "method", "", ">unit tests", ">benchmarks", "", "where"
    )
    for row in view.rows[: tables.MOST_ROWS]:
        style = _STYLES[row.reach]
        method_table.add_row(
            Text(row.word.glyph, style=style), Text(row.name), Text(row.word.word, style=style),
            row.tests, str(row.benchmarks or ""),
            Text(tables.shorten_text(row.callers or row.note), style="dim"),
            Text(row.location, style="dim"),
        )  # fmt: skip
    failed = [
        f"{benchmark.name}: {tables.shorten_text(benchmark.note)}"
        for benchmark in view.benchmarks
        if benchmark.note
    ]
    return Group(
        Text(view.subject, style="dim"),
        Text(view.headline, style="bold"),
        Text(view.counts, style="dim"),
        "",
        tables.add_omitted_count(method_table, len(view.rows)),
        *tables.build_section("Benchmarks that did not run", tables.limit_lines(failed)),
        *tables.build_section(
            "To know", [f"{caveat.text} [{caveat.slug}]" for caveat in view.closing.caveats]
        ),
    )
