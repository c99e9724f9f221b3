"""Caches as earlier audits on this machine have left them, filled once for a whole run of tests.

To fill them takes longer than most tests: Go compiles its own library, Maven fetches its plugins,
our own Java is compiled. Those who get a copy go on from there. That an audit begins with nothing
stays tested: by what fills them here, by `make demo`, and by all tests whose program has a cache
of its own.
"""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

from auditor.core.request import BuildOptions, FolderSpec
from runners.home import HomeFolder
from runners.hosts.local import LocalHost
from runners.jmh.guests import prepare_guests
from runners.jmh.project import jmh_jar, prepare_tree
from runners.subjects.place import place_subject

JAVA_RING = Path(__file__).parent / "subjects" / "java-ring"
MODULE = "module example.org/warm\n\ngo 1.20\n"
TEST = 'package warm\n\nimport "testing"\n\nfunc BenchmarkNothing(b *testing.B) {}\n'
OF_RUN = "BENCH_AUDIT_TESTS"
"""The variable with a folder for all calls of pytest that are one run."""
PASSED_ON = ("PATH", "JAVA_HOME", "MAVEN_OPTS", "SSL_CERT_FILE", "LANG")


class Warm:
    """Folders that are filled once by whoever comes first, for all processes of a run."""

    def __init__(self, folder):
        self._folder = folder

    def home(self, folder):
        """Return a folder of ours in which suites of Go and of Maven have been made ready."""
        self.go(folder / "cache" / "go" / "build")
        if all(shutil.which(tool) for tool in ("mvn", "javac")):
            java_cache = self._filled("java", _of_java)
            for name in ("cache/maven", "tools"):
                shutil.copytree(java_cache / name, folder / name, dirs_exist_ok=True)
        return folder

    def go(self, cache):
        """Put into a cache of Go's what it has compiled of its own library."""
        if shutil.which("go") is not None:
            go_cache = self._filled("go", _of_go)
            shutil.copytree(go_cache, cache, copy_function=_linked, dirs_exist_ok=True)

    def _filled(self, name, fill):
        folder = self._folder / f"warm-{name}"
        with folder.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                suffix = folder.with_suffix(".part")
                shutil.rmtree(suffix, ignore_errors=True)
                suffix.mkdir()
                fill(suffix)
                suffix.rename(folder)
        return folder


def _linked(source, target):
    """Let a file be the same one where it can: Go makes what it keeps anew, and only reads it."""
    try:
        os.link(source, target)
    except OSError:  # on another disk
        shutil.copy2(source, target)


def of_run(tmp_path_factory):
    """Return the caches of all processes that run these tests together."""
    base_temp = tmp_path_factory.getbasetemp()
    shared_temp = base_temp.parent if "PYTEST_XDIST_WORKER" in os.environ else base_temp
    return Warm(Path(os.environ.get(OF_RUN, shared_temp)))


def _of_go(cache):
    module = cache.with_suffix(".module")
    module.mkdir(exist_ok=True)
    (module / "go.mod").write_text(MODULE)
    (module / "warm_test.go").write_text(TEST)
    call = ("go", "test", "-c", "-vet=off", "-o", os.devnull, ".")
    subprocess.run(call, cwd=module, env={**os.environ, "GOCACHE": str(cache)}, check=True)


def _of_java(folder):
    user = folder / "user"
    user.mkdir()
    passed = {key: os.environ[key] for key in PASSED_ON if key in os.environ}
    variables = tuple(sorted({**passed, "HOME": str(user)}.items()))
    common = {"home": HomeFolder(folder), "host": LocalHost(), "environment": variables}
    placed = place_subject(FolderSpec(JAVA_RING), **common)
    project = prepare_tree(placed, **common, words=BuildOptions((), ()))
    prepare_guests(**common, jmh_core_jar=jmh_jar(project.parts))
