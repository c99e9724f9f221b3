"""Files for the user: there as a whole, or as they were before."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from auditor.core.errors import FolderUnusable


def write(path: Path, text: str | Iterator[str]) -> None:
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
        raise unusable(path, error) from error


def unusable(path: Path, error: OSError) -> FolderUnusable:
    """Return the error for a file of ours that cannot be written."""
    reason = (error.strerror or str(error)).lower()
    return FolderUnusable(f"cannot write {path}: {reason}; choose another folder with --output")
