"""A jar with benchmarks, their library and JMH in it, as the subject."""

import hashlib
import os
import shutil
import zipfile
from dataclasses import replace
from statistics import median

import pytest
from jmh_making import against_probe, delayed, environment, plain

from auditor.core.errors import NoBenchmarks, SourceUnreadable
from auditor.core.mutant import InjectionKind
from auditor.core.outcome import Measured
from auditor.core.request import JarSpec
from auditor.core.schedule import ArmName
from auditor.core.subject import Role
from auditor.core.values import TIME
from mutators.java.mutator import JavaMutator
from runners.hosts.local import LocalHost
from runners.jmh.guests import prepare_guests
from runners.jmh.harness import JmhHarness
from runners.jmh.project import jmh_jar, prepare_jar
from runners.subjects.place import place_subject

pytestmark = pytest.mark.subject
VARIABLES = environment(os.environ)


def merged(parts, jar, without=()):
    """Write what is in class folders and jars into one jar; the first of a name counts."""
    written_names = set()
    with zipfile.ZipFile(jar, "w") as file:
        for part in parts:
            for name, content in files(part):
                if name not in written_names and not name.startswith(without or ("-",)):
                    written_names.add(name)
                    file.writestr(name, content)
    return jar


def files(part):
    if part.is_dir():
        for path in sorted(entry for entry in part.rglob("*") if entry.is_file()):
            yield path.relative_to(part).as_posix(), path.read_bytes()
    else:
        with zipfile.ZipFile(part) as archive:
            for name in archive.namelist():
                if not name.endswith("/"):
                    yield name, archive.read(name)


def made_ready(jar, home):
    spec = JarSpec(jar)
    placed = place_subject(spec, home=home, host=LocalHost(), environment=VARIABLES)
    return prepare_jar(spec, placed, host=LocalHost(), environment=VARIABLES)


@pytest.fixture(scope="module")
def jar(jmh, tmp_path_factory):
    roles = (Role.BENCHMARKS, Role.LIBRARY, Role.DEPENDENCY)
    folder = tmp_path_factory.mktemp("built")
    return merged(jmh.project.list_paths(*roles), folder / "benchmarks.jar")


@pytest.fixture(scope="module")
def jar_suite(jmh, jmh_home, jar, tmp_path_factory):
    """The suite in the jar: as that of class folders, but for where everything is."""
    project = made_ready(jar, jmh_home)
    core = jmh_jar(project.parts)
    guests = prepare_guests(
        home=jmh_home, host=LocalHost(), environment=VARIABLES, jmh_core_jar=core
    )
    folder = tmp_path_factory.mktemp("whole")
    harness = JmhHarness(guests)
    suite = harness.discover_suite(project, folder, LocalHost().run_process)
    methods = {method.id: method for method in JavaMutator().find_methods(suite.sources)}
    return replace(
        jmh, project=project, harness=harness, suite=suite, methods=methods, folder=folder
    )


def test_the_benchmarks_of_a_jar_are_listed_with_the_jmh_in_it(jar_suite, jmh):
    assert [benchmark.id for benchmark in jar_suite.suite.benchmarks] == [
        benchmark.id for benchmark in jmh.suite.benchmarks
    ]
    assert dict(jar_suite.project.versions)["jmh"] == "1.37"


def test_the_library_of_a_jar_is_what_is_neither_suite_nor_jmh(jar_suite, jmh):
    library_methods = {
        name for name in jar_suite.methods if not name.startswith("org.apache.commons.math3.")
    }

    assert library_methods == {*jmh.methods}


def test_the_jar_alone_is_the_class_path_and_what_is_slowed_is_slower(jar_suite):
    schedule = against_probe(InjectionKind.WORK, 2000)

    trial, answers = jar_suite.ran("turns", schedule, delayed(jar_suite.find("turns")))
    outcome = jar_suite.harness.read_outcome(trial, answers)

    (job,) = jar_suite.harness.plan_launch(jar_suite.project, trial, jar_suite.folder)
    (copy,) = {*jar_suite.project.list_paths(Role.BENCHMARKS, Role.LIBRARY)}
    path = job.argv[job.argv.index("-cp") + 1].split(":")
    assert path == [str(copy), *map(str, jar_suite.harness.guests.benchmark_class_path)]
    assert isinstance(outcome, Measured), outcome
    probe, slowed = (
        median(outcome.find_series(TIME, arm).values) for arm in (ArmName.PROBE, ArmName.SLOWED)
    )
    assert slowed > 2 * probe


def test_a_plain_run_of_a_jar_is_measured(jar_suite):
    assert isinstance(jar_suite.run("chosen[sizes=1,5,name=a]", plain()), Measured)


def test_a_jar_that_was_built_anew_of_the_same_classes_holds_the_same_code(jar, jmh_home, tmp_path):
    rebuilt_jar = tmp_path / "again.jar"
    with (
        zipfile.ZipFile(jar) as file,
        zipfile.ZipFile(rebuilt_jar, "w", zipfile.ZIP_DEFLATED) as zip_file,
    ):
        for name in reversed(file.namelist()):
            zip_file.writestr(zipfile.ZipInfo(name, (2001, 2, 3, 4, 5, 6)), file.read(name))

    original, rebuilt = (made_ready(jar_path, jmh_home) for jar_path in (jar, rebuilt_jar))

    assert original.digest != rebuilt.digest
    assert original.all_inputs == rebuilt.all_inputs


def test_the_content_of_a_jar_is_the_subject_and_the_users_own_is_only_read(
    jar, jmh_home, tmp_path
):
    before = hashlib.sha256(jar.read_bytes()).hexdigest(), jar.stat().st_mtime_ns
    moved = shutil.copy(jar, tmp_path / "other name.jar")
    changed = shutil.copy(jar, tmp_path / "changed.jar")
    with zipfile.ZipFile(changed, "a") as archive:
        archive.writestr("new.txt", "new")

    original, same, changed_project = (
        made_ready(jar_path, jmh_home) for jar_path in (jar, moved, changed)
    )

    assert (same.digest, same.root) == (original.digest, original.root)
    assert changed_project.digest != original.digest
    assert all(part.path.is_relative_to(jmh_home.root) for part in original.parts)
    assert (hashlib.sha256(jar.read_bytes()).hexdigest(), jar.stat().st_mtime_ns) == before


@pytest.mark.parametrize(
    ("without", "message"),
    [
        (("META-INF/BenchmarkList",), "has no benchmarks: no META-INF/BenchmarkList; name the jar"),
        (("org/openjdk/jmh/runner/",), "holds benchmarks, but no JMH to run them; name the jar"),
    ],
)
def test_a_jar_that_cannot_be_run_is_refused_in_one_line(jar, without, message, jmh_home, tmp_path):
    lacking = merged([jar], tmp_path / "lacking.jar", without)

    with pytest.raises(NoBenchmarks, match=f"lacking.jar {message}") as failure:
        made_ready(lacking, jmh_home)

    assert "\n" not in str(failure.value)


def test_a_jar_that_is_none_is_refused_in_one_line(jmh_home, tmp_path):
    (tmp_path / "text.jar").write_text("no archive")

    with pytest.raises(SourceUnreadable, match=r"text\.jar is not a readable jar; build it again"):
        made_ready(tmp_path / "text.jar", jmh_home)
