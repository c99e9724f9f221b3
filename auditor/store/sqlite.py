"""The Store port on one SQLite file, written as results come."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from auditor.core.jobs import HostFacts
from auditor.core.outcome import TRANSIENT_FAILURES, Ending
from auditor.core.plan import Run, Trial
from auditor.core.schedule import Schedule
from auditor.core.subject import Project
from auditor.core.suite import Suite
from auditor.store import rows
from auditor.store.audits import AuditRecord
from auditor.store.failures import make_damage_error, translate_errors
from auditor.store.machines import make_machine_key
from auditor.store.opening import open_database

BUSY_SECONDS = 30.0
"""How long a writer waits for another; a write lasts milliseconds."""


class SqliteStore:
    """Remembers runs in a file; several processes may use it at the same time."""

    def __init__(
        self,
        path: Path,
        *,
        host: HostFacts | None = None,
        retry_failed: bool = False,
        busy_seconds: float = BUSY_SECONDS,
    ) -> None:
        """Open or create the file; raises StoreError or FolderUnusable.

        `host` is the machine whose runs are found, and those of machines like it; None: all.
        With `retry_failed`, failures that may pass are found only if they were added here.
        """
        self.path = path
        self._retry_failed = retry_failed
        self._added: set[str] = set()
        self.machine = None if host is None else make_machine_key(host)
        with translate_errors(path):
            self._connection = open_database(path, busy_seconds)

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
        with translate_errors(self.path):
            self._connection.close()

    def add_run(self, run: Run) -> None:
        """Remember a run, whatever its outcome.

        The first of a trial on a machine is kept, unless it failed in a way that may pass.
        """
        word, payload = rows.outcome_to_row(run.outcome)
        machine_columns = (make_machine_key(run.host), rows.host_to_row(run.host))
        ended = (
            None,
            run.trial.id,
            *machine_columns,
            word,
            payload,
            run.started,
            run.seconds,
            run.revision,
        )
        around = (rows.strain_to_row(run.strain), run.loop_seconds)
        series = [rows.series_to_row(values) for values in getattr(run.outcome, "series", ())]
        with self.begin_writing() as connection:
            _insert_row(connection, "trial", rows.trial_to_row(run.trial))
            _forget_failure(connection, run.trial.id, machine_columns[0])
            key = _insert_row(connection, "run", (*ended, *around))
            if key is not None:
                for number, row in enumerate(series):
                    _insert_row(connection, "series", (key, number, *row))
        self._added.add(run.trial.id)

    def find_run(self, trial: Trial) -> Run | None:
        """Return the run that answers `trial`, if it was made on this machine or one like it."""
        with self.begin_reading() as connection:
            row = connection.execute(
                f"SELECT {RUN_COLUMNS} FROM run"  # noqa: S608 ours
                " WHERE trial = ?1 AND (?2 IS NULL OR machine = ?2) ORDER BY id",
                (trial.id, self.machine),
            ).fetchone()
            run = read_run(connection, trial, row) if row else None
        must_retry = self._retry_failed and trial.id not in self._added
        if run is None or not run.answers_trial(trial) or (must_retry and run.is_transient):
            return None
        return run

    def find_schedule(self, trial: str) -> tuple[Schedule, bool] | None:
        """Return what a process of an id did, and whether its variant was guarded."""
        with self.begin_reading() as connection:
            row = connection.execute(
                "SELECT schedule, guarded FROM trial WHERE id = ?", (trial,)
            ).fetchone()
            return (rows.schedule_from_row(row[0]), bool(row[1])) if row else None

    def has_run(self, trial: Trial) -> bool:
        """Tell whether there is a run of a machine like this one that answers the trial."""
        return self.find_run(trial) is not None

    def find_similar_runs(self, trial: Trial) -> tuple[Run, ...]:
        """Return measured runs that differ in numbers and order only; none rough for others."""
        with self.begin_reading() as connection:
            run_rows = connection.execute(
                f"SELECT schedule, repetition, fork, seed, rough, {RUN_COLUMNS}"  # noqa: S608 ours
                " FROM run JOIN trial ON trial.id = run.trial"
                " WHERE subject = ? AND purpose = ? AND overlay = ? AND benchmark IS ?"
                " AND layout = ? AND watch = ? AND rough <= ? AND ending = ?"
                " AND (? IS NULL OR machine = ?)"
                " ORDER BY run.id",
                (
                    trial.subject,
                    trial.purpose,
                    trial.overlay_digest,
                    trial.benchmark.id if trial.benchmark else None,
                    trial.layout,
                    rows.watch_to_row(trial.watch),
                    trial.rough,
                    Ending.MEASURED,
                    self.machine,
                    self.machine,
                ),
            ).fetchall()
            return tuple(
                read_run(connection, replace(trial, **changed), row[5:])
                for row in run_rows
                for changed in [rows.trial_changes(row[:5])]
                if _same_size(changed["schedule"], trial.schedule)
            )

    def count_foreign_runs(self, *subjects: str) -> dict[str, int]:
        """Return how many runs of subjects are not found here, by the machine that made them."""
        with self.begin_reading() as connection:
            return dict(
                connection.execute(
                    "SELECT machine, count(*) FROM run JOIN trial ON trial.id = run.trial"
                    " WHERE subject IN (SELECT value FROM json_each(?1)) AND machine <> ?2"
                    " GROUP BY machine ORDER BY machine",
                    (rows.dump_json(subjects), self.machine),
                )
            )

    def find_suite(self, subject: str, *, seconds: float, version: str) -> Suite | None:
        """Return the listing of a subject, without sources, if this version made it here.

        What could not be listed is given another chance with more `seconds` than it had.
        """
        with self.begin_reading() as connection:
            row = connection.execute(
                "SELECT listing, seconds FROM suite"
                " WHERE subject = ? AND machine = ? AND version = ?",
                (subject, self.machine or "", version),
            ).fetchone()
            listing = rows.suite_from_row(row[0]) if row else None
            if listing and listing.unusable and (self._retry_failed or row[1] < seconds):
                return None
            return listing

    def add_suite(self, project: Project, suite: Suite, *, seconds: float, version: str) -> None:
        """Remember a listing, in place of an older one of the subject on this machine."""
        key = (project.digest, self.machine or "")
        with self.begin_writing() as connection:
            _insert_row(connection, "project", rows.project_to_row(project))
            connection.execute("DELETE FROM suite WHERE subject = ? AND machine = ?", key)
            _insert_row(connection, "suite", (*key, rows.suite_to_row(suite), seconds, version))

    def add_project(self, project: Project) -> None:
        """Remember what the digest of a project stands for."""
        with self.begin_writing() as connection:
            _insert_row(connection, "project", rows.project_to_row(project))

    def add_audit(self, audit: AuditRecord) -> int:
        """Remember that a command was started; return its number."""
        request_columns = audit.command, audit.subject, audit.config
        origin_columns = rows.dump_json(audit.tools), audit.version, audit.started
        with self.begin_writing() as connection:
            return int(
                connection.execute(
                    "INSERT INTO audit (command, subject, config, tools, version, started)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    (*request_columns, *origin_columns),
                ).lastrowid
                or 0
            )

    def end_audit(self, number: int, ended: str, document: str) -> None:
        """Note the end of a command and its result, JSON text."""
        with self.begin_writing() as connection:
            connection.execute(
                "UPDATE audit SET ended = ?, document = ? WHERE id = ?", (ended, document, number)
            )

    def list_audits(self, subject: str | None = None) -> tuple[AuditRecord, ...]:
        """Return the commands in the order of their start, of one subject or of all."""
        with self.begin_reading() as connection:
            audit_rows = connection.execute(
                "SELECT id, command, subject, config, tools, version, started, ended"
                " FROM audit WHERE ?1 IS NULL OR subject = ?1 ORDER BY id",
                (subject,),
            ).fetchall()
            return tuple(
                AuditRecord(
                    command=command,
                    subject=subject,
                    config=config,
                    tools=rows.pairs_from_row(tools),
                    version=version,
                    started=started,
                    ended=ended,
                    number=number,
                )
                for number, command, subject, config, tools, version, started, ended in audit_rows
            )

    def read_result(self, audit: AuditRecord) -> str:
        """Return the result of a command that has ended, JSON text; raises StoreError."""
        with self.begin_reading() as connection:
            (document,) = connection.execute(
                "SELECT document FROM audit WHERE id = ?", (audit.number,)
            ).fetchone()
            return str(document)

    @contextmanager
    def begin_reading(self) -> Iterator[sqlite3.Connection]:
        """Give the connection; what goes wrong is a StoreError, a damaged row too."""
        with translate_errors(self.path):
            try:
                yield self._connection
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise make_damage_error(self.path, f"{type(error).__name__}: {error}") from error

    @contextmanager
    def begin_writing(self) -> Iterator[sqlite3.Connection]:
        """Give the connection in a transaction, which an error undoes."""
        with translate_errors(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.commit()
            except BaseException:
                self._connection.rollback()
                raise


RUN_COLUMNS = "run.id, host, ending, payload, started, seconds, run.revision, run.strain, run.loop"
RunRow = tuple[int, str, str, str, str, float, str, str, float | None]


def read_run(connection: sqlite3.Connection, trial: Trial, row: RunRow) -> Run:
    """Return the run of a trial with its series; `row` is id, host, ending, payload, … of it."""
    key, host, word, payload, started, seconds, revision, strain, loop = row
    series = connection.execute(
        "SELECT metric, unit, arm, phase, packed, positions FROM series"
        " WHERE run = ? ORDER BY number",
        (key,),
    )
    return Run(
        trial=trial,
        host=rows.host_from_row(host),
        outcome=rows.outcome_from_row(
            word, payload, tuple(rows.series_from_row(series_row) for series_row in series)
        ),
        started=started,
        seconds=seconds,
        revision=revision,
        strain=rows.strain_from_row(strain),
        loop_seconds=loop,
    )


def _forget_failure(connection: sqlite3.Connection, trial: str, machine: str) -> None:
    endings = sorted(TRANSIENT_FAILURES)
    places = ", ".join("?" * len(endings))
    connection.execute(
        f"DELETE FROM run WHERE trial = ? AND machine = ? AND (ending IN ({places})"  # noqa: S608 ours
        " OR json_extract(payload, '$.ended_after') IS NOT NULL)",  # a trace that was cut off
        (trial, machine, *endings),
    )


def _same_size(schedule: Schedule, other_schedule: Schedule) -> bool:
    return (schedule.seconds, len(schedule.blocks)) == (
        other_schedule.seconds,
        len(other_schedule.blocks),
    )


def _insert_row(connection: sqlite3.Connection, table: str, row: tuple[object, ...]) -> int | None:
    """Insert a row unless its key is there; return the number of the new row."""
    places = ", ".join("?" * len(row))
    # The table's name is one of our own literals.
    statement = f"INSERT INTO {table} VALUES ({places}) ON CONFLICT DO NOTHING"  # noqa: S608 own names
    cursor = connection.execute(statement, row)
    return cursor.lastrowid if cursor.rowcount > 0 else None
