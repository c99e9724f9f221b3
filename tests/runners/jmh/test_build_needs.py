"""What is made of builds that ask for another JDK, Maven or Gradle, and of what they print."""

import os
import re
import shutil

import pytest
from fake_host import FakeHost
from maven_making import environment, one_module, write

from auditor.core.errors import BuildFailed, ResolveFailed, ToolMissing, UsageError
from auditor.core.jobs import CompletedProcess
from auditor.core.request import BuildOptions
from runners.home import HomeFolder
from runners.hosts.local import LocalHost
from runners.jmh.build.build_plan import BuildSteps
from runners.jmh.build.gradle import Gradle, source_sets
from runners.jmh.build.maven import Maven
from runners.jmh.build.tool_needs import find_need, java_asked_for
from runners.jmh.jdks import installed_jdks, with_jdk

WRAPPER_AWAY = b"""Downloading https://mirror.example/distributions/gradle-8.7-bin.zip

Exception in thread "main" java.net.UnknownHostException: mirror.example
\tat java.base/sun.nio.ch.NioSocketImpl.connect(NioSocketImpl.java:572)
\tat org.gradle.wrapper.Install.forceFetch(SourceFile:2)
\tat org.gradle.wrapper.GradleWrapperMain.main(SourceFile:67)
"""


def jdk_folder(folder, version):
    """Make what looks like a JDK from outside."""
    write(folder, {"release": f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n', "bin/javac": ""})
    (folder / "bin/javac").chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("message", "needed"),
    [
        ("Fatal error compiling: error: invalid target release: 21", "JDK 21 or newer"),
        ("error: invalid source release: 1.9", "JDK 9 or newer"),
        ("Fatal error compiling: error: release version 25 not supported", "JDK 25 or newer"),
        (
            "x/Y has been compiled by a more recent version of the Java Runtime (class file "
            "version 65.0), this version of the Java Runtime only recognizes up to 61.0",
            "JDK 21 or newer",
        ),
        ("class file has wrong version 69.0, should be 61.0", "JDK 25 or newer"),
        ("Dependency requires at least JVM runtime version 21.", "JDK 21 or newer"),
        (
            "Source option 6 is no longer supported. Use 7 or later.",
            "JDK 11 or older, as it is compiled for Java 6",
        ),
        (
            "Unsupported class file major version 69",
            "a JDK older than 25, as its build tool or a plug-in reads no newer classes",
        ),
        (
            "Detected JDK version 17.0.15 (JAVA_HOME=/j) is not in the allowed range [21,22).",
            "a JDK in the range [21,22)",
        ),
        (
            "Source option 1.2.3 is no longer supported",
            "JDK 8 or older, as it is compiled for Java 2",
        ),
        ("invalid target release: 21.", "JDK 21 or newer"),
        ("The plugin g:a:3.2 requires Maven version 3.9.6", "Maven 3.9.6 or newer"),
        ("Detected Maven Version: 3.8.7 is not in the allowed range [3.9,4).", "Maven [3.9,4)"),
        ("'modelVersion' must be one of [4.0.0] but is '4.1.0'.", "Maven 4"),
        ("Could not resolve ${session.rootDirectory} in the POM", "Maven 3.9 or newer"),
        (
            "No matching toolchains found for requested specification: {languageVersion=21, "
            "vendor=any vendor, implementation=vendor-specific} for LINUX on x86_64.",
            "JDK 21 or newer",
        ),
        (
            "Cannot find matching toolchain definitions for the following toolchain types:\n"
            "jdk [ version='21' ]",
            "JDK 21 or newer",
        ),
    ],
)
def test_what_a_build_needs_is_read_from_what_it_says(message, needed):
    need = find_need(message)

    assert need is not None
    assert need.versions == needed


@pytest.mark.parametrize(
    "message",
    [
        "COMPILATION ERROR",
        "source value 7 is obsolete",
        "A.java:[3,1] ';' expected",
        "21",
        "Unsupported class file major version 3",
        f"Unsupported class file major version {'9' * 5000}",
        f"Source option {'9' * 5000} is no longer supported",
    ],
)
def test_other_failures_need_no_other_tool(message):
    assert find_need(message) is None


RANGE = "Detected JDK Version: 17.0.15 is not in the allowed range {}."


@pytest.mark.parametrize(
    ("message", "is_too_old"),
    [
        ("Unsupported class file major version 61", True),
        ("Unsupported class file major version 62", False),
        ("Source option 6 is no longer supported. Use 7 or later.", True),
        ("Target option 1.3 is no longer supported. Use 7 or later.", True),
        ("Source option 7 is no longer supported. Use 8 or later.", False),
        ("error: release version 6 not supported", True),
        ("error: release version 7 not supported", False),
        ("Could not determine java version from '17.0.15'.", True),
        ("Could not determine java version from '25.0.1'.", False),
        ("error: release version 25 not supported", False),
        *(
            (RANGE.format(version_range), True)
            for version_range in ("[1.8,1.9)", "(,17)", "[11,17.0)", "[1.8]")
        ),
        *(
            (RANGE.format(version_range), False)
            for version_range in ("[17,18)", "(,17]", "[17.0,17.0.5)", "[21,)")
        ),
    ],
)
def test_a_jdk_that_is_too_old_for_an_audit_is_not_asked_for(message, is_too_old, tmp_path):
    version = CompletedProcess(exit_code=0, stderr=b'openjdk version "17.0.15"')
    build = CompletedProcess(exit_code=1, stderr=message.encode())
    host = FakeHost(lambda job: version if {"-version", "sh"} & {*job.argv} else build)

    with pytest.raises(ToolMissing) as failure:
        Gradle(host=host, environment=()).build_project(tmp_path, tmp_path, BuildOptions())

    text = str(failure.value)
    assert ("but bench-audit needs JDK 17 or newer" in text) == is_too_old
    assert ("or audit a jar" in text) == is_too_old
    assert ('choose one by "jdk"' in text) != is_too_old
    assert "\n" not in text


@pytest.mark.parametrize(
    ("versions", "feature", "allowed"),
    [
        ("17", 17, True),
        ("17", 21, True),
        ("17", 11, False),
        ("1.8", 8, True),
        ("21.0.2", 17, False),
        ("[21,22),[25,26)", 17, False),
        ("[21,22),[25,26)", 21, True),
        ("[21,22),[25,26)", 22, False),
        ("[21,22),[25,26)", 25, True),
        ("[17,)", 25, True),
        ("(17,)", 17, False),
        ("(17.0.2,)", 17, True),
        ("(,17]", 17, True),
        ("(,17]", 21, False),
        ("[1.8,1.9)", 17, False),
        ("[17,21.0.5)", 21, True),
        ("[17]", 17, True),
        ("[17]", 21, False),
        ("${java.version}", 17, True),
        ("[${java.version},)", 17, True),
        ("[${java.version}]", 17, True),
        ("", 17, True),
    ],
)
def test_what_the_enforcer_allows_is_known(versions, feature, allowed):
    need = java_asked_for(versions, feature)

    assert (need is None) == allowed
    if need is not None:
        assert re.search(r"\d", need.versions)


def test_the_enforcer_is_asked_where_a_build_fails_for_no_other_reason(tmp_path):
    """It is skipped; a javac plug-in of a newer Java says nothing but the lines of a stack."""
    rule = (
        "<requireJavaVersion><!-- LTS -->\n<version>[21,22),[25,26)</version></requireJavaVersion>"
    )
    files = one_module()
    files["pom.xml"] = files["pom.xml"].replace(
        "<plugins>", f"<plugins><plugin><configuration>{rule}</configuration></plugin>"
    )
    write(tmp_path, files)
    failed = b"[ERROR] COMPILATION ERROR :\n[ERROR] \tat java.base/java.lang.ClassLoader.define\n"

    def machine(job):
        if job.argv[0] == "sh":
            return LocalHost().run_process(job)
        version = CompletedProcess(exit_code=0, stderr=b'openjdk version "17.0.1"')
        return version if "-version" in job.argv else CompletedProcess(exit_code=1, stdout=failed)

    home, environment = HomeFolder(tmp_path / "home"), (("PATH", os.environ["PATH"]),)
    maven = Maven(home=home, host=FakeHost(machine), environment=environment)
    with pytest.raises(
        ToolMissing, match=r"needs a JDK in the range \[21,22\),\[25,26\), and was b"
    ):
        maven.run_goals("compile", cwd=tmp_path, activity="the build")

    (tmp_path / "pom.xml").write_text(files["pom.xml"].replace("[21,22)", "[17,22)"))
    with pytest.raises(BuildFailed, match="COMPILATION ERROR"):
        maven.run_goals("compile", cwd=tmp_path, activity="the build")


def test_a_wrong_jdk_is_said_with_those_that_are_installed(tmp_path):
    jdk_home = jdk_folder(tmp_path / ".jdks" / "temurin-21", "21.0.4")
    failed = b"[ERROR] Fatal error compiling: error: release version 21 not supported\n"

    def machine(job):
        if job.argv[0] == "sh":
            return LocalHost().run_process(job)
        version = CompletedProcess(exit_code=0, stderr=b'openjdk version "17.0.1"')
        return version if "-version" in job.argv else CompletedProcess(exit_code=1, stdout=failed)

    maven = Maven(
        home=HomeFolder(tmp_path / "home"),
        host=FakeHost(machine),
        environment=(("HOME", str(tmp_path)), ("PATH", os.environ["PATH"])),
    )
    with pytest.raises(ToolMissing) as failure:
        maven.run_goals("compile", cwd=tmp_path, activity="the build")

    text = str(failure.value)
    assert text.startswith(
        "the build: the project needs JDK 21 or newer, and was built with JDK 17"
    )
    assert f"21.0.4 ({jdk_home})" in text
    assert "\n" not in text


def test_what_a_plug_in_of_the_compiler_needs_stands_in_lines_without_a_mark(tmp_path):
    failed = (
        b"[ERROR] COMPILATION ERROR :\nCaused by: java.lang.UnsupportedClassVersionError: x/Y has "
        b"been compiled by a more recent version of the Java Runtime (class file version 65.0)\n"
    )
    earlier = b"[WARNING] release version 99 not supported, it is said elsewhere\n"
    version = CompletedProcess(exit_code=0, stderr=b'openjdk version "17.0.1"')
    build = CompletedProcess(exit_code=1, stdout=earlier + failed)
    host = FakeHost(lambda job: version if "-version" in job.argv else build)

    with pytest.raises(ToolMissing, match="needs JDK 21 or newer"):
        Maven(home=HomeFolder(tmp_path), host=host, environment=()).run_goals(
            "x", cwd=tmp_path, activity="it"
        )


def test_a_wrong_maven_is_said_with_the_one_that_is_here(tmp_path):
    failed = b"[ERROR] The plugin g:a:3.2 requires Maven version 3.9.6 -> [Help 1]\n"

    def machine(job):
        if "-v" in job.argv:
            return CompletedProcess(exit_code=0, stdout=b"Apache Maven 3.8.7\nMaven home: /m\n")
        return CompletedProcess(exit_code=1, stdout=failed)

    maven = Maven(home=HomeFolder(tmp_path), host=FakeHost(machine), environment=())
    with pytest.raises(ToolMissing, match=r"needs Maven 3\.9\.6 or newer, and mvn is 3\.8\.7"):
        maven.run_goals("compile", cwd=tmp_path, activity="the build")


def test_jdks_are_found_once_where_installers_put_them(tmp_path):
    first = jdk_folder(tmp_path / ".jdks" / "a", "21.0.4")
    (tmp_path / ".sdkman/candidates/java").mkdir(parents=True)
    (tmp_path / ".sdkman/candidates/java/current").symlink_to(first)
    jdk_folder(tmp_path / ".sdkman/candidates/java/old", "1.8.0_292")
    write(tmp_path / ".jdks/broken", {"release": "x"})
    variables = (("HOME", str(tmp_path)), ("PATH", os.environ["PATH"]))

    jdks = [
        installed_jdk
        for installed_jdk in installed_jdks(LocalHost(), variables)
        if tmp_path in installed_jdk.home.parents
    ]

    assert [(jdk.feature, jdk.version) for jdk in jdks] == [(21, "21.0.4"), (8, "1.8.0_292")]


def test_a_jdk_is_chosen_by_its_number_or_folder(tmp_path):
    folder = jdk_folder(tmp_path / ".jdks" / "made-up", "99.0.1")
    user_variables = (("HOME", str(tmp_path)), ("PATH", os.environ["PATH"]))

    for jdk_choice in ("99", str(folder)):
        variables = dict(with_jdk(jdk_choice, LocalHost(), user_variables))
        assert variables["JAVA_HOME"] == str(folder)
        assert variables["PATH"].startswith(f"{folder}/bin:")
    assert with_jdk("", LocalHost(), user_variables) == user_variables
    with pytest.raises(UsageError, match=r"no JDK 98 is installed; installed: 99\.0\.1"):
        with_jdk("98", LocalHost(), user_variables)


def test_a_wrapper_that_cannot_fetch_gradle_is_one_line_with_remedies(tmp_path):
    host = FakeHost(lambda _: CompletedProcess(exit_code=1, stderr=WRAPPER_AWAY))

    with pytest.raises(ResolveFailed) as failure:
        Gradle(host=host, environment=()).build_project(tmp_path, tmp_path, BuildOptions())

    text = str(failure.value)
    assert "\n" not in text
    assert "cannot fetch https://mirror.example/distributions/gradle-8.7-bin.zip" in text
    assert "(UnknownHostException: mirror.example)" in text
    assert '"gradle" of the subject' in text


def test_a_build_that_fails_is_no_wrapper_that_cannot_fetch(tmp_path):
    content = b"* What went wrong:\nCould not read https://x/gradle-8.7-bin.zip\n\n* Try:\n"
    host = FakeHost(lambda _: CompletedProcess(exit_code=1, stderr=content))

    with pytest.raises(BuildFailed, match="gradle ended with 1"):
        Gradle(host=host, environment=()).build_project(tmp_path, tmp_path, BuildOptions())


@pytest.mark.parametrize(
    "cause",
    [b"Could not find method dependencyResolutionManagement() for arguments", b"only id(String)"],
)
def test_a_failure_of_another_gradle_names_the_version_of_the_wrapper(cause, tmp_path):
    url = "https\\://mirror.example/gradle-8.10.2-bin.zip"
    write(tmp_path, {"gradle/wrapper/gradle-wrapper.properties": f"distributionUrl={url}\n"})
    content = b"* What went wrong:\n" + cause + b"\n\n* Try:\n"
    host = FakeHost(lambda _: CompletedProcess(exit_code=1, stderr=content))
    tool = Gradle(host=host, environment=(), program="/opt/gradle")

    with pytest.raises(BuildFailed, match=r"wrapper has Gradle 8\.10\.2: if /opt/gradle is of ano"):
        tool.build_project(tmp_path, tmp_path / "module", BuildOptions())


SOURCE_SETS_JSON = '[{{"name": "main", "classes": ["/c"], "path": ["{}"], "sources": []}}]'


@pytest.mark.parametrize("kind", ["valid", "cut off", "a file", "a link"])
def test_what_a_project_brings_along_is_not_taken_for_what_gradle_has_built(kind, tmp_path):
    top, outside = tmp_path / "tree", tmp_path / "away"
    write(outside, {"x.json": SOURCE_SETS_JSON.format("/etc")})
    top.mkdir()
    if kind == "a link":
        (top / "bench-audit-parts").symlink_to(outside)
    elif kind == "a file":
        write(top, {"bench-audit-parts": ""})
    else:
        text = SOURCE_SETS_JSON.format("/etc") if kind == "valid" else "{"
        write(top, {"bench-audit-parts/x.json": text})

    def machine(_):
        write(top, {"bench-audit-parts/_.json": SOURCE_SETS_JSON.format(top)})
        return CompletedProcess(exit_code=0)

    Gradle(host=FakeHost(machine), environment=()).build_project(top, top, BuildOptions())

    assert [source_set.path for source_set in source_sets(top)] == [(top,)]
    assert [path.name for path in outside.iterdir()] == ["x.json"]


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[1]",
        '[{"name": "main"}]',
        SOURCE_SETS_JSON.format("relative"),
        SOURCE_SETS_JSON.format("/\\u0000"),
    ],
)
def test_what_a_build_writes_in_the_place_of_our_task_is_one_line(text, tmp_path):
    write(tmp_path, {"bench-audit-parts/x.json": text})

    with pytest.raises(BuildFailed, match=r"changed bench-audit-parts/x\.json") as failure:
        list(source_sets(tmp_path))

    assert "\n" not in str(failure.value)


def test_the_gradle_of_the_subject_counts_before_its_wrapper(tmp_path):
    write(tmp_path, {"gradlew": "exit 1\n"})
    gradle_program = tmp_path / "mine"
    gradle_program.write_text("#!/bin/sh\necho called >called\n")
    gradle_program.chmod(0o755)
    variables = environment(tmp_path)
    tool = Gradle(host=LocalHost(), environment=variables, program=str(gradle_program))

    tool.build_project(tmp_path, tmp_path, BuildOptions())

    assert (tmp_path / "called").read_text() == "called\n"
    absent = Gradle(host=LocalHost(), environment=variables, program="/absent/gradle")
    with pytest.raises(ToolMissing, match=r'/absent/gradle, the "gradle" of the subject'):
        absent.build_project(tmp_path, tmp_path, BuildOptions())


def test_steps_of_a_build_are_read_as_they_are_printed():
    messages = []
    steps = BuildSteps("Maven", messages.append)
    text = b"""[INFO] Scanning for projects...
[INFO] Building core 1.0-SNAPSHOT                                         [2/38]
[INFO] --- maven-compiler-plugin:3.11.0:compile (default-compile) @ core ---
[INFO] --- compiler:3.11.0:testCompile (default-testCompile) @ core ---
Downloading from central: https://repo.example/m2/g/a/1/a-1.jar
[WARNING] something
> Task :lib:compileJava
"""

    for number in range(0, len(text), 7):
        assert steps.report_steps(text[number : number + 7]) == ()

    assert messages == [
        "Maven: core 1.0-SNAPSHOT [2/38]",
        "Maven: core 1.0-SNAPSHOT [2/38] compiler:compile",
        "Maven: core 1.0-SNAPSHOT [2/38] compiler:testCompile",
        "Maven: core 1.0-SNAPSHOT [2/38] fetches a-1.jar",
        "Maven: :lib:compileJava",
    ]


@pytest.mark.subject
@pytest.mark.skipif(shutil.which("mvn") is None, reason="needs Maven")
def test_what_maven_does_is_told_while_it_runs(jmh_home, tmp_path):
    folder = write(tmp_path / "one", one_module())
    messages = []
    maven = Maven(
        home=jmh_home, host=LocalHost(), environment=environment(tmp_path), tell=messages.append
    )

    maven.run_goals("validate", "compile", cwd=folder, activity="the build")

    assert any(message.endswith("compiler:compile") for message in messages)


@pytest.mark.parametrize(
    ("message", "fitting"),
    [
        ("error: release version 99 not supported", ()),
        ("error: release version 21 not supported", (21, 25)),
        ("error: release version 7 not supported", (17,)),
        ("Source option 5 is no longer supported. Use 7 or later.", ()),
    ],
)
def test_of_installed_jdks_only_those_that_fit_are_to_choose(message, fitting):
    need = find_need(message)

    assert need is not None
    assert tuple(filter(need.fits_jdk, (8, 11, 17, 21, 25))) == fitting
