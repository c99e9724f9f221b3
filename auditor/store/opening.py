"""A connection to a store: created if need be, and checked."""

import os
import sqlite3
import time
from contextlib import closing
from functools import cache
from pathlib import Path

from auditor.core.errors import StoreError
from auditor.store.schema import APPLICATION_ID, SCHEMA, SCHEMA_VERSION


def open_database(path: Path, busy_seconds: float) -> sqlite3.Connection:
    """Open or create the file; raises StoreError, and what SQLite and the system raise."""
    _create_private(path)
    connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
    try:
        _prepare_connection(connection, path, busy_seconds)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare_connection(connection: sqlite3.Connection, path: Path, busy_seconds: float) -> None:
    # Before anything is changed: a file that is not ours stays as it is.
    check_schema(connection, path)
    mode = _use_wal(connection, busy_seconds)
    if mode != "wal":
        raise StoreError(
            f"{path} does not support a write-ahead log (journal mode {mode!r}); choose a file on "
            "a local disk with --store"
        )
    # FULL: a commit is on the disk, so that nothing measured is lost when the power goes.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    if not _read_number(connection, "schema_version"):
        _create_tables(connection, path)


def check_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Raise StoreError for a file that is not empty and has not exactly our tables; change nothing.

    A store may come from a stranger: a view or a trigger in the place of a table would be run.
    """
    if not _read_number(connection, "schema_version"):
        return
    if _read_number(connection, "application_id") != APPLICATION_ID:
        raise StoreError(
            f"{path} is a database of another program; choose another file with --store"
        )
    version = _read_number(connection, "user_version")
    if version != SCHEMA_VERSION or _list_tables(connection) != _list_own_tables():
        raise StoreError(
            f"{path} was written by another version of bench-audit (schema {version}, here "
            f"{SCHEMA_VERSION}); use that version, or choose another file with --store"
        )


def _create_tables(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been quicker.
        if not _read_number(connection, "schema_version"):
            # Not executescript: that would commit the transaction first.
            for statement in _split_statements(SCHEMA):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    except BaseException:
        connection.rollback()
        raise
    connection.commit()
    check_schema(connection, path)


@cache
def _list_own_tables() -> frozenset[tuple[str, ...]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        return _list_tables(connection)


def _list_tables(connection: sqlite3.Connection) -> frozenset[tuple[str, ...]]:
    """Return what a file declares: tables, indexes, views and triggers, with their SQL."""
    return frozenset(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema"))


def _split_statements(script: str) -> list[str]:
    statements, pending = [], ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    return statements


def _read_number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


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
