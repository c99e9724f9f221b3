"""Files for the user, there as a whole or as they were before, and what a CI step is told."""

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from rich.console import RenderableType

from auditor.cli.console import Console
from auditor.core.errors import Exit, FolderUnusable, UsageError

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


SUMMARY, OUTPUT = "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"
MAX_SUMMARY_BYTES = 900_000
"""Bytes; GitHub refuses a summary of more than a mebibyte."""
VERDICTS = {Exit.OK: "pass", Exit.GATE_FAILED: "fail", Exit.NO_VERDICT: "undecided"}
"""The output `verdict` of a step, by the exit code of its gates."""


def find_step_files(environment: Mapping[str, str]) -> tuple[Path, Path]:
    """Return the files of the summary and of the outputs; raises UsageError outside of a step."""
    path_texts = [environment.get(name, "") for name in (SUMMARY, OUTPUT)]
    if not all(path_texts):
        raise UsageError(
            f"--github works only in GitHub Actions, which sets {SUMMARY} and {OUTPUT}; leave it "
            "out elsewhere"
        )
    return Path(path_texts[0]), Path(path_texts[1])


def append_step_files(
    text: str, outputs: Mapping[str, str], folder: Path, environment: Mapping[str, str]
) -> None:
    """Append a text to the summary of the step, and its outputs; raises UsageError.

    `outputs` name files in `folder` and nothing that comes from the subject.
    """
    summary, output_file = find_step_files(environment)
    if any("\n" in value or "\r" in value for value in outputs.values()):
        raise UsageError(f"the folder {str(folder)!r} has a line break in its name; rename it")
    _append_text(summary, text)
    _append_text(output_file, "".join(f"{name}={value}\n" for name, value in outputs.items()))


def _append_text(path: Path, text: str) -> None:
    try:
        with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise make_write_error(path, error) from error
