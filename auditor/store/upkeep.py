"""What a store needs beside an audit: look at it, check it, merge, export and prune it."""

import sqlite3
import struct
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from auditor.core.errors import UsageError
from auditor.core.files.paths import is_file, path_exists
from auditor.core.outcome import TRANSIENT_FAILURES
from auditor.core.values import Series
from auditor.store import rows
from auditor.store.failures import make_damage_error, translate_errors
from auditor.store.opening import check_schema, open_database

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
class MergeResult:
    """How many runs and audits a merge has brought, and how many runs were there already."""

    runs: int
    present: int
    audits: int


def read_contents(path: Path) -> StoreContents:
    """Return what a store holds; raises StoreError, and UsageError where there is none."""
    with open_existing(path) as connection:
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


def verify_store(path: Path) -> int:
    """Check a store down to its values and return how many runs it has; raises StoreError."""
    with open_existing(path) as connection:
        _check_content(connection, path)
        return int(connection.execute("SELECT count(*) FROM run").fetchone()[0])


def _check_content(connection: sqlite3.Connection, path: Path) -> None:
    """Raise StoreError, naming `path`, where a row cannot be what an audit has written."""
    problems = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
    if problems != ["ok"]:
        raise make_damage_error(path, problems[0])
    broken = connection.execute("PRAGMA foreign_key_check").fetchone()
    if broken is not None:
        raise make_damage_error(path, f"a row of {broken[0]} belongs to none of {broken[2]}")
    for table, columns in _list_text_columns(connection).items():
        odd = " OR ".join(f"typeof({column}) NOT IN ('text', 'null')" for column in columns)
        if connection.execute(f"SELECT 1 FROM {table} WHERE {odd}").fetchone():  # noqa: S608 ours
            raise make_damage_error(path, f"a row of {table} has bytes where text belongs")
    for key, ending, payload in connection.execute("SELECT id, ending, payload FROM run"):
        try:
            rows.outcome_from_row(ending, payload, tuple(_read_series(connection, key)))
        except (
            ValueError, KeyError, TypeError, AttributeError, RecursionError, struct.error,
        ) as error:  # fmt: skip
            raise make_damage_error(path, f"run {key}: {error}") from error


def _list_text_columns(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Return the columns of text of each table."""
    texts: dict[str, list[str]] = {}
    for table, column in connection.execute(
        "SELECT tables.name, columns.name FROM sqlite_schema AS tables"
        " JOIN pragma_table_info(tables.name) AS columns"
        " WHERE tables.type = 'table' AND columns.type = 'TEXT'"
    ):
        texts.setdefault(table, []).append(column)
    return texts


def _read_series(connection: sqlite3.Connection, run: int) -> Iterator[Series]:
    cursor = connection.execute(
        "SELECT metric, unit, arm, phase, packed, positions FROM series"
        " WHERE run = ? ORDER BY number",
        (run,),
    )
    for series_row in cursor:
        series = rows.series_from_row(series_row)
        if len(series.values) != len(series.block_positions):
            raise ValueError(f"{len(series.values)} values at {len(series.block_positions)} places")
        yield series


def merge_stores(target: Path, source: Path) -> MergeResult:
    """Bring all that a store has into another one, which is made if need be.

    Of two runs of one trial on one machine the first is kept, unless it failed in a way that may
    pass and the other has not: as an audit does it. The source is read from a copy.
    """
    if not is_file(source):
        raise UsageError(f"there is no store {source}")
    if path_exists(target) and target.samefile(source):
        raise UsageError(f"{target} cannot be merged with itself")
    with translate_errors(target), _make_scratch_folder(target) as folder:
        copy = Path(folder) / "copy.sqlite"
        _copy_store(source, copy)
        with (
            translate_errors(source),
            closing(open_database(copy, BUSY_SECONDS)) as copy_connection,
        ):
            _check_content(copy_connection, source)
            copy_connection.execute("PRAGMA journal_mode = DELETE")
        with translate_errors(target), closing(open_database(target, BUSY_SECONDS)) as connection:
            connection.execute("ATTACH ? AS other", (str(copy),))
            connection.execute("BEGIN IMMEDIATE")
            try:
                merged = _merge_tables(connection)
                connection.commit()
            except BaseException:
                connection.rollback()
                raise
            connection.execute("DETACH other")
    return merged


def _copy_store(source: Path, copy: Path) -> None:
    """Copy a store that is not written to, nor is anything beside it; raises StoreError."""
    log = source.with_name(f"{source.name}-wal")
    # Where nobody has it open, even one who only reads would leave a log behind.
    closed = not log.exists()
    _back_up(source, copy, "immutable=1" if closed else "mode=ro")
    if closed and log.exists():
        _back_up(source, copy, "mode=ro")


def _back_up(source: Path, copy: Path, open_mode: str) -> None:
    source_connection = sqlite3.connect(
        f"{source.absolute().as_uri()}?{open_mode}", BUSY_SECONDS, uri=True
    )
    with translate_errors(source), closing(source_connection) as connection:
        check_schema(connection, source)
        with closing(sqlite3.connect(copy)) as target:
            connection.backup(target)


@contextmanager
def _make_scratch_folder(target: Path) -> Iterator[str]:
    """Make a folder beside a store, for as long as it is needed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        yield folder


def _merge_tables(connection: sqlite3.Connection) -> MergeResult:
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
    source_runs = connection.execute("SELECT count(*) FROM other.run").fetchone()[0]
    return MergeResult(runs, source_runs - runs, audits)


EXPORTED = (
    "trial", "benchmark", "purpose", "variant", "methods", "repetition", "fork", "layout",
    "machine", "revision", "started", "ending", "arm", "phase", "metric", "unit", "block", "value",
)  # fmt: skip


def export_values(path: Path) -> Iterator[tuple[str | float | int | None, ...]]:
    """Yield each value with the run that it is of, as EXPORTED names it; a failed run once."""
    with open_existing(path) as connection:
        cursor = connection.execute(
            "SELECT run.id, trial, benchmark, purpose, variant, methods, repetition, fork, layout,"
            " machine, revision, started, ending FROM run JOIN trial ON trial.id = run.trial"
            " ORDER BY run.id"
        )
        for key, *about in cursor:
            series = list(_read_series(connection, key))
            if not series:
                yield (*about, None, None, None, None, None, None)
            for run_series in series:
                for block, value in zip(run_series.block_positions, run_series.values, strict=True):
                    yield (
                        *about,
                        run_series.arm,
                        run_series.phase,
                        run_series.metric,
                        run_series.unit,
                        block,
                        value,
                    )


def prune_store(
    path: Path, *, before: str | None, failed: bool, audits: int | None
) -> tuple[int, int]:
    """Forget runs begun before a moment (UTC, ISO 8601), failed ones, all but the last results.

    An audit without a result may still run: it is forgotten if it was begun before the moment.
    Returns how many runs and audits are gone; the file shrinks.
    """
    doomed = []
    if before is not None:
        doomed.append("started < :before")
    if failed:
        doomed.append(f"ending IN ({_FAILED})")
    with open_existing(path) as connection:
        runs = deleted_audits = 0
        connection.execute("BEGIN IMMEDIATE")
        if doomed:
            doomed_query = f"SELECT id FROM run WHERE {' OR '.join(doomed)}"  # noqa: S608 ours
            connection.execute(
                f"DELETE FROM series WHERE run IN ({doomed_query})",  # noqa: S608
                {"before": before},
            )
            runs = connection.execute(
                f"DELETE FROM run WHERE id IN ({doomed_query})",  # noqa: S608
                {"before": before},
            ).rowcount
            connection.execute("DELETE FROM trial WHERE id NOT IN (SELECT trial FROM run)")
        if before is not None:
            connection.execute("DELETE FROM concurrency WHERE made < ?", (before,))
            connection.execute("DELETE FROM gate WHERE made < ?", (before,))
            deleted_audits = connection.execute(
                "DELETE FROM audit WHERE ended IS NULL AND started < ?", (before,)
            ).rowcount
        if audits is not None:
            deleted_audits += connection.execute(
                "DELETE FROM audit WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER"
                " (PARTITION BY command, name ORDER BY audit.id DESC) AS place FROM audit"
                " JOIN project ON project.digest = audit.subject WHERE ended IS NOT NULL)"
                " WHERE place > ?)",
                (audits,),
            ).rowcount
        connection.commit()
        connection.execute("VACUUM")
        return runs, deleted_audits


@contextmanager
def open_existing(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a store that is there."""
    if not is_file(path):
        raise UsageError(f"there is no store {path}; name one with --store")
    with translate_errors(path), closing(open_database(path, BUSY_SECONDS)) as connection:
        yield connection
