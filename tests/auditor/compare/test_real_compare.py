"""Two revisions of real projects: what got slower, and what of it the suite would detect."""

import json
import shlex
import shutil
from pathlib import Path

import pytest
from real_program import (
    JAVA_RING,
    PLAN,
    TINY,
    TINY_TEST,
    commit,
    everything,
    git,
    runs,
    tiny,
    write,
)
from schema_checks import check_schema

pytestmark = pytest.mark.subject

NEW = "\n// Fresh is new.\nfunc Fresh(x uint64) uint64 { return x * 3 }\n"
SLOWER = TINY.replace("n := 200", "n := 400").replace("// Add", "// Add, slower")
ALLOCATING = TINY_TEST.replace("sink = Add(sink + 1)", "sink = *leaked(sink)").replace(
    "var sink uint64",
    "var sink uint64\n\n//go:noinline\nfunc leaked(x uint64) *uint64 { x = Add(x); return &x }",
)


@pytest.fixture
def repository(tmp_path):
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    folder = tiny(tmp_path / "tiny")
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "base")
    return folder


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "compare.json"
    path.write_text(
        json.dumps(
            {
                "subject": "tiny",
                "runs": 1,
                "controls": 0,
                "plan": {**PLAN, "iterations": 15, "iteration_time": "5ms"},
                "compare": {"rounds": 6, "confirm": 6, "min_delta": 0.2},
            }
        )
    )
    return path


def compared(program, tmp_path, config, *more):
    out = tmp_path / "out"
    call = ("compare", *more, config, "--store", tmp_path / "s.sqlite", "-o", out)
    return program.call(*call, "--format", "json"), out


def check_patch(document):
    """One changed method is watched, one new one is not."""
    patch = {method["id"].rpartition(".")[2]: method for method in document["patch"]["methods"]}
    assert {name: method["new"] for name, method in patch.items()} == {"Add": False, "Fresh": True}
    assert patch["Add"]["outcome"] == "detected"
    assert patch["Fresh"]["outcome"] == "unreached"
    assert [method_id.rpartition(".")[2] for method_id in document["patch"]["unwatched"]] == [
        "Fresh"
    ]
    assert document["patch"]["score"]["percent"] == 50


def check_repeating(document):
    """What the report says how to repeat it is a call of both revisions."""
    words = shlex.split(document["command"])
    assert words[:2] == ["bench-audit", "compare"]
    assert [word.rpartition("@")[2] for word in words[2:4]] == ["HEAD~1", "HEAD"]
    assert document["plan"]["stability_runs"] == 1


@pytest.mark.timed
def test_a_method_that_takes_twice_as_long_is_a_regression(program, tmp_path, repository, config):
    write(repository, {"tiny.go": SLOWER + NEW})
    commit(repository, "slower")
    before = everything(repository)

    answer, out = compared(program, tmp_path, config, "HEAD~1", "HEAD", "--fail-on", "regression")

    assert answer.returncode == 1, answer
    assert "gate failed: 2 regressions confirmed" in answer.stderr
    document = json.loads(answer.stdout)
    check_schema("compare", document)
    assert document["change"] == "regression"
    for benchmark in document["benchmarks"]:
        time = next(
            dimension for dimension in benchmark["dimensions"] if dimension["dimension"] == "time"
        )
        assert time["ratio"] == pytest.approx(2, rel=0.2)
        assert len(time["fresh"]) == 6
    check_patch(document)
    check_repeating(document)
    names = {"compare.json", "compare.html", "compare.md", "patch.json", "patch.html"}
    assert names <= {path.name for path in out.iterdir()}
    assert everything(repository) == before

    stored_runs = runs(tmp_path / "s.sqlite")
    for _ in range(2):  # the second time all is known, the second look too
        second_answer, _ = compared(
            program, tmp_path, config, "HEAD~1", "HEAD", "--fail-under", "60"
        )
        assert second_answer.returncode == 1, second_answer
        assert "gate failed: at least 60 % of what changed, it is 50 %" in second_answer.stderr
        assert "second look: 1 method missed again" in second_answer.stderr
        earlier_runs, stored_runs = stored_runs, runs(tmp_path / "s.sqlite")
    assert stored_runs == earlier_runs

    stored = ("report", "--of", "compare", config, "--store", tmp_path / "s.sqlite")
    report = program.call(*stored, "-o", tmp_path / "new", "--format", "json")
    assert report.returncode == 0, report
    assert json.loads(report.stdout)["benchmarks"] == document["benchmarks"]
    assert (tmp_path / "new" / "compare.html").exists()
    program.refused("report", config, *stored[4:], "-o", tmp_path / "new", code=2, slug="usage")


@pytest.mark.timed
def test_comments_and_a_benchmark_that_allocates(program, tmp_path, repository, config):
    code = TINY.replace("func Add", "// Add adds.\nfunc Add").replace("return x\n", "return  x\n")
    write(repository, {"tiny.go": code, "tiny_test.go": ALLOCATING})

    answer, _ = compared(program, tmp_path, config, "HEAD", ".")

    assert answer.returncode == 0, answer
    document = json.loads(answer.stdout)
    assert document["patch"]["methods"] == []
    assert document["revision"].startswith("tree") or document["revision"] != document["base"]
    dimensions = {
        (benchmark["id"].rpartition("Benchmark")[2], dimension["dimension"]): dimension
        for benchmark in document["benchmarks"]
        for dimension in benchmark["dimensions"]
    }
    allocations = dimensions["Add", "allocations"]
    assert allocations["change"] == "regression"
    assert (allocations["base"], allocations["head"]) == (0, 1)
    assert dimensions["Twice", "allocations"]["change"] == "no change"


def test_nothing_that_is_built_has_changed(program, tmp_path, repository, config):
    write(repository, {"README.md": "more words\n"})
    commit(repository, "words")

    answer, _ = compared(program, tmp_path, config, "HEAD~1", "HEAD", "--fail-on", "regression")

    assert answer.returncode == 0, answer
    document = json.loads(answer.stdout)
    assert all(benchmark["same"] for benchmark in document["benchmarks"])
    assert document["patch"]["methods"] == []
    assert "comparison" not in {purpose for purpose, *_ in runs(tmp_path / "s.sqlite").values()}


def test_a_dry_run_of_revisions_without_a_common_benchmark_has_no_verdict(
    program, repository, config
):
    write(repository, {"tiny_test.go": TINY_TEST.replace("func Benchmark", "func BenchmarkOther")})
    commit(repository, "head")

    answer = program.call("compare", "HEAD~1", "HEAD", config, "--dry-run")

    assert answer.returncode == 5, answer
    assert "no verdict: no benchmark is in both revisions" in answer.stderr


def test_a_revision_that_is_not_there(program, tmp_path, repository, config):
    line = program.refused(
        "compare", "nowhere", "HEAD", config, "-o", tmp_path / "out", code=2, slug="usage"
    )

    assert "no revision 'nowhere'" in line


@pytest.mark.timed
def test_two_revisions_of_a_project_with_jmh(program, tmp_path):
    folder = Path(shutil.copytree(JAVA_RING, tmp_path / "ring"))
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "base")
    ring = folder / "src/main/java/org/example/ring/Ring.java"
    text = ring.read_text()
    assert "items = new Object[capacity];" in text
    ring.write_text(text.replace("new Object[capacity]", "new Object[4 * capacity]"))
    config_path = tmp_path / "compare.json"
    config_path.write_text(
        json.dumps(
            {
                "subject": "ring",
                "benchmarks": r"Rings\.construct\[capacity=512\]",
                "controls": 0,
                "plan": {"warmup": 10, "iterations": 5, "iteration_time": "20ms"},
                "compare": {"rounds": 4, "confirm": 5, "min_delta": 0.5, "methods": 0},
            }
        )
    )

    answer, _ = compared(program, tmp_path, config_path, "HEAD", ".")

    assert answer.returncode == 0, answer
    document = json.loads(answer.stdout)
    (only,) = document["benchmarks"]
    dimensions = {dimension["dimension"]: dimension for dimension in only["dimensions"]}
    assert dimensions["allocated"]["change"] == "regression"
    assert dimensions["allocated"]["ratio"] == pytest.approx(4, rel=0.05)
    assert dimensions["time"]["ratio"] > 1
    assert "allocations" not in dimensions  # JMH tells of bytes only
    (method,) = document["patch"]["methods"]
    assert (method["id"].rpartition(".")[2], method["outcome"]) == ("<init>", None)
