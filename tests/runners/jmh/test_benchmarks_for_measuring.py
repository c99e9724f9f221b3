"""Real Maven builds of benchmarks as strangers have them: odd compilers, odd places."""

import os
import shutil

import pytest
from fake_host import FakeHost
from maven_making import JMH, dependency, environment, many_modules, one_module, pom, write

from auditor.core.errors import BuildFailed
from auditor.core.request import BuildOptions, FolderSpec
from auditor.core.subject import Role
from runners.hosts.local import LocalHost
from runners.jmh.classes import benchmark_classes, benchmark_list
from runners.jmh.guests import prepare_guests
from runners.jmh.harness import JmhHarness
from runners.jmh.jdks import installed_jdks, with_jdk
from runners.jmh.project import jmh_jar, prepare_tree
from runners.subjects.place import place_subject

pytestmark = [
    pytest.mark.subject,
    pytest.mark.skipif(
        shutil.which("mvn") is None or shutil.which("javac") is None, reason="needs a JDK and Maven"
    ),
]
SOURCE_FOLDER = "src/main/java/org/example/many"
NO_PROCESSOR = "<artifactId>maven-compiler-plugin</artifactId><version>3.11.0</version>"
BASE = """package org.example.many;
import org.openjdk.jmh.annotations.*;
@State(Scope.Thread)
public abstract class Base {
    int a = 1;
    protected abstract int next();
    @Benchmark public int sum() { return Sum.of(a, next()); }
}
"""
HEIR = """package org.example.many;
public class Heir extends Base {
    @Override protected int next() { return 2; }
}
"""
PRIVATE = """package org.example.many;
import org.openjdk.jmh.annotations.Benchmark;
public class Sums {
    @Benchmark private int sum() { return Sum.of(1, 2); }
}
"""


def made_ready(folder, home, *, changed=()):
    variables = tuple(
        sorted({**dict(environment(folder.parent / "user")), **dict(changed)}.items())
    )
    common = {"home": home, "host": LocalHost(), "environment": variables}
    placed = place_subject(FolderSpec(folder), **common)
    return prepare_tree(placed, words=BuildOptions(), **common), common


def without_processor(files, name="pom.xml"):
    message = "<configuration><proc>none</proc></configuration>"
    return {**files, name: files[name].replace(NO_PROCESSOR, NO_PROCESSOR + message)}


def list_benchmark_classes(project):
    texts = [benchmark_list(path) or "" for path in project.list_paths(Role.BENCHMARKS)]
    return set().union(*map(benchmark_classes, texts))


def library(project):
    return {
        path.name for part in project.list_paths(Role.LIBRARY) for path in part.rglob("*.class")
    }


def test_what_no_processor_has_generated_is_generated_of_the_classes(jmh_home, tmp_path):
    files = without_processor(one_module())
    files |= {f"{SOURCE_FOLDER}/Base.java": BASE, f"{SOURCE_FOLDER}/Heir.java": HEIR}

    project, common = made_ready(write(tmp_path / "one", files), jmh_home)
    guests = prepare_guests(jmh_core_jar=jmh_jar(project.parts), **common)
    suite = JmhHarness(guests).discover_suite(project, tmp_path, LocalHost().run_process)

    assert [benchmark.id for benchmark in suite.benchmarks] == [
        "org.example.many.Heir.sum",
        "org.example.many.Sums.sum",
    ]
    assert not suite.unusable
    assert "Sum.class" in library(project)
    assert not {"Sums.class", "Heir.class"} & library(project)

    def without_building(job):
        assert "mvn" not in job.argv
        assert not any("arguments" in word for word in job.argv)
        return LocalHost().run_process(job)

    common["host"] = FakeHost(without_building)
    placed = place_subject(FolderSpec(tmp_path / "one"), **common)
    assert prepare_tree(placed, words=BuildOptions(), **common) == project


def test_what_jmh_refuses_is_said(jmh_home, tmp_path):
    files = without_processor(one_module())
    files[f"{SOURCE_FOLDER}/Sums.java"] = PRIVATE

    with pytest.raises(
        BuildFailed, match=r"refuses benchmarks in .*/Sums\.class:\n@Benchmark method should be pub"
    ):
        made_ready(write(tmp_path / "one", files), jmh_home)


def test_a_jdk_that_runs_no_processor_unasked_is_enough(jmh_home, tmp_path):
    variables = tuple((key, os.environ[key]) for key in ("PATH", "HOME") if key in os.environ)
    jdks = [
        installed_jdk
        for installed_jdk in installed_jdks(LocalHost(), variables)
        if installed_jdk.feature >= 23
    ]
    if not jdks:
        pytest.skip("needs JDK 23 or newer")
    changed = with_jdk(str(jdks[0].home), LocalHost(), variables[:1])

    project, _ = made_ready(write(tmp_path / "one", one_module()), jmh_home, changed=changed)

    assert list_benchmark_classes(project) == {"org.example.many.Sums"}
    assert f'"{jdks[0].version}' in dict(project.options)["jdk"]


def test_a_module_outside_the_build_measures_the_tree_not_a_release(jmh_home, tmp_path):
    files = many_modules()
    files["pom.xml"] = pom("many", modules=("library",))
    old = dependency("org.example.many", "library", "0.1")
    files["benchmarks/pom.xml"] = pom("benchmarks", dependencies=(old, *JMH)).replace(
        "<packaging>pom</packaging>", ""
    )

    project, _ = made_ready(write(tmp_path / "many", files), jmh_home)

    assert list_benchmark_classes(project) == {"org.example.many.Sums"}
    assert library(project) == {"Sum.class"}


def test_a_wrapper_that_cannot_fetch_its_maven_is_replaced_by_the_machines(jmh_home, tmp_path):
    files = {**one_module(), "mvnw": "echo 'Failed to fetch https://x/m.zip' >&2; exit 1\n"}

    project, _ = made_ready(write(tmp_path / "one", files), jmh_home)

    assert list_benchmark_classes(project) == {"org.example.many.Sums"}


def test_a_class_path_that_is_not_written_is_no_lack_of_benchmarks(jmh_home, tmp_path):
    files = one_module()
    skipped = (
        "<plugin><artifactId>maven-dependency-plugin</artifactId>"
        "<configuration><skip>true</skip></configuration></plugin>"
    )
    files["pom.xml"] = files["pom.xml"].replace("<plugins>", f"<plugins>{skipped}")

    with pytest.raises(BuildFailed, match="Maven wrote no class path; does the project configure"):
        made_ready(write(tmp_path / "one", files), jmh_home)


def test_tests_and_modules_that_benchmarks_do_not_need_are_not_compiled(jmh_home, tmp_path):
    files = many_modules()
    files["pom.xml"] = pom("many", modules=("library", "benchmarks", "broken"))
    files["broken/pom.xml"] = pom("broken", parent=True)
    files["broken/src/main/java/Broken.java"] = "class {"
    files["library/src/test/java/BrokenTest.java"] = "class {"

    project, _ = made_ready(write(tmp_path / "many", files), jmh_home)

    assert list_benchmark_classes(project) == {"org.example.many.Sums"}
