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


def keep(folder: Path, document: ProfileDocument) -> None:
    """Write the result, its page and its table; none of them where one cannot be made."""
    texts = {
        RESULT: results.text(document),
        PAGE: page_clients.html(document),
        TABLE: page_clients.delimited(document),
    }
    output.keep(folder, texts)


def show(document: ProfileDocument, format_: str, console: Console) -> None:
    """Print a profile in one of FORMATS."""
    output.show(document, format_, console, table, csv=page_clients.delimited)


def table(document: ProfileDocument) -> RenderableType:
    """Return what a terminal shows: the methods that are called, and the clients."""
    view = page_clients.view(document)
    called = [row for row in view.rows if row.use != page_clients.NEVER]
    made = tables.lineless(
        ">", "method", ">outside", ">inside", ">share", ">clients", "such as", "where"
    )
    for row in called[: tables.MOST_ROWS]:
        made.add_row(
            row.rank, Text(row.name, style=_STYLES[row.use]), row.outside, row.inside, row.share,
            row.clients, Text(tables.short(row.example), style="dim"),
            Text(row.where, style="dim"),
        )  # fmt: skip
    clients = tables.lineless("client", ">tests", ">calls", ">time", "")
    for client in view.clients:
        clients.add_row(
            Text(client.name), client.tests, client.calls, client.seconds,
            Text(tables.short(client.note), style="dim"),
        )  # fmt: skip
    return Group(
        Text(view.subject, style="dim"),
        Text(view.headline, style="bold"),
        Text(view.counts, style="dim"),
        "",
        tables.and_more(made, len(called)),
        "",
        clients,
        *tables.section(
            "To know", [f"{caveat.text} [{caveat.slug}]" for caveat in view.closing.caveats]
        ),
    )
