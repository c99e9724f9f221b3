"""`bench-audit hosts`: machines that audits have rented, and those that were left behind."""

from typing import Any

import click
from rich.text import Text

from auditor.cli import options, tables
from auditor.cli.console import Console
from auditor.cli.context import AppContext
from auditor.config.places import rented
from auditor.core.errors import Exit
from runners.hosts.clock import SystemClock
from runners.hosts.local import LocalHost
from runners.rented.ledger import Ledger, Note

_QUIET = options.SAID[0]


@click.group(short_help="Which machines are rented, and remove those left behind.")
def command() -> None:
    """Look after machines that audits have rented with --rent.

    Each audit writes down what it is about to rent, and removes it at its end. One that was killed
    cannot: `clean` does, and so does the next audit that rents.
    """


def _open_ledger(context: click.Context, given: dict[str, Any]) -> tuple[Ledger, Console]:
    surroundings = context.find_object(AppContext) or AppContext.real()
    environment, clock = surroundings.environment, SystemClock()
    ledger = Ledger(rented(environment), LocalHost(clock), clock, environment)
    return ledger, Console(environment, quiet=given["quiet"])


@command.command("list")
@options.options(_QUIET)
@click.pass_context
def list_(context: click.Context, /, **given: Any) -> int:
    """List what is rented: machines by audit, and whether that still runs; 4 where unknown."""
    ledger, console = _open_ledger(context, given)
    table = tables.lineless("id", "class", "begun", "audit", ">machines")

    def told(note: Note, ended: bool, machines: tuple[str, ...]) -> None:  # noqa: FBT001 as asked
        state = "killed" if ended else "runs"
        table.add_row(*map(Text, (note.id, note.cluster, note.started, state, str(len(machines)))))

    try:
        ledger.look(told)
    finally:
        if table.row_count:
            console.result(table)
    if not table.row_count:
        console.result(Text("Nothing is rented."))
    return Exit.OK


@command.command("clean")
@options.options(_QUIET)
@click.pass_context
def clean(context: click.Context, /, **given: Any) -> int:
    """Remove the machines of audits that were killed; exit with 4 where one is still there."""
    ledger, console = _open_ledger(context, given)
    removed: list[str] = []

    def told(note: Note, machines: tuple[str, ...]) -> None:
        removed.extend(machines)
        console.result(Text(f"{note.id} of {note.cluster}: {len(machines)} removed"))

    ledger.clean(told)
    if not removed:
        console.result(Text("No machine is left behind."))
    return Exit.OK
