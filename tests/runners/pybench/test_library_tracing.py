"""The public names of a library whose clients are traced are those that an audit has."""

import pytest

from auditor.core.request import BuildOptions, FolderSpec
from auditor.languages.library_tracing import LibraryTracing
from auditor.languages.model import Machine
from runners.hosts.local import LocalHost

PROJECT = """[project]
name = "small"
version = "1"
[tool.setuptools]
packages = ["small"]
"""
NO_BACKEND = '[build-system]\nrequires = []\nbuild-backend = "no_such_backend"\n'
FILES = {
    "small/__init__.py": "from small._made import Strict\n",
    "small/_made.py": "def make():\n    class Made:\n        def check(self): return 1\n"
    "    return Made\nStrict = make()\ndef inner(): return 1\n",
    "small/plain.py": "def double(n): return 2 * n\n",
}


@pytest.fixture
def tracing(python_home, variables, tmp_path):
    def make_tracing(project):
        for name, text in (FILES | {"pyproject.toml": project}).items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text)
        machine = Machine(home=python_home, host=LocalHost(), environment=variables)
        return LibraryTracing(FolderSpec(tmp_path), BuildOptions(), machine)

    return make_tracing


@pytest.mark.subject
def test_an_interpreter_tells_the_names(tracing):
    result = tracing(PROJECT)

    assert {method.id for method in result.library.methods} == {
        "small.Strict.check",
        "small.plain.double",
    }
    assert result.notes == ()


@pytest.mark.subject
def test_of_a_library_that_cannot_be_installed_the_sources_do(tracing):
    result = tracing(PROJECT + NO_BACKEND)

    assert "small.plain.double" in {method.id for method in result.library.methods}
    (note,) = result.notes
    assert "its public names are those of its sources" in note
    assert "the environment: " in note
    assert "\n" not in note


@pytest.mark.subject
def test_of_a_folder_of_two_languages_the_one_with_the_suite_is_traced(tracing, tmp_path):
    (tmp_path / "go.mod").write_text("module example.org/tools\n")
    (tmp_path / "test_it.py").write_text("def test_it(benchmark): pass\n")

    result = tracing(PROJECT + NO_BACKEND)

    assert "small.plain.double" in {method.id for method in result.library.methods}
