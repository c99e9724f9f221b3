"""A profile of use on a terminal, and in files."""

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.cli import tables
from auditor.cli.outputs import ResultFiles
from auditor.trace import page_clients
from auditor.trace.document_clients import ProfileDocument

_STYLES = {page_clients.OFTEN: "green", page_clients.CALLED: "", page_clients.NEVER: "dim"}


def build_table(document: ProfileDocument) -> RenderableType:
    """Return what a terminal shows: the methods that are called, and the clients."""
    view = page_clients.build_view(document)
    called_rows = [row for row in view.rows if row.use != page_clients.NEVER]
    method_table = tables.make_borderless_table(
        ">", "method", ">outside", ">inside", ">share", ">clients", "such as", "where"
    )
    for row in called_rows[: tables.MOST_ROWS]:
        method_table.add_row(
            row.rank, Text(row.name, style=_STYLES[row.use]), row.outside, row.inside, row.share,
            row.clients, Text(tables.shorten_text(row.example), style="dim"),
            Text(row.location, style="dim"),
        )  # fmt: skip
    client_table = tables.make_borderless_table("client", ">tests", ">calls", ">time", "")
    for client in view.clients:
        client_table.add_row(
            Text(client.name), client.tests, client.calls, client.seconds,
            Text(tables.shorten_text(client.note), style="dim"),
        )  # fmt: skip
    return Group(
        Text(view.subject, style="dim"),
        Text(view.headline, style="bold"),
        Text(view.counts, style="dim"),
        "",
        tables.add_omitted_count(method_table, len(called_rows)),
        "",
        client_table,
        *tables.build_caveat_section(view.closing.caveats),
    )


FILES = ResultFiles(
    "profile", build_table, {".html": page_clients.render_html, ".csv": page_clients.render_csv}
)
