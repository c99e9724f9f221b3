"""Configuration files of the two research tools; the keys are those of their own documentation."""

import json

import pytest

from auditor.config.load import load
from auditor.core.errors import UsageError

GO = {
    "project": "bleve",
    "trace_lib": "lib",
    "clear": "",
    "dynamic": {
        "bench_timeout": "3m",
        "wi": 1,
        "i": 20,
        "bench_time": "1s",
        "runs": 2,
        "regression": 0.1,
        "bench_mem": True,
        "functions": [
            {"pkg": "analysis", "file": "tokenmap.go", "name": "LoadLine", "recv": "*TokenMap"},
            {"pkg": "", "file": "doc.go", "name": "Open", "recv": ""},
        ],
    },
}
JAVA = {
    "project": "lib",
    "build_system": "mvn",
    "benchmarks": "target",
    "custom_benchmark_config": "-wi 10 -i20 -f 1 -r 1 -w 2 -rf json -foe true",
    "degree_of_violation": "0.6",
    "confidence": "0.05",
    "repeats": 2,
    "log": "out.csv",
    "benchmarks_to_execute": [{"pattern": "Fast.*"}, {"pattern": "Slow"}],
    "files": [
        {
            "test_file": "src/main/java/org/example/Work.java",
            "methods": [
                {"name": "run", "params": ["int", "T"], "typeParams": {"T": "Comparable"}},
                {"name": "stop"},
            ],
        }
    ],
}


def read(folder, found, changes=None):
    (folder / "theirs.json").write_text(json.dumps(found))
    return load("theirs.json", changes or {}, folder)


@pytest.fixture
def bleve(tmp_path):
    (tmp_path / "bleve").mkdir()
    (tmp_path / "bleve" / "go.mod").write_text("module example.org/bleve\n\ngo 1.20\n")
    return tmp_path


@pytest.fixture
def lib(tmp_path):
    source = tmp_path / "lib/src/main/java/org/example/Work.java"
    source.parent.mkdir(parents=True)
    source.write_text("// words\npackage org.example;\n\nclass Work {}\n")
    return tmp_path


def test_the_go_tools_file_is_read_as_it_is(bleve):
    found = read(bleve, GO)

    request, plan = found.request, found.request.suite.plan
    assert request.methods == (
        "example.org/bleve/analysis.TokenMap.LoadLine",
        "example.org/bleve.Open",
    )
    assert (request.slowdown, request.runs, found.harness) == (0.1, 2, "go")
    assert (plan.warmup, plan.iterations, plan.iteration_seconds) == (1, 20, 1.0)
    assert request.suite.timeout_seconds == 180.0
    assert found.ignored == ("trace_lib", "clear", "dynamic.bench_mem")


def test_the_java_tools_file_is_read_as_it_is(lib):
    found = read(lib, JAVA)

    request, plan = found.request, found.request.suite.plan
    assert request.methods == ("org.example.Work.run(int,Comparable)", "org.example.Work.stop")
    assert (request.slowdown, request.runs, found.harness) == (0.6, 2, "jmh")
    assert (plan.forks, plan.warmup, plan.iterations) == (1, 10, 20)
    assert plan.iteration_seconds == 1.0
    assert request.suite.benchmarks == "Fast.*|Slow"
    assert set(found.ignored) == {
        "benchmarks",
        "confidence",
        "log",
        "-rf in custom_benchmark_config",
        "json in custom_benchmark_config",
        "-foe in custom_benchmark_config",
        "true in custom_benchmark_config",
        "-w in custom_benchmark_config",
    }


def test_flags_are_laid_over_a_research_tools_file(bleve):
    assert read(bleve, GO, {"slowdown": 0.5}).request.slowdown == 0.5


def test_our_own_file_ignores_nothing(tmp_path):
    (tmp_path / "c.json").write_text('{"subject": "."}')

    assert load("c.json", {}, tmp_path).ignored == ()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"build_system": "gradle"}, "'gradle' at $.build_system is not supported"),
        ({"degree_of_violation": "much"}, "'much' at $.degree_of_violation is no number"),
        ({"files": [{"test_file": "No.java", "methods": []}]}, ""),
        ({"files": [{"test_file": "No.java", "methods": [{"name": "x"}]}]}, "cannot be read"),
    ],
)
def test_what_cannot_be_translated_is_said_in_one_line(lib, changes, words):
    if not words:
        assert read(lib, JAVA | changes).request.methods is None
        return
    with pytest.raises(UsageError) as caught:
        read(lib, JAVA | changes)

    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_go_project_without_a_module_has_no_names(tmp_path):
    (tmp_path / "bleve").mkdir()

    with pytest.raises(UsageError, match=r"no readable go\.mod"):
        read(tmp_path, GO)
