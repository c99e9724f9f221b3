"""What SQLite complains about, in words that say what to do."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from auditor.core.errors import AuditError, FolderUnusable, StoreError, UsageError
from auditor.core.files.foreign_files import open_regular
from auditor.core.files.own_files import describe_file

_PRIMARY = 0xFF
"""Extended result codes keep the primary one in their lowest byte."""
_START = 64
"""Bytes that tell a text from a file that has lost its first bytes."""


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Turn errors about the store at `path` into ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise explain_sqlite_error(error, path) from error
    except UnicodeDecodeError as error:
        # SQLite quotes what it cannot read in its own complaint.
        raise make_damage_error(path, str(error)) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise FolderUnusable(
            f"cannot write {path}: {reason.lower()}; choose another file with --store"
        ) from error


def explain_sqlite_error(error: sqlite3.Error, path: Path) -> AuditError:
    """Return the error of ours that says what happened to the store at `path`."""
    code = getattr(error, "sqlite_errorcode", None)
    match code & _PRIMARY if code is not None else None:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreError(
                f"{path} is locked by another program for too long; "
                "wait for it to end, or choose another file with --store"
            )
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            file_kind = _describe_other_file(path)
            usage_error = UsageError(f"{path} is not a store: {file_kind}")
            return usage_error if file_kind else make_damage_error(path, str(error))
        case sqlite3.SQLITE_FULL:
            return FolderUnusable(f"cannot write {path}: the disk is full; free some space")
        case sqlite3.SQLITE_IOERR:
            return FolderUnusable(
                f"cannot read or write {path}: the disk reports an error ({error}); "
                "check its space and health"
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return FolderUnusable(
                f"cannot write {path}: it or its folder is read-only; "
                "change the permissions, or choose another file with --store"
            )
    return StoreError(f"{path} cannot be used: {error}; choose another file with --store")


def _describe_other_file(path: Path) -> str:
    """Return what a text is that was named as a store; empty for what may be a damaged store."""
    with suppress(OSError), open_regular(path) as file:
        start = file.read(_START).decode(errors="replace")
        if all(character.isprintable() or character.isspace() for character in start):
            return describe_file(path) or "it is a text; name the store, such as store.sqlite"
    return ""


def make_damage_error(path: Path, reason: str) -> StoreError:
    """Return the error for a file whose content makes no sense."""
    return StoreError(
        f"{path} is damaged or no store of bench-audit ({reason}); "
        "move it away and measure again, or choose another file with --store"
    )
