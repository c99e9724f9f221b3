"""`bench-audit stubs`: beginnings of benchmarks for methods that none watches."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Group
from rich.text import Text

from auditor.cli import options, tables
from auditor.cli.output import unusable
from auditor.cli.running import open_work
from auditor.core.errors import Exit, UsageError

if TYPE_CHECKING:
    from auditor.core.contracts.stubs import Stub


@click.command(short_help="Begin benchmarks for methods that none watches.")
@options.options(
    *options.SUBJECT,
    click.option(
        "--into",
        type=click.Path(path_type=Path),
        required=True,
        help="The folder that the files are written to; none is written over.",
    ),
    click.option("--method", multiple=True, metavar="NAME", help="For this one; repeatable."),
    click.option("--top", type=click.IntRange(1), default=20, help="For how many at most (20)."),
    *options.PLACES,
    *options.SAID,
)
@click.pass_context
def command(context: click.Context, /, **given: Any) -> int:
    """Write beginnings of benchmarks: a JMH class, Go functions, or tests for pytest-benchmark.

    They are for the methods that no benchmark calls, the most used first, then for those whose
    slowdown no benchmark notices, by the last results in the store: of trace --clients or trace
    --benchmarks, and of abs. Arguments are those that the tests of clients were seen to hand over,
    where these were simple values; what is unknown says at run time what is to be filled in. The
    files compile and run as they are; names, licence headers and better values are up to you.

    \b
    bench-audit stubs . --into /tmp/new
    bench-audit stubs . --into . --method example.org/ring.Push
    """
    from auditor.stubs.assemble import open_stubbing  # noqa: PLC0415 numpy and scipy come with it

    command_line = options.CommandLine.of(context, options.shared_changes(context.params))
    with open_work(command_line, open_stubbing) as (work, console):
        stubs = work.stubs(given["method"], given["top"])
    into: Path = given["into"].absolute()
    _write(into, stubs.files)
    table = tables.lineless("", "method", "to be filled in")
    for file in stubs.files:
        for name in file.ready:
            table.add_row("\N{CHECK MARK}", Text(name), "")
        for name, lacking in file.incomplete:
            table.add_row(
                "\N{HORIZONTAL ELLIPSIS}", Text(name), Text(tables.short(lacking), style="dim")
            )
    console.result(Group(table))
    for note in stubs.notes:
        console.note(note)
    for file in stubs.files:
        console.note(f"written: {into / file.path}")
    return Exit.OK


def _write(into: Path, files: "Sequence[Stub]") -> None:
    """Write the files; raises UsageError, before the first, where one is there already."""
    for stub in files:
        if not (into / stub.path).resolve().is_relative_to(into.resolve()):
            raise UsageError(f"{stub.path} lies outside of {into}; choose another folder: --into")
        if (into / stub.path).exists():
            raise UsageError(
                f"{into / stub.path} is there already; choose another folder with --into"
            )
    for stub in files:
        path = into / stub.path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                file.write(stub.text)
        except OSError as error:
            raise unusable(path, error) from error
