"""A profile of use on a terminal, and in files."""

from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.cli import output, tables
from auditor.cli.console import Console
from auditor.trace import page_clients
from auditor.trace.document_clients import ProfileDocument
from reports import results

FORMATS = ("table", "json", "csv")
RESULT, PAGE, TABLE = "profile.json", "profile.html", "profile.csv"
_STYLES = {page_clients.OFTEN: "green", page_clients.CALLED: "", page_clients.NEVER: "dim"}


def write_results(folder: Path, document: ProfileDocument) -> None:
    """Write the result, its page and its table; none of them where one cannot be made."""
    texts = {
        RESULT: results.format_json(document),
        PAGE: page_clients.render_html(document),
        TABLE: page_clients.render_csv(document),
    }
    output.write_files(folder, texts)


def print_result(document: ProfileDocument, format_: str, console: Console) -> None:
    """Print a profile in one of FORMATS."""
    output.print_in_format(document, format_, console, build_table, csv=page_clients.render_csv)


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
        *tables.build_section(
            "To know", [f"{caveat.text} [{caveat.slug}]" for caveat in view.closing.caveats]
        ),
    )
