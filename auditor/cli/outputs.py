"""Where results go: a folder of ours, and files that the user names by their endings."""

import webbrowser
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import click
from rich.console import RenderableType

from auditor.cli.console import Console
from auditor.cli.output import print_in_format, write_file, write_files
from auditor.core.errors import UsageError
from reports.html import GateView
from reports.results import format_json

Document = TypeVar("Document")
Function = TypeVar("Function", bound=Callable[..., object])
Content = Path | Callable[[], str | Iterator[str]]
"""The file of ours that holds a result, or what makes its text."""

ENDINGS = (".json", ".html", ".md", ".csv", ".sarif")
"""Endings of files; every other path is a folder."""
_FORMATS = {".md": "markdown", ".csv": "csv"}
"""What --format calls the files that stdout can get, besides the JSON."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """What the user has named with -o."""

    folder: Path | None = None
    """None: the folder of the audit below the state folder."""
    files: tuple[Path, ...] = ()


def make_output_options(*endings: str) -> tuple[Callable[[Function], Function], ...]:
    """Return -o of a command that can write files with these endings, and --open if a page is."""
    output_option = click.option(
        "-o",
        "--output",
        multiple=True,
        type=click.Path(path_type=Path),
        callback=partial(_parse_outputs, endings=endings),
        metavar="FOLDER|FILE",
        help=f"A folder, or a file by its ending ({' '.join(endings)}); repeatable.",
    )
    open_option = click.option(
        "--open", is_flag=True, help="Show the page in a browser at the end."
    )
    return (output_option, open_option) if ".html" in endings else (output_option,)


def make_format_option(
    formats: Sequence[str] = ("table", "json"), note: str = ""
) -> Callable[[Function], Function]:
    """Return --format of a command that can print these."""
    help_text = f"What stdout gets{note}."
    return click.option("--format", type=click.Choice(formats), default="table", help=help_text)


def _parse_outputs(
    _context: click.Context,
    _option: click.Parameter,
    output_paths: Sequence[Path],
    endings: Sequence[str],
) -> Outputs:
    files = tuple(path for path in output_paths if path.suffix in ENDINGS)
    folders = [path for path in output_paths if path.suffix not in ENDINGS]
    usage_hint = f"-o takes a folder, or a file that ends in {' '.join(endings)}"
    for file in files:
        if file.suffix not in endings:
            raise UsageError(
                f"this command does not write {file.suffix} files: {file}; {usage_hint}"
            )
        if file.is_dir():
            raise UsageError(f"{file} is a folder, but its name ends like a file; {usage_hint}")
    if len(folders) > 1:
        raise UsageError(f"-o names two folders, {folders[0]} and {folders[1]}; name one")
    for folder in folders:
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"{folder} is a file; {usage_hint}")
    return Outputs(folders[0] if folders else None, files)


def write_output_files(
    option_values: Mapping[str, Any], contents_by_ending: Mapping[str, Content], console: Console
) -> None:
    """Write the files that the user has named, by their endings, and open the page if asked.

    Raises FolderUnusable, and UsageError where a result has nothing for an ending.
    """
    outputs: Outputs = option_values["output"]
    for file in outputs.files:
        content = contents_by_ending[file.suffix]
        write_file(file, content.read_text("utf-8") if isinstance(content, Path) else content())
        console.print_note(f"written: {file}")
    if option_values.get("open"):
        _open_page(contents_by_ending[".html"], outputs, console)


@dataclass(frozen=True, slots=True)
class ResultFiles(Generic[Document]):
    """The files that a command writes to its folder, and what it prints."""

    name: str  # of all files, without their endings
    build_table: Callable[[Document], RenderableType]  # for the terminal
    texts: Mapping[str, Callable[..., str]]  # makes the files other than the JSON, by ending

    @property
    def formats(self) -> tuple[str, ...]:
        """Return what stdout can get."""
        return ("table", "json", *(_FORMATS[ending] for ending in self.texts if ending in _FORMATS))

    def make_options(self) -> tuple[Callable[[Function], Function], ...]:
        """Return -o, --open if there is a page, and --format."""
        return (*make_output_options(".json", *self.texts), make_format_option(self.formats))

    def list_paths(self, folder: Path) -> dict[str, Path]:
        """Return the files by their endings."""
        return {ending: folder / f"{self.name}{ending}" for ending in (".json", *self.texts)}

    def write_results(
        self, folder: Path, document: Document, more_texts: Mapping[str, str] | None = None
    ) -> None:
        """Write the files, and `more_texts` by name; none of them where one cannot be made."""
        texts = {f"{self.name}.json": format_json(document)}
        texts |= {f"{self.name}{ending}": make(document) for ending, make in self.texts.items()}
        write_files(folder, texts | dict(more_texts or {}))

    def print_result(self, document: Document, format_: str, console: Console) -> None:
        """Print a result in one of `formats`."""
        named = {
            _FORMATS[ending]: self.texts[ending] for ending in self.texts if ending in _FORMATS
        }
        print_in_format(document, format_, console, self.build_table, **named)

    def write_gate_page(self, folder: Path, document: Document, gate: GateView | None) -> None:
        """Write the page again, with what the gates said; leave it if they said nothing."""
        if gate is not None:
            write_file(folder / f"{self.name}.html", self.texts[".html"](document, gate))

    def deliver_files(
        self, option_values: Mapping[str, Any], folder: Path, console: Console
    ) -> None:
        """Say where the files are, write those that -o names, and open the page if asked."""
        paths = self.list_paths(folder)
        page = f"report: {paths['.html']}\n" if ".html" in paths else ""
        tables = [str(paths[ending]) for ending in (".json", ".csv") if ending in paths]
        console.print_note(f"\n{page}result: {', '.join(tables)}")
        write_output_files(option_values, paths, console)


def _open_page(page: Content, outputs: Outputs, console: Console) -> None:
    page_files = [file for file in outputs.files if file.suffix == ".html"]
    path = page_files[0] if page_files else page
    if isinstance(path, Path) and not webbrowser.open(path.absolute().as_uri()):
        console.print_message(f"there is no browser here; open {path}")
