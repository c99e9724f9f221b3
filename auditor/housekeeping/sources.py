"""Texts of the subject's files, for a report that shows them; only what lies in its folder."""

from collections.abc import Iterable
from pathlib import Path

from auditor.abs.document import AbsOrStability, Document
from auditor.core.errors import UsageError

LARGEST = 4 * 1024 * 1024
"""Bytes; a source that people read is smaller."""


def source_names(document: AbsOrStability) -> tuple[str, ...]:
    """Return the files in which methods of a result are."""
    methods = document.methods if isinstance(document, Document) else ()
    return tuple(dict.fromkeys(method.span.file for method in methods if method.span))


def read_texts(folder: Path, files: Iterable[str]) -> dict[str, str]:
    """Return the texts of those files that are there; raises UsageError without the folder.

    A result may come from anybody: no name in it leads out of the folder, by links neither.
    """
    root = folder.resolve()
    if not root.is_dir():
        raise UsageError(f"{folder} is not a folder")
    text_by_file = {file: _read_text(root, file) for file in files}
    return {file: text for file, text in text_by_file.items() if text is not None}


def _read_text(root: Path, file: str) -> str | None:
    try:
        path = (root / file).resolve()
        if not path.is_relative_to(root) or not path.is_file() or path.stat().st_size > LARGEST:
            return None
        return path.read_bytes().decode(errors="replace")
    except (OSError, ValueError, RuntimeError):  # a name that no file can have; a loop of links
        return None
