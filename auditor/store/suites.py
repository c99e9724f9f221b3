"""The last measured runs of the unchanged suite, for those who ask how they look."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from auditor.core.errors import UsageError
from auditor.core.mutant import Kind
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.suite import Benchmark, Configured
from auditor.store import rows
from auditor.store.audits import UNTIMED
from auditor.store.sqlite import read_run
from auditor.store.upkeep import existing

MAGIC = b"SQLite format 3\x00"
_PURPOSES = (Purpose.STEADY, Purpose.SUITE)
"""Whose runs count, the better ones first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRuns:
    """The project of the last audit, and the runs of its suite; `digest` is the project's.

    Benchmarks have their whole id as a name. `configured` is what the authors ask for, by that id.
    """

    harness: str
    digest: str
    runs: tuple[Run, ...] = field(repr=False)
    configured: Mapping[str, Configured] = field(repr=False)


def is_store(path: Path) -> bool:
    """Tell whether a file is a database."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def suite_runs(path: Path) -> SuiteRuns:
    """Return the runs of the suite of the last audit, of each benchmark those with one schedule.

    Of a benchmark that was watched from the start on (`steady`) only these runs are taken. Raises
    StoreError, and UsageError where there are none.
    """
    with existing(path) as connection:
        project = connection.execute(
            "SELECT digest, name, harness FROM project JOIN audit ON audit.subject = digest"
            " WHERE command NOT IN (SELECT value FROM json_each(?)) ORDER BY audit.id DESC LIMIT 1",
            (rows.dump(UNTIMED),),
        ).fetchone()
        if project is None:
            raise UsageError(f"{path} holds no audit of a suite; bench-audit measure makes one")
        digest, name, harness = project
        runs = _newest(connection, name)
        if not runs:
            raise UsageError(f"{path} holds no run of the suite of {name}")
        return SuiteRuns(
            harness=harness, digest=digest, runs=runs, configured=_configured(connection, digest)
        )


def _newest(connection: sqlite3.Connection, project: str) -> tuple[Run, ...]:
    found = connection.execute(
        "SELECT benchmark, purpose, schedule, repetition, fork, seed, trial.subject, trial,"
        " run.id, host, ending, payload, started, seconds, run.revision"
        " FROM run JOIN trial ON trial.id = run.trial"
        " WHERE purpose IN (SELECT value FROM json_each(?1)) AND variant = ?2"
        " AND benchmark IS NOT NULL"
        " AND run.revision IN (SELECT revision FROM project WHERE name = ?3)"
        " AND machine = (SELECT machine FROM run ORDER BY id DESC LIMIT 1) ORDER BY run.id DESC",
        (rows.dump(_PURPOSES), Kind.PLAIN, project),
    ).fetchall()
    watched = {row[0] for row in found if row[1] == Purpose.STEADY}
    chosen: dict[tuple[str, int, int], tuple[object, ...]] = {}
    schedules: dict[str, str] = {}
    for row in found:
        benchmark, purpose, schedule, repetition, fork, *_ = row
        if purpose != Purpose.STEADY and benchmark in watched:
            continue
        if schedules.setdefault(benchmark, schedule) == schedule:
            chosen.setdefault((benchmark, repetition, fork), row)
    return tuple(_run(connection, row) for row in reversed(chosen.values()))


def _run(connection: sqlite3.Connection, row: tuple[object, ...]) -> Run:
    benchmark, purpose, schedule, repetition, fork, seed, subject, _, *rest = row
    trial = Trial(
        subject=str(subject),
        purpose=Purpose(str(purpose)),
        benchmark=Benchmark(group="", name=str(benchmark)),
        schedule=rows.schedule_from_row(str(schedule)),
        repetition=int(str(repetition)),
        fork=int(str(fork)),
        seed=int(str(seed)),
        timeout_seconds=0.0,
    )
    return read_run(connection, trial, tuple(rest))  # type: ignore[arg-type]  # as its columns say


def _configured(connection: sqlite3.Connection, digest: str) -> dict[str, Configured]:
    listing = connection.execute(
        "SELECT listing FROM suite WHERE subject = ?", (digest,)
    ).fetchone()
    known = rows.suite_from_row(listing[0]).benchmarks if listing else ()
    return {one.id: one.configured for one in known if one.configured is not None}
