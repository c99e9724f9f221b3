"""Real Maven builds and downloads; what is fetched is shared by all tests of JMH."""

import shutil
from pathlib import Path

import pytest
from fake_host import FakeHost
from maven_making import (
    JAVA_RING,
    JMH,
    NOWHERE,
    OWN_REPOSITORY,
    environment,
    everything,
    many_modules,
    one_module,
    publish,
    write,
)

from auditor.core.errors import BuildFailed, NoBenchmarks, ResolveFailed
from auditor.core.request import BuildOptions, FolderSpec, MavenSpec
from auditor.core.subject import Role
from runners.home import HomeFolder
from runners.hosts.local import LocalHost
from runners.jmh.classes import benchmark_list
from runners.jmh.project import prepare_artifact, prepare_tree
from runners.subjects.place import place_subject

pytestmark = [
    pytest.mark.subject,
    pytest.mark.skipif(
        shutil.which("mvn") is None or shutil.which("javac") is None, reason="needs a JDK and Maven"
    ),
]
WRAPPER = '#!/bin/sh\ntest -d "$MAVEN_USER_HOME" && echo "$@" >>wrapped\nexec mvn "$@"\n'
TEXT = MavenSpec(group="org.apache.commons", artifact="commons-text", version="1.11.0")


@pytest.fixture
def home(jmh_home):
    return jmh_home


@pytest.fixture
def user(tmp_path):
    return write(tmp_path / "user", {"keep": "x"})


def prepared(folder, home, user, *profiles, flags=()):
    variables = environment(user)
    placed = place_subject(FolderSpec(folder), home=home, host=LocalHost(), environment=variables)
    words = BuildOptions(profiles, flags)
    return prepare_tree(placed, home=home, host=LocalHost(), environment=variables, words=words)


def library_files(project):
    return {
        path.relative_to(part).as_posix()
        for part in project.list_paths(Role.LIBRARY)
        for path in part.rglob("*.class")
    }


def test_published_artifacts_are_resolved_once_and_nothing_of_the_users_is_written_to(home, user):
    before = everything(user)

    project = prepare_artifact(TEXT, home=home, host=LocalHost(), environment=environment(user))

    (benchmarks,) = project.list_paths(Role.BENCHMARKS)
    assert (benchmark_list(benchmarks) or "").count("JMH S ") == 16
    assert [path.name for path in project.list_paths(Role.LIBRARY)] == ["commons-text-1.11.0.jar"]
    assert {path.name for path in project.list_paths(Role.SOURCES)} == {
        "commons-text-1.11.0-sources.jar",
        "commons-text-1.11.0-test-sources.jar",
    }
    assert {"jmh-core-1.37.jar", "commons-lang3-3.13.0.jar"} <= {
        path.name for path in project.list_paths(Role.DEPENDENCY)
    }
    assert dict(project.options)["jmh"] == "1.37"

    def without_maven(job):
        assert job.argv[0] != "mvn"
        return LocalHost().run_process(job)

    second_project = prepare_artifact(
        TEXT, home=home, host=FakeHost(without_maven), environment=environment(user)
    )
    assert second_project == project
    assert everything(user) == before


@pytest.mark.parametrize("version", ["1-SNAPSHOT", "LATEST", "RELEASE"])
def test_a_version_that_can_change_is_resolved_each_time(version, home, user, tmp_path):
    repository, published = tmp_path / "repository", version.endswith("SNAPSHOT")
    write(user, {".m2/settings.xml": OWN_REPOSITORY.format(url=repository.as_uri())})
    spec = MavenSpec(group="org.example", artifact="thing", version=version)
    projects = []

    for number in (1, 2):
        publish(repository, version if published else str(number), f"of {number}", number)
        variables = environment(user)
        projects.append(prepare_artifact(spec, home=home, host=LocalHost(), environment=variables))

    first, second = projects
    assert (first.revision, second.revision) == ((version,) * 2 if published else ("1", "2"))
    assert first.digest != second.digest
    for number, project in enumerate(projects, 1):
        (benchmarks,) = project.list_paths(Role.BENCHMARKS)
        assert (benchmarks / "org/ex/Things.class").read_text() == f"of {number}"


def test_an_extra_that_can_change_is_resolved_each_time(home, user, tmp_path):
    repository, variables = tmp_path / "repository", environment(user)
    write(user, {".m2/settings.xml": OWN_REPOSITORY.format(url=repository.as_uri())})
    publish(repository, "7", "always the same")
    snapshot = ("org.example:thing:7-SNAPSHOT",)
    spec = MavenSpec(group="org.example", artifact="thing", version="7", extra=snapshot)
    digests = set()

    for number in (1, 2):
        publish(repository, "7-SNAPSHOT", f"of {number}", number)
        project = prepare_artifact(spec, home=home, host=LocalHost(), environment=variables)
        digests.add(project.digest)

    assert len(digests) == 2


def test_benchmarks_are_built_from_published_test_sources(home, user, tmp_path):
    project = prepare_artifact(TEXT, home=home, host=LocalHost(), environment=environment(user))
    folder = project.root
    (folder / "files" / "commons-text-1.11.0-tests.jar").rename(tmp_path / "aside.jar")
    text = (folder / "resolved.json").read_text()
    (folder / "resolved.json").write_text(text.replace('"tests": ', '"ignored": ').replace(
        "commons-text-1.11.0-tests.jar", "commons-text-1.11.0.jar"
    ))  # fmt: skip
    try:
        built = prepare_artifact(TEXT, home=home, host=LocalHost(), environment=environment(user))
    finally:
        (tmp_path / "aside.jar").rename(folder / "files" / "commons-text-1.11.0-tests.jar")
        (folder / "resolved.json").write_text(text)

    (benchmarks,) = built.list_paths(Role.BENCHMARKS)
    assert benchmarks.is_dir()
    assert (benchmark_list(benchmarks) or "").count("JMH S ") == 16


def test_a_project_is_built_in_our_copy_only(home, user):
    tree = everything(JAVA_RING)
    before = everything(user)

    project = prepared(JAVA_RING, home, user)

    (benchmarks,) = project.list_paths(Role.BENCHMARKS)
    assert "org.example.ring.Durations" in (benchmark_list(benchmarks) or "")
    assert "org/example/ring/Ring$Cursor.class" in library_files(project)
    assert not any("Durations" in name for name in library_files(project))
    assert [path.name for path in project.list_paths(Role.SOURCES)] == ["java", "java"]
    assert all(part.path.is_relative_to(home.root) for part in project.parts)
    assert prepared(JAVA_RING, home, user) == project
    assert everything(JAVA_RING) == tree
    assert everything(user) == before


def test_what_the_user_has_downloaded_is_read_and_their_mirror_is_honoured(home, user, tmp_path):
    first_project = prepared(JAVA_RING, home, user)
    write(user, {".m2/settings.xml": NOWHERE})
    (user / ".m2" / "repository").symlink_to(home.make_cache_folder("maven"))
    before = everything(home.make_cache_folder("maven"))

    project = prepared(JAVA_RING, HomeFolder(tmp_path / "empty"), user)

    assert project.digest == first_project.digest
    assert everything(home.make_cache_folder("maven")) == before


def test_without_a_network_one_line_says_so(user, tmp_path):
    write(user, {".m2/settings.xml": NOWHERE})

    with pytest.raises(ResolveFailed, match="check the network") as failure:
        prepare_artifact(
            TEXT,
            home=HomeFolder(tmp_path / "empty"),
            host=LocalHost(),
            environment=environment(user),
        )

    assert "\n" not in str(failure.value)


def test_a_module_of_benchmarks_measures_the_other_modules(home, user, tmp_path):
    project = prepared(write(tmp_path / "many", many_modules()), home, user)

    assert library_files(project) == {"org/example/many/Sum.class"}
    (benchmarks,) = project.list_paths(Role.BENCHMARKS)
    assert benchmarks.parts[-3:] == ("benchmarks", "target", "classes")


def test_a_module_can_be_the_subject_and_is_built_with_those_it_needs(home, user, tmp_path):
    top = write(tmp_path / "many", many_modules())

    project = prepared(top / "benchmarks", home, user)

    assert library_files(project) == {"org/example/many/Sum.class"}
    assert project.root.name == "benchmarks"


def test_benchmarks_among_the_classes_they_measure_are_parted_from_them(home, user, tmp_path):
    project = prepared(write(tmp_path / "one", one_module()), home, user)

    assert library_files(project) == {"org/example/many/Sum.class"}


def test_a_compile_error_is_told_with_the_compilers_line(home, user, tmp_path):
    files = one_module()
    files["src/main/java/org/example/many/Sum.java"] += "class { }"

    with pytest.raises(BuildFailed, match=r"Sum\.java:\[3,"):
        prepared(write(tmp_path / "one", files), home, user)


def test_a_project_without_benchmarks_is_told_what_to_look_for(home, user, tmp_path):
    files = one_module()
    del files["src/main/java/org/example/many/Sums.java"]

    with pytest.raises(NoBenchmarks, match="one has no benchmarks"):
        prepared(write(tmp_path / "one", files), home, user)


def test_a_project_that_names_no_jmh_is_not_built(home, user, tmp_path):
    files = {
        "pom.xml": "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId>"
        "<artifactId>plain</artifactId><version>1</version></project>",
        "src/main/java/A.java": "class { this does not compile",
    }

    with pytest.raises(NoBenchmarks, match="plain has no benchmarks: no source file below it"):
        prepared(write(tmp_path / "plain", files), home, user)


def test_a_profile_is_switched_on_and_makes_another_project(home, user, tmp_path):
    files = one_module()
    needed = "".join(f"<dependency>{declaration}</dependency>" for declaration in JMH)
    without, profile_id = files["pom.xml"].replace(needed, ""), "<id>measure</id>"
    profile = f"<profile>{profile_id}<dependencies>{needed}</dependencies></profile>"
    files["pom.xml"] = without.replace("<build>", f"<profiles>{profile}</profiles><build>")
    folder = write(tmp_path / "one", files)

    with pytest.raises(BuildFailed, match=r"(?s)org\.openjdk\.jmh.*try .profiles.: ..measure"):
        prepared(folder, home, user)
    project = prepared(folder, home, user, "measure")
    second_project = prepared(folder, home, user, "measure", "!another")

    (benchmarks,) = project.list_paths(Role.BENCHMARKS)
    assert "org.example.many.Sums" in (benchmark_list(benchmarks) or "")
    assert project.digest != second_project.digest


def test_a_flag_reaches_the_projects_own_wrapper(home, user, tmp_path):
    files = {**many_modules(), "mvnw": WRAPPER}
    folder = write(tmp_path / "many", files)
    before = everything(folder)

    project = prepared(folder, home, user, flags=("-Dsaid",))

    assert "-Dsaid" in (project.root / "wrapped").read_text()
    assert any(benchmark_list(path) for path in project.list_paths(Role.BENCHMARKS))
    assert prepared(folder, home, user).digest != project.digest
    assert everything(folder) == before


def test_a_commit_that_changes_no_class_is_built_of_the_same_code(home, user, tmp_path):
    def changed(name, file, before, after):
        folder = Path(shutil.copytree(JAVA_RING, tmp_path / name))
        text = (folder / file).read_text()
        assert before in text
        (folder / file).write_text(text.replace(before, after, 1))
        return prepared(folder, home, user)

    ring = "src/main/java/org/example/ring/Ring.java"
    original = prepared(JAVA_RING, home, user)
    comment = changed("comment", ring, "private int head;", "private int head; // the oldest")
    text = changed("text", "README.md", "\n", "\nmore\n")
    code = changed("code", ring, "size++;", "size = size + 2 - 1;")

    assert len({project.digest for project in (original, comment, text, code)}) == 4
    assert original.all_inputs == comment.all_inputs == text.all_inputs
    assert code.all_inputs != original.all_inputs


def test_the_users_real_folder_of_maven_is_not_even_made(home, user):
    existed = Path("~/.m2").expanduser().exists()

    prepared(JAVA_RING, home, user)

    assert Path("~/.m2").expanduser().exists() == existed
