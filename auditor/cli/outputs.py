"""Where results go: a folder of ours, and files that the user names by their endings."""

import webbrowser
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import click

from auditor.cli.console import Console
from auditor.cli.output import write_file
from auditor.core.errors import UsageError
from reports.html import GateView

Document = TypeVar("Document")
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
    """The files that a command writes to its folder."""

    result: str  # name of the JSON file
    page: str  # name of the HTML file
    text: str  # name of the Markdown file
    render_html: Callable[[Document, GateView | None], str]

    def write_gate_page(self, folder: Path, document: Document, gate: GateView | None) -> None:
        """Write the page again, with what the gates said; leave it if they said nothing."""
        if gate is not None:
            write_file(folder / self.page, self.render_html(document, gate))

    def deliver_files(
        self, option_values: Mapping[str, Any], folder: Path, console: Console
    ) -> None:
        """Say where the files are, write those that -o names, and open the page if asked."""
        console.print_note(f"\nreport: {folder / self.page}")
        console.print_note(f"result: {folder / self.result}")
        names = {".json": self.result, ".html": self.page, ".md": self.text}
        paths = {ending: folder / name for ending, name in names.items()}
        write_output_files(option_values, paths, console)


def _open_page(page: Content, outputs: Outputs, console: Console) -> None:
    page_files = [file for file in outputs.files if file.suffix == ".html"]
    path = page_files[0] if page_files else page
    if isinstance(path, Path) and not webbrowser.open(path.absolute().as_uri()):
        console.print_message(f"there is no browser here; open {path}")
