"""A store looked at, checked, merged, exported and pruned."""

import csv
import io
import sqlite3
from contextlib import closing

import pytest
from store_making import measured, project, run, trial

from auditor.cli.context import AppContext
from auditor.cli.main import main
from auditor.core.errors import StoreError, UsageError
from auditor.core.outcome import Crashed
from auditor.core.suite import Suite
from auditor.store import upkeep
from auditor.store.audits import AuditRecord
from auditor.store.sqlite import SqliteStore


def store(path, *runs, audits=(), interrupted=()):
    """Make a store with runs, and audits that began at the moments given, then interrupted ones."""
    with SqliteStore(path) as sqlite_store:
        sqlite_store.add_suite(project(), Suite(()), seconds=1, version="1")
        for stored_run in runs:
            sqlite_store.add_run(stored_run)
        for started in (*audits, *interrupted):
            number = sqlite_store.add_audit(
                AuditRecord(
                    command="abs",
                    subject="abc",
                    config="{}",
                    tools=(),
                    version="1",
                    started=started,
                )
            )
            if started in audits:
                sqlite_store.end_audit(number, started, "{}")
    return path


def find_outcome(path, planned_trial):
    with SqliteStore(path) as opened:
        run = opened.find_run(planned_trial)
        return None if run is None else run.outcome


@pytest.fixture
def small(tmp_path):
    return store(
        tmp_path / "one.sqlite",
        run(trial(1), measured(1.0, 2.0, 3.0)),
        run(trial(2), Crashed(1, "no")),
        audits=("2026-01-01", "2026-01-02"),
    )


def test_contents(small):
    contents = upkeep.read_contents(small)

    assert (contents.runs, contents.failed, contents.values) == (2, 1, 3)
    assert contents.subjects == (upkeep.StoredSubject("ring", 1, 2, "2026-01-02"),)
    assert [count for _, count in contents.machines] == [2]


def test_a_whole_store_is_verified(small):
    assert upkeep.verify_store(small) == 2


HARMS = [
    "UPDATE series SET packed = x'00'",
    "UPDATE series SET positions = x'00000000'",
    "UPDATE run SET ending = 'nonsense'",
    "UPDATE run SET payload = '{'",
    "UPDATE run SET payload = replace(hex(zeroblob(50000)), '0', '[')",
    "UPDATE project SET name = x'00ff'",
    "PRAGMA foreign_keys = OFF; DELETE FROM trial",
]


@pytest.mark.parametrize("harm", HARMS, ids=range(len(HARMS)))
def test_damage_is_found_and_not_merged(tmp_path, small, harm):
    with sqlite3.connect(small) as connection:
        connection.executescript(harm)
    connection.close()
    intact_path = store(tmp_path / "whole.sqlite", run(trial(3), measured(5.0)))

    with pytest.raises(StoreError, match="is damaged"):
        upkeep.verify_store(small)
    with pytest.raises(StoreError, match=rf"^{small} is damaged"):
        upkeep.merge_stores(intact_path, small)
    assert upkeep.verify_store(intact_path) == 1


def test_a_source_with_tables_of_its_own_is_not_merged(tmp_path, small):
    with sqlite3.connect(small) as connection:
        connection.executescript("DROP TABLE gate; CREATE VIEW gate AS SELECT 1")
    connection.close()

    with pytest.raises(StoreError, match=rf"^{small} was written by another version"):
        upkeep.merge_stores(tmp_path / "new.sqlite", small)


def test_a_damaged_page_is_found(small):
    with small.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 6 * 4096)

    with pytest.raises(StoreError):
        upkeep.verify_store(small)


def test_what_two_stores_hold_is_in_one(tmp_path, small):
    second_path = store(
        tmp_path / "two.sqlite",
        run(trial(1), measured(9.0)),
        run(trial(2), measured(4.0)),
        run(trial(3), measured(5.0, 6.0)),
        audits=("2026-01-02", "2026-01-03"),
    )
    before = second_path.read_bytes()

    assert upkeep.merge_stores(small, second_path) == upkeep.MergeResult(
        runs=2, present=1, audits=1
    )

    assert find_outcome(small, trial(1)) == measured(1.0, 2.0, 3.0)  # the first is kept
    # But not one that failed in a way that may pass.
    assert find_outcome(small, trial(2)) == measured(4.0)
    assert find_outcome(small, trial(3)) == measured(5.0, 6.0)
    assert upkeep.verify_store(small) == 3
    assert second_path.read_bytes() == before
    assert upkeep.merge_stores(small, second_path) == upkeep.MergeResult(
        runs=0, present=3, audits=0
    )


def test_a_source_that_is_written_to_is_merged_with_its_log(tmp_path, small):
    with SqliteStore(tmp_path / "open.sqlite") as second_store:
        second_store.add_suite(project(), Suite(()), seconds=1, version="1")
        second_store.add_run(run(trial(3), measured(5.0)))

        assert upkeep.merge_stores(small, tmp_path / "open.sqlite").runs == 1


def test_a_source_that_is_no_store_is_refused_by_its_name(tmp_path, small):
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as connection:
        connection.execute("CREATE TABLE mine (x)")

    with pytest.raises(StoreError, match=r"other\.sqlite is a database of another program"):
        upkeep.merge_stores(small, tmp_path / "other.sqlite")


def test_a_store_is_made_where_there_is_none(tmp_path, small):
    new = tmp_path / "new.sqlite"

    upkeep.merge_stores(new, small)

    assert upkeep.read_contents(new).subjects == upkeep.read_contents(small).subjects
    assert list(upkeep.export_values(new)) == list(upkeep.export_values(small))


def test_a_store_is_not_merged_with_itself(small):
    with pytest.raises(UsageError, match="with itself"):
        upkeep.merge_stores(small, small)


def test_a_store_can_be_made_in_a_new_folder(tmp_path, small):
    assert upkeep.merge_stores(tmp_path / "new" / "all.sqlite", small).runs == 2


def test_each_value_is_exported_with_its_run(small):
    rows = [dict(zip(upkeep.EXPORTED, row, strict=True)) for row in upkeep.export_values(small)]

    assert [(row["repetition"], row["block"], row["value"]) for row in rows] == [
        (1, 0, 1.0),
        (1, 1, 2.0),
        (1, 2, 3.0),
        (2, None, None),
    ]
    assert rows[3]["ending"] == "crashed"


def test_pruning_forgets_what_is_said_and_no_more(small):
    assert upkeep.prune_store(small, before=None, failed=True, audits=1) == (1, 1)
    assert upkeep.read_contents(small).runs == 1
    assert upkeep.prune_store(small, before="2026-01-01", failed=False, audits=None) == (0, 0)
    assert upkeep.prune_store(small, before="2026-02-01", failed=False, audits=None) == (1, 0)
    assert upkeep.verify_store(small) == 0
    assert upkeep.read_contents(small).subjects[0].last == "2026-01-02"


def test_interrupted_audits_cost_no_results(tmp_path):
    path = store(tmp_path / "a", audits=("2026-01-01", "2026-01-02"), interrupted=("2026-01-03",))

    assert upkeep.prune_store(path, before=None, failed=False, audits=1) == (0, 1)

    assert upkeep.read_contents(path).subjects == (
        upkeep.StoredSubject("ring", 1, 1, "2026-01-03"),
    )
    assert upkeep.prune_store(path, before="2026-02-01", failed=False, audits=None) == (0, 1)
    assert upkeep.read_contents(path).subjects == (
        upkeep.StoredSubject("ring", 1, 1, "2026-01-02"),
    )


@pytest.fixture
def call(tmp_path):
    place = AppContext(environment={"HOME": str(tmp_path)})
    return lambda *words: main(["store", *map(str, words)], surroundings=place)


def test_the_commands(call, small, tmp_path, capsys):
    assert call("list", "--store", small) == 0
    assert "2 runs (1 failed in a way that may pass), 3 values" in capsys.readouterr().out
    assert call("verify", "--store", small) == 0
    assert "all 2 runs can be read" in capsys.readouterr().out
    assert call("merge", tmp_path / "new.sqlite", small) == 0
    assert "2 runs and 2 audits added, 0 runs were there" in capsys.readouterr().out
    assert call("export", "--store", small) == 0
    exported = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [float(row["value"]) for row in exported[:3]] == [1.0, 2.0, 3.0]
    assert call("prune", "--store", small, "--failed") == 0
    assert "1 run and 0 audits forgotten" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["list", "--store", "nowhere"], 2, "there is no store"),
        (["prune"], 2, "nothing chosen to delete"),
        (["prune", "--store", "a", "--older-than", "365001"], 2, "365001 is not in the range"),
        (["prune", "--store", "a", "--audits", "2147483648"], 2, "2147483648 is not in the range"),
        (["merge", "a"], 2, "SOURCES"),
        (["merge", "a", "nowhere"], 2, "there is no store"),
        (["merge", "/proc/nowhere/a", __file__], 4, "cannot write"),
    ],
)
def test_what_is_wrong_is_one_line(call, capsys, words, code, message):
    assert call(*words) == code

    err = capsys.readouterr().err
    assert message in err
    assert len(err.splitlines()) == 1


def test_the_store_of_a_folder_is_the_one_that_its_audits_have(call, tmp_path, capsys):
    (tmp_path / "project").mkdir()

    assert call("list", tmp_path / "project") == 2

    assert "store.sqlite; name one with --store" in capsys.readouterr().err
