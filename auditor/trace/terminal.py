"""A map of calls on a terminal, and in files."""

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.cli import tables
from auditor.cli.outputs import ResultFiles
from auditor.core.result import ReachState
from auditor.trace import page
from auditor.trace.document import TraceDocument

_STYLES = {
    ReachState.NOT_AT_ALL: "red",
    ReachState.SET_UP_ONLY: "red",
    ReachState.UNKNOWN: "yellow",
    ReachState.IN_LOOP: "green",
}


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
        *tables.build_caveat_section(view.closing.caveats),
    )


FILES = ResultFiles("trace", build_table, {".html": page.render_html})
