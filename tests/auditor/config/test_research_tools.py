"""Configuration files of the two research tools; the keys are those of their own documentation."""

import json

import pytest

from auditor.config.judgeable import check_judgeable
from auditor.config.load import load_config
from auditor.core.errors import UsageError
from auditor.core.request import DetectionRule

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


WORK = JAVA["files"][0]["test_file"]


def method_of(**more):
    return {"files": [{"test_file": WORK, "methods": [{"name": "run", **more}]}]}


def read(folder, tool_config, changes=None):
    (folder / "theirs.json").write_text(json.dumps(tool_config))
    return load_config("theirs.json", changes or {}, folder)


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
    (tmp_path / "lib" / "pom.xml").write_text("<project/>")
    return tmp_path


def test_the_go_tools_file_is_read_as_it_is(bleve):
    result = read(bleve, GO)

    request, plan = result.request, result.request.suite.plan
    assert request.methods == (
        "example.org/bleve/analysis.TokenMap.LoadLine",
        "example.org/bleve.Open",
    )
    assert (request.slowdown, request.runs, result.harness) == (0.1, 2, "go")
    assert (plan.warmup, plan.iterations, plan.iteration_seconds) == (1, 20, 1.0)
    assert request.suite.timeout_seconds == 180.0
    assert result.ignored == ("trace_lib", "clear", "dynamic.bench_mem")


def test_the_java_tools_file_is_read_as_it_is(lib):
    result = read(lib, JAVA)

    request, plan = result.request, result.request.suite.plan
    assert request.methods == ("org.example.Work.run(int,Comparable)", "org.example.Work.stop")
    assert (request.slowdown, request.runs, result.harness) == (0.6, 2, "jmh")
    assert (plan.forks, plan.warmup, plan.iterations) == (1, 10, 20)
    assert plan.iteration_seconds == 1.0
    assert request.suite.benchmarks == "Fast.*|Slow"
    assert set(result.ignored) == {
        "benchmarks",
        "confidence",
        "log",
        "-rf in custom_benchmark_config",
        "json in custom_benchmark_config",
        "-foe in custom_benchmark_config",
        "true in custom_benchmark_config",
        "-w in custom_benchmark_config",
    }


TESTED = JAVA | {"min_effect_size": "0.3"}


@pytest.mark.parametrize(
    ("changes", "rule", "limit", "significance"),
    [
        ({}, DetectionRule.GATE, 0.3, 0.05),
        ({"min_effect_size": None}, DetectionRule.OURS, None, 0.05),
        ({"confidence": None}, DetectionRule.GATE, 0.3, 0.01),
    ],
)
def test_the_java_tools_own_test_counts_where_that_is_asked_for(
    lib, changes, rule, limit, significance
):
    document = {key: value for key, value in (TESTED | changes).items() if value is not None}
    (lib / "theirs.json").write_text(json.dumps(document))

    config = load_config("theirs.json", {}, lib, as_configured=True)

    request = config.request
    assert (request.rule, request.min_delta, request.significance) == (rule, limit, significance)
    assert not {"confidence", "min_effect_size"} & set(config.ignored)
    check_judgeable(config)
    by_paper = load_config("theirs.json", {"rule": "paper"}, lib, as_configured=True)
    assert by_paper.request.rule is DetectionRule.PAPER
    assert (by_paper.request.min_delta, by_paper.request.significance) == (limit, significance)
    check_judgeable(by_paper)


def test_without_that_the_rules_have_their_own(lib):
    result = read(lib, TESTED)

    request = result.request
    assert (request.rule, request.min_delta, request.significance) == (
        DetectionRule.OURS,
        None,
        0.01,
    )
    assert {"confidence", "min_effect_size"} <= set(result.ignored)


@pytest.mark.parametrize(
    "tool_config", [GO, {**GO, **TESTED}, {"subject": "."}, {**JAVA, "confidence": None}]
)
def test_what_says_nothing_of_a_test_cannot_be_followed(bleve, lib, tool_config):
    document = {key: value for key, value in tool_config.items() if value is not None}
    (lib / "theirs.json").write_text(json.dumps(document))

    with pytest.raises(UsageError, match="--as-configured is for a research tool's file"):
        load_config("theirs.json", {}, lib, as_configured=True)
    with pytest.raises(UsageError, match="--as-configured is for a research tool's file"):
        load_config(".", {}, lib, as_configured=True)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("confidence", "sure", "'sure' at confidence is not a number"),
        ("confidence", "0.95", "0.95 at confidence must be"),
        ("min_effect_size", "0", "0 at min_effect_size must be above 0"),
    ],
)
def test_a_test_that_none_can_be_is_said_in_one_line(lib, key, value, words):
    (lib / "theirs.json").write_text(json.dumps(TESTED | {key: value}))

    with pytest.raises(UsageError) as caught:
        load_config("theirs.json", {}, lib, as_configured=True)

    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("build_file", "message", "ignored"),
    [
        ("pom.xml", "mvn", False),
        ("build.gradle", "gradle", False),
        ("pom.xml", "gradle", True),  # it is built by Maven all the same
        ("settings.gradle.kts", "mvn", True),
        ("pom.xml", None, False),
    ],
)
def test_what_builds_it_is_what_lies_in_the_folder(lib, build_file, message, ignored):
    (lib / "lib" / "pom.xml").unlink()
    (lib / "lib" / build_file).write_text("")

    result = read(lib, JAVA | {"build_system": message, "gradle_target": "clean build"})

    assert result.request.slowdown == 0.6
    assert "gradle_target" in result.ignored
    assert ("build_system" in result.ignored) == ignored


def test_flags_are_laid_over_a_research_tools_file(bleve):
    assert read(bleve, GO, {"slowdown": 0.5}).request.slowdown == 0.5


def test_our_own_file_ignores_nothing(tmp_path):
    (tmp_path / "c.json").write_text('{"subject": "."}')

    assert load_config("c.json", {}, tmp_path).ignored == ()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"build_system": "ant"}, "'ant' at build_system must be"),
        ({"degree_of_violation": "much"}, "'much' at degree_of_violation is not a number"),
        ({"repeats": 2.7}, "2.7 at repeats is not a whole number"),
        ({"repeats": "inf"}, "'inf' at repeats is not a whole number"),
        ({"benchmarks_to_execute": [{"name": "x"}]}, "a pattern at benchmarks_to_execute[0]"),
        ({"benchmarks_to_execute": ["x"]}, "a pattern at benchmarks_to_execute[0]"),
        ({"benchmarks_to_execute": "x"}, "'x' at benchmarks_to_execute must be a list"),
        ({"files": 5}, "5 at files must be a list"),
        ({"files": [{"test_file": WORK, "methods": 5}]}, "5 at files[0].methods must be a list"),
        (method_of(params=5), "5 at files[0].methods[0].params must be a list"),
        (method_of(params=["T"], typeParams=["T"]), ".typeParams must be an object"),
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


def test_functions_of_the_go_tool_are_a_list(bleve):
    tool_config = GO | {"dynamic": {**GO["dynamic"], "functions": 5}}

    with pytest.raises(UsageError, match=r"5 at dynamic\.functions must be a list"):
        read(bleve, tool_config)


def test_a_go_project_without_a_module_has_no_names(tmp_path):
    (tmp_path / "bleve").mkdir()

    with pytest.raises(UsageError, match=r"no readable go\.mod"):
        read(tmp_path, GO)
