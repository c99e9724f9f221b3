"""What each harness and its language bring; with `assemble` all that knows concrete classes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from auditor.config import Config
from auditor.core.errors import UsageError
from auditor.core.ports import Harness, Host, Mutator
from auditor.core.request import BuildOptions, JarSpec, MavenSpec, Pace, SubjectSpec
from auditor.core.subject import Project, SourceFile
from mutators.go.mutator import GoMutator
from mutators.java.mutator import JavaMutator
from mutators.python.mutator import PythonMutator
from mutators.python.public import notes as public_notes
from runners.gobench import subset as go_subset
from runners.gobench.harness import GoBench
from runners.gobench.project import prepare_placed as prepare_go
from runners.home import Home
from runners.jmh import subset as jmh_subset
from runners.jmh.build.build_steps import ignore_step
from runners.jmh.built_suite import BuiltSuite
from runners.jmh.guests import JmhGuest, prepare_guests
from runners.jmh.harness import JmhHarness
from runners.jmh.jdks import with_jdk
from runners.jmh.own_tests import published_tests, tests_of_tree
from runners.jmh.project import jmh_jar, prepare_artifact, prepare_jar, prepare_tree
from runners.jmh.testing import UnitTests
from runners.pybench import subset as python_subset
from runners.pybench.frontends import FRONTENDS, Frontend
from runners.pybench.frontends import framework_of as python_framework
from runners.pybench.harness import PythonHarness
from runners.pybench.project import prepare as prepare_python
from runners.subjects.place import place
from runners.subjects.placed import KINDS, MARKS, Placed, detect
from runners.subjects.survey import list_suites, suites
from runners.subset import Calls
from runners.trial import Elsewhere, no_artifact_source


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Where a subject is made ready; `elsewhere` has what machines like it have built.

    `built` is what one has built of the unchanged subject, None where that has to be done here.
    """

    home: Home
    host: Host
    environment: tuple[tuple[str, str], ...]
    elsewhere: Elsewhere = no_artifact_source
    built: BuiltSuite | None = None
    tell: Callable[[str], None] = ignore_step
    """Hears which step a build tool is at."""

    @property
    def parts(self) -> Any:
        """Return where that is by its names, as what makes subjects ready is handed it."""
        return {"home": self.home, "host": self.host, "environment": self.environment}

    def with_jdk(self, chosen: str) -> "Machine":
        """Return the machine with the chosen JDK; raises a UsageError where it has none."""
        return replace(self, environment=with_jdk(chosen, self.host, self.environment))


@dataclass(frozen=True, slots=True)
class Ready:
    """A project, and the harness that runs its suite.

    `writes` are folders of ours that variants of it are built with, besides one of their own;
    `built` packs what was built of it for machines like this one, where that can be sent.
    """

    project: Project
    harness: Harness
    writes: tuple[Path, ...] = ()
    built: Callable[[], BuiltSuite | None] = lambda: None


@dataclass(frozen=True, slots=True)
class HarnessSupport:
    """What a harness and its language bring: one entry of HARNESSES for each.

    `calls` says how the user's own command runs some of the benchmarks, `notes` what people have
    to know of the methods of the library.
    """

    mutator: Mutator
    ready: Callable[[SubjectSpec, Placed, Config, Machine], Ready]
    pace: Pace
    calls: Calls
    notes: Callable[[Sequence[SourceFile]], Sequence[str]] = lambda _: ()


def _go(spec: SubjectSpec, placed: Placed, config: Config, machine: Machine) -> Ready:
    if isinstance(spec, MavenSpec | JarSpec):
        what = "a jar holds" if isinstance(spec, JarSpec) else "Maven artifacts hold"
        raise UsageError(f"{what} no Go benchmarks; leave out the harness")
    if config.build != BuildOptions():
        raise UsageError("profiles, flags, jdk and gradle are for JMH suites; a Go suite has none")
    options = {"tags": ",".join(config.tags)} if config.tags else {}
    project = prepare_go(placed, options=options, **machine.parts)
    harness = GoBench(list_seconds=config.request.suite.timeout_seconds)
    own = dict(project.environment)
    return Ready(project, harness, writes=(Path(own["GOCACHE"]), Path(own["GOTMPDIR"])))


def _python(
    frontend: Frontend, spec: SubjectSpec, placed: Placed, config: Config, machine: Machine
) -> Ready:
    if isinstance(spec, MavenSpec | JarSpec):
        raise UsageError(
            "Maven artifacts and jars hold no Python benchmarks; leave out the harness"
        )
    if config.build != BuildOptions() or config.tags:
        raise UsageError(
            "profiles, flags, jdk, gradle and tags are for other builds; a Python suite has none"
        )
    if config.request.allocation_bytes is not None:
        raise UsageError("Python suites report no allocations; leave out allocations")
    project = prepare_python(placed, python=config.python, frontend=frontend, **machine.parts)
    return Ready(project, PythonHarness(frontend))


def _jmh(spec: SubjectSpec, placed: Placed, config: Config, machine: Machine) -> Ready:
    if config.tags:
        raise UsageError("tags are Go's build tags; a JMH suite has none")
    machine = machine.with_jdk(config.build.jdk)
    tests: Callable[[], UnitTests | None] | None = None
    if isinstance(spec, MavenSpec):
        tests = partial(published_tests, spec, **machine.parts)
    elif not isinstance(spec, JarSpec):
        tests = partial(tests_of_tree, placed, words=config.build, **machine.parts)
    if machine.built is not None:
        project, guests = machine.built.here(**machine.parts)
    else:
        project, guests = _java(spec, placed, config, machine)
    built = partial(BuiltSuite.of, project, guests, placed)
    return Ready(project, JmhHarness(guests, tests), built=built)


def _java(
    spec: SubjectSpec, placed: Placed, config: Config, machine: Machine
) -> tuple[Project, JmhGuest]:
    if isinstance(spec, MavenSpec):
        project = prepare_artifact(spec, **machine.parts)
    elif isinstance(spec, JarSpec):
        project = prepare_jar(spec, placed, host=machine.host, environment=machine.environment)
    else:
        project = prepare_tree(placed, words=config.build, tell=machine.tell, **machine.parts)
    guests = prepare_guests(jmh_core_jar=jmh_jar(project.parts), **machine.parts)
    # The guest is not part of the overlay, as Go's is, but decides what is measured as well.
    own = guests.folder.name[:8]
    project = replace(project, digest=f"{project.digest}-{own}", content=f"{project.content}-{own}")
    return project, guests


# JMH: after 2 s of warm-up the two arms of an A/A process differed by 0.000 +- 0.003, after 0.6 s
# neighbouring blocks still scattered by 15 to 20 %.
HARNESSES: Mapping[str, HarnessSupport] = {
    "go": HarnessSupport(
        mutator=GoMutator(),
        ready=_go,
        pace=Pace(warm_seconds=0.05, block_seconds=0.003, longest_seconds=0.03),
        calls=go_subset.calls,
    ),
    "jmh": HarnessSupport(
        mutator=JavaMutator(),
        ready=_jmh,
        pace=Pace(warm_seconds=1.0, block_seconds=0.03, longest_seconds=0.03),
        calls=jmh_subset.calls,
    ),
    **{
        name: HarnessSupport(
            mutator=PythonMutator(),
            ready=partial(_python, frontend),
            pace=Pace(warm_seconds=0.2, block_seconds=0.01, longest_seconds=0.01),
            calls=partial(python_subset.calls, name),
            notes=public_notes,
        )
        for name, frontend in FRONTENDS.items()
    },
}


def make_ready(config: Config, machine: Machine) -> tuple[Ready, HarnessSupport]:
    """Place the subject and make a project of it; raises an AuditError where that fails."""
    return ready_of(config, place(config.subject, **machine.parts), machine)


def ready_of(config: Config, placed: Placed, machine: Machine) -> tuple[Ready, HarnessSupport]:
    """Make a project of a subject that is here; raises an AuditError where that fails."""
    name = harness_of(config, placed)
    if not name:
        raise UsageError(
            f"{placed.name} is no project that bench-audit knows: there is no {MARKS} in its "
            "folder; name the folder that has one"
        )
    if name not in HARNESSES:
        raise UsageError(f"unknown harness {name!r}; known: {', '.join(sorted(HARNESSES))}")
    support = HARNESSES[name]
    ready = support.ready(config.subject, placed, config, machine)
    if (
        config.harness is None
        and not _is_java(config)
        and (note := _other_suites(placed.tree, name))
    ):
        project = replace(ready.project, notes=(*ready.project.notes, note))
        ready = replace(ready, project=project)
    return ready, support


def harness_of(config: Config, placed: Placed) -> str:
    """Return the name of the harness that is asked for, or that the sources are for; or empty."""
    found = "jmh" if _is_java(config) else detect(placed.tree)
    if found == "python":
        found = python_framework(placed.tree)
    return config.harness or found or ""


def _is_java(config: Config) -> bool:
    return isinstance(config.subject, MavenSpec | JarSpec)


def _other_suites(tree: Path, taken: str) -> str:
    """Say which suites of other languages are there, empty where none is."""
    own = taken if taken in KINDS else "python"
    if not (others := suites(tree, *(one for one in KINDS if one != own))):
        return ""
    return (
        f"audited is the suite of {taken}; there are others in {list_suites(others)}: choose with "
        "--harness, or name the folder"
    )
