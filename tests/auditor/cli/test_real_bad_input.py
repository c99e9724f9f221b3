"""What cannot be audited is refused in one line that says what, where and what to do."""

import os
import shutil
import subprocess
import sys

import pytest
from real_program import config, tiny, write

from auditor.store.sqlite import SqliteStore

NOWHERE = """<settings><mirrors><mirror><id>nowhere</id><mirrorOf>external:*</mirrorOf>
<url>https://127.0.0.1:9/</url></mirror></mirrors></settings>"""
FAILING = """package tiny

import "testing"

func BenchmarkFails(b *testing.B) {
	if b.N > 1 {
		b.Fatal("REASON")
	}
}
"""
LIMIT = (
    "import os, resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
    "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2);"
    "os.execv(sys.argv[2], sys.argv[2:])"
)
SMALL_DISK = 'mount -t tmpfs -o size="$1" none "$2" && shift 2 && exec "$@"'

JMH = {
    "pom.xml": "<project><!-- jmh-core --></project>",
    "src/main/java/B.java": "import org.openjdk.jmh.annotations.Benchmark;\n"
    "class B { @Benchmark public void b() {} }\n",
}


def without(tool, folder):
    """Return a PATH that has all programs but those of one tool."""
    folder.mkdir()
    for name in ("sh", "git", "env", "dirname", "uname", "readlink", "ls", "expr", "cat"):
        result = shutil.which(name)
        if result and name != tool:
            (folder / name).symlink_to(result)
    return folder


def script(folder, name, text):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def test_a_folder_that_is_no_project(program, tmp_path):
    write(tmp_path / "letters", {"letter.txt": "dear reader"})

    line = program.refused("abs", tmp_path / "letters", code=3, slug="subject")

    assert "letters is not a project that can be audited: it has no go.mod, go.work, pom" in line


@pytest.mark.subject
def test_an_unknown_method_is_answered_with_candidates(program, module, tmp_path):
    config_path = config(tmp_path / "c.json", subject=str(module), methods=["example.org/tiny.add"])

    line = program.refused("abs", config_path, code=2, slug="usage")

    assert "unknown method 'example.org/tiny.add' in example.org/tiny; the subject has:" in line
    assert "example.org/tiny.Add" in line


@pytest.mark.subject
def test_an_ambiguous_method_is_answered_with_candidates(program, module, tmp_path):
    for name in ("left", "right"):
        text = f"package inner\n\n// {name}\nfunc Same() {{}}\n"
        write(module, {f"{name}/inner/inner.go": text})
    config_path = config(tmp_path / "c.json", subject=str(module), methods=["inner.Same"])

    line = program.refused("abs", config_path, code=2, slug="usage")

    assert "the method name 'inner.Same' is ambiguous; write one of: " in line
    assert "example.org/tiny/left/inner.Same, example.org/tiny/right/inner.Same" in line


@pytest.mark.subject
def test_a_filter_that_leaves_no_benchmark(program, module, tmp_path):
    line = program.refused(
        "abs", module, "--benchmarks", "^Sort", "--slowdown", "100%", code=3, slug="no-benchmarks"
    )

    assert "no benchmark matches '^Sort'; the suite has 2, such as example.org/tiny.Benchm" in line


@pytest.mark.subject
def test_a_suite_that_does_not_compile_is_shown_by_the_compilers_message(program, module):
    tiny(module, code="package tiny\n\nfunc Add(x uint64) uint64 { return y }\n")

    line = program.refused("abs", module, code=3, slug="build-failed")

    assert "no package of example.org/tiny with benchmarks builds" in line
    assert "tiny.go:3:36: undefined: y" in line


@pytest.mark.parametrize("harness", [(), ("--harness", "pyperf")])
def test_of_a_python_project_without_benchmarks_the_suites_below_are_named(
    program, tmp_path, harness
):
    tiny(write(tmp_path / "mono", {"pyproject.toml": ""}) / "svc")

    line = program.refused("abs", tmp_path / "mono", *harness, code=3, slug="no-benchmarks")

    assert line.endswith(f": bench-audit abs {tmp_path}/mono/svc")
    assert line.count("looked for") == 1
    assert line.count("pyperf" if harness else "fixture") == 1


@pytest.mark.subject
@pytest.mark.parametrize("reason", ["the server is down", "no space left on device"])
def test_a_suite_of_which_all_benchmarks_fail(program, module, tmp_path, reason):
    tiny(module, tests=FAILING.replace("REASON", reason))
    config_path = config(tmp_path / "c.json", subject=str(module))

    line = program.refused("abs", config_path, "--quiet", code=3, slug="no-benchmarks")

    assert "every benchmark fails; the first: example.org/tiny.BenchmarkFails: " in line
    assert reason in line


def test_a_machine_without_go(program, tmp_path):
    folder = tiny(tmp_path / "tiny")
    path = without("go", tmp_path / "bin")

    line = program.refused("abs", folder, PATH=path, code=4, slug="tool-missing")

    assert "go was not found on PATH" in line
    assert "install it" in line


def test_a_machine_without_a_jdk(program, tmp_path):
    folder = write(tmp_path / "ring", JMH)
    path = without("java", tmp_path / "bin")

    line = program.refused("abs", folder, PATH=path, JAVA_HOME="", code=4, slug="tool-missing")

    assert "java was not found; install a JDK 17 or newer, or set JAVA_HOME to one" in line


def test_a_machine_without_maven(program, tmp_path):
    if shutil.which("java") is None:
        pytest.skip("java is not installed")
    folder = write(tmp_path / "ring", JMH)
    path = without("mvn", tmp_path / "bin")
    for name in ("java", "javac"):
        (path / name).symlink_to(shutil.which(name))

    line = program.refused("abs", folder, PATH=path, JAVA_HOME="", code=4, slug="tool-missing")

    assert "mvn was not found" in line


def test_a_machine_with_an_old_go(program, tmp_path):
    folder = tiny(tmp_path / "tiny")
    answer = '{"GOVERSION": "go1.17.2", "GOROOT": "/old/go", "GOMODCACHE": "/nowhere"}'
    path = script(tmp_path / "bin", "go", f"echo '{answer}'")

    line = program.refused("abs", folder, PATH=path, code=4, slug="tool-missing")

    assert "go1.17.2 is too old in /old/go; use 1.20 or newer" in line


def test_a_machine_with_an_old_jdk(program, tmp_path):
    script(tmp_path / "bin", "javac", "echo javac 11.0.2")
    path = script(tmp_path / "bin", "java", "echo 'openjdk version \"11.0.2\" 2019-01-15' >&2")

    line = program.refused(
        "abs", "maven:org.example:ring:1", PATH=path, JAVA_HOME="", code=4, slug="tool-missing"
    )

    assert "java is version 11, too old; install a JDK 17 or newer" in line


def test_a_module_that_cannot_be_fetched_without_a_network(program):
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    line = program.refused(
        "abs", "go:example.org/ring@v1.0.0", GOPROXY="off", code=4, slug="resolve-failed"
    )

    assert "cannot get go:example.org/ring@v1.0.0: " in line
    assert "check the network and GOPROXY" in line


@pytest.mark.subject
def test_a_dependency_that_cannot_be_fetched_without_a_network(program, module):
    needs = 'package tiny\n\nimport "example.org/far"\n\nvar Far = far.Far\n'
    tiny(module, code=needs, mod="module example.org/tiny\n\nrequire example.org/far v1.2.3\n")

    line = program.refused("abs", module, GOPROXY="off", code=4, slug="resolve-failed")

    assert "dependencies of example.org/tiny could not be downloaded: " in line
    assert "example.org/far" in line


def test_a_repository_that_cannot_be_fetched_without_a_network(program):
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    url = "https://127.0.0.1:9/ring.git"

    line = program.refused("abs", f"git:{url}@main", code=4, slug="resolve-failed")

    assert url in line


@pytest.mark.subject
def test_artifacts_that_cannot_be_fetched_without_a_network(program):
    for tool in ("java", "mvn"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    write(program.home, {".m2/settings.xml": NOWHERE})

    line = program.refused("abs", "maven:org.example:ring:1", code=4, slug="resolve-failed")

    assert "check the network, and the mirrors in settings.xml" in line


@pytest.mark.parametrize("kibibytes", [0, 8])
def test_files_that_may_not_grow(program, tmp_path, kibibytes):
    folder = tiny(tmp_path / "tiny")
    before = (sys.executable, "-c", LIMIT, str(1024 * kibibytes))

    line = program.refused("abs", folder, before=before, code=4, slug="folder-unusable")

    assert "store.sqlite: the disk reports an error (disk I/O error); check its space" in line


@pytest.mark.subject
@pytest.mark.parametrize(
    ("variable", "size", "message"),
    [
        ("XDG_STATE_HOME", "16k", "store.sqlite: the disk "),
        ("XDG_CACHE_HOME", "8k", "the disk is full; make room, or choose another folder"),
        ("XDG_CACHE_HOME", "4m", "go could not write: the disk of "),
    ],
)
def test_a_disk_that_is_full(program, module, variable, size, message):
    disk = program.home / "disk"
    disk.mkdir()
    before = ("unshare", "-rm", "sh", "-c", SMALL_DISK, "sh", size, str(disk))
    if subprocess.run([*before, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("no file system can be mounted")

    line = program.refused(
        "abs", module, before=before, code=4, slug="folder-unusable", **{variable: disk}
    )

    assert message in line
    assert str(disk) in line


@pytest.mark.parametrize("variable", ["XDG_CACHE_HOME", "XDG_STATE_HOME"])
@pytest.mark.skipif(sys.platform != "linux", reason="needs a folder that nobody can write to")
def test_a_folder_of_ours_that_is_read_only(program, tmp_path, variable):
    folder = tiny(tmp_path / "tiny")

    line = program.refused("abs", folder, code=4, slug="folder-unusable", **{variable: "/proc"})

    assert "cannot write /proc/bench-audit" in line
    assert "choose another folder" in line


def test_a_store_of_which_a_part_is_missing(program, tmp_path):
    folder = tiny(tmp_path / "tiny")
    path = tmp_path / "s.sqlite"
    SqliteStore(path).close()
    path.write_bytes(path.read_bytes()[:3000])
    content = path.read_bytes()

    line = program.refused("abs", folder, "--store", path, code=4, slug="store")

    assert "s.sqlite is damaged or no store of bench-audit" in line
    assert "choose another file with --store" in line
    assert path.read_bytes() == content
