"""The Store port on one SQLite file, written as results come."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from auditor.core.errors import StoreError
from auditor.core.plan import Run, Trial
from auditor.core.subject import Project
from auditor.core.suite import Suite
from auditor.store import rows
from auditor.store.failures import damaged, translated
from auditor.store.migrations import check, migrate

BUSY_SECONDS = 30.0
"""How long a writer waits for another; a write lasts milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRecord:
    """One command: what was asked, with which tools, and what came out.

    `config` and `document` are JSON texts; `document` and `ended` are None until it has ended.
    """

    command: str
    subject: str
    config: str
    tools: tuple[tuple[str, str], ...]
    version: str
    started: str
    ended: str | None = None
    document: str | None = None


class SqliteStore:
    """Remembers runs in a file; several processes may use it at the same time."""

    def __init__(self, path: Path, *, busy_seconds: float = BUSY_SECONDS) -> None:
        """Open or create the file; raises StoreError or FolderUnusable."""
        self.path = path
        with translated(path):
            _create_private(path)
            self._connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
            try:
                self._prepare(busy_seconds)
            except BaseException:
                self._connection.close()
                raise

    def _prepare(self, busy_seconds: float) -> None:
        # Before anything is changed: a file that is not ours stays as it is.
        check(self._connection, self.path)
        mode = _use_wal(self._connection, busy_seconds)
        if mode != "wal":
            raise StoreError(
                f"{self.path} cannot have a write-ahead log (its journal is {mode!r}); "
                "choose a file on a local disk with --store"
            )
        # FULL: a commit is on the disk, so that nothing measured is lost when the power goes.
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("PRAGMA foreign_keys = ON")
        migrate(self._connection, self.path)

    def __enter__(self) -> Self:
        """Return the open store."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file; the last one to do so folds the log into it."""
        with translated(self.path):
            self._connection.close()

    def add(self, run: Run) -> None:
        """Remember a run, whatever its outcome; the first of a trial is kept."""
        word, payload = rows.outcome_to_row(run.outcome)
        ended = (run.trial.id, rows.host_to_row(run.host), word, payload, run.started, run.seconds)
        series = [
            (run.trial.id, number, *rows.series_to_row(one))
            for number, one in enumerate(getattr(run.outcome, "series", ()))
        ]
        with self._writing() as connection:
            _insert(connection, "trial", rows.trial_to_row(run.trial))
            if _insert(connection, "run", ended):
                for row in series:
                    _insert(connection, "series", row)

    def find(self, trial: Trial) -> Run | None:
        """Return the run of `trial`, if it has been made."""
        with self._reading() as connection:
            row = connection.execute(
                "SELECT host, ending, payload, started, seconds FROM run WHERE trial = ?",
                (trial.id,),
            ).fetchone()
            if row is None:
                return None
            host, word, payload, started, seconds = row
            series = connection.execute(
                "SELECT metric, unit, arm, phase, packed, positions FROM series"
                " WHERE run = ? ORDER BY number",
                (trial.id,),
            )
            return Run(
                trial=trial,
                host=rows.host_from_row(host),
                outcome=rows.outcome_from_row(
                    word, payload, tuple(rows.series_from_row(one) for one in series)
                ),
                started=started,
                seconds=seconds,
            )

    def suite(self, subject: str) -> Suite | None:
        """Return the listing of a subject, without sources, if it is known."""
        with self._reading() as connection:
            row = connection.execute(
                "SELECT listing FROM suite WHERE subject = ?", (subject,)
            ).fetchone()
            return rows.suite_from_row(row[0]) if row else None

    def add_suite(self, project: Project, suite: Suite) -> None:
        """Remember a listing; the first of a subject is kept."""
        with self._writing() as connection:
            _insert(connection, "project", rows.project_to_row(project))
            _insert(connection, "suite", (project.digest, rows.suite_to_row(suite)))

    def add_audit(self, audit: AuditRecord) -> int:
        """Remember that a command was started (or has ended); return its number."""
        row = (
            audit.command,
            audit.subject,
            audit.config,
            rows.dump(audit.tools),
            audit.version,
            audit.started,
            audit.ended,
            audit.document,
        )
        with self._writing() as connection:
            return int(
                connection.execute(
                    "INSERT INTO audit (command, subject, config, tools, version, started, ended,"
                    " document) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    row,
                ).lastrowid
                or 0
            )

    def end_audit(self, number: int, ended: str, document: str | None) -> None:
        """Note the end of a command and its result."""
        with self._writing() as connection:
            connection.execute(
                "UPDATE audit SET ended = ?, document = ? WHERE id = ?", (ended, document, number)
            )

    def audits(self, subject: str | None = None) -> tuple[AuditRecord, ...]:
        """Return the commands in the order of their start, of one subject or of all."""
        with self._reading() as connection:
            found = connection.execute(
                "SELECT command, subject, config, tools, version, started, ended, document"
                " FROM audit WHERE ?1 IS NULL OR subject = ?1 ORDER BY id",
                (subject,),
            ).fetchall()
            return tuple(
                AuditRecord(
                    command=command,
                    subject=of,
                    config=config,
                    tools=rows.pairs_from_row(tools),
                    version=version,
                    started=started,
                    ended=ended,
                    document=document,
                )
                for command, of, config, tools, version, started, ended, document in found
            )

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with translated(self.path):
            try:
                yield self._connection
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise damaged(self.path, f"{type(error).__name__}: {error}") from error

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with translated(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.commit()
            except BaseException:
                self._connection.rollback()
                raise


def _insert(connection: sqlite3.Connection, table: str, row: tuple[object, ...]) -> bool:
    """Insert a row unless its key is there; say whether it was new."""
    places = ", ".join("?" * len(row))
    # The table's name is one of our own literals.
    statement = f"INSERT INTO {table} VALUES ({places}) ON CONFLICT DO NOTHING"  # noqa: S608 own names
    return connection.execute(statement, row).rowcount > 0


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
