"""The last runs of a suite, read back from a store."""

import sqlite3
from dataclasses import replace

import pytest
from builders import HOST, benchmark, run, series

from auditor.core.errors import StoreError, UsageError
from auditor.core.jobs import HostFacts
from auditor.core.mutant import Variant, VariantKind
from auditor.core.outcome import Measured
from auditor.core.plan import Purpose
from auditor.core.stop_rules import Criterion, StoppingRule
from auditor.core.subject import Language, Project
from auditor.core.suite import IterationSettings, Suite
from auditor.core.values import TIME
from auditor.store.audits import AuditRecord
from auditor.store.listings import ListingStore
from auditor.store.sqlite import SqliteStore
from auditor.store.suites import is_store, read_suite_runs

AUTHOR_SETTINGS = IterationSettings(
    warmup_iterations=5,
    warmup_seconds=1.0,
    measurement_iterations=5,
    measurement_seconds=1.0,
)
ELSEWHERE = HostFacts("there", (("cores", "64"),))


def project(tmp_path, name="ring", digest="d1", content="digest"):
    return Project(
        name=name,
        revision="r1",
        content=content,
        language=Language.JAVA,
        harness="jmh",
        root=tmp_path,
        digest=digest,
        parts=(),
        environment=(),
    )


def measured(value, purpose=Purpose.SUITE, name="BenchmarkPush", repetition=1, **of_trial):
    outcome = Measured((series([value, value + 1]),))
    trial_run = run(outcome, purpose=purpose, of_benchmark=benchmark(name), repetition=repetition)
    return replace(trial_run, trial=replace(trial_run.trial, **of_trial), revision="r1")


def audited(store, subject, command="stability", suite=None):
    ListingStore(store, subject, 1.0, "1").add_suite(suite or Suite(()))
    store.add_project(subject)
    audit_record = AuditRecord(
        command=command, subject=subject.digest, config="{}", tools=(), version="1", started="now"
    )
    store.add_audit(audit_record)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.sqlite"


@pytest.fixture
def store(path):
    with SqliteStore(path, host=HOST) as opened:
        yield opened


def times(stored_suite):
    return {
        (
            stored_run.trial.benchmark.id,
            stored_run.trial.repetition,
            stored_run.trial.fork,
        ): stored_run.outcome.series[0].values
        for stored_run in stored_suite.runs
    }


def test_the_runs_of_the_suite_come_back_with_what_their_authors_ask_for(store, path, tmp_path):
    suite = Suite((replace(benchmark(), configured=AUTHOR_SETTINGS), benchmark("BenchmarkPop")))
    audited(store, project(tmp_path), suite=suite)
    for stored_run in (measured(1.0), measured(2.0, repetition=2), measured(3.0, fork=2)):
        store.add_run(stored_run)

    result = read_suite_runs(path)

    name = "example.org/ring.BenchmarkPush"
    assert (result.harness, result.digest, result.configured) == (
        "jmh",
        "d1",
        {name: AUTHOR_SETTINGS},
    )
    assert times(result) == {
        (name, 1, 1): (1.0, 2.0),
        (name, 1, 2): (3.0, 4.0),
        (name, 2, 1): (2.0, 3.0),
    }
    assert {
        metric_series.metric for run in result.runs for metric_series in run.outcome.series
    } == {TIME}
    assert {stored_run.revision for stored_run in result.runs} == {"r1"}


def test_only_plain_runs_of_this_suite_on_the_last_machine_count(store, path, tmp_path):
    second_project = project(tmp_path, name="other", digest="d0", content="of another")
    audited(store, second_project)
    audited(store, project(tmp_path))
    audited(store, second_project, "compare")
    slowed = Variant(kind=VariantKind.DELAYED, methods=())
    for stored_run in (
        replace(measured(9.0, repetition=3), host=ELSEWHERE),
        measured(8.0, Purpose.PAIRS),
        measured(7.0, repetition=4, variant=slowed),
        measured(6.0, repetition=5, subject="of another"),
        replace(measured(1.0), revision="r2"),  # of another revision, with the same code
        replace(measured(5.0, subject="of another"), host=ELSEWHERE),
    ):
        store.add_run(stored_run)

    assert list(times(read_suite_runs(path)).values()) == [(1.0, 2.0)]


def test_runs_of_older_code_and_of_older_plans_are_not_among_them(store, path, tmp_path):
    audited(store, project(tmp_path, digest="d0", content="old"))
    audited(store, project(tmp_path))
    longer = replace(measured(1.0).trial.schedule, seconds=2.0)
    for stored_run in (
        *(measured(9.0 + number, repetition=number, subject="old") for number in range(1, 6)),
        measured(3.0, repetition=3),
        *(
            measured(1.0 + repetition, repetition=repetition, schedule=longer)
            for repetition in (1, 2)
        ),
    ):
        store.add_run(stored_run)

    assert {key[1]: values for key, values in times(read_suite_runs(path)).items()} == {
        1: (2.0, 3.0),
        2: (3.0, 4.0),
    }


def test_watched_runs_are_another_plan_and_come_back_as_such(store, path, tmp_path):
    audited(store, project(tmp_path))
    watch = StoppingRule(method=Criterion.COV, measured=1, seconds=9.0, width=0.02)
    for stored_run in (
        *(measured(9.0, repetition=repetition) for repetition in (1, 2)),
        measured(1.0, watch=watch),
    ):
        store.add_run(stored_run)

    result = read_suite_runs(path)

    assert list(times(result).values()) == [(1.0, 2.0)]
    assert [stored_run.trial.watch for stored_run in result.runs] == [watch]


@pytest.mark.parametrize(
    ("command", "value"), [("stability", 1.0), ("abs", 1.0), ("steady", 4.0), ("similarity", 4.0)]
)
def test_the_last_command_says_which_runs_are_meant(store, path, tmp_path, command, value):
    audited(store, project(tmp_path), command)
    store.add_run(measured(1.0))
    store.add_run(measured(4.0, Purpose.STEADY))

    assert [*times(read_suite_runs(path)).values()] == [(value, value + 1)]


def test_other_runs_do_where_there_are_none_of_the_kind_that_is_meant(store, path, tmp_path):
    audited(store, project(tmp_path), "steady")
    store.add_run(measured(1.0))

    assert [*times(read_suite_runs(path)).values()] == [(1.0, 2.0)]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE trial SET schedule = 'x'",
        "UPDATE trial SET schedule = '[]'",
        "UPDATE suite SET listing = '{}'",
        "UPDATE run SET payload = 'x'",
    ],
)
def test_a_damaged_store_is_said_to_be_one(store, path, tmp_path, damage):
    audited(store, project(tmp_path))
    store.add_run(measured(1.0))
    with sqlite3.connect(path) as connection:
        connection.execute(damage)

    with pytest.raises(StoreError, match="damaged"):
        read_suite_runs(path)


def test_a_store_without_an_audit_or_a_run_is_refused(store, path, tmp_path):
    with pytest.raises(UsageError, match="has no measured suite; run bench-audit stability first"):
        read_suite_runs(path)
    audited(store, project(tmp_path))
    with pytest.raises(UsageError, match="has no stored run of the suite of ring"):
        read_suite_runs(path)


def test_a_database_is_told_by_its_first_bytes(tmp_path, store, path):
    wrong_file = tmp_path / "a.db"
    wrong_file.write_bytes(b"SQLite format 2 and more")
    with sqlite3.connect(tmp_path / "b") as connection:
        connection.execute("CREATE TABLE t (a)")

    assert is_store(path)
    assert is_store(tmp_path / "b")
    assert not is_store(wrong_file)
    assert not is_store(tmp_path)
    assert not is_store(tmp_path / "none")
