"""The last measured runs of the unchanged suite, for those who ask how they look."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from auditor.core.errors import UsageError
from auditor.core.files.foreign_files import open_regular
from auditor.core.files.own_files import STORE
from auditor.core.mutant import VariantKind
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.suite import Benchmark, IterationSettings
from auditor.store import rows
from auditor.store.audits import UNTIMED, WATCHED
from auditor.store.failures import make_damage_error
from auditor.store.sqlite import RUN_COLUMNS, read_run
from auditor.store.upkeep import open_existing


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRuns:
    """The project of the last audit, and the runs of its suite; `digest` is the project's.

    Benchmarks have their whole id as a name. `configured` is what the authors ask for, by that id.
    """

    harness: str
    digest: str
    runs: tuple[Run, ...] = field(repr=False)
    configured: Mapping[str, IterationSettings] = field(repr=False)


def is_store(path: Path) -> bool:
    """Tell whether a file is a database."""
    try:
        with open_regular(path) as file:
            return file.read(len(STORE)) == STORE
    except OSError:
        return False


def read_suite_runs(path: Path) -> SuiteRuns:
    """Return the runs of the suite of the last audit, of each benchmark those with one schedule.

    Runs of an older code of a benchmark do not count, nor those of other machines than that of the
    last run. After `steady` and `similarity` those are taken that were watched from the start on,
    else the usual ones, and where there are none the others. Raises StoreError, and UsageError
    where there are none.
    """
    with open_existing(path) as connection:
        project = connection.execute(
            "SELECT digest, name, harness, command FROM project JOIN audit"
            " ON audit.subject = digest WHERE command NOT IN (SELECT value FROM json_each(?))"
            " ORDER BY audit.id DESC LIMIT 1",
            (rows.dump_json(UNTIMED),),
        ).fetchone()
        if project is None:
            raise UsageError(f"{path} has no measured suite; run bench-audit stability first")
        digest, name, harness, command = project
        purposes = (Purpose.STEADY, Purpose.SUITE)
        try:
            runs: tuple[Run, ...] = ()
            for purpose in purposes if command in WATCHED else reversed(purposes):
                runs = runs or _find_newest_runs(connection, name, purpose)
            configured = _read_iteration_settings(connection, name)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise make_damage_error(path, f"{type(error).__name__}: {error}") from error
    if not runs:
        raise UsageError(
            f"{path} has no stored run of the suite of {name}; run bench-audit stability first"
        )
    return SuiteRuns(harness=harness, digest=digest, runs=runs, configured=configured)


def _find_newest_runs(
    connection: sqlite3.Connection, project: str, purpose: Purpose
) -> tuple[Run, ...]:
    run_rows = connection.execute(
        "SELECT benchmark, purpose, schedule, watch, repetition, fork, seed, trial.subject,"  # noqa: S608 ours
        f" machine, {RUN_COLUMNS} FROM run JOIN trial ON trial.id = run.trial WHERE purpose = ?1 "
        "AND variant = ?2 AND benchmark IS NOT NULL AND trial.subject IN (SELECT digest FROM "
        "project WHERE name = ?3) ORDER BY run.id DESC",
        (purpose, VariantKind.PLAIN, project),
    ).fetchall()
    newest_rows: dict[tuple[str, int, int], tuple[object, ...]] = {}
    newest: dict[str, tuple[str, str, str]] = {}
    for row in run_rows:
        benchmark, _, schedule, watch, repetition, fork, _, subject, machine, *_ = row
        made_of = (schedule, watch, subject)
        if machine == run_rows[0][8] and newest.setdefault(benchmark, made_of) == made_of:
            newest_rows.setdefault((benchmark, repetition, fork), row)
    return tuple(_parse_run(connection, row) for row in reversed(newest_rows.values()))


def _parse_run(connection: sqlite3.Connection, row: tuple[object, ...]) -> Run:
    benchmark, purpose, schedule, watch, repetition, fork, seed, subject, _, *rest = row
    trial = Trial(
        subject=str(subject),
        purpose=Purpose(str(purpose)),
        benchmark=Benchmark(group="", name=str(benchmark)),
        schedule=rows.schedule_from_row(str(schedule)),
        repetition=int(str(repetition)),
        fork=int(str(fork)),
        seed=int(str(seed)),
        watch=rows.watch_from_row(str(watch)),
        timeout_seconds=0.0,
    )
    return read_run(connection, trial, tuple(rest))  # type: ignore[arg-type]  # as its columns say


def _read_iteration_settings(
    connection: sqlite3.Connection, project: str
) -> dict[str, IterationSettings]:
    """Return what the newest listings say that authors ask for."""
    listings = connection.execute(
        "SELECT listing FROM suite WHERE subject IN (SELECT digest FROM project WHERE name = ?)"
        " ORDER BY rowid",
        (project,),
    ).fetchall()
    benchmarks = [
        benchmark for (text,) in listings for benchmark in rows.suite_from_row(text).benchmarks
    ]
    return {
        benchmark.id: benchmark.configured
        for benchmark in benchmarks
        if benchmark.configured is not None
    }
