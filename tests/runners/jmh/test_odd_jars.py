"""A library in a jar that is signed, sealed and a module: its methods can be slowed, too."""

import os
import shutil
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest
from jmh_making import against_probe, delayed, of_project

from auditor.core.mutant import InjectionKind
from auditor.core.outcome import Measured
from auditor.core.schedule import ArmName
from auditor.core.subject import Part, Role
from auditor.core.values import TIME
from runners.jmh.jdk import BRIEF

pytestmark = pytest.mark.subject

LIBRARY = """package org.closed;

public final class Heavy {
    public static long turns(long x) {
        for (int n = 0; n < 300; n++) x ^= x << 7 ^ x >>> 9;
        return x;
    }

    private interface Marks {
        default long mark(long x) { return x * turns(x); }
    }

    public interface Marked extends Marks {}
}
"""
MODULE = "module org.closed { exports org.closed; }\n"
BENCHMARK = """package org.open;

import org.openjdk.jmh.annotations.*;

@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
public class Closed {
    private long seed = 42;

    @Benchmark
    public long turns() {
        return seed = org.closed.Heavy.turns(seed);
    }
}
"""
MANIFEST = "Manifest-Version: 1.0\r\nSealed: true\r\n\r\n"


def compiled(folder, files, *options):
    """Compile sources given by their paths; return the folder of the classes."""
    for name, text in files.items():
        path = folder / "sources" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    paths = [folder / "sources" / name for name in files]
    call("javac", *BRIEF, "--release", "17", *options, "-d", folder / "classes", *paths)
    return folder / "classes"


def call(*words):
    """Run a tool of the JDK that java is of."""
    home = Path(os.environ.get("JAVA_HOME") or Path(shutil.which("java")).resolve().parents[1])
    completed = subprocess.run(
        (home / "bin" / words[0], *words[1:]), capture_output=True, text=True, check=False
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return completed.stdout


@pytest.fixture(scope="module")
def library(tmp_path_factory, jmh):
    folder = tmp_path_factory.mktemp("library")
    files = {"module-info.java": MODULE, "org/closed/Heavy.java": LIBRARY}
    classes = compiled(folder, files, "-proc:none")
    jar, keys = folder / "closed.jar", folder / "keys"
    with zipfile.ZipFile(jar, "w") as file:
        file.writestr("META-INF/MANIFEST.MF", MANIFEST)
        for path in sorted(class_file for class_file in classes.rglob("*.class")):
            file.write(path, path.relative_to(classes).as_posix())
    secret = ("-keystore", keys, "-storepass", "changeit")
    call("keytool", "-genkeypair", "-alias", "a", "-keyalg", "RSA", "-dname", "CN=a", *secret)
    call("jarsigner", *secret, jar, "a")
    return jar


@pytest.fixture(scope="module")
def closed(jmh, library, tmp_path_factory):
    folder = tmp_path_factory.mktemp("closed")
    jars = jmh.project.list_paths(Role.DEPENDENCY)
    path = ":".join(map(str, [library, *jars]))
    classes = compiled(folder, {"org/open/Closed.java": BENCHMARK}, "-classpath", path)
    project = replace(
        jmh.project,
        root=folder,
        digest="closed",
        parts=(
            Part(Role.LIBRARY, library),
            Part(Role.BENCHMARKS, classes),
            *(Part(Role.DEPENDENCY, jar) for jar in jars),
        ),
    )
    return of_project(project, jmh.harness, folder)


def test_the_jar_is_signed_and_sealed_and_a_module(library):
    assert "jar verified." in call("jarsigner", "-verify", library)
    with zipfile.ZipFile(library) as jar:
        assert "module-info.class" in jar.namelist()
        assert b"Sealed: true" in jar.read("META-INF/MANIFEST.MF")


def test_what_a_public_type_without_methods_inherits_is_public(closed):
    assert closed.methods["org.closed.Heavy.Marks.mark"].public


def test_a_method_in_it_is_listed_and_slowed(closed):
    assert [benchmark.id for benchmark in closed.suite.benchmarks] == ["org.open.Closed.turns"]

    method = closed.methods["org.closed.Heavy.turns"]

    outcome = closed.run("turns", against_probe(InjectionKind.WORK, 2000), delayed(method))

    assert isinstance(outcome, Measured), outcome
    probe, slowed = (
        median(outcome.find_series(TIME, arm).values) for arm in (ArmName.PROBE, ArmName.SLOWED)
    )
    assert slowed > 2 * probe
