"""Files that are given where another kind is expected: each is named, with what takes it."""

import json
import os
import sqlite3
from pathlib import Path

import pytest

import auditor
from auditor.cli.context import AppContext
from auditor.cli.main import main
from auditor.core.errors import StoreError, UsageError
from auditor.store.sqlite import SqliteStore

RECORDED = Path(__file__).parents[2] / "auditor/importers/recorded"
JMH, LOG = RECORDED / "jmh/small.json", RECORDED / "jmh/small.log"


@pytest.fixture
def call(tmp_path, capsys):
    def called(*arguments):
        surroundings = AppContext(environment={"HOME": str(tmp_path)})
        code = main([*map(str, arguments)], surroundings=surroundings)
        return code, capsys.readouterr().err

    return called


@pytest.fixture
def result(call, tmp_path):
    """A result of judge, which is one of stability."""
    assert call("analyze", JMH, "-o", tmp_path / "out", "-q")[0] == 0
    return tmp_path / "out/analysis.json"


@pytest.fixture
def store(tmp_path):
    SqliteStore(tmp_path / "our.sqlite").close()
    return tmp_path / "our.sqlite"


def compared(folder):
    path = folder / "compare.json"
    path.write_text(json.dumps({"schema": "bench-audit/compare/1", "benchmarks": []}))
    return path


def one_line(code, err, message):
    assert code == 2
    assert message in err
    assert err.count("\n") == 1
    assert "damaged" not in err


@pytest.mark.parametrize(
    "command", [("analyze",), ("report",), ("abs",), ("steady",), ("similarity",)], ids="".join
)
def test_a_result_is_named_where_something_else_is_read(call, result, command):
    code, err = call(*command, result)

    one_line(code, err, f"a result of bench-audit stability; bench-audit report --result {result}")


@pytest.mark.parametrize("command", ["analyze", "report"])
def test_a_store_is_named_where_something_else_is_read(call, store, command):
    one_line(*call(command, store), f"it is a store; bench-audit report SUBJECT --store {store}")


@pytest.mark.parametrize("path", [JMH, LOG], ids=["JSON", "log"])
@pytest.mark.parametrize("command", ["report", "select"])
def test_what_another_tool_has_stored_is_for_judge(call, command, path):
    one_line(*call(command, "--result", path), f"bench-audit analyze {path} reads it")


@pytest.mark.parametrize("path", [JMH, LOG], ids=["JSON", "log"])
@pytest.mark.parametrize(
    "command",
    ["abs", "stability", "trace", "backtest", "lint", "report", "select", "init", "store list"],
)
def test_results_where_a_subject_belongs_are_for_analyze(call, command, path):
    one_line(
        *call(*command.split(), path),
        f"{path} contains results; to read them, run bench-audit analyze {path}",
    )


def test_results_in_the_place_of_revisions_are_for_analyze(call, tmp_path_factory, monkeypatch):
    monkeypatch.chdir(tmp_path_factory.mktemp("project"))

    one_line(*call("compare", JMH, LOG), "to compare results, run bench-audit analyze HEAD")


@pytest.mark.parametrize("command", ["abs", "stability"])
def test_a_broken_result_is_not_said_to_be_for_the_command_that_refuses_it(call, tmp_path, command):
    path = tmp_path / "result.json"
    path.write_text(json.dumps({"schema": f"bench-audit/{command}/1"}))

    code, err = call("report", "--result", path)

    one_line(code, err, f"{path}: ")
    assert "it is a result of" not in err


def test_a_comparison_is_no_result_to_report(call, tmp_path):
    code, err = call("report", "--result", compared(tmp_path))

    one_line(code, err, "a result of bench-audit compare; its page is compare.html")


@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
@pytest.mark.parametrize(
    "command", [("report", "--result"), ("analyze",), ("steady",)], ids=" ".join
)
def test_what_is_no_file_is_refused(call, tmp_path, result, command, kind):
    path = tmp_path / "odd.json"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(result)

    code, err = call(*command, path)

    assert code == 2
    assert "not a regular file" in err or "it is a symbolic link" in err or "folder" in err


def test_load_says_what_it_was_given(result, tmp_path):
    for path, message in (
        (result, "not a store: it is a result of bench-audit stability; bench-audit report"),
        (JMH, "not a store: it is a text"),
        (tmp_path, "is a folder; name the store in it"),
    ):
        with pytest.raises(UsageError, match=message):
            auditor.load(path)


def test_load_takes_a_store_that_has_lost_its_beginning_for_damaged(store):
    with store.open("r+b") as file:
        file.write(b"\0" * 16)

    with pytest.raises(StoreError, match="damaged"):
        auditor.load(store)


def test_load_takes_no_database_of_another_program(tmp_path):
    with sqlite3.connect(tmp_path / "other.sqlite") as connection:
        connection.execute("CREATE TABLE theirs (x)")

    with pytest.raises(StoreError, match="another program"):
        auditor.load(tmp_path / "other.sqlite")


def test_a_text_of_no_kind_names_the_formats_and_not_the_columns_of_tables(call, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("it was slower on monday\n")

    code, err = call("analyze", path)

    one_line(code, err, "hyperfine, Google Benchmark, criterion")
    assert "run-suite-bench" not in err
