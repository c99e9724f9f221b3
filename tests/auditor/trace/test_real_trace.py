"""`trace --suite` as a process: who calls which public method, of small real projects."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from real_program import JAVA_RING, PYTHON_RING, config, tiny, write

pytestmark = pytest.mark.subject


@pytest.fixture
def traced(program, tmp_path):
    """Return the document of a call, and what was said beside it."""

    def call(subject, *more):
        places = ("--store", tmp_path / "s.sqlite", "-o", tmp_path / "out")
        answer = program.call("trace", "--suite", subject, *places, "--format", "json", *more)
        assert answer.returncode == 0, answer
        return json.loads(answer.stdout), answer.stderr

    return call


TESTED = """package tiny

import "testing"

func TestUnused(t *testing.T) {
	for i := uint64(0); i < 7; i++ {
		if Unused(i) != i+1 {
			t.Fail()
		}
	}
}
"""

TESTS = """package org.example.ring;

import org.junit.Assert;
import org.junit.Test;

public class RingTest {
    @Test
    public void pushes() {
        Ring<Integer> ring = new Ring<>(4);
        for (int at = 0; at < 3; at++) {
            ring.push(at);
        }
        Assert.assertEquals(0, (int) ring.pop());
        Assert.fail("on purpose");
    }
}
"""
JUNIT = (
    "<dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version>"
    "<scope>test</scope></dependency></dependencies>"
)


def test_a_maven_project(traced, tmp_path):
    subject = Path(shutil.copytree(JAVA_RING, tmp_path / "ring"))
    (subject / "src/test/java/org/example/ring/RingTest.java").write_text(TESTS)
    pom = subject / "pom.xml"
    pom.write_text(pom.read_text().replace("</dependencies>", JUNIT))

    config_path = config(tmp_path / "c.json", subject=str(subject), benchmarks="Rings.pushAndPop")

    document, _ = traced(config_path)

    tests = {
        method["id"].removeprefix("org.example.ring."): method for method in document["methods"]
    }
    counts = {name: method["tests"] for name, method in tests.items() if method["tests"]}
    # What push calls itself is no call of a test's.
    assert counts == {"Ring.<init>": 1, "Ring.push(T)": 3, "Ring.pop": 1}
    assert tests["Ring.pop"]["reach"] == "in the loop"
    (text,) = [caveat["text"] for caveat in document["caveats"] if caveat["slug"] == "unit-tests"]
    assert "1 of 1 unit tests fail" in text


def test_a_go_module(program, traced, tmp_path):
    subject = tiny(tmp_path / "tiny")
    (subject / "unit_test.go").write_text(TESTED)

    document, _ = traced(subject)

    methods = {method["id"].rpartition(".")[2]: method for method in document["methods"]}
    assert list(methods) == ["Unused", "Add"]
    assert (methods["Unused"]["reach"], methods["Unused"]["tests"]) == ("not at all", 7)
    called = {
        caller["benchmark"].rpartition(".")[2]: caller["calls_per_operation"]
        for caller in methods["Add"]["called_by"]
    }
    assert called == {"BenchmarkTwice": 2, "BenchmarkAdd": 1}
    assert document["caveats"] == []
    assert json.loads((tmp_path / "out" / "trace.json").read_text()) == document
    page = (tmp_path / "out" / "trace.html").read_text()
    assert "1 of 2 public methods has no benchmark" in page

    second_document, _ = traced(subject)

    assert second_document["methods"] == document["methods"]
    with sqlite3.connect(tmp_path / "s.sqlite") as connection:
        ended = connection.execute("SELECT command, ended IS NOT NULL FROM audit").fetchall()
        purposes = dict(connection.execute(
            "SELECT purpose, count(*) FROM run JOIN trial ON trial.id = trial GROUP BY purpose"
        ))  # fmt: skip
    assert ended == [("trace", 1)] * 2
    assert purposes == {"pilot": 2, "usage": 1, "reach": 3}  # one tells whether counters compile

    report = program.call("report", subject, "--store", tmp_path / "s.sqlite")
    assert (report.returncode, report.stdout) == (2, "")
    assert "holds no finished audit of " in report.stderr
    report = program.call(
        "report", subject, "--of", "trace", "--store", tmp_path / "s.sqlite",
        "-o", tmp_path / "new", "--format", "json",
    )  # fmt: skip
    assert json.loads(report.stdout) == second_document
    assert (tmp_path / "new" / "trace.html").is_file()
    refusal = program.refused(
        "report", subject, "--of", "trace", "--store", tmp_path / "s.sqlite", "--format", "csv",
        code=2, slug="usage",
    )  # fmt: skip
    assert refusal.endswith("a result of trace has the formats table, json, not csv")


def test_a_python_project_of_known_truth(traced):
    document, stderr = traced(PYTHON_RING)

    reach = {method["id"].rpartition(".")[2]: method["reach"] for method in document["methods"]}
    assert [name for name in reach if reach[name] == "not at all"] == ["unused"]
    assert {name for name in reach if reach[name] == "in set-up only"} == {"__init__", "remembered"}
    assert {name for name in reach if reach[name] == "unknown"} == {"later", "lazily"}
    of_machine = {"host-stolen", "host-throttled"}  # of which there may be some
    assert {caveat["slug"] for caveat in document["caveats"]} - of_machine == {"failed-benchmarks"}
    assert "test_skipped" in stderr


def test_what_an_interpreter_cannot_import_is_said(program, tmp_path):
    files = {
        "pyproject.toml": '[project]\nname = "small"\nversion = "1"\n'
        '[tool.setuptools]\npackages = ["small"]\n',
        "small/__init__.py": "def double(n): return 2 * n\n",
        "small/odd.py": "import no_such_module\n",
        "test_small.py": "import small\ndef test_it(benchmark): benchmark(small.double, 2)\n",
    }
    subject = write(tmp_path / "small", files)
    places = ("--store", tmp_path / "s.sqlite", "-o", tmp_path / "out")

    answer = program.call("abs", subject, "--dry-run", *places)

    assert answer.returncode == 0, answer
    assert "note[environment]: an interpreter could not read small.odd" in answer.stderr
    assert "small.double" in answer.stdout


def test_the_pattern_of_a_configuration_is_followed(traced, tmp_path):
    subject = tiny(tmp_path / "tiny")
    config_path = config(tmp_path / "c.json", subject=str(subject), benchmarks="Twice")

    document, _ = traced(config_path)

    assert [benchmark["id"].rpartition(".")[2] for benchmark in document["benchmarks"]] == [
        "BenchmarkTwice"
    ]
    assert "filtered" in {caveat["slug"] for caveat in document["caveats"]}


def test_the_table_says_the_answer_first(program, tmp_path):
    subject = tiny(tmp_path / "tiny")
    places = ("--store", tmp_path / "s.sqlite", "-o", tmp_path / "out")

    answer = program.call("trace", "--suite", subject, *places)

    lines = answer.stdout.splitlines()
    assert lines[1] == "1 of 2 public methods has no benchmark"
    row = next(line for line in lines if "tiny.Unused" in line)
    assert row.split()[:1] == ["○"]
    assert row.rstrip().endswith("tiny.go:11")
    assert f"report: {tmp_path / 'out' / 'trace.html'}" in answer.stderr


def test_nothing_to_count_in_is_an_error(program, tmp_path):
    refusal = program.refused("trace", tiny(tmp_path / "tiny"), code=2, slug="usage")

    assert "no code given whose calls are counted" in refusal
    assert refusal.endswith("or use the project's own benchmarks (--suite)")


def test_a_library_without_public_methods_is_an_error(program, tmp_path):
    code = "package tiny\n\nfunc add(x uint64) uint64 { return x + 1 }\n"
    tests = (
        'package tiny\n\nimport "testing"\n\nvar sink uint64\n\n'
        "func BenchmarkAdd(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n"
        "\t\tsink = add(sink)\n\t}\n}\n"
    )
    subject = tiny(tmp_path / "tiny", code=code, tests=tests)
    places = ("--store", tmp_path / "s.sqlite", "-o", tmp_path / "out")

    refusal = program.refused("trace", "--suite", subject, *places, code=2, slug="usage")

    assert "has no public method to trace" in refusal
