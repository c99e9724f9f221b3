"""A Python project through the commands that the tests of its parts do not call."""

import json

import pytest
from real_program import QUICK, commit, git, write

pytestmark = [pytest.mark.subject, pytest.mark.timed]

PROJECT = """[build-system]
requires = ["setuptools>=68"]
build-backend = "setuptools.build_meta"

[project]
name = "tiny"
version = "1.0"

[tool.setuptools]
py-modules = ["tiny"]
"""
# It waits, so that no other program on the machine has a say in how long it takes.
CODE = """import time


def add(x):
    time.sleep(0.002)
    return x + 1


def unused(x):
    return x + 1
"""
BENCHMARKS = """from tiny import add


def test_add(benchmark):
    benchmark(add, 1)


def test_sorted(benchmark):
    benchmark(sorted, list(range(3000)))
"""
PLAN = {"forks": 1, "warmup": 1, "iterations": 10, "iteration_time": "10ms"}


@pytest.fixture
def repository(tmp_path):
    """A project whose last commit makes one of its functions take twice as long."""
    files = {"pyproject.toml": PROJECT, "tiny.py": CODE, "test_tiny.py": BENCHMARKS}
    folder = write(tmp_path / "tiny", files)
    git(folder, "init", "-q", "-b", "main")
    for message, code in (("base", CODE), ("slower", CODE.replace("0.002", "0.004"))):
        write(folder, {"tiny.py": code})
        commit(folder, message)
    return folder


@pytest.fixture
def config(tmp_path, repository):
    path = tmp_path / "config.json"
    document = {
        **QUICK,
        "subject": str(repository),
        "slowdown": "400%",
        "stability_runs": 4,
        "methods": ["tiny.add", "tiny.unused"],
        "plan": PLAN,
        "compare": {"rounds": 6, "confirm": 6, "min_delta": 0.2},
    }
    path.write_text(json.dumps(document))
    return path


def test_two_revisions_are_compared(program, tmp_path, config):
    out = tmp_path / "out"
    call = ("compare", "HEAD~1", "HEAD", config, "-o", out, "--format", "json")

    answer = program.call(*call, "--fail-on", "regression")

    assert answer.returncode == 1, answer
    document = json.loads(answer.stdout)
    changes = {
        benchmark["id"].rpartition("::")[2]: benchmark["change"]
        for benchmark in document["benchmarks"]
    }
    assert changes["test_add"] == "regression"
    assert changes["test_sorted"] != "regression"
    ratios = {
        benchmark["id"].rpartition("::")[2]: dimension["ratio"]
        for benchmark in document["benchmarks"]
        for dimension in benchmark["dimensions"]
    }
    assert ratios["test_add"] == pytest.approx(2, rel=0.2)
    patch = {method["id"]: method["outcome"] for method in document["patch"]["methods"]}
    assert patch == {"tiny.add": "detected"}
    assert (out / "compare.html").is_file()


def test_a_score_is_chosen_from_and_reported(program, tmp_path, config):
    places = ("--store", tmp_path / "s.sqlite", "-o", tmp_path / "out")
    document, _ = program.audited("abs", config, *places)

    assert {method["id"]: method["outcome"] for method in document["methods"]} == {
        "tiny.add": "detected",
        "tiny.unused": "unreached",
    }
    assert [benchmark_id.rpartition("::")[2] for benchmark_id in document["minimal_cover"]] == [
        "test_add"
    ]

    selection = program.call("select", config, *places, "--format", "json")
    assert selection.returncode == 0, selection
    selected_ids = [benchmark["id"] for benchmark in json.loads(selection.stdout)["benchmarks"]]
    assert [benchmark_id.rpartition("::")[2] for benchmark_id in selected_ids] == ["test_add"]

    report = program.call("report", config, *places, "--format", "sarif")
    assert report.returncode == 0, report
    (run,) = json.loads(report.stdout)["runs"]
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert {place["artifactLocation"]["uri"] for place in places} == {"tiny.py"}
