"""Every command that the documentation shows, run as it is written there, page by page.

The world of these commands is small: the module that is audited, its repository and its proxy are
made here, and have the names that the pages use. `make` is what runs these tests.
"""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.subject

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)$", re.MULTILINE)
LEFT_OUT = (
    "make ",
    "bench-audit abs config.json --paper ",
    "bench-audit abs commons-text.json",
    "bench-audit concurrency ",
    "bench-audit qualify ",
    "bench-audit backtest ",
    "bench-audit abs . --host docker",
    "bench-audit abs . --host ssh:",
    "bench-audit doctor --probe --host ssh:",
)
"""What runs these tests, the paper's plan (whole seconds of everything), an audit of what Maven
Central has, races of minutes, somebody's gate, a past that the project has not
(test_real_backtest), and what needs an image that a registry has or another machine
(test_real_docker and test_real_ssh run those with ones of ours)."""
MAY_BE_SILENT = (">", "git ", "--format github")
"""What is written to a file, and annotations, of which there may be none."""
GATES = ("--fail-", "--baseline", "steady jmh.log", "similarity jmh.log", "--against")
"""Calls that may end without a verdict: of a gate, and of files that are too few or too short."""
MODULE = "github.com/google/uuid"
CODE = """package uuid

func spin(x uint64, n int) uint64 {
	for ; n > 0; n-- {
		x ^= x << 13
		x ^= x >> 7
	}
	return x
}

// Parse has a benchmark.
func Parse(x uint64) uint64 { return spin(x, 200) }

// String has none.
func String(x uint64) uint64 { return spin(x, 100) }
"""
TEST = """package uuid

import "testing"

var sink uint64

func BenchmarkParse(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = Parse(sink + 1)
	}
}
"""
CLIENT = f"""package %s

import (
	"testing"

	"{MODULE}"
)

func TestParse(t *testing.T) {{
	if uuid.Parse(1)+uuid.String(1) == 0 {{
		t.Fail()
	}}
}}
"""
CONFIG = {"subject": ".", "slowdown": 0.5, "controls": 0, "stability_runs": 2}
GITIGNORE = "*.json\n*.md\n*.csv\n*.sarif\n*.txt\n*.html\n*.sqlite\n"
SERIES = ROOT / "tests" / "auditor" / "importers" / "recorded"
RECORDED = ROOT / "tests" / "runners" / "pybench" / "recorded"
GO_ROWS = "".join(
    f"{run}-{number}-{index};{function};/uuid_test.go/BenchmarkParse;1000;{times + index / 10}\n"
    for run in range(2)
    for number, function, times in ((0, "Baseline", 100), (1, "uuid.{uuid.go}.Parse", 150))
    for index in range(5)
)
JAVA_ROWS = "".join(
    f"{run};{method};org.example.Text.Latency;{times + iteration / 10}\n"
    for run in range(2)
    for method, times in (("Baseline", 100), ("org/example/Text.java.parse([String])", 150))
    for iteration in range(5)
)


def commands(page):
    """Yield the commands of a page, in order."""
    for block in BLOCK.findall(page.read_text()):
        yield from (
            command for command in COMMAND.findall(block) if not command.startswith(LEFT_OUT)
        )


def git(folder, *words):
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(("git", "-C", folder, *identity, *words), check=True, capture_output=True)


def published(proxy, version):
    """Write a version of the module into a folder that Go takes for a proxy."""
    folder = proxy / MODULE / "@v"
    folder.mkdir(parents=True, exist_ok=True)
    module = f"module {MODULE}\n\ngo 1.21\n"
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in (("go.mod", module), ("uuid.go", CODE), ("uuid_test.go", TEST)):
            archive.writestr(f"{MODULE}@{version}/{name}", text)
    (folder / f"{version}.zip").write_bytes(content.getvalue())
    (folder / f"{version}.mod").write_text(module)
    (folder / f"{version}.info").write_text(
        json.dumps({"Version": version, "Time": "2024-01-23T18:54:04Z"})
    )
    with (folder / "list").open("a") as version_list:
        version_list.write(f"{version}\n")


def repository(folder):
    """Make the repository, with a commit that is not merged yet, and what is not committed."""
    origin, project = folder / "uuid.git", folder / "project"
    project.mkdir()
    git(project, "init", "-q", "-b", "main")
    (project / "go.mod").write_text(f"module {MODULE}\n\ngo 1.21\n")
    (project / ".gitignore").write_text(GITIGNORE)
    (project / "uuid.go").write_text(CODE.replace("spin(x, 100)", "spin(x, 50)"))
    (project / "uuid_test.go").write_text(TEST)
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "first")
    git(project, "tag", "v1.5.0")
    (project / "uuid.go").write_text(CODE)
    git(project, "commit", "-q", "-a", "-m", "second")
    git(project, "tag", "v1.6.0")
    subprocess.run(("git", "clone", "-q", "--bare", project, origin), check=True)
    git(project, "remote", "add", "origin", str(origin))
    git(project, "fetch", "-q")
    (project / "uuid.go").write_text(CODE.replace("spin(x, 200)", "spin(x+1, 200)"))
    git(project, "commit", "-q", "-a", "-m", "third")
    with (project / "uuid.go").open("a") as text:
        text.write("\n// Version is not committed yet.\nfunc Version() int { return 1 }\n")
    return origin, project


class World:
    """Where the commands run: a home, a project, a proxy."""

    def __init__(self, folder):
        self.home = folder / "home"
        self.home.mkdir()
        self._kept = folder / "kept"
        origin, self.project = repository(folder)
        for version in ("v1.5.0", "v1.6.0"):
            published(folder / "proxy", version)
        (folder / "gitconfig").write_text(
            f'[url "{origin.as_uri()}"]\n\tinsteadOf = https://{MODULE}\n'
            "[advice]\n\tdetachedHead = false\n"
        )
        passed = {key: os.environ[key] for key in ("LANG", "JAVA_HOME") if key in os.environ}
        self.environment = {
            **passed,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "XDG_STATE_HOME": str(self.home / "state"),
            "GIT_CONFIG_GLOBAL": str(folder / "gitconfig"),
            "GOPROXY": (folder / "proxy").as_uri(),
            "GOSUMDB": "off",
        }

    def clients(self):
        """Make two projects that use the module, beside its own."""
        for name in ("app", "tool"):
            folder = self.project.parent / name
            folder.mkdir()
            (folder / "go.mod").write_text(f"module example.org/{name}\n\ngo 1.21\n")
            (folder / f"{name}_test.go").write_text(CLIENT % name)
            answer = self.run(f"go get {MODULE}@v1.6.0", folder)
            assert answer.returncode == 0, answer.stderr

    def keep(self):
        """Remember how everything is that a command may change."""
        for name, place in self._changing.items():
            shutil.copytree(place, self._kept / name, symlinks=True)

    def renew(self):
        """Make it all as it was, so that no page needs what another has made."""
        shutil.rmtree(self.project.parent / "new", ignore_errors=True)
        for name, place in self._changing.items():
            shutil.rmtree(place)
            shutil.copytree(self._kept / name, place, symlinks=True)

    @property
    def _changing(self):
        return {"project": self.project, "state": self.home / "state"}

    def run(self, line, cwd=None):
        return subprocess.run(
            ("bash", "-ec", line),
            cwd=cwd or self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


def stored(project):
    """Leave results of pytest-benchmark, asv and pyperf where these tools do, and JMH's log."""
    shutil.copytree(RECORDED / "pytest-benchmark", project / ".benchmarks")
    shutil.copytree(RECORDED / "asv", project / ".asv" / "results")
    shutil.copy(SERIES / "jmh" / "small.log", project / "jmh.log")
    for side, file in (("base", "one.json"), ("head", "two.json.gz")):
        (project / side).mkdir()
        shutil.copy(RECORDED / "pyperf" / file, project / side)


@pytest.fixture(scope="module")
def first_world(tmp_path_factory):
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    new_world = World(tmp_path_factory.mktemp("world"))
    (new_world.project / "config.json").write_text(json.dumps(CONFIG))
    # Into the project's own store: some pages begin with what asks for an audit.
    first = new_world.run("bench-audit abs config.json")
    assert first.returncode == 0, first.stderr
    (result,) = (new_world.home / "state").rglob("result.json")
    parent = result.parent
    for name in ("result.json", "last.json", "last-month.json"):
        shutil.copy(parent / "result.json", new_world.project / name)
    for name in ("store.sqlite", "a.sqlite", "b.sqlite"):
        shutil.copy(parent.parent / "store.sqlite", new_world.project / name)
    # What most pages begin with; they go on with its measurements, each with a copy.
    second = new_world.run("bench-audit abs .")
    assert second.returncode == 0, second.stderr
    (new_world.project / "changed.txt").write_text(f"{MODULE}.Parse\n")
    (new_world.project / "gin.csv").write_text(GO_ROWS)
    (new_world.project / "rx.csv").write_text(JAVA_ROWS)
    stored(new_world.project)
    new_world.clients()
    new_world.keep()
    return new_world


@pytest.fixture
def world(first_world):
    first_world.renew()
    return first_world


def as_parameter(page):
    """Mark the pages with commands that have no answer while other tests keep the machine busy."""
    needs_quiet = page.name in ("commands.md", "go-audit.md", "reduce-noise.md")
    marks = (pytest.mark.timed,) if needs_quiet else ()
    return pytest.param(page, id=page.name, marks=marks)


@pytest.mark.parametrize("page", [as_parameter(page) for page in PAGES if any(commands(page))])
def test_each_command_does_what_its_page_says_without_an_error(page, world):
    cwd = world.project
    for line in commands(page):
        if line.startswith("cd "):
            cwd = cwd / line.removeprefix("cd ")
            continue
        completed = world.run(line, cwd)

        allowed = (0, 1, 5) if any(gate in line for gate in GATES) else (0,)
        if "no verdict: the runs were made on a busy machine" in completed.stderr:
            allowed = (5,)  # what it says is right, whatever the page expects
        assert completed.returncode in allowed, f"{line}\n{completed.stdout}\n{completed.stderr}"
        assert "Traceback" not in completed.stderr, line
        assert (
            completed.stdout or completed.stderr or any(text in line for text in MAY_BE_SILENT)
        ), line
