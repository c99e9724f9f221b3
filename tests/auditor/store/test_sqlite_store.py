import dataclasses
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from store_making import LOCAL_HOST, measured, project, run, trial

from auditor.core.errors import FolderUnusable, StoreError, UsageError
from auditor.core.jobs import HostFacts, HostInterference
from auditor.core.mutant import Delay, InjectionKind, Overlay
from auditor.core.outcome import (
    Counted,
    Crashed,
    Exhausted,
    MethodCalls,
    NeverCalled,
    NotBuilt,
    Skipped,
    TimedOut,
    Traced,
    Unreadable,
    Window,
)
from auditor.core.plan import Purpose
from auditor.core.schedule import Arm, ArmName, Block, Phase, Schedule
from auditor.core.stop_rules import Criterion, StoppingRule, WarmupResult
from auditor.core.suite import Benchmark, Suite
from auditor.store.audits import AuditRecord
from auditor.store.failures import explain_sqlite_error
from auditor.store.machines import describe_unused_runs, make_machine_key
from auditor.store.schema import SCHEMA, SCHEMA_VERSION
from auditor.store.sqlite import SqliteStore

BIGGER = HostFacts("there", (("cores", "64"),))
LISTING_OPTIONS = {"seconds": 60.0, "version": "1.0"}
WRITER = [sys.executable, str(Path(__file__).with_name("store_making.py"))]


def writer(path, first, last, **more):
    return subprocess.Popen(
        [*WRITER, str(path), str(first), str(last)], stdout=subprocess.PIPE, text=True, **more
    )


def test_a_run_is_found_again_by_another_store_on_the_same_file(tmp_path):
    with SqliteStore(tmp_path / "s.sqlite") as store:
        store.add_run(run())

    with SqliteStore(tmp_path / "s.sqlite") as reopened_store:
        assert reopened_store.find_run(trial()) == run()
        assert reopened_store.find_run(trial(seed=2)) is None


def test_a_trial_of_another_layout_is_another_one(tmp_path):
    layout_trial = dataclasses.replace(trial(), layout=7)
    with SqliteStore(tmp_path / "s.sqlite") as store:
        store.add_run(run(layout_trial))

        assert store.find_run(layout_trial) == run(layout_trial)
        assert store.find_run(trial()) is None
        assert (store.find_similar_runs(layout_trial), store.find_similar_runs(trial())) == (
            (run(layout_trial),),
            (),
        )
        layouts = store._connection.execute("SELECT layout FROM trial").fetchall()
    assert layouts == [(7,)]


@pytest.mark.parametrize("warm", [1, None])
@pytest.mark.parametrize("width", [0.02, None])
def test_what_a_watched_process_came_to_is_found_again(tmp_path, warm, width):
    watched = dataclasses.replace(
        trial(), watch=StoppingRule(method=Criterion.RCIW, measured=1, seconds=9.0, width=width)
    )
    warmed = WarmupResult(method=Criterion.COV, warm=warm, enough=warm is not None)
    ended = run(watched, measured(1.0, 2.0, 3.0).split_warmup(warmed, 1))
    with SqliteStore(tmp_path / "s.sqlite") as store:
        store.add_run(ended)

    with SqliteStore(tmp_path / "s.sqlite") as reopened_store:
        assert reopened_store.find_run(watched) == ended
        assert reopened_store.find_run(watched).outcome.warmed == warmed
        assert reopened_store.find_run(trial()) is None
        assert (
            reopened_store.find_similar_runs(watched),
            reopened_store.find_similar_runs(trial()),
        ) == (
            (ended,),
            (),
        )


@pytest.mark.parametrize(
    "outcome",
    [
        Traced(
            calls=(
                MethodCalls(method="ring.Push", outside=3, arguments=(("1", None), ())),
                MethodCalls(method="ring.Pop", outside=0, inside=2, indirect=1),
            ),
            tests=4,
            missing="1 of 4 unit tests fail",
            ended_after=60.5,
        ),
        Traced(calls=()),
        Counted((Window(10, (("ring.Push", 10),), ("ring.Push",)),), (("ring.New", 1),)),
        Skipped("needs a network"),
        TimedOut(60.0, "still here"),
        Crashed(-9, "killed"),
        Exhausted("512 MiB of memory", "the last line"),
        Unreadable("no records", "tail\0with a nul"),
        NeverCalled(),
        NotBuilt("undefined: x"),
    ],
)
def test_failures_are_remembered_so_that_they_are_not_repeated(tmp_path, outcome):
    with SqliteStore(tmp_path / "s.sqlite") as store:
        store.add_run(run(outcome=outcome))

        assert store.find_run(trial()) == run(outcome=outcome)


def test_the_first_run_of_a_trial_is_kept(tmp_path):
    with SqliteStore(tmp_path / "s.sqlite") as store:
        store.add_run(run(outcome=measured(1.0)))
        store.add_run(run(outcome=measured(2.0, 3.0)))

        assert store.find_run(trial()) == run(outcome=measured(1.0))


def test_runs_that_differ_in_numbers_and_order_only_are_alike(tmp_path):
    def turned(turns, blocks=(0, 1), **more):
        arms = (
            Arm(ArmName.PROBE, Delay(InjectionKind.WORK, 0)),
            Arm(ArmName.SLOWED, Delay(InjectionKind.WORK, turns)),
        )
        order = tuple(Block(Phase.MEASUREMENT, block) for block in blocks)
        schedule = Schedule(arms=arms, blocks=order, seconds=0.05)
        changed = {"purpose": Purpose.CALIBRATION, "schedule": schedule, **more}
        return dataclasses.replace(trial(), **changed)

    same = [turned(5), turned(7, (1, 0), repetition=2, seed=9)]
    different_trials = [
        turned(5, (0, 1, 1)),
        turned(5, subject="other"),
        turned(5, purpose=Purpose.PAIRS),
        turned(5, benchmark=Benchmark(group="g", name="Other")),
        turned(5, overlay=Overlay(instructions=("x",))),
    ]
    with SqliteStore(tmp_path / "s.sqlite") as store:
        for stored_trial in (*different_trials, *same):
            store.add_run(run(stored_trial))
        store.add_run(run(turned(9), outcome=Crashed(2, "no")))

        assert store.find_similar_runs(turned(11, repetition=4)) == tuple(map(run, same))

        rough_trial = turned(5, repetition=3, rough=True)
        store.add_run(run(rough_trial))
        assert store.find_similar_runs(turned(11, repetition=4)) == tuple(map(run, same))
        rough = store.find_similar_runs(turned(11, repetition=4, rough=True))
        assert rough == tuple(map(run, (*same, rough_trial)))


def test_a_changed_time_out_is_the_same_trial(tmp_path):
    with SqliteStore(tmp_path / "s.sqlite") as store:
        store.add_run(run())

        assert store.find_run(dataclasses.replace(trial(), timeout_seconds=5.0)) is not None


def test_a_suite_is_remembered_without_its_sources_and_without_the_environment(tmp_path):
    suite = Suite((Benchmark(group="g", name="B"),), (), (("g.C", "no result"),))
    with SqliteStore(tmp_path / "s.sqlite") as store:
        store.add_suite(project(), Suite(()), **LISTING_OPTIONS)
        store.add_suite(project(), suite, **LISTING_OPTIONS)

        assert store.find_suite("abc", **LISTING_OPTIONS) == suite
        assert store.find_suite("other", **LISTING_OPTIONS) is None
    assert b"not to be kept" not in (tmp_path / "s.sqlite").read_bytes()


@pytest.mark.parametrize(
    ("unusable", "changed_options", "expected"),
    [
        ((), {"seconds": 90.0}, True),
        ((), {"version": "1.1"}, False),
        ((("g.C", "it was ended after 60 s"),), {"seconds": 60.0}, True),
        ((("g.C", "it was ended after 60 s"),), {"seconds": 90.0}, False),
    ],
)
def test_a_listing_is_made_again_where_another_might_say_more(
    tmp_path, unusable, changed_options, expected
):
    suite = Suite((Benchmark(group="g", name="B"),), (), unusable)
    with SqliteStore(tmp_path / "s.sqlite") as store:
        store.add_suite(project(), suite, **LISTING_OPTIONS)

        assert (
            store.find_suite("abc", **(LISTING_OPTIONS | changed_options)) is not None
        ) is expected
    with SqliteStore(tmp_path / "s.sqlite", retry_failed=True) as retrying_store:
        assert (retrying_store.find_suite("abc", **LISTING_OPTIONS) is None) is bool(unusable)


def test_a_listing_of_another_machine_is_none_of_this_one(tmp_path):
    few, many = (Suite((Benchmark(group="g", name="B", threads=count),)) for count in (2, 64))
    with (
        SqliteStore(tmp_path / "s.sqlite", host=LOCAL_HOST) as local_store,
        SqliteStore(tmp_path / "s.sqlite", host=BIGGER) as bigger_store,
    ):
        local_store.add_suite(project(), few, **LISTING_OPTIONS)
        assert bigger_store.find_suite("abc", **LISTING_OPTIONS) is None
        bigger_store.add_suite(project(), many, **LISTING_OPTIONS)

        assert local_store.find_suite("abc", **LISTING_OPTIONS).benchmarks[0].threads == 2
        assert bigger_store.find_suite("abc", **LISTING_OPTIONS).benchmarks[0].threads == 64


@pytest.mark.parametrize(
    "ended", [TimedOut(60.1, "still here"), Traced(calls=(), ended_after=60.1)]
)
@pytest.mark.parametrize("limit", [60.0, 90.0])
def test_what_timed_out_is_run_again_with_more_time_and_the_new_run_is_kept(tmp_path, limit, ended):
    limited_trial = dataclasses.replace(trial(), timeout_seconds=limit)
    with SqliteStore(tmp_path / "s.sqlite") as store:
        store.add_run(run(outcome=ended))

        assert (store.find_run(limited_trial) is None) is (limit > 60.1)
        store.add_run(run(limited_trial))
        assert store.find_run(limited_trial) == run(limited_trial)
        assert store._connection.execute("SELECT count(*) FROM run").fetchone() == (1,)


@pytest.mark.parametrize(
    ("outcome", "is_retried"),
    [
        (TimedOut(60.0, "still here"), True),
        (Traced(calls=(), ended_after=60.0), True),
        (Traced(calls=()), False),
        (Crashed(1, "no connection"), True),
        (Exhausted("512 MiB of memory", ""), True),
        (Unreadable("no records", ""), True),
        (NotBuilt("undefined: x"), False),
        (Skipped("needs a network"), False),
        (measured(1.0), False),
    ],
)
def test_failures_that_may_pass_are_run_again_once_where_that_is_asked(
    tmp_path, outcome, is_retried
):
    with SqliteStore(tmp_path / "s.sqlite") as store:
        store.add_run(run(outcome=outcome))

    with SqliteStore(tmp_path / "s.sqlite", retry_failed=True) as store:
        assert (store.find_run(trial()) is None) is is_retried
        store.add_run(run(outcome=outcome))
        assert store.find_run(trial()) == run(outcome=outcome)


def test_audits_are_listed_in_order_and_by_subject(tmp_path):
    record = AuditRecord(
        command="abs",
        subject="abc",
        config='{"seed":1}',
        tools=(("go", "1.22"),),
        version="1.0",
        started="2026-01-02T03:04:05Z",
    )
    with SqliteStore(tmp_path / "s.sqlite") as store:
        number = store.add_audit(record)
        store.add_audit(dataclasses.replace(record, subject="other"))
        store.end_audit(number, "2026-01-02T03:05:00Z", "{}")

        ended = dataclasses.replace(record, ended="2026-01-02T03:05:00Z", number=number)
        assert store.list_audits("abc") == (ended,)
        assert store.read_result(ended) == "{}"
        assert [audit.subject for audit in store.list_audits()] == ["abc", "other"]


def test_only_the_owner_may_read_a_store(tmp_path):
    path = tmp_path / "deep" / "s.sqlite"
    with SqliteStore(path) as store:
        store.add_run(run())

        modes = {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == {0o600}


def test_what_is_committed_is_on_the_disk(tmp_path):
    with SqliteStore(tmp_path / "s.sqlite") as store:
        connection = store._connection

        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)


def test_processes_that_share_a_store_lose_nothing(tmp_path):
    path = tmp_path / "s.sqlite"
    processes = [writer(path, first, first + 30) for first in (1, 16, 31, 46)]

    assert [process.wait(60) for process in processes] == [0, 0, 0, 0]
    for process in processes:
        process.stdout.close()
    with SqliteStore(path) as store:
        assert all(store.find_run(trial(repetition)) for repetition in range(1, 76))
        assert store._connection.execute("SELECT count(*) FROM series").fetchone() == (75,)
        assert store._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.parametrize("after", [1, 7, 23])
def test_a_killed_process_loses_at_most_the_run_in_flight(tmp_path, after):
    path = tmp_path / "s.sqlite"
    process = writer(path, 1, 100_000)
    numbers = [int(process.stdout.readline()) for _ in range(after)]
    process.send_signal(signal.SIGKILL)
    numbers += [int(line) for line in process.stdout.read().splitlines()]
    process.stdout.close()
    process.wait(60)

    with SqliteStore(path) as store:
        assert numbers[:after] == list(range(1, after + 1))
        assert all(store.find_run(trial(repetition)) for repetition in numbers)
        trial_run = store.find_run(trial(numbers[-1] + 1))
        assert trial_run is None or trial_run.outcome == measured(*[float(numbers[-1] + 1)] * 200)
        assert store._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        store.add_run(run(trial(200_000)))


def test_a_full_disk_is_said_and_what_was_kept_stays(tmp_path):
    path = tmp_path / "s.sqlite"

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    process = writer(path, 1, 100_000, stderr=subprocess.PIPE, preexec_fn=small_files)
    output, message = process.communicate(timeout=60)

    assert process.returncode == 1
    assert f"FolderUnusable: cannot read or write {path}: the disk reports" in message
    with SqliteStore(path) as store:
        assert all(store.find_run(trial(int(line))) for line in output.splitlines())


def test_a_database_without_room_is_a_full_disk(tmp_path):
    connection = sqlite3.connect(tmp_path / "x")
    connection.execute("PRAGMA max_page_count = 2")
    with pytest.raises(sqlite3.Error) as caught:
        connection.executescript(SCHEMA)
    connection.close()

    error = explain_sqlite_error(caught.value, tmp_path / "x")

    assert isinstance(error, FolderUnusable)
    assert "the disk is full" in str(error)


@pytest.mark.parametrize(
    "change",
    [
        f"PRAGMA user_version = {SCHEMA_VERSION + 1}",
        "PRAGMA user_version = -1",
        "PRAGMA user_version = 0",
        "ALTER TABLE trial DROP COLUMN rough",
        "CREATE VIEW more AS SELECT * FROM gate",
        "CREATE TRIGGER more AFTER INSERT ON run BEGIN DELETE FROM run; END",
    ],
)
def test_a_store_with_other_tables_is_refused_and_left_alone(tmp_path, change):
    path = tmp_path / "s.sqlite"
    SqliteStore(path).close()
    connection = sqlite3.connect(path)
    connection.execute(change)
    connection.commit()
    connection.close()
    before = path.read_bytes()

    with pytest.raises(
        StoreError, match=r"s\.sqlite was written by another version of bench-audit"
    ):
        SqliteStore(path)

    assert path.read_bytes() == before


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE mine (x)")
    connection.close()
    before = path.read_bytes()

    with pytest.raises(StoreError, match="database of another program"):
        SqliteStore(path)

    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        (b"not a database, " * 100, UsageError, "not a store: it is a text"),
        (b"SQLite format 3\0" + b"\1" * 999, StoreError, "damaged or no store"),
        (b"\0" * 999, StoreError, "damaged or no store"),
    ],
)
def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path, content, kind, message):
    path = tmp_path / "s.sqlite"
    path.write_bytes(content)

    with pytest.raises(kind, match=message):
        SqliteStore(path)

    assert path.read_bytes() == content


def test_a_store_with_its_middle_overwritten_is_damaged(tmp_path):
    path = tmp_path / "s.sqlite"
    with SqliteStore(path) as store:
        for repetition in range(1, 100):
            store.add_run(run(trial(repetition)))
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))

    def read_all():
        with SqliteStore(path) as store:
            return [store.find_run(trial(repetition)) for repetition in range(1, 100)]

    with pytest.raises(StoreError, match="damaged"):
        read_all()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE run SET payload = '{'",
        "UPDATE run SET ending = 'vanished'",
        "UPDATE run SET host = '[]'",
        "UPDATE series SET packed = x'00'",
        "UPDATE series SET arm = 'wooden'",
    ],
)
def test_rows_that_make_no_sense_are_damage_and_no_measurement(tmp_path, change):
    with SqliteStore(tmp_path / "s.sqlite") as store:
        store.add_run(run())
        store._connection.execute(change)

        with pytest.raises(StoreError, match="damaged"):
            store.find_run(trial())


def test_a_store_that_another_program_holds_is_locked(tmp_path):
    path = tmp_path / "s.sqlite"
    with SqliteStore(path) as holder, SqliteStore(path, busy_seconds=0.05) as waiter:
        holder._connection.execute("BEGIN IMMEDIATE")

        with pytest.raises(StoreError, match="locked by another program"):
            waiter.add_run(run())

        holder._connection.rollback()
        waiter.add_run(run())
        assert holder.find_run(trial()) == run()


def test_a_store_below_a_file_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(FolderUnusable, match=r"cannot write .*file/s\.sqlite"):
        SqliteStore(tmp_path / "file" / "s.sqlite")


def test_a_read_only_file_system_is_named():
    with pytest.raises(FolderUnusable, match=r"cannot write /proc/s\.sqlite"):
        SqliteStore(Path("/proc/s.sqlite"))


def test_what_was_beside_a_run_is_kept(tmp_path):
    strain = HostInterference(stolen=0.25, waited=0.0)
    strained = dataclasses.replace(run(), strain=strain, loop_seconds=0.125)
    with SqliteStore(tmp_path / "s.sqlite", host=LOCAL_HOST) as store:
        store.add_run(strained)

        assert store.find_run(strained.trial) == strained


def test_runs_of_another_machine_are_kept_but_not_found(tmp_path):
    local_run, foreign_run = (
        run(outcome=measured(1.0)),
        dataclasses.replace(run(outcome=measured(2.0)), host=BIGGER),
    )
    path = tmp_path / "s.sqlite"
    with SqliteStore(path, host=BIGGER) as bigger_store:
        bigger_store.add_run(foreign_run)

    with (
        SqliteStore(path, host=LOCAL_HOST) as local_store,
        SqliteStore(path, host=BIGGER) as bigger_store,
    ):
        assert local_store.find_run(trial()) is None
        assert local_store.count_foreign_runs("abc") == {make_machine_key(BIGGER): 1}
        local_store.add_run(local_run)
        local_store.add_run(local_run)
        assert (local_store.find_run(trial()), bigger_store.find_run(trial())) == (
            local_run,
            foreign_run,
        )
        assert bigger_store.count_foreign_runs("abc") == {make_machine_key(LOCAL_HOST): 1}
        assert bigger_store.count_foreign_runs("other") == {}

    with SqliteStore(path) as everyone:
        assert everyone.find_run(trial()) == foreign_run
        assert everyone.count_foreign_runs("abc") == {}


@pytest.mark.parametrize(
    ("facts", "same_machine"),
    [
        ({"kernel": "Linux 6.2"}, True),
        ({"governor": "powersave"}, False),
        ({"governor": "unknown"}, False),
        ({"turbo": "unknown"}, True),
        ({"turbo": "off"}, False),
        ({"memory": "15890 MiB"}, True),
        ({"cpu": "Another"}, False),
        ({"cores": "4"}, False),
        ({"memory": "31800 MiB"}, False),
        ({"memory": "unknown"}, False),
        ({"arch": "aarch64"}, False),
        ({"container": "yes"}, True),
        ({"virtual": "no", "quota": "max 100000"}, True),
        ({"virtual": "yes KVM"}, False),
        ({"quota": "150000 100000"}, False),
        ({"container": "docker", "image": "sha256:" + "a" * 64}, False),
    ],
)
def test_machines_are_alike_when_what_matters_is_the_same(facts, same_machine):
    base_facts = {
        "arch": "x86_64",
        "cores": "2",
        "cpu": "Some",
        "governor": "performance",
        "kernel": "Linux 6.1",
        "memory": "15893 MiB",
    }
    host_facts = HostFacts("one", tuple(base_facts.items()))
    changed_facts = HostFacts("other", tuple((base_facts | facts).items()))

    assert (make_machine_key(host_facts) == make_machine_key(changed_facts)) is same_machine


def test_what_another_machine_measured_is_told_in_one_line():
    caveat = describe_unused_runs({"processor A, 4 cores": 3, "processor B, 8 cores": 4})

    assert caveat.slug == "other-machine"
    assert (
        "has 7 runs of this subject from another machine (processor A, 4 cores; processor B"
        in caveat.text
    )
    assert "\n" not in caveat.text
    assert describe_unused_runs({}) is None


def test_the_page_about_the_store_shows_the_schema():
    page = Path(__file__).parents[3].joinpath("docs", "reference", "store-schema.md").read_text()

    assert f"```sql\n{SCHEMA}```" in page
