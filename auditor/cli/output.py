"""Files for the user: there as a whole, or as they were before."""

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from rich.console import RenderableType

from auditor.cli.console import Console
from auditor.core.errors import FolderUnusable

Document = TypeVar("Document")


def write_file(path: Path, text: str | Iterator[str]) -> None:
    """Write a file so that no reader ever sees half of it; raises FolderUnusable."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.writelines([text] if isinstance(text, str) else text)
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise make_write_error(path, error) from error


def write_files(folder: Path, texts: Mapping[str, str]) -> None:
    """Write files by their names; the texts are there, so no file is written for nothing."""
    for name, text in texts.items():
        write_file(folder / name, text)


def print_in_format(
    document: Document,
    format_: str,
    console: Console,
    table: Callable[[Document], RenderableType],
    **other_formats: Callable[[Document], str],
) -> None:
    """Print a result as "json", as one of `other_formats`, or as a table."""
    if format_ == "json":
        console.print_document(document)
    elif format_ in other_formats:
        console.print_text(other_formats[format_](document))
    else:
        console.print_result(table(document))


def make_write_error(path: Path, error: OSError) -> FolderUnusable:
    """Return the error for a file of ours that cannot be written."""
    reason = (error.strerror or str(error)).lower()
    return FolderUnusable(f"cannot write {path}: {reason}; choose another folder with --output")
