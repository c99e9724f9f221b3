"""`bench-audit` without a command: what it found, and the one command to run next."""

import shutil
from pathlib import Path

import pytest
from real_program import PYTHON_RING, write

from auditor.cli.context import AppContext
from auditor.cli.main import main
from auditor.languages.registry import LANGUAGES

JMH = Path(__file__).parents[1] / "importers/recorded/jmh/small.json"
GO = {
    "go.mod": "module example.org/m\n\ngo 1.20\n",
    "a.go": "package m\n",
    "a_test.go": "package m\nfunc BenchmarkA(b *testing.B) {}\n",
}


@pytest.fixture
def look(tmp_path, monkeypatch, capsys):
    def looked():
        monkeypatch.chdir(tmp_path)
        assert main([], surroundings=AppContext(environment={"HOME": "/nowhere"})) == 0
        return capsys.readouterr().out

    return looked


def test_a_suite_is_named_with_the_command_that_shows_the_plan(look, tmp_path):
    write(tmp_path, {**GO, "bench-audit.toml": 'harness = "go"\n'})

    output = look()

    assert "found: 1\N{NO-BREAK SPACE}benchmark (Go, go)\n" in output.replace(
        "1 benchmark", "1\N{NO-BREAK SPACE}benchmark"
    )
    assert "configuration: bench-audit.toml\n" in output
    assert output.count("next: bench-audit ") == 1
    assert "next: bench-audit abs . --dry-run " in output


def test_a_suite_below_the_folder_is_named_by_its_path(look, tmp_path):
    shutil.copytree(PYTHON_RING, tmp_path / "some where")
    write(tmp_path / "other", GO)

    output = look()

    assert "next: bench-audit abs './some where' --dry-run" in output
    assert "more suites: other" in output


def test_a_project_without_benchmarks_begins_some(look, tmp_path):
    write(tmp_path, {name: text for name, text in GO.items() if "_test" not in name})

    assert "next: bench-audit trace . --suite --stubs new-benchmarks " in look()


def test_results_are_for_analyze(look, tmp_path):
    shutil.copy(JMH, tmp_path / "mine.json")

    assert "next: bench-audit analyze mine.json " in look()


def test_an_empty_folder_has_the_list_of_commands(look):
    output = look()

    assert "Housekeeping" in output
    assert "next:" not in output


def test_the_printed_command_audits_the_suite_that_is_named(look, tmp_path):
    tests = "def test_a(benchmark): pass\n"
    without_suite = {name: text for name, text in GO.items() if "_test" not in name}
    write(tmp_path, {**without_suite, "pyproject.toml": "", "test_a.py": tests})

    lines = look()

    assert "(Python, pytest)" in lines
    assert "next: bench-audit abs . --dry-run " in lines
    language = LANGUAGES.of_suite(tmp_path)
    assert language is not None
    assert language.choose_harness(tmp_path) == "pytest"


def test_benchmarks_that_nothing_builds_are_named(look, tmp_path):
    write(tmp_path, {"test_a.py": "def test_a(benchmark): pass\n"})

    assert "of pytest, but no pyproject.toml or setup.py says" in look()
