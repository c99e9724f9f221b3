"""Write the beginnings of benchmarks, and show which are ready."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from auditor.cli import options, tables
from auditor.cli.console import Console
from auditor.cli.output import make_write_error
from auditor.cli.running import open_work
from auditor.core.errors import UsageError

if TYPE_CHECKING:
    from auditor.core.contracts.stubs import Stub
    from auditor.stubs.assemble import StubResult


def write_stubs(
    command_line: options.CommandLine,
    target_folder: Path,
    methods: Sequence[str],
    *,
    stdout_has_result: bool,
) -> None:
    """Begin benchmarks in a folder, for the methods named or the unwatched ones.

    `stdout_has_result`: stdout has another result. Raises UsageError where a file is there already.
    """
    from auditor.stubs.assemble import open_stubbing  # noqa: PLC0415 numpy and scipy come with it

    with open_work(command_line, open_stubbing) as (work, console):
        stubs = work.generate_stubs(methods, command_line.config.trace.top)
    folder = target_folder.absolute()
    written_files = [file for file in stubs.files if file.text]
    _write_files(folder, written_files)
    if stdout_has_result:
        for file in stubs.files:
            console.print_note(
                f"begun: {', '.join((*file.ready, *(name for name, _ in file.incomplete)))}"
                if file.text
                else f"not begun: {'; '.join(map(': '.join, file.incomplete))}"
            )
    else:
        _show_stubs(stubs, console)
    for note in stubs.notes:
        console.print_note(note)
    for file in written_files:
        console.print_note(f"written: {folder / file.path}")


def _show_stubs(stubs: "StubResult", console: Console) -> None:
    table = tables.make_borderless_table("", "method", "to be filled in")
    for file in stubs.files:
        for name in file.ready:
            table.add_row("\N{CHECK MARK}", Text(name), "")
        for name, lacking in file.incomplete:
            table.add_row(
                "\N{HORIZONTAL ELLIPSIS}",
                Text(name),
                Text(tables.shorten_text(lacking), style="dim"),
            )
    console.print_result(Group(table))


def _write_files(folder: Path, files: "Sequence[Stub]") -> None:
    """Write the files; raises UsageError, before the first, where one is there already."""
    for stub in files:
        if not (folder / stub.path).resolve().is_relative_to(folder.resolve()):
            raise UsageError(
                f"{stub.path} is outside of {folder}; choose another folder with --stubs"
            )
        if (folder / stub.path).exists():
            raise UsageError(
                f"{folder / stub.path} exists already; choose another folder with --stubs"
            )
    for stub in files:
        path = folder / stub.path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                file.write(stub.text)
        except OSError as error:
            raise make_write_error(path, error) from error
