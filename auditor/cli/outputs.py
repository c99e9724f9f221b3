"""Where results go: a folder of ours, and files that the user names by their endings."""

import webbrowser
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from auditor.cli.console import Console
from auditor.cli.output import write
from auditor.core.errors import UsageError

Function = TypeVar("Function", bound=Callable[..., object])
Content = Path | Callable[[], str | Iterator[str]]
"""The file of ours that holds a result, or what makes its text."""

ENDINGS = (".json", ".html", ".md", ".csv", ".sarif")
"""Endings of files; every other path is a folder."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """What the user has named with -o."""

    folder: Path | None = None
    """None: the folder of the audit below the state folder."""
    files: tuple[Path, ...] = ()


def output_options(*endings: str) -> tuple[Callable[[Function], Function], ...]:
    """Return -o of a command that can write files with these endings, and --open if a page is."""
    output = click.option(
        "-o",
        "--output",
        multiple=True,
        type=click.Path(path_type=Path),
        callback=partial(_outputs, endings=endings),
        metavar="FOLDER|FILE",
        help=f"A folder, or a file by its ending ({' '.join(endings)}); repeatable.",
    )
    shown = click.option("--open", is_flag=True, help="Show the page in a browser at the end.")
    return (output, shown) if ".html" in endings else (output,)


def _outputs(
    _context: click.Context, _option: click.Parameter, given: Sequence[Path], endings: Sequence[str]
) -> Outputs:
    files = tuple(path for path in given if path.suffix in ENDINGS)
    folders = [path for path in given if path.suffix not in ENDINGS]
    takes = f"-o takes a folder, or a file that ends in {' '.join(endings)}"
    for file in files:
        if file.suffix not in endings:
            raise UsageError(f"this command does not write {file.suffix} files: {file}; {takes}")
        if file.is_dir():
            raise UsageError(f"{file} is a folder, but its name ends like a file; {takes}")
    if len(folders) > 1:
        raise UsageError(f"-o names two folders, {folders[0]} and {folders[1]}; name one")
    for folder in folders:
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"{folder} is a file; {takes}")
    return Outputs(folders[0] if folders else None, files)


def deliver(given: Mapping[str, Any], made: Mapping[str, Content], console: Console) -> None:
    """Write the files that the user has named, by their endings, and open the page if asked.

    Raises FolderUnusable, and UsageError where a result has nothing for an ending.
    """
    outputs: Outputs = given["output"]
    for file in outputs.files:
        content = made[file.suffix]
        write(file, content.read_text("utf-8") if isinstance(content, Path) else content())
        console.note(f"written: {file}")
    if given.get("open"):
        _show(made[".html"], outputs, console)


def _show(page: Content, outputs: Outputs, console: Console) -> None:
    named = [file for file in outputs.files if file.suffix == ".html"]
    path = named[0] if named else page
    if isinstance(path, Path) and not webbrowser.open(path.absolute().as_uri()):
        console.say(f"there is no browser here; open {path}")
