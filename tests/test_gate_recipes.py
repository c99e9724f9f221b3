"""The recipes of examples/gates, with their tools, on versions whose truth is known."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.subject, pytest.mark.timed]

ROOT = Path(__file__).parents[1]
GATES = ROOT / "examples" / "gates"
BENCHSTAT = "golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da"
TINY = """package tiny

func Add(x uint64) uint64 {
	for n := 200; n > 0; n-- {
		x ^= x << 13
		x ^= x >> 7
	}
	return x
}
"""
TINY_TEST = """package tiny

import "testing"

var sink uint64

func BenchmarkAdd(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = Add(sink + 1)
	}
}
"""
LIBRARY = '''def spin(times):
    """Take some time."""
    found = 0
    for each in range(times):
        found += each * each
    return found
'''
PYTEST = """from lib import spin


def test_spin(benchmark):
    benchmark(spin, 2000)
"""
PYPERF = """import pyperf
from lib import spin

pyperf.Runner().bench_func("spin", spin, 2000)
"""
ASV = """from lib import spin


def time_spin():
    spin(2000)
"""
ASV_SETTINGS = {
    "version": 1,
    "project": "lib",
    "project_url": "https://example.org",
    "repo": ".",
    "branches": ["HEAD"],
    "environment_type": "virtualenv",
    "benchmark_dir": "benchmarks",
}
PROJECT = """[project]
name = "lib"
version = "1"

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
"""


@pytest.fixture(scope="module")
def tools(tmp_path_factory):
    """Folders of programs that the recipes need, and the environment that finds them."""
    folder = tmp_path_factory.mktemp("tools")
    go_variables = {**os.environ, "GOBIN": str(folder), "GOFLAGS": "-modcacherw"}
    subprocess.run(("go", "install", BENCHSTAT), env=go_variables, check=True, capture_output=True)
    python = folder / "python"
    subprocess.run((sys.executable, "-m", "venv", python), check=True)
    packages = ("pytest", "pytest-benchmark", "pyperf", "asv", "virtualenv")
    subprocess.run((python / "bin" / "pip", "install", "-q", *packages), check=True)
    path = os.pathsep.join((str(folder), str(ROOT / ".venv" / "bin"), os.environ["PATH"]))
    return {
        **os.environ,
        "PATH": path,
        "PYTHON": str(python / "bin" / "python"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_STATE_HOME": str(folder / "state"),
        # asv remembers the machine there.
        "HOME": str(folder),
        "PIP_CACHE_DIR": str(folder / "pip"),
    }


@pytest.fixture(scope="module")
def versions(tmp_path_factory):
    """A library in two languages, the same again, and one that takes twice as long."""
    folder = tmp_path_factory.mktemp("versions")
    files = {
        "go.mod": "module example.org/tiny\n\ngo 1.20\n",
        "tiny.go": TINY,
        "tiny_test.go": TINY_TEST,
        "src/lib/__init__.py": LIBRARY,
        "tests/test_lib.py": PYTEST,
        "bench_lib.py": PYPERF,
        "benchmarks/__init__.py": "",
        "benchmarks/bench_lib.py": ASV,
        "asv.conf.json": json.dumps(ASV_SETTINGS),
        "pyproject.toml": PROJECT,
    }
    for name in ("base", "same", "slow"):
        for path, text in files.items():
            target = folder / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
    slow = folder / "slow"
    (slow / "tiny.go").write_text(TINY.replace("n := 200", "n := 400"))
    (slow / "src/lib/__init__.py").write_text(LIBRARY.replace("range(", "range(2 * "))
    (folder / "same" / "tiny.go").write_text(f"// Package tiny is small.\n{TINY}")
    for version_folder in folder.iterdir():
        for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "one")):
            identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
            subprocess.run(("git", "-C", version_folder, *identity, *words), check=True)
    return folder


def ended(name, tools, versions, head, *words):
    call = (GATES / f"{name}.sh", versions / "base", versions / head, *words)
    return subprocess.run(call, env=tools, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("benchstat", ("Add", "20")),
        ("previous", ("Add",)),
        ("pytest-benchmark", ("tests/test_lib.py", "30")),
        ("pyperf", ("bench_lib.py", "30")),
        ("asv", ("spin", "1.3")),
    ],
)
def test_it_fires_at_twice_as_long_and_not_at_the_same(tools, versions, name, words):
    """Those of our own gate and of JMH's are in tests/auditor/qualify/test_real_qualify.py."""
    slow = ended(name, tools, versions, "slow", *words)
    same = ended(name, tools, versions, "same", *words)

    assert slow.returncode == 1, slow
    assert same.returncode == 0, same


@pytest.mark.parametrize(
    ("name", "words", "code"),
    [
        ("benchstat", ("Nothing",), 127),
        ("previous", ("Nothing",), 127),
        ("pytest-benchmark", ("tests/nothing.py",), 127),
        ("pyperf", ("nothing.py",), 127),
        ("asv", ("nothing",), 127),
        ("compare", ("Nothing", "--harness", "go"), 3),
    ],
)
def test_it_does_not_take_nothing_for_an_answer(tools, versions, name, words, code):
    assert ended(name, tools, versions, "same", *words).returncode == code


def test_all_recipes_are_shown():
    page = (ROOT / "docs" / "how-to" / "validate-a-gate.md").read_text()

    assert {path.stem for path in GATES.glob("*.sh")} == {
        "benchstat", "previous", "pytest-benchmark", "pyperf", "asv", "jmh", "compare"
    }  # fmt: skip
    assert all(f"gates/{path.name}" in page for path in GATES.glob("*.sh"))
