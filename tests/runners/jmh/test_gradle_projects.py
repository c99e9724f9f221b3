"""Real builds with Gradle: a wrapper's, several projects, the plugin of JMH, what fails."""

import shutil
import zipfile
from pathlib import Path

import pytest
from maven_making import BENCHMARK, SUM, environment, everything, write

from auditor.core.errors import BuildFailed, NoBenchmarks, ToolMissing
from auditor.core.request import BuildOptions, FolderSpec
from auditor.core.subject import Role
from runners.hosts.local import LocalHost
from runners.jmh.classes import benchmark_list
from runners.jmh.guests import prepare_guests
from runners.jmh.harness import JmhHarness
from runners.jmh.project import jmh_jar, prepare_tree
from runners.subjects.place import place_subject

pytestmark = [
    pytest.mark.subject,
    pytest.mark.skipif(shutil.which("gradle") is None, reason="needs Gradle"),
]
JAVA = "apply plugin: 'java'\nsourceCompatibility = 8\nrepositories {{ mavenCentral() }}\n{}"
NEEDED = """dependencies {
    implementation 'org.openjdk.jmh:jmh-core:1.37'
    compileOnly 'org.openjdk.jmh:jmh-generator-annprocess:1.37'
    implementation project(':library')
}
"""
PLUGIN = """buildscript {
    repositories { mavenCentral() }
    dependencies { classpath 'me.champeau.gradle:jmh-gradle-plugin:0.4.4' }
}
"""
SOURCE_FOLDER = "src/main/java/org/example/many"
WRAPPER = '#!/bin/sh\ntouch wrapped\nexec gradle "$@"\n'


def several():
    """Return a build whose benchmarks are a project of their own, with a wrapper."""
    return {
        "settings.gradle": "include 'library', 'benchmarks'\n",
        "gradlew": WRAPPER,
        "library/build.gradle": JAVA.format(""),
        f"library/{SOURCE_FOLDER}/Sum.java": SUM,
        "benchmarks/build.gradle": JAVA.format(NEEDED),
        f"benchmarks/{SOURCE_FOLDER}/Sums.java": BENCHMARK,
    }


def with_the_plugin():
    """Return a build with benchmarks where the plugin wants them."""
    return {
        "settings.gradle": "rootProject.name = 'sums'\n",
        "build.gradle": PLUGIN
        + JAVA.format("apply plugin: 'me.champeau.gradle.jmh'\njmh { jmhVersion = '1.37' }\n"),
        f"{SOURCE_FOLDER}/Sum.java": SUM,
        "src/jmh/java/org/example/many/Sums.java": BENCHMARK,
    }


@pytest.fixture(scope="module")
def gradle_home(tmp_path_factory):
    return tmp_path_factory.mktemp("gradle-home")


@pytest.fixture
def variables(tmp_path, gradle_home):
    (tmp_path / "user").mkdir()
    return environment(tmp_path / "user", GRADLE_USER_HOME=str(gradle_home))


def prepared(folder, home, variables, *flags, host=None):
    placed = place_subject(FolderSpec(folder), home=home, host=LocalHost(), environment=variables)
    words = BuildOptions(flags=flags)
    return prepare_tree(
        placed, home=home, host=host or LocalHost(), environment=variables, words=words
    )


def classes(project, role):
    return {
        path.name
        for part in project.list_paths(role)
        for path in part.rglob("*.class")
        if "jmh_generated" not in path.parts
    }


def benchmarks(project, home, variables, build_folder):
    """List the benchmarks as an audit does."""
    guests = prepare_guests(
        jmh_core_jar=jmh_jar(project.parts), home=home, host=LocalHost(), environment=variables
    )
    suite = JmhHarness(guests).discover_suite(project, build_folder, LocalHost().run_process)
    assert not suite.unusable
    return [benchmark.id for benchmark in suite.benchmarks]


def test_projects_are_built_by_their_wrapper_and_the_checkout_is_left_alone(
    jmh_home, variables, tmp_path
):
    folder = write(tmp_path / "several", several())
    before = everything(folder)

    project = prepared(folder, jmh_home, variables)

    assert benchmarks(project, jmh_home, variables, tmp_path) == ["org.example.many.Sums.sum"]
    assert classes(project, Role.BENCHMARKS) == {"Sums.class"}
    (jar,) = project.list_paths(Role.LIBRARY)
    assert jar.name == "library.jar"
    assert {place.parent.name for place in project.list_paths(Role.SOURCES)} >= {"main"}
    assert (project.root / "wrapped").is_file()
    assert everything(folder) == before


def test_a_project_inside_a_build_is_built_with_those_it_needs(jmh_home, variables, tmp_path):
    folder = write(tmp_path / "several", several())

    project = prepared(folder / "benchmarks", jmh_home, variables)

    assert project.root.name == "benchmarks"
    assert benchmarks(project, jmh_home, variables, tmp_path) == ["org.example.many.Sums.sum"]


def test_what_the_plugin_generates_is_found(jmh_home, variables, tmp_path):
    project = prepared(write(tmp_path / "sums", with_the_plugin()), jmh_home, variables)

    assert benchmarks(project, jmh_home, variables, tmp_path) == ["org.example.many.Sums.sum"]
    assert classes(project, Role.BENCHMARKS) == {"Sums.class"}
    assert classes(project, Role.LIBRARY) == {"Sum.class"}


def test_what_no_processor_has_generated_is_generated_of_the_classes(jmh_home, variables, tmp_path):
    files = several()
    processor = "    compileOnly 'org.openjdk.jmh:jmh-generator-annprocess:1.37'\n"
    assert processor in files["benchmarks/build.gradle"]
    files["benchmarks/build.gradle"] = files["benchmarks/build.gradle"].replace(processor, "")

    project = prepared(write(tmp_path / "several", files), jmh_home, variables)

    assert benchmarks(project, jmh_home, variables, tmp_path) == ["org.example.many.Sums.sum"]
    assert classes(project, Role.BENCHMARKS) == {"Sums.class"}
    (jar,) = project.list_paths(Role.LIBRARY)
    assert jar.name == "library.jar"


def test_a_jar_that_lies_in_the_tree_is_needed_and_not_measured(jmh_home, variables, tmp_path):
    needed = NEEDED.replace("project(':library')", "fileTree('libs')")
    files = {
        "settings.gradle": "rootProject.name = 'sums'\n",
        "build.gradle": JAVA.format(needed),
        f"{SOURCE_FOLDER}/Sum.java": SUM,
        f"{SOURCE_FOLDER}/Sums.java": BENCHMARK,
    }
    folder = write(tmp_path / "sums", files)
    (folder / "libs").mkdir()
    with zipfile.ZipFile(folder / "libs" / "theirs.jar", "w") as jar:
        jar.writestr("org/other/Theirs.class", "")

    project = prepared(folder, jmh_home, variables)

    assert classes(project, Role.BENCHMARKS) == {"Sums.class"}
    assert classes(project, Role.LIBRARY) == {"Sum.class"}
    assert "theirs.jar" in {path.name for path in project.list_paths(Role.DEPENDENCY)}


def test_flags_reach_the_build(jmh_home, variables, tmp_path):
    files = several()
    files["benchmarks/build.gradle"] = JAVA.format(
        f"if (project.hasProperty('measure')) {{\n{NEEDED}}}\n"
    )
    folder = write(tmp_path / "several", files)

    with pytest.raises(BuildFailed, match=r"(?s)gradle ended with 1.*compileJava"):
        prepared(folder, jmh_home, variables)
    project = prepared(folder, jmh_home, variables, "-Pmeasure")

    assert any(benchmark_list(path) for path in project.list_paths(Role.BENCHMARKS))


def test_what_has_no_benchmarks_is_told_what_to_look_for(jmh_home, variables, tmp_path):
    files = several()
    del files[f"benchmarks/{SOURCE_FOLDER}/Sums.java"]

    with pytest.raises(NoBenchmarks, match=r"several has no benchmarks: .*me\.champeau\.jmh"):
        prepared(write(tmp_path / "several", files), jmh_home, variables)


def test_without_wrapper_and_gradle_one_line_says_what_to_do(jmh_home, variables, tmp_path):
    files = several()
    del files["gradlew"]
    nothing = tmp_path / "bin"
    nothing.mkdir()
    for tool in ("java", "javac"):
        (nothing / tool).symlink_to(Path(shutil.which(tool) or ""))
    bare = tuple(sorted({**dict(variables), "PATH": str(nothing)}.items()))

    with pytest.raises(ToolMissing, match="the project has no gradlew, and gradle was not found"):
        prepared(write(tmp_path / "bare", files), jmh_home, bare)
