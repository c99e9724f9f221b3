"""Brings a file to the schema of this program, in one transaction."""

import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

from auditor.core.errors import StoreError
from auditor.store.schema import APPLICATION_ID, SCHEMA, SCHEMA_VERSION

Migration = Callable[[sqlite3.Connection], None]

MIGRATIONS: Mapping[int, Migration] = {}
"""By the version that each starts from."""


def check(connection: sqlite3.Connection, path: Path, wanted: int = SCHEMA_VERSION) -> int:
    """Return the version of a file, 0 for an empty one; changes nothing.

    Raises StoreError for a file that a newer program made, or that is none of ours.
    """
    version = _number(connection, "user_version")
    tables = _number(connection, "schema_version")
    if tables and _number(connection, "application_id") != APPLICATION_ID:
        raise StoreError(
            f"{path} is a database of another program; choose another file with --store"
        )
    if version > wanted:
        raise StoreError(
            f"{path} has schema {version}, but this bench-audit knows only up to {wanted}; "
            "use the newer bench-audit that wrote it, or choose another file with --store"
        )
    return version


def migrate(
    connection: sqlite3.Connection,
    path: Path,
    *,
    wanted: int = SCHEMA_VERSION,
    steps: Mapping[int, Migration] = MIGRATIONS,
) -> None:
    """Create the tables, or make the steps from the file's version to `wanted`."""
    if check(connection, path, wanted) == wanted:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been quicker, so the version is read again under the lock.
        version = check(connection, path, wanted)
        if version == 0:
            _create(connection)
        else:
            for start in range(version, wanted):
                steps[start](connection)
        connection.execute(f"PRAGMA user_version = {wanted}")
    except BaseException:
        connection.rollback()
        raise
    connection.commit()


def _create(connection: sqlite3.Connection) -> None:
    # Not executescript: that would commit the transaction first.
    if _number(connection, "schema_version"):
        return
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    for statement in _statements(SCHEMA):
        connection.execute(statement)


def _statements(script: str) -> list[str]:
    found, pending = [], ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            found.append(pending)
            pending = ""
    return found


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
