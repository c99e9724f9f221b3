"""The record of Java, whose harness is JMH."""

import os
import posixpath
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import ceil

from auditor.config import Config
from auditor.core.contracts.lint import Linter
from auditor.core.errors import UsageError
from auditor.core.popularity import Library
from auditor.core.request import BuildOptions, ClientSpec, JarSpec, MavenSpec, Pace, SubjectSpec
from auditor.core.series.steady import NeededWarmup
from auditor.core.subject import Language, Project, Role
from auditor.languages.model import (
    HarnessSupport,
    LanguageSupport,
    Machine,
    PatchedFiles,
    PlacedLibrary,
    ReadyClient,
    ReadyProject,
    RequiredProgram,
    SourcePatch,
    TracingSupport,
    public_library,
    split_at_last_dot,
)
from auditor.measure.trial_times import AuditFigures
from mutators.java.mutator import JavaMutator
from mutators.java.slowing import slow_method
from mutators.java.stubs import write_stubs
from runners.jmh import subset
from runners.jmh.built_suite import BuiltSuite
from runners.jmh.client import JavaClients
from runners.jmh.guests import JmhGuest, prepare_guests
from runners.jmh.harness import JmhHarness
from runners.jmh.library import prepare_library
from runners.jmh.project import jmh_jar, prepare_artifact, prepare_jar, prepare_tree
from runners.jmh.testing import UnitTests, published_tests, tests_of_tree
from runners.jmh.tracer import JavaTracer
from runners.subjects.placed import PlacedSubject

_TIME_UNITS = {
    1.0: "",
    1e3: ", timeUnit = TimeUnit.MILLISECONDS",
    1e6: ", timeUnit = TimeUnit.MICROSECONDS",
}
"""JMH's units of time, by their number in a second."""
_NEARLY = 1e-6
_PACE = Pace(warm_seconds=1.0, block_seconds=0.03, longest_seconds=0.03)
"""After 2 s of warm-up the arms of an A/A process differed by 0.000 +- 0.003; after 0.6 s
neighbouring blocks still scattered by 15 to 20 %."""


def _prepare_project(
    spec: SubjectSpec, placed: PlacedSubject, config: Config, machine: Machine
) -> ReadyProject:
    if config.tags:
        raise UsageError("tags work only with Go; remove them for a JMH suite")
    machine = machine.with_jdk(config.build.jdk)
    tests: Callable[[], UnitTests | None] | None = None
    if isinstance(spec, MavenSpec):
        tests = partial(published_tests, spec, **machine.preparation_arguments)
    elif not isinstance(spec, JarSpec):
        tests = partial(tests_of_tree, placed, words=config.build, **machine.preparation_arguments)
    if machine.built is not None:
        project, guests = machine.built.unpack_suite(**machine.preparation_arguments)
    else:
        project, guests = _build_project(spec, placed, config, machine)
    built = partial(BuiltSuite.pack_suite, project, guests, placed)
    return ReadyProject(project, JmhHarness(guests, tests), built=built)


def _build_project(
    spec: SubjectSpec, placed: PlacedSubject, config: Config, machine: Machine
) -> tuple[Project, JmhGuest]:
    if isinstance(spec, MavenSpec):
        project = prepare_artifact(spec, **machine.preparation_arguments)
    elif isinstance(spec, JarSpec):
        project = prepare_jar(spec, placed, host=machine.host, environment=machine.environment)
    else:
        project = prepare_tree(
            placed, words=config.build, tell=machine.tell, **machine.preparation_arguments
        )
    guests = prepare_guests(jmh_core_jar=jmh_jar(project.parts), **machine.preparation_arguments)
    # The guest is not part of the overlay, as Go's is, but decides what is measured as well.
    guest_digest = guests.folder.name[:8]
    project = replace(
        project,
        digest=f"{project.digest}-{guest_digest}",
        content=f"{project.content}-{guest_digest}",
    )
    return project, guests


def _prepare_library(
    placed: PlacedSubject, machine: Machine, subject: SubjectSpec, words: BuildOptions
) -> Library:
    spec = subject if isinstance(subject, MavenSpec) else None
    machine = machine.with_jdk(words.jdk)
    project = prepare_library(
        spec, placed, words=words, tell=machine.tell, **machine.preparation_arguments
    )
    guests = prepare_guests(jmh_core_jar=None, **machine.preparation_arguments)
    folder = machine.home.make_builds_folder(project.digest)
    sources = JmhHarness(guests).read_sources(project, folder, machine.host.run_process)
    return public_library(project, sources, JavaMutator())


def _prepare_client(
    spec: ClientSpec, placed: PlacedSubject, library: PlacedLibrary, machine: Machine
) -> ReadyClient:
    machine = machine.with_jdk(spec.build.jdk)
    guests = prepare_guests(jmh_core_jar=None, **machine.preparation_arguments)
    clients = JavaClients(guests, **machine.preparation_arguments)
    client = clients.prepare_client(spec, placed, library.library.project)
    return ReadyClient(client.project, JavaTracer(guests, client.tests))


def _warmup_setting(iterations: int, needed: NeededWarmup | None) -> str:
    if needed is None:
        return f"@Warmup(iterations = {iterations})"
    if needed.iteration_seconds is None:
        return f"@Warmup(iterations = {needed.iterations})"
    return (
        f"@Warmup(iterations = {needed.iterations}, {_format_jmh_time(needed.iteration_seconds)})"
    )


def _format_jmh_time(seconds: float) -> str:
    """Return a time of JMH's in the greatest unit of which it is a whole number."""
    for per_second, unit in _TIME_UNITS.items():
        if abs(seconds * per_second - round(seconds * per_second)) < _NEARLY:
            return f"time = {round(seconds * per_second)}{unit}"
    return f"time = {ceil(1e6 * seconds)}{_TIME_UNITS[1e6]}"


def _patch_sources(patch: SourcePatch) -> PatchedFiles:
    changed = slow_method(
        patch.sources, patch.method, guarded=patch.guarded, delay=patch.delay, trace=patch.trace
    )
    root = _source_root(patch)
    return {posixpath.join(root, path): text for path, text in changed.items()}


def _source_root(patch: SourcePatch) -> str:
    """Return the source root of the method's file, relative to the project's root.

    Java files are known by their paths below a source root, as in archives.
    """
    file = patch.method.span.file if patch.method.span else ""
    root = next(path for path in patch.project.list_paths(Role.SOURCES) if (path / file).is_file())
    return os.path.relpath(root, patch.project.root)


def _load_linter() -> Linter:
    from mutators.java.lint_rules.linter import JavaLinter  # noqa: PLC0415 slow to load

    return JavaLinter()


JAVA = LanguageSupport(
    language=Language.JAVA,
    kind="jmh",
    main_harness="jmh",
    harnesses={
        "jmh": HarnessSupport(
            prepare=_prepare_project,
            pace=_PACE,
            calls=subset.build_subset_commands,
            warmup_setting=_warmup_setting,
        )
    },
    choose_harness=lambda _: "jmh",
    subject_types=(MavenSpec, JarSpec),
    package_types=(MavenSpec, JarSpec),
    mutator=JavaMutator(),
    tracing=TracingSupport(
        library=_prepare_library, client=_prepare_client, stubs=lambda _: write_stubs
    ),
    make_linter=_load_linter,
    rule_prefix="jmh",
    patch=_patch_sources,
    split_benchmark=split_at_last_dot,
    figures=AuditFigures(start_seconds=0.9, build_seconds=0.2),
    image="java",
    programs=(
        *(
            RequiredProgram(
                name=name,
                argument="-version",
                oldest=(17,),
                purpose="JMH suites",
                debian="apt install openjdk-17-jdk-headless",
                macos="brew install openjdk@17 and set JAVA_HOME",
            )
            for name in ("java", "javac")
        ),
        RequiredProgram(
            name="mvn",
            argument="-version",
            oldest=(3, 6),
            purpose="JMH suites",
            debian="apt install maven",
            macos="brew install maven",
        ),
    ),
)
