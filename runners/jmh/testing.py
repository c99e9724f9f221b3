"""The call that runs unit tests: by the project's build tool, or by JUnit for published tests."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from auditor.core.jobs import Invocation
from auditor.core.plan import Trial
from auditor.core.ports import Host
from auditor.core.request import BuildOptions, MavenSpec
from runners.folders import locate_run_folder
from runners.home import HomeFolder
from runners.jmh.build import artifact, reactor
from runners.jmh.build.artifact import ResolvedArtifact
from runners.jmh.build.build_plan import plan_build
from runners.jmh.build.gradle import Gradle
from runners.jmh.build.maven import Maven, fetch_jar
from runners.jmh.build.source_tree import copy_folder, is_built
from runners.jmh.classes import digest_class_path
from runners.jmh.commandline import INSTRUCTIONS
from runners.jmh.guests import JmhGuest
from runners.jmh.jdk import Jdk, find_jdk
from runners.records import RECORDS_HEADER, RECORDS_VARIABLE
from runners.subjects.place import place_artifact
from runners.subjects.placed import PlacedSubject, is_gradle

CONSOLE = "org.junit.platform:junit-platform-console-standalone:1.11.4"
"""JUnit's own program that runs tests, with the engines of JUnit 3 to 5 in it."""
_CONSOLE_SHA256 = "b016ef6b1c3454d6d7c2c88ce081dabf289699686af6622d6e4e2e1b54b4a2fc"
_MAVEN_TEST = ("-Dmaven.test.failure.ignore=true", "-DfailIfNoTests=false", "test")
RECORDS = "trace.records"


@dataclass(frozen=True, slots=True)
class UnitTests:
    """The process that runs tests; what JVMs call that run elsewhere than below `root` is not."""

    job: Invocation
    root: Path

    def make_traced_job(self, guests: JmhGuest, trial: Trial, build_folder: Path) -> Invocation:
        """Return the process with the agent, which the JVMs that it starts inherit.

        The agent itself tells the JVMs of build tools from those that run tests.
        """
        records = locate_run_folder(build_folder, trial) / RECORDS
        variables = dict(self.job.environment)
        agent = f'"-javaagent:{guests.agent_jar}={build_folder / INSTRUCTIONS}"'
        variables["JAVA_TOOL_OPTIONS"] = f"{variables.get('JAVA_TOOL_OPTIONS', '')} {agent}".strip()
        variables[RECORDS_VARIABLE] = str(records)
        variables["BENCH_AUDIT_ROOT"] = str(self.root)
        return replace(
            self.job,
            environment=tuple(sorted(variables.items())),
            timeout_seconds=trial.timeout_seconds,
            files=((records, f"{RECORDS_HEADER}\n".encode()),),
            collects=(records,),
        )


def make_tree_tests(
    maven: Maven, top: Path, root: Path, words: BuildOptions, tests: Sequence[str]
) -> UnitTests:
    """Return the call of a tree's build tool; `tests` are the only ones, if there are any."""
    if is_gradle(root):
        gradle = Gradle(host=maven.host, environment=maven.environment, program=words.gradle)
        test_options = [word for test in tests for word in ("--tests", test)]
        # Tests that have run before would be up to date, or had from a cache.
        anew = ("--continue", "--no-build-cache", "cleanTest", "test")
        job = gradle.make_job(*anew, *test_options, *words.flags, top=top, cwd=root)
        return UnitTests(job, root)
    cwd, maven, switched = reactor.plan_test_run(top, root, maven, words)
    test_options = [f"-Dtest={','.join(tests)}"] if tests else []
    quiet = ("-Dsurefire.failIfNoSpecifiedTests=false", *_MAVEN_TEST)
    job = maven.make_job(
        *maven.list_common_arguments(cwd), *switched, *test_options, *quiet, cwd=cwd
    )
    return UnitTests(job, root)


def published_tests_path(published_files: ResolvedArtifact) -> tuple[Path, ...]:
    """Return the class path of an artifact's published tests, they first; empty without any."""
    tests = published_files.files.get("tests")
    main_jars = [path for path in (published_files.files.get(""),) if path]
    return () if tests is None else (tests, *main_jars, *published_files.class_path)


def make_jar_tests(maven: Maven, jdk: Jdk, path: Sequence[Path], tests: Sequence[str]) -> UnitTests:
    """Return the call of JUnit for the tests in the first jar of a class path."""
    console = fetch_jar(maven, CONSOLE, _CONSOLE_SHA256, "running tests")
    argv = (
        jdk.java, "-cp", ":".join(map(str, (console, *path))),
        "org.junit.platform.console.ConsoleLauncher", "execute",
        f"--scan-classpath={path[0]}", "--details=summary", "--disable-banner",
        "--disable-ansi-colors", *(f"--include-classname={test}" for test in tests),
    )  # fmt: skip
    # Strangers' tests write where they run: not into what later audits read.
    work_folder = maven.home.make_work_folder(
        f"tests-{digest_class_path(path, repr(tests), CONSOLE)[:24]}"
    )
    return UnitTests(replace(maven.make_job(cwd=work_folder), argv=argv), work_folder)


def tests_of_tree(
    placed: PlacedSubject,
    *,
    home: HomeFolder,
    host: Host,
    environment: tuple[tuple[str, str], ...],
    words: BuildOptions,
) -> UnitTests:
    """Return the call of the build tool, in a copy of their own: what is measured stays as it is.

    The tool compiles as well; tests of siblings that are built with the subject count too.
    """
    maven = Maven(home=home, host=host, environment=environment)
    jdk = find_jdk(host, environment)
    folder = copy_folder(placed, maven, jdk, words, "tests")
    top = folder / "tree"
    root = top / placed.tree.relative_to(placed.root)
    with home.lock_folder(folder):
        if not is_gradle(root):
            reactor.adapt_project(plan_build(top, root, everything=True), jdk)
        is_built(folder, mark_done=True)
    return make_tree_tests(maven, top, root, words, ())


def published_tests(
    spec: MavenSpec, *, home: HomeFolder, host: Host, environment: tuple[tuple[str, str], ...]
) -> UnitTests | None:
    """Return the call of JUnit for the jar of tests, None where none was published."""
    maven = Maven(home=home, host=host, environment=environment)
    fetched = artifact.fetch_artifact(spec, place_artifact(spec, home).tree, maven)
    path = published_tests_path(fetched)
    return make_jar_tests(maven, find_jdk(host, environment), path, ()) if path else None
