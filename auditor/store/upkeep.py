"""What a store needs beside an audit: look at it, check it, merge, export and prune it."""

import sqlite3
import struct
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from auditor.core.errors import UsageError
from auditor.core.files.paths import exists, is_file
from auditor.core.outcome import TRANSIENT_FAILURES
from auditor.core.values import Series
from auditor.store import rows
from auditor.store.failures import damaged, translated
from auditor.store.opening import check, open_database

BUSY_SECONDS = 30.0
_RUN = "trial, machine, host, ending, payload, started, seconds, revision, strain, loop"
_SERIES = "number, metric, unit, arm, phase, packed, positions"
_AUDIT = "command, subject, config, tools, version, started, ended, document"
_FAILED = ", ".join(
    f"'{transient_failure.value}'" for transient_failure in sorted(TRANSIENT_FAILURES)
)


@dataclass(frozen=True, slots=True)
class StoredSubject:
    """What a store has of a project: revisions, finished audits, when it was last audited."""

    name: str
    revisions: int
    audits: int
    last: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreContents:
    """What a store holds."""

    path: Path  # of the file
    bytes: int  # size of the file
    runs: int  # number of runs
    failed: int  # number of runs that failed
    values: int  # number of measured values
    machines: tuple[tuple[str, int], ...]  # (name, number of runs) of each
    subjects: tuple[StoredSubject, ...]  # audited projects


@dataclass(frozen=True, slots=True)
class Merged:
    """How many runs and audits a merge has brought, and how many runs were there already."""

    runs: int
    known: int
    audits: int


def contents(path: Path) -> StoreContents:
    """Return what a store holds; raises StoreError, and UsageError where there is none."""
    with existing(path) as connection:
        runs, failed = connection.execute(
            f"SELECT count(*), coalesce(sum(ending IN ({_FAILED})), 0) FROM run"  # noqa: S608 ours
        ).fetchone()
        values = connection.execute("SELECT coalesce(sum(length(packed)) / 8, 0) FROM series")
        machines = connection.execute(
            "SELECT machine, count(*) FROM run GROUP BY machine ORDER BY machine"
        )
        subjects = connection.execute(
            "SELECT name, count(DISTINCT project.revision), count(document), max(started)"
            " FROM project LEFT JOIN audit ON audit.subject = project.digest"
            " GROUP BY name ORDER BY name"
        )
        return StoreContents(
            path=path,
            bytes=path.stat().st_size,
            runs=runs,
            failed=failed,
            values=values.fetchone()[0],
            machines=tuple(machines),
            subjects=tuple(
                StoredSubject(name, revisions, audits, last or "")
                for name, revisions, audits, last in subjects
            ),
        )


def verify(path: Path) -> int:
    """Check a store down to its values and return how many runs it has; raises StoreError."""
    with existing(path) as connection:
        _check_content(connection, path)
        return int(connection.execute("SELECT count(*) FROM run").fetchone()[0])


def _check_content(connection: sqlite3.Connection, path: Path) -> None:
    """Raise StoreError, naming `path`, where a row cannot be what an audit has written."""
    problems = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
    if problems != ["ok"]:
        raise damaged(path, problems[0])
    broken = connection.execute("PRAGMA foreign_key_check").fetchone()
    if broken is not None:
        raise damaged(path, f"a row of {broken[0]} belongs to none of {broken[2]}")
    for table, columns in _texts(connection).items():
        odd = " OR ".join(f"typeof({column}) NOT IN ('text', 'null')" for column in columns)
        if connection.execute(f"SELECT 1 FROM {table} WHERE {odd}").fetchone():  # noqa: S608 ours
            raise damaged(path, f"a row of {table} has bytes where text belongs")
    for key, ending, payload in connection.execute("SELECT id, ending, payload FROM run"):
        try:
            rows.outcome_from_row(ending, payload, tuple(_series(connection, key)))
        except (
            ValueError, KeyError, TypeError, AttributeError, RecursionError, struct.error,
        ) as error:  # fmt: skip
            raise damaged(path, f"run {key}: {error}") from error


def _texts(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Return the columns of text of each table."""
    texts: dict[str, list[str]] = {}
    for table, column in connection.execute(
        "SELECT tables.name, columns.name FROM sqlite_schema AS tables"
        " JOIN pragma_table_info(tables.name) AS columns"
        " WHERE tables.type = 'table' AND columns.type = 'TEXT'"
    ):
        texts.setdefault(table, []).append(column)
    return texts


def _series(connection: sqlite3.Connection, run: int) -> Iterator[Series]:
    cursor = connection.execute(
        "SELECT metric, unit, arm, phase, packed, positions FROM series"
        " WHERE run = ? ORDER BY number",
        (run,),
    )
    for one in cursor:
        series = rows.series_from_row(one)
        if len(series.values) != len(series.at):
            raise ValueError(f"{len(series.values)} values at {len(series.at)} places")
        yield series


def merge(into: Path, source: Path) -> Merged:
    """Bring all that a store has into another one, which is made if need be.

    Of two runs of one trial on one machine the first is kept, unless it failed in a way that may
    pass and the other has not: as an audit does it. The source is read from a copy.
    """
    if not is_file(source):
        raise UsageError(f"there is no store {source}")
    if exists(into) and into.samefile(source):
        raise UsageError(f"{into} cannot be merged with itself")
    with translated(into), _scratch(into) as folder:
        copy = Path(folder) / "copy.sqlite"
        _copy(source, copy)
        with translated(source), closing(open_database(copy, BUSY_SECONDS)) as made:
            _check_content(made, source)
            made.execute("PRAGMA journal_mode = DELETE")
        with translated(into), closing(open_database(into, BUSY_SECONDS)) as connection:
            connection.execute("ATTACH ? AS other", (str(copy),))
            connection.execute("BEGIN IMMEDIATE")
            try:
                merged = _merge(connection)
                connection.commit()
            except BaseException:
                connection.rollback()
                raise
            connection.execute("DETACH other")
    return merged


def _copy(source: Path, copy: Path) -> None:
    """Copy a store that is not written to, nor is anything beside it; raises StoreError."""
    log = source.with_name(f"{source.name}-wal")
    # Where nobody has it open, even one who only reads would leave a log behind.
    closed = not log.exists()
    _back_up(source, copy, "immutable=1" if closed else "mode=ro")
    if closed and log.exists():
        _back_up(source, copy, "mode=ro")


def _back_up(source: Path, copy: Path, how: str) -> None:
    found = sqlite3.connect(f"{source.absolute().as_uri()}?{how}", BUSY_SECONDS, uri=True)
    with translated(source), closing(found) as connection:
        check(connection, source)
        with closing(sqlite3.connect(copy)) as target:
            connection.backup(target)


@contextmanager
def _scratch(into: Path) -> Iterator[str]:
    """Make a folder beside a store, for as long as it is needed."""
    into.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=into.parent) as folder:
        yield folder


def _merge(connection: sqlite3.Connection) -> Merged:
    # All that is put into these statements are the names above.
    for table in ("project", "suite", "trial", "concurrency", "gate"):
        connection.execute(f"INSERT OR IGNORE INTO main.{table} SELECT * FROM other.{table}")  # noqa: S608
    better = (
        f"SELECT mine.id FROM main.run mine JOIN other.run theirs USING (trial, machine)"  # noqa: S608
        f" WHERE mine.ending IN ({_FAILED}) AND theirs.ending NOT IN ({_FAILED})"
    )
    connection.execute(f"DELETE FROM main.series WHERE run IN ({better})")  # noqa: S608
    connection.execute(f"DELETE FROM main.run WHERE id IN ({better})")  # noqa: S608
    last = connection.execute("SELECT coalesce(max(id), 0) FROM main.run").fetchone()[0]
    runs = connection.execute(
        f"INSERT OR IGNORE INTO main.run ({_RUN}) SELECT {_RUN} FROM other.run ORDER BY id"  # noqa: S608
    ).rowcount
    connection.execute(
        f"INSERT INTO main.series (run, {_SERIES}) SELECT mine.id, {_SERIES} FROM other.series"  # noqa: S608
        " JOIN other.run theirs ON theirs.id = series.run"
        " JOIN main.run mine USING (trial, machine) WHERE mine.id > ?",
        (last,),
    )
    audits = connection.execute(
        f"INSERT INTO main.audit ({_AUDIT}) SELECT {_AUDIT} FROM other.audit theirs"  # noqa: S608
        " WHERE NOT EXISTS (SELECT 1 FROM main.audit mine WHERE mine.subject = theirs.subject"
        " AND mine.started = theirs.started AND mine.command = theirs.command"
        " AND mine.config = theirs.config) ORDER BY id"
    ).rowcount
    there = connection.execute("SELECT count(*) FROM other.run").fetchone()[0]
    return Merged(runs, there - runs, audits)


EXPORTED = (
    "trial", "benchmark", "purpose", "variant", "methods", "repetition", "fork", "layout",
    "machine", "revision", "started", "ending", "arm", "phase", "metric", "unit", "block", "value",
)  # fmt: skip


def exported(path: Path) -> Iterator[tuple[str | float | int | None, ...]]:
    """Yield each value with the run that it is of, as EXPORTED names it; a failed run once."""
    with existing(path) as connection:
        cursor = connection.execute(
            "SELECT run.id, trial, benchmark, purpose, variant, methods, repetition, fork, layout,"
            " machine, revision, started, ending FROM run JOIN trial ON trial.id = run.trial"
            " ORDER BY run.id"
        )
        for key, *about in cursor:
            series = list(_series(connection, key))
            if not series:
                yield (*about, None, None, None, None, None, None)
            for one in series:
                for block, value in zip(one.at, one.values, strict=True):
                    yield (*about, one.arm, one.phase, one.metric, one.unit, block, value)


def prune(path: Path, *, before: str | None, failed: bool, audits: int | None) -> tuple[int, int]:
    """Forget runs begun before a moment (UTC, ISO 8601), failed ones, all but the last results.

    An audit without a result may still run: it is forgotten if it was begun before the moment.
    Returns how many runs and audits are gone; the file shrinks.
    """
    doomed = []
    if before is not None:
        doomed.append("started < :before")
    if failed:
        doomed.append(f"ending IN ({_FAILED})")
    with existing(path) as connection:
        runs = gone = 0
        connection.execute("BEGIN IMMEDIATE")
        if doomed:
            which = f"SELECT id FROM run WHERE {' OR '.join(doomed)}"  # noqa: S608 ours
            connection.execute(f"DELETE FROM series WHERE run IN ({which})", {"before": before})  # noqa: S608
            runs = connection.execute(
                f"DELETE FROM run WHERE id IN ({which})",  # noqa: S608
                {"before": before},
            ).rowcount
            connection.execute("DELETE FROM trial WHERE id NOT IN (SELECT trial FROM run)")
        if before is not None:
            connection.execute("DELETE FROM concurrency WHERE made < ?", (before,))
            connection.execute("DELETE FROM gate WHERE made < ?", (before,))
            gone = connection.execute(
                "DELETE FROM audit WHERE ended IS NULL AND started < ?", (before,)
            ).rowcount
        if audits is not None:
            gone += connection.execute(
                "DELETE FROM audit WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER"
                " (PARTITION BY command, name ORDER BY audit.id DESC) AS place FROM audit"
                " JOIN project ON project.digest = audit.subject WHERE ended IS NOT NULL)"
                " WHERE place > ?)",
                (audits,),
            ).rowcount
        connection.commit()
        connection.execute("VACUUM")
        return runs, gone


@contextmanager
def existing(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a store that is there."""
    if not is_file(path):
        raise UsageError(f"there is no store {path}; name one with --store")
    with translated(path), closing(open_database(path, BUSY_SECONDS)) as connection:
        yield connection
