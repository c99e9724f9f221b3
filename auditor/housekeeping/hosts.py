"""`bench-audit hosts`: machines that audits have rented, and those that were left behind."""

from typing import Any

import click
from rich.text import Text

from auditor.cli import options, tables
from auditor.cli.console import Console
from auditor.cli.context import AppContext
from auditor.config.places import find_rental_folder
from auditor.core.errors import Exit
from runners.hosts.clock import SystemClock
from runners.hosts.local import LocalHost
from runners.rented.ledger import RentalLedger, RentalNote

_QUIET = options.VERBOSITY_OPTIONS[0]


@click.group(short_help="Which machines are rented, and remove those left behind.")
def command() -> None:
    """Look after machines that audits have rented with --rent.

    Each audit writes down what it is about to rent, and removes it at its end. One that was killed
    cannot: `remove_machines` does, and so does the next audit that rents.
    """


def _open_ledger(
    context: click.Context, option_values: dict[str, Any]
) -> tuple[RentalLedger, Console]:
    surroundings = context.find_object(AppContext) or AppContext.from_process()
    environment, clock = surroundings.environment, SystemClock()
    ledger = RentalLedger(find_rental_folder(environment), LocalHost(clock), clock, environment)
    return ledger, Console(environment, quiet=option_values["quiet"])


@command.command("list")
@options.add_options(_QUIET)
@click.pass_context
def list_rentals(context: click.Context, /, **option_values: Any) -> int:
    """List what is rented: machines by audit, and whether that still runs; 4 where unknown."""
    ledger, console = _open_ledger(context, option_values)
    table = tables.make_borderless_table("id", "class", "begun", "audit", ">machines")

    def add_audit_row(note: RentalNote, ended: bool, machines: tuple[str, ...]) -> None:  # noqa: FBT001 as asked
        state = "killed" if ended else "runs"
        table.add_row(*map(Text, (note.id, note.cluster, note.started, state, str(len(machines)))))

    try:
        ledger.report_notes(add_audit_row)
    finally:
        if table.row_count:
            console.print_result(table)
    if not table.row_count:
        console.print_result(Text("Nothing is rented."))
    return Exit.OK


@command.command("clean")
@options.add_options(_QUIET)
@click.pass_context
def remove_machines(context: click.Context, /, **option_values: Any) -> int:
    """Remove the machines of audits that were killed; exit with 4 where one is still there."""
    ledger, console = _open_ledger(context, option_values)
    removed: list[str] = []

    def report_removal(note: RentalNote, machines: tuple[str, ...]) -> None:
        removed.extend(machines)
        console.print_result(Text(f"{note.id} of {note.cluster}: {len(machines)} removed"))

    ledger.remove_leftovers(report_removal)
    if not removed:
        console.print_result(Text("No machine is left behind."))
    return Exit.OK
