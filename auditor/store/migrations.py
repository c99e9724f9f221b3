"""Brings a file to the schema of this program, in one transaction."""

import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

from auditor.core.errors import StoreError
from auditor.store.machines import machine
from auditor.store.rows import host_from_row
from auditor.store.schema import APPLICATION_ID, SCHEMA, SCHEMA_VERSION

Migration = Callable[[sqlite3.Connection], None]

_RUNS_BY_MACHINE = """\
ALTER TABLE series RENAME TO old_series;
ALTER TABLE run RENAME TO old_run;
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    trial TEXT NOT NULL REFERENCES trial (id),
    machine TEXT NOT NULL,
    host TEXT NOT NULL,
    ending TEXT NOT NULL,
    payload TEXT NOT NULL,
    started TEXT NOT NULL,
    seconds REAL NOT NULL,
    UNIQUE (trial, machine)
);
CREATE TABLE series (
    run INTEGER NOT NULL REFERENCES run (id),
    number INTEGER NOT NULL,
    metric TEXT NOT NULL,
    unit TEXT NOT NULL,
    arm TEXT NOT NULL,
    phase TEXT NOT NULL,
    packed BLOB NOT NULL,
    positions BLOB NOT NULL,
    PRIMARY KEY (run, number)
);
INSERT INTO run SELECT NULL, trial, machine_of(host), host, ending, payload, started, seconds
    FROM old_run ORDER BY rowid;
UPDATE run SET ending = 'never-called', payload = '{}'
    WHERE ending = 'unreadable'
    AND json_extract(payload, '$.reason') LIKE 'the slowed method was never called%';
INSERT INTO series SELECT run.id, number, metric, unit, arm, phase, packed, positions
    FROM old_series JOIN run ON run.trial = old_series.run;
DROP TABLE old_series;
DROP TABLE old_run;
"""


def _knowing_machines(connection: sqlite3.Connection) -> None:
    connection.create_function("machine_of", 1, lambda text: machine(host_from_row(text)))


def _runs_by_machine(connection: sqlite3.Connection) -> None:
    _knowing_machines(connection)
    for statement in _statements(_RUNS_BY_MACHINE):
        connection.execute(statement)


# Listings are made again: nobody used the old ones, and who made them is unknown.
_LISTINGS = """\
DROP TABLE suite;
CREATE TABLE suite (
    subject TEXT NOT NULL REFERENCES project (digest),
    machine TEXT NOT NULL,
    listing TEXT NOT NULL,
    seconds REAL NOT NULL,
    version TEXT NOT NULL,
    PRIMARY KEY (subject, machine)
);
"""


def _listings_by_version(connection: sqlite3.Connection) -> None:
    for statement in _statements(_LISTINGS):
        connection.execute(statement)


def _runs_by_revision(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE run ADD COLUMN revision TEXT NOT NULL DEFAULT ''")


def _trials_by_layout(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE trial ADD COLUMN layout INTEGER NOT NULL DEFAULT 0")


def _trials_by_watch(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE trial ADD COLUMN watch TEXT NOT NULL DEFAULT ''")


_CONCURRENCY = """\
CREATE TABLE concurrency (
    id TEXT NOT NULL,
    machine TEXT NOT NULL,
    payload TEXT NOT NULL,
    made TEXT NOT NULL,
    PRIMARY KEY (id, machine)
);
"""


def _concurrency(connection: sqlite3.Connection) -> None:
    for statement in _statements(_CONCURRENCY):
        connection.execute(statement)


def _runs_by_strain(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE run ADD COLUMN strain TEXT NOT NULL DEFAULT ''")
    connection.execute("ALTER TABLE run ADD COLUMN loop REAL")


_GATE = """\
CREATE TABLE gate (
    id TEXT NOT NULL,
    machine TEXT NOT NULL,
    payload TEXT NOT NULL,
    made TEXT NOT NULL,
    PRIMARY KEY (id, machine)
);
"""


def _gate(connection: sqlite3.Connection) -> None:
    for statement in _statements(_GATE):
        connection.execute(statement)


def _machines_apart(connection: sqlite3.Connection) -> None:
    """Name machines anew; of listings, races and gates no host is kept, so they are made anew."""
    _knowing_machines(connection)
    connection.execute("UPDATE run SET machine = machine_of(host)")


def _trials_beside_others(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE trial ADD COLUMN tests TEXT NOT NULL DEFAULT ''")
    connection.execute("ALTER TABLE trial ADD COLUMN rough INTEGER NOT NULL DEFAULT 0")


MIGRATIONS: Mapping[int, Migration] = {
    1: _runs_by_machine,
    2: _listings_by_version,
    3: _runs_by_revision,
    4: _trials_by_layout,
    5: _trials_by_watch,
    6: _concurrency,
    7: _runs_by_strain,
    8: _gate,
    9: _machines_apart,
    10: _machines_apart,
    11: _trials_beside_others,
}
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
