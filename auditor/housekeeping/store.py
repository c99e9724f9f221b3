"""`bench-audit store`: what was measured, looked at, checked, merged, exported and pruned."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from auditor.cli import options, tables
from auditor.cli.console import Console
from auditor.cli.context import AppContext
from auditor.config import choose_places, load_config
from auditor.core.errors import Exit, UsageError
from auditor.store import upkeep
from reports import names
from reports.delimited import LongTable, format_csv_lines
from reports.number_format import format_count

_STORE = click.option(
    "--store", type=click.Path(path_type=Path), help="The file; that of the subject by default."
)
_MOST_DAYS = 365_000
"""Dates begin with the year 1."""
_MOST_RESULTS = 2**31 - 1
"""A number that SQLite takes."""
_QUIET = options.VERBOSITY_OPTIONS[0]


@click.group(short_help="List, verify, merge, export and prune what was measured.")
def command() -> None:
    """Look after the file that holds all measurements and results of a subject.

    CONFIG_OR_SUBJECT says which, as for abs, unless --store names a file.
    """


def _make_store_command(name: str) -> Callable[[Callable[..., int]], click.Command]:
    """Return a decorator for a command of the group that works on one store."""

    def register_function(function: Callable[..., int]) -> click.Command:
        decorated = options.add_options(options.SUITE_OPTIONS[0], _STORE, _QUIET)(function)
        return command.command(name)(click.pass_context(decorated))

    return register_function


def _open_store(context: click.Context, option_values: dict[str, Any]) -> tuple[Path, Console]:
    surroundings = context.find_object(AppContext) or AppContext.from_process()
    path = option_values["store"]
    if path is None:
        config = options.print_configuration_name(
            load_config(option_values["what"], {}, Path.cwd()), quiet=option_values["quiet"]
        )
        path = choose_places(config, surroundings.environment).store
    return path.absolute(), Console(surroundings.environment, quiet=option_values["quiet"])


@_make_store_command("list")
def describe_store(context: click.Context, /, **option_values: Any) -> int:
    """Say what a store holds: runs by machine, audits by project."""
    path, console = _open_store(context, option_values)
    contents = upkeep.read_contents(path)
    size = f"{contents.bytes / 1e6:.1f} MB, {contents.runs:,} runs"
    failed = f"({contents.failed:,} failed in a way that may pass)"
    console.print_result(Text(f"{path}: {size} {failed}, {contents.values:,} values"))
    for machine, runs in contents.machines:
        console.print_result(Text(f"{runs:,} runs on {names.escape_line(machine)}"))
    table = tables.make_borderless_table("project", ">revisions", ">finished audits", "last begun")
    for subject in contents.subjects:
        name = Text(names.format_label(subject.name))
        table.add_row(name, str(subject.revisions), str(subject.audits), subject.last)
    console.print_result("", table)
    return Exit.OK


@_make_store_command("verify")
def verify_store(context: click.Context, /, **option_values: Any) -> int:
    """Read everything in a store; exit with 4 where a page, a row or a value is damaged."""
    path, console = _open_store(context, option_values)
    runs = upkeep.verify_store(path)
    console.print_result(Text(f"{path}: all {runs:,} runs can be read"))
    return Exit.OK


@command.command("merge")
@click.argument("destination", metavar="INTO", type=click.Path(path_type=Path))
@click.argument("sources", type=click.Path(path_type=Path), nargs=-1, required=True)
@_QUIET
@click.pass_context
def merge_stores(
    context: click.Context,
    /,
    destination: Path,
    sources: tuple[Path, ...],
    quiet: bool,  # noqa: FBT001 click's signature
) -> int:
    """Bring what SOURCES hold into the store INTO, which is made if need be.

    What is there already stays, unless it failed in a way that may pass. Runs of other machines are
    kept apart: an audit only uses those of a machine like its own.
    """
    surroundings = context.find_object(AppContext) or AppContext.from_process()
    console = Console(surroundings.environment, quiet=quiet)
    for source in sources:
        merged = upkeep.merge_stores(destination.absolute(), source.absolute())
        console.print_result(
            Text(
                f"{source}: {merged.runs:,} runs and {merged.audits:,} audits added, "
                f"{merged.present:,} runs were there"
            )
        )
    return Exit.OK


@_make_store_command("export")
def export_values(context: click.Context, /, **option_values: Any) -> int:
    """Print every value of a store as CSV, one a line, with the run that it is of."""
    path, console = _open_store(context, option_values)
    for line in format_csv_lines(LongTable(upkeep.EXPORTED, upkeep.export_values(path))):
        console.print_text(line)
    return Exit.OK


@command.command("prune")
@options.add_options(
    options.SUITE_OPTIONS[0],
    click.option(
        "--older-than",
        metavar="DAYS",
        type=click.IntRange(0, _MOST_DAYS),
        help="Runs, and audits that never ended.",
    ),
    click.option("--failed", is_flag=True, help="Runs that failed in a way that may pass."),
    click.option(
        "--audits",
        type=click.IntRange(0, _MOST_RESULTS),
        help="Keep so many results of each project.",
    ),
    _STORE,
    _QUIET,
)
@click.pass_context
def prune_store(context: click.Context, /, **option_values: Any) -> int:
    """Forget runs and results; what an audit needs of them is measured again."""
    if (
        option_values["older_than"] is None
        and not option_values["failed"]
        and option_values["audits"] is None
    ):
        raise UsageError("nothing chosen to delete: give --older-than DAYS, --failed or --audits N")
    path, console = _open_store(context, option_values)
    before = None
    if option_values["older_than"] is not None:
        moment = datetime.now(UTC) - timedelta(days=option_values["older_than"])
        before = moment.isoformat(timespec="milliseconds")
    runs, audits = upkeep.prune_store(
        path, before=before, failed=option_values["failed"], audits=option_values["audits"]
    )
    counts = f"{format_count(runs, 'run')} and {format_count(audits, 'audit')}"
    console.print_result(Text(f"{path}: {counts} forgotten"))
    return Exit.OK
