"""Versions that are published or built: real downloads, and real builds of two revisions."""

import re
import shutil

import pytest
from fake_host import FakeHost
from version_making import (
    COUNTER,
    NEEDED,
    POM,
    git,
    ready,
    write_files,
)

from auditor.config.concurrency import version_spec
from auditor.core.errors import BuildFailed, SubjectError, UsageError
from auditor.core.request import BuildOptions
from runners.concurrency.lookup import require_class, require_readable
from runners.concurrency.versions import class_names, prepare_version
from runners.home import HomeFolder
from runners.jmh.classes import read_files

pytestmark = [
    pytest.mark.subject,
    pytest.mark.skipif(
        shutil.which("mvn") is None or shutil.which("javac") is None, reason="needs a JDK and Maven"
    ),
]
COUNTER_PATH = "src/main/java/org/example/Counter.java"
USING = "package org.example;\npublic class Using { public Counter it; }\n"
TEST = "package org.example;\npublic class CounterTest { int one = new Counter().add(1); }\n"
COMMONS = NEEDED.format("commons-logging", "commons-logging", "1.2", "") + "</dependency>"
BUCKETS = "org.apache.commons.collections.map.StaticBucketMap"


@pytest.fixture(scope="module")
def home(warm, tmp_path_factory):
    return HomeFolder(warm.home(tmp_path_factory.mktemp("home")))


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Two modules, a library without dependencies and one that needs it; `v1`, then `v2`."""
    top = tmp_path_factory.mktemp("project")
    parent = (
        "<packaging>pom</packaging><modules><module>core</module><module>more</module></modules>"
    )
    core_dependency = NEEDED.format("org.example.two", "core", "1", "</dependency>")
    more = f"<dependencies>{core_dependency}{COMMONS}</dependencies>"
    files = {
        "pom.xml": POM.format(name="two", more=parent),
        "core/pom.xml": POM.format(name="core", more=""),
        f"core/{COUNTER_PATH}": COUNTER,
        "core/src/test/java/org/example/CounterTest.java": TEST,
        "more/pom.xml": POM.format(name="more", more=more),
        "more/src/main/java/org/example/Using.java": USING,
    }
    write_files(top, files)
    git(top, "init", "-q")
    for tag, text in (("v1", COUNTER), ("v2", COUNTER.replace("synchronized ", ""))):
        write_files(top, {f"core/{COUNTER_PATH}": text})
        git(top, "add", "-A")
        git(top, "commit", "-qm", tag)
        git(top, "tag", tag)
    return top


def content(version, name):
    contents = (
        data for place in version.own_entries for text, data in read_files(place) if text == name
    )
    return next(contents)


def test_two_revisions_of_a_project_are_built_with_all_their_modules(project, home):
    before = git(project, "status", "--porcelain", "--ignored")

    old, new = (ready(f"git:{project}@{tag}", home, project) for tag in ("v1", "v2"))

    assert [version.revision for version in (old, new)] == [
        git(project, "rev-parse", tag) for tag in ("v1", "v2")
    ]
    assert old.digest != new.digest
    for version in (old, new):
        own_classes = {name for place in version.own_entries for name in class_names(place)}
        assert {"org.example.Counter", "org.example.Using"} <= own_classes
        everywhere = {name for place in version.class_path for name in class_names(place)}
        assert "org.example.CounterTest" not in everywhere
        assert "org.apache.commons.logging.Log" in everywhere - own_classes
        assert version.class_path[: len(version.own_entries)] == version.own_entries
        require_readable(version, require_class(version, "org.example.Counter.Cell"), 17, 17)
    name = "org/example/Counter.class"
    assert content(old, name) != content(new, name)
    assert git(project, "status", "--porcelain", "--ignored") == before == ""


def test_a_folder_with_a_pom_is_built_as_it_is_now(project, home, tmp_path):
    shutil.copytree(project / "core", tmp_path / "core", symlinks=True)
    write_files(tmp_path / "core", {COUNTER_PATH: COUNTER.replace("nameless", "unnamed")})

    version = ready("core", home, tmp_path)

    assert re.fullmatch("as it is, content [0-9a-f]{12}", version.revision)
    assert b"unnamed" in content(version, "org/example/Counter.class")
    assert not (tmp_path / "core" / "target").exists()


def test_what_does_not_compile_is_said_as_the_build_says_it(project, home, tmp_path):
    shutil.copytree(project / "core", tmp_path / "core")
    write_files(tmp_path / "core", {COUNTER_PATH: COUNTER.replace("int held", "int")})

    with pytest.raises(BuildFailed, match=r"Counter\.java"):
        ready("core", home, tmp_path)
    # What the user asks of the build reaches it.
    words = BuildOptions(flags=("-Dmaven.main.skip", "-Dmaven.test.skip"))
    with pytest.raises(SubjectError, match="core has no classes that are not of tests"):
        ready("core", home, tmp_path, words)


def test_a_repository_of_another_language_is_refused(home, tmp_path):
    write_files(tmp_path, {"go.mod": "module example.org/ring\n"})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")

    with pytest.raises(SubjectError, match="is not a Java project: no Maven or Gradle builds it"):
        ready(f"git:{tmp_path}@HEAD", home, tmp_path)


def test_a_published_artifact_is_fetched_once(home, tmp_path):
    text = "maven:commons-collections:commons-collections:3.2.1"
    version = ready(text, home, tmp_path)

    assert (version.name, version.revision) == (text, "3.2.1")
    assert [path.name for path in version.class_path] == ["commons-collections-3.2.1.jar"]
    require_readable(version, require_class(version, BUCKETS), 8, 17)

    def refuse(job):
        raise AssertionError(f"nothing should be run: {job}")

    spec = version_spec(text, tmp_path)
    repeated_version = prepare_version(text, spec, home=home, host=FakeHost(refuse), environment=())
    assert repeated_version == version


def test_what_an_artifact_needs_to_run_is_fetched_and_what_its_tests_need_is_not(home, tmp_path):
    needing = ready("maven:commons-dbcp:commons-dbcp:1.4", home, tmp_path)

    assert [path.name for path in needing.own_entries] == ["commons-dbcp-1.4.jar"]
    assert [path.name for path in needing.class_path[1:]] == ["commons-pool-1.5.4.jar"]


def test_an_artifact_that_was_never_published_is_refused(home, tmp_path):
    with pytest.raises(UsageError, match="no repository has commons-collections:commons-coll"):
        ready("maven:commons-collections:commons-collections:0.0.9", home, tmp_path)


@pytest.mark.skipif(shutil.which("gradle") is None, reason="needs Gradle")
def test_a_project_of_gradle_is_built_with_what_it_needs(home, tmp_path):
    plugin = "apply plugin: 'java'\nsourceCompatibility = 8\n"
    needing = f"{plugin}dependencies {{ compileOnly project(':core') }}\n"
    making = {
        "settings.gradle": "include 'core', 'more'\n",
        "core/build.gradle": plugin,
        f"core/{COUNTER_PATH}": COUNTER,
        "core/src/main/resources/words.txt": "x",
        "more/build.gradle": needing,
        "more/src/main/java/org/example/Using.java": USING,
        "build.gradle": "",
    }
    write_files(tmp_path / "two", making)

    version = ready("two", home, tmp_path)

    own_files = {name for place in version.own_entries for name, _ in read_files(place)}
    assert {"org/example/Counter.class", "org/example/Using.class", "words.txt"} <= own_files
    assert not any((tmp_path / "two").rglob("build"))
