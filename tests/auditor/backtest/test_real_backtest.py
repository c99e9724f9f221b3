"""Commits of a real repository beside their parents: which of them its suite detects."""

import json
import shutil

import pytest
from real_program import PLAN, TINY, commit, everything, git, tiny
from schema_checks import check_schema

pytestmark = pytest.mark.subject

FASTER = TINY.replace("n := 200", "n := 100")
UNWATCHED = FASTER.replace("return x + 1 }", "return x + 2 }")
COMPARE = {"rounds": 6, "confirm": 6, "min_delta": 0.2}


@pytest.fixture
def repository(tmp_path):
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    folder = tiny(tmp_path / "tiny")
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "base")
    for text, message in (
        (FASTER, "Speed up Add"),
        (UNWATCHED, "Optimize Unused"),
        (UNWATCHED + "\nfunc broken( {\n", "Avoid allocations in what does not build"),
    ):
        (folder / "tiny.go").write_text(text)
        commit(folder, message)
    return folder


@pytest.fixture
def config_path(tmp_path, repository):
    path = tmp_path / "backtest.json"
    plan = {**PLAN, "iterations": 15, "iteration_time": "5ms"}
    document = {
        "subject": str(repository),
        "runs": 1,
        "controls": 0,
        "plan": plan,
        "compare": COMPARE,
    }
    path.write_text(json.dumps(document))
    return path


@pytest.mark.timed
def test_what_the_suite_watches_is_noticed_and_what_does_not_build_fails_alone(
    program, config_path, repository, tmp_path
):
    before = everything(repository)
    call = ("backtest", config_path, "--benchmarks", "Add", "-o", tmp_path / "out")

    document, err = program.audited(*call)

    check_schema("backtest", document)
    by_title = {row["title"]: row for row in document["commits"]}
    assert {title: row["noticed"] for title, row in by_title.items()} == {
        "Avoid allocations in what does not build": "failed",
        "Optimize Unused": "missed",
        "Speed up Add": "detected",
    }
    (shift,) = [
        shift for shift in by_title["Speed up Add"]["detected_by"] if shift["dimension"] == "time"
    ]
    assert shift["benchmark"].endswith("BenchmarkAdd")
    assert shift["ratio"] < 0.8
    assert by_title["Speed up Add"]["watched"] == ["example.org/tiny.Add"]
    assert by_title["Optimize Unused"]["unwatched"] == ["example.org/tiny.Unused"]
    assert (document["agreement"]["agreed"], document["agreement"]["neither"]) == (1, 1)
    assert "detected (" in err
    assert everything(repository) == before
    assert (tmp_path / "out" / "backtest.md").read_text().count("\n| `") == 3


def test_the_commits_are_listed_without_running_anything(program, config_path, repository):
    answer = program.call("backtest", config_path, "--list", "--find", "1", "--cause", "main~1")

    assert answer.returncode == 0, answer
    assert [line.split()[2] for line in answer.stdout.splitlines()[1:]] == ["cause", "fix"]
    assert not program.state.exists()
    refused = program.refused(
        *("backtest", config_path, "--list", "--fix", "main~3"), code=2, slug="usage"
    )
    assert "has no parent commit to compare with" in refused
    flags = ("--fix", "main~1", "--cause", "main~1")
    refused = program.refused("backtest", config_path, "--list", *flags, code=2, slug="usage")
    assert "is given to both --fix and --cause" in refused


def test_a_suite_without_such_commits_says_what_to_do(program, tmp_path):
    folder = tiny(tmp_path / "plain")
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "base")

    line = program.refused("backtest", folder, code=2, slug="usage")

    assert "none of the last 2000 commit messages mentions performance; name commits" in line
