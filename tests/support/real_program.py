"""The program as a process of its own, with a home that belongs to the test; tiny Go modules."""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from auditor.core.plan import REPEAT_OFFSET

RING = Path(__file__).parents[1] / "subjects" / "go-ring"
JAVA_RING = RING.with_name("java-ring")
PYTHON_RING = RING.with_name("python-ring")
PASSED_ON = ("PATH", "JAVA_HOME", "MAVEN_OPTS", "SSL_CERT_FILE", "LANG")
PLAN = {"forks": 1, "warmup": 1, "iterations": 8, "iteration_time": "3ms"}
QUICK = {
    "stability_runs": 2,
    "runs": 2,
    "slowdown": 0.6,
    "plan": PLAN,
    "controls": 0,
    "curve": "none",
}

PROGRESS_PREFIXES = ("note[", "listing the benchmarks of ", "pip installs ", "uv installs ")
"""How lines begin that say what goes on."""

TINY = """package tiny

func Add(x uint64) uint64 {
	for n := 200; n > 0; n-- {
		x ^= x << 13
		x ^= x >> 7
	}
	return x
}

func Unused(x uint64) uint64 { return x + 1 }
"""
TINY_TEST = """package tiny

import "testing"

var sink uint64

func BenchmarkAdd(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = Add(sink + 1)
	}
}

func BenchmarkTwice(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = Add(Add(sink + 1))
	}
}
"""


@dataclass(frozen=True, slots=True)
class Program:
    """Calls of bench-audit: `home` is the user's, `cache` is shared by all tests of a session."""

    home: Path
    cwd: Path
    state: Path
    cache: Path

    @classmethod
    def below(cls, folder, cache):
        """Return one with folders of its own; nobody but root can write into the current one."""
        program = cls(folder / "home", folder / "cwd", folder / "state", cache)
        program.home.mkdir()
        program.cwd.mkdir()
        program.cwd.chmod(0o555)
        return program

    def environment(self, **more):
        passed = {key: os.environ[key] for key in PASSED_ON if key in os.environ}
        folder_variables = {
            "HOME": self.home,
            "XDG_CACHE_HOME": self.cache,
            "XDG_STATE_HOME": self.state,
            "GOTOOLCHAIN": "local",
        }
        return {**passed, **{key: str(value) for key, value in (folder_variables | more).items()}}

    def start(self, *arguments, before=(), **environment):
        """Start a call; `before` is a program in front of it."""
        return subprocess.Popen(
            [*before, sys.executable, "-m", "auditor", *map(str, arguments)],
            cwd=self.cwd,
            env=self.environment(**environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def call(self, *arguments, before=(), **environment):
        with self.start(*arguments, before=before, **environment) as process:
            stdout, stderr = process.communicate(timeout=240)
        return subprocess.CompletedProcess(arguments, process.returncode, stdout, stderr)

    def audited(self, *arguments, **environment):
        """Return the document and what was said beside it."""
        answer = self.call(*arguments, "--format", "json", **environment)
        assert is_done(answer), answer
        return json.loads(answer.stdout), answer.stderr

    def audited_again(self, store, *arguments, before=None):
        """Return the document before the call that measures nothing, its own, and what was said.

        Calls before that one may only repeat the suite runs that a busy machine has spoilt.
        """
        for _ in range(6):
            stored_runs = runs(store)
            document, messages = self.audited(*arguments)
            new = runs(store).keys() - stored_runs.keys()
            if not new:
                return before, document, messages
            assert new <= repeats(store)
            before = document
        raise AssertionError("each call repeats runs that a busy machine has spoilt")

    def refused(self, *arguments, code, slug, before=(), **environment):
        """Return the one line that refuses the call."""
        answer = self.call(*arguments, before=before, **environment)
        lines = [
            line for line in answer.stderr.splitlines() if not line.startswith(PROGRESS_PREFIXES)
        ]
        assert (answer.returncode, answer.stdout, len(lines)) == (code, "", 1), answer
        assert lines[0].startswith(f"error[{slug}]: "), answer
        return lines[0]


def is_done(answer):
    """Tell whether a call measured; where other tests keep the machine busy it shows no spread."""
    busy = answer.returncode == 5 and "made on a busy machine" in answer.stderr
    return busy or answer.returncode == 0


def write(folder, files):
    """Write files given by their paths."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def tiny(folder, **changed):
    """Write a module; `mod`, `code` and `tests` replace its files."""
    files = {
        "go.mod": changed.get("mod", "module example.org/tiny\n\ngo 1.20\n"),
        "tiny.go": changed.get("code", TINY),
        "tiny_test.go": changed.get("tests", TINY_TEST),
    }
    return write(folder, files)


def config(path, **keys):
    """Write a configuration that asks for little."""
    path.write_text(json.dumps({**QUICK, **keys}))
    return path


def ring(folder):
    """Copy the part of go-ring that is quickly listed."""
    ignored_folders = shutil.ignore_patterns("naughty", "broken", "clash")
    return Path(shutil.copytree(RING, folder, ignore=ignored_folders))


def everything(*folders):
    """Digest all paths, kinds, modes, times of change and contents below folders."""
    sha = hashlib.sha256()
    for path in [path for folder in folders for path in sorted(folder.rglob("*"))]:
        status = path.lstat()
        sha.update(f"{path} {status.st_mode} {status.st_mtime_ns}\n".encode())
        if path.is_symlink():
            sha.update(str(path.readlink()).encode())
        elif path.is_file():
            sha.update(path.read_bytes())
    return sha.hexdigest()


def runs(store):
    """Return (purpose, subject, start) of each run by its trial; the file must be whole."""
    connection = sqlite3.connect(store)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        rows = connection.execute(
            "SELECT trial, purpose, subject, started FROM run JOIN trial ON trial.id = run.trial"
        )
        return {trial: tuple(rest) for trial, *rest in rows}
    finally:
        connection.close()


def repeats(store):
    """Return the trials that repeat a suite run of a busy machine on a quieter one."""
    with closing(sqlite3.connect(store)) as connection:
        rows = connection.execute("SELECT id FROM trial WHERE repetition > ?", (REPEAT_OFFSET,))
        return {trial for (trial,) in rows}


def running():
    """Return the command lines of all processes."""
    if not Path("/proc/self/cmdline").exists():
        process_table = subprocess.run(
            ("ps", "-Aww", "-o", "args="), capture_output=True, check=True
        )
        return process_table.stdout.decode().splitlines()
    command_lines = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            command_lines.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
    return command_lines


def left_behind(cache, within=10.0):
    """Return the command lines that still name our folder, after waiting for them to end."""
    until = time.monotonic() + within
    while True:
        leftovers = [line for line in running() if str(cache) in line]
        if not leftovers or time.monotonic() > until:
            return leftovers
        time.sleep(0.1)


def git(folder, *arguments):
    """Call git as somebody, whoever is set up here."""
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(("git", "-C", folder, *identity, *arguments), check=True, capture_output=True)


def commit(folder, message):
    """Commit all that lies there."""
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
