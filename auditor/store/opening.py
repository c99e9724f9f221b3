"""A connection to a store: created if need be, checked, brought to the schema of this program."""

import os
import sqlite3
import time
from pathlib import Path

from auditor.core.errors import StoreError
from auditor.store.migrations import check, migrate


def opened(path: Path, busy_seconds: float) -> sqlite3.Connection:
    """Open or create the file; raises StoreError, and what SQLite and the system raise."""
    _create_private(path)
    connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
    try:
        _prepare(connection, path, busy_seconds)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path, busy_seconds: float) -> None:
    # Before anything is changed: a file that is not ours stays as it is.
    check(connection, path)
    mode = _use_wal(connection, busy_seconds)
    if mode != "wal":
        raise StoreError(
            f"{path} cannot have a write-ahead log (its journal is {mode!r}); "
            "choose a file on a local disk with --store"
        )
    # FULL: a commit is on the disk, so that nothing measured is lost when the power goes.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    migrate(connection, path)


def _create_private(path: Path) -> None:
    """Create an empty file that only its owner reads: it holds output of the subject."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def _use_wal(connection: sqlite3.Connection, busy_seconds: float) -> str:
    """Switch to a write-ahead log, which SQLite's own waiting for locks does not cover."""
    until = time.monotonic() + busy_seconds
    while True:
        try:
            return str(connection.execute("PRAGMA journal_mode = WAL").fetchone()[0])
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)
