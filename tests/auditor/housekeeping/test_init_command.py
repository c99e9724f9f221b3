"""A first configuration: what is seen of a project, what is written, what is refused."""

import json
import shutil

import pytest
from real_program import JAVA_RING, PYTHON_RING, RING, write

from auditor.cli.context import AppContext
from auditor.cli.main import main
from auditor.config import load_config
from runners.subjects.suite_detection import DetectedSuite, detect_suite

GO_MOD = "module example.org/m\n\ngo 1.20\n"
BENCHMARK = "func Benchmark{}(b *testing.B) {{}}\n"
POM = """<project><profiles><profile><activation/><id> benchmark </id><dependencies><dependency>
<artifactId>jmh-core</artifactId></dependency></dependencies></profile>
<profile><id>other</id></profile></profiles>{}</project>"""
JMH = """class B {
  @Benchmark
  void a() {}

  @org.openjdk.jmh.annotations.Benchmark
  void b() {}
}
"""


def call(*words):
    return main(["init", *map(str, words)], surroundings=AppContext(environment={}))


def test_benchmarks_of_go_are_counted_and_tags_that_hold_them_back_are_named(tmp_path):
    write(
        tmp_path,
        {
            "go.mod": GO_MOD,
            "a_test.go": "package m\n" + BENCHMARK.format("A") + BENCHMARK.format("B"),
            "slow_test.go": "//go:build bench\n\npackage m\n" + BENCHMARK.format("C"),
            "linux_test.go": "//go:build linux\n\npackage m\n" + BENCHMARK.format("D"),
            "a.go": "package m\n" + BENCHMARK.format("NotATest"),
            "other/go.mod": GO_MOD,
            "other/b_test.go": "package m\n" + BENCHMARK.format("Other"),
            "vendor/v_test.go": "package m\n" + BENCHMARK.format("Vendored"),
        },
    )

    assert detect_suite(tmp_path) == DetectedSuite(harness="go", benchmarks=4, tags=("bench",))


@pytest.mark.parametrize(
    ("constraint", "tags"),
    [
        ("//go:build bench && linux && !race", ("bench",)),
        ("//go:build (bench || slow) && go1.18 && !(quick || arm64)", ("bench", "slow")),
        ("// +build slow,amd64 !quick", ("slow",)),
        ("//+build slow", ("slow",)),
        ("//go:build !slow // bench", ()),
    ],
)
def test_tags_are_the_words_of_constraints_that_must_hold(constraint, tags, tmp_path):
    text = f"{constraint}\n\npackage m\n" + BENCHMARK.format("A")
    write(tmp_path, {"go.mod": GO_MOD, "a_test.go": text})

    assert detect_suite(tmp_path).tags == tags


def test_benchmarks_of_jmh_are_counted_and_the_profile_that_has_jmh_is_named(tmp_path):
    write(tmp_path, {"pom.xml": POM.format(""), "src/B.java": JMH})

    assert detect_suite(tmp_path) == DetectedSuite(
        harness="jmh", benchmarks=2, profiles=("benchmark",)
    )


def test_no_profile_is_needed_where_jmh_is_always_there(tmp_path):
    write(tmp_path, {"pom.xml": POM.format("<artifactId>jmh-core</artifactId>"), "B.kt": JMH})

    assert detect_suite(tmp_path) == DetectedSuite(harness="jmh", benchmarks=2)


def test_benchmarks_of_python_are_counted_for_the_framework_that_has_some(tmp_path):
    fixture = "def test_a(benchmark): pass\n@pytest.mark.benchmark\ndef test_b(): pass\n"
    times = "class C:\n    def time_a(self): pass\ndef time_b(): pass\ndef timed(): pass\n"
    asv = write(tmp_path / "asv", {"setup.py": "", "asv.conf.json": "{}", "benchmarks/b.py": times})
    mixed_folder = write(
        tmp_path / "both", {"pyproject.toml": "", "test_it.py": fixture, "b.py": times}
    )

    script = "import pyperf\nr = pyperf.Runner()\nr.bench_func('a', f)\nr.timeit('b', '1')\n"
    pyperf = write(tmp_path / "pyperf", {"setup.py": "", "bench.py": script})

    assert detect_suite(asv) == DetectedSuite(harness="asv", benchmarks=2)
    assert detect_suite(pyperf) == DetectedSuite(harness="pyperf", benchmarks=2)
    assert detect_suite(mixed_folder) == DetectedSuite(harness="pytest", benchmarks=2)


def test_links_are_not_followed(tmp_path):
    write(tmp_path / "m", {"go.mod": GO_MOD})
    outside = write(tmp_path / "out", {"x_test.go": "package m\n" + BENCHMARK.format("X")})
    (tmp_path / "m" / "x_test.go").symlink_to(outside / "x_test.go")
    (tmp_path / "m" / "sub").symlink_to(outside)

    assert detect_suite(tmp_path / "m").benchmarks == 0


@pytest.mark.parametrize(
    ("subject", "harness"), [(RING, "go"), (JAVA_RING, "jmh"), (PYTHON_RING, "pytest")]
)
def test_what_is_written_is_a_configuration_of_that_project(
    tmp_path, subject, harness, capsys, monkeypatch
):
    folder = shutil.copytree(subject, tmp_path / "project")
    monkeypatch.chdir(tmp_path)

    assert call(folder, "-o", tmp_path / "conf" / "audit.json") == 0

    output = capsys.readouterr()
    assert output.out == ""
    assert "next: bench-audit abs conf/audit.json --dry-run" in output.err
    config = load_config("conf/audit.json", {}, tmp_path)
    assert config.subject.path == folder
    assert (config.harness, config.request.slowdown) == (harness, 0.5)


def test_the_next_command_names_the_written_file_from_the_folder_of_the_call(
    tmp_path, capsys, monkeypatch
):
    folder = tmp_path / "project"
    write(folder, {"go.mod": GO_MOD})
    monkeypatch.chdir(folder)

    assert call("-o", "../my audit.json") == 0

    assert "next: bench-audit abs '../my audit.json' --dry-run" in capsys.readouterr().err
    assert (tmp_path / "my audit.json").is_file()


def test_it_is_printed_where_no_file_is_named(tmp_path, capsys):
    write(tmp_path, {"go.mod": GO_MOD})

    assert call(tmp_path) == 0

    output = capsys.readouterr()
    assert json.loads(output.out)["subject"] == "."
    assert "without benchmarks there is nothing to audit yet" in output.err
    assert [path.name for path in tmp_path.iterdir()] == ["go.mod"]


def test_no_file_is_written_over(tmp_path, capsys):
    write(tmp_path, {"go.mod": GO_MOD, "mine.json": "precious"})

    assert call(tmp_path, "-o", tmp_path / "mine.json") == 2

    assert "exists already" in capsys.readouterr().err
    assert (tmp_path / "mine.json").read_text() == "precious"


@pytest.mark.parametrize("folder", ["empty", "nowhere"])
def test_what_is_no_project_is_said(tmp_path, folder, capsys):
    (tmp_path / "empty").mkdir()

    assert call(tmp_path / folder) == 2

    assert folder in capsys.readouterr().err


def test_what_is_only_printed_comes_with_the_command_that_saves_it(tmp_path, capsys, monkeypatch):
    write(tmp_path, {"go.mod": GO_MOD, "a_test.go": "package m\n" + BENCHMARK.format("A")})
    monkeypatch.chdir(tmp_path)

    assert call() == 0

    note_text = capsys.readouterr().err
    assert "save it: bench-audit init -o bench-audit.json\n" in note_text
    assert "config.json" not in note_text


def test_a_second_configuration_of_a_project_is_refused(tmp_path, capsys, monkeypatch):
    write(tmp_path, {"go.mod": GO_MOD, "bench-audit.toml": 'harness = "go"\n'})
    monkeypatch.chdir(tmp_path)

    assert call() == 0
    assert "bench-audit.toml configures this project already" in capsys.readouterr().err
    assert call("-o", "bench-audit.json") == 2
    assert "bench-audit.toml configures this project already" in capsys.readouterr().err
    assert call("-o", "other.json") == 0
