"""What each language brings for tracing the clients of a library; knows concrete classes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from auditor.core.errors import (
    BuildFailed,
    ResolveFailed,
    SubjectError,
    ToolMissing,
    UsageError,
)
from auditor.core.popularity import Library
from auditor.core.ports import Launcher, Mutator, StubWriter
from auditor.core.request import BuildOptions, ClientSpec, JarSpec, MavenSpec, SubjectSpec
from auditor.core.subject import Language, Project, SourceFile
from auditor.languages.harnesses import Machine
from mutators.go.mutator import GoMutator
from mutators.go.stubs import stubs as go_stubs
from mutators.java.mutator import JavaMutator
from mutators.java.stubs import stubs as java_stubs
from mutators.python.mutator import PythonMutator
from mutators.python.public import notes as public_notes
from mutators.python.stubs import stubs as python_stubs
from runners.gobench.client import prepare_client as prepare_go
from runners.gobench.harness import GoBench
from runners.gobench.project import prepare_placed
from runners.gobench.toolchain import language_version
from runners.gobench.tracer import GoTracer
from runners.jmh.client import JavaClients
from runners.jmh.guests import prepare_guests
from runners.jmh.harness import JmhHarness
from runners.jmh.library import prepare_library as prepare_java_library
from runners.jmh.tracer import JavaTracer
from runners.pybench.client import prepare_client as prepare_python
from runners.pybench.frontends import FRONTENDS
from runners.pybench.frontends import sources as modules_of
from runners.pybench.harness import PythonHarness, static_public_names
from runners.pybench.project import prepare_library as prepare_python_library
from runners.pybench.tracer import PythonTracer
from runners.subjects.place import place
from runners.subjects.placed import MARKS, Placed, detect


@dataclass(frozen=True, slots=True)
class ReadyClient:
    """A client, and what runs its tests."""

    project: Project
    launcher: Launcher


@dataclass(frozen=True, slots=True)
class PlacedLibrary:
    """A library, and where it was placed."""

    library: Library
    placed: Placed


@dataclass(frozen=True, slots=True)
class TracingSupport:
    """What a language brings: one entry of LANGUAGES for each."""

    mutator: Mutator
    stubs: Callable[[Project], StubWriter]
    library: Callable[[Placed, Machine, SubjectSpec, BuildOptions], Library]
    client: Callable[[ClientSpec, Placed, PlacedLibrary, Machine], ReadyClient]
    notes: Callable[[Sequence[SourceFile]], Sequence[str]] = lambda _: ()


def _shown(project: Project, sources: Sequence[SourceFile], mutator: Mutator) -> Library:
    methods = tuple(method for method in mutator.methods(sources) if method.public)
    return Library(project=project, sources=tuple(sources), methods=methods)


def _python_library(placed: Placed, machine: Machine, *_: object) -> Library:
    project = Project(
        name=placed.name,
        revision=placed.revision,
        language=Language.PYTHON,
        harness="",
        root=placed.tree,
        digest=placed.digest_of_tree,
        parts=(),
        environment=(),
    )
    return _shown(project, _python_sources(placed, machine), PythonMutator())


def _python_sources(placed: Placed, machine: Machine) -> tuple[SourceFile, ...]:
    """Return the sources with the public names that an audit has, if they can be had."""
    try:
        project = prepare_python_library(placed, **machine.parts)
    except (BuildFailed, ResolveFailed, ToolMissing, UsageError) as error:
        return (*modules_of(placed.tree), static_public_names(str(error)))
    harness = PythonHarness(FRONTENDS[project.harness])
    return harness.sources(project, machine.home.builds(project.digest), machine.host.run)


def _python_client(
    spec: ClientSpec, placed: Placed, of: PlacedLibrary, machine: Machine
) -> ReadyClient:
    project = prepare_python(
        placed,
        of.placed,
        python=spec.python,
        tests=spec.tests,
        **machine.parts,
    )
    return ReadyClient(project, PythonTracer(spec.tests))


def _go_library(placed: Placed, machine: Machine, *_: object) -> Library:
    project = prepare_placed(placed, chooses=False, **machine.parts)
    folder = machine.home.builds(project.digest)
    return _shown(project, GoBench().sources(project, folder, machine.host.run), GoMutator())


def _go_client(
    spec: ClientSpec, placed: Placed, of: PlacedLibrary, machine: Machine
) -> ReadyClient:
    name = of.library.project.name
    project = prepare_go(placed, name, tests=spec.tests, **machine.parts)
    return ReadyClient(project, GoTracer())


def _always(writer: StubWriter) -> Callable[[Project], StubWriter]:
    return lambda _: writer


def _go_stubs(project: Project) -> StubWriter:
    return partial(go_stubs, version_of=partial(language_version, project.root))


def _java_library(
    placed: Placed, machine: Machine, subject: SubjectSpec, words: BuildOptions
) -> Library:
    spec = subject if isinstance(subject, MavenSpec) else None
    machine = machine.with_jdk(words.jdk)
    project = prepare_java_library(spec, placed, words=words, tell=machine.tell, **machine.parts)
    guests = prepare_guests(jmh_core_jar=None, **machine.parts)
    folder = machine.home.builds(project.digest)
    sources = JmhHarness(guests).sources(project, folder, machine.host.run)
    return _shown(project, sources, JavaMutator())


def _java_client(
    spec: ClientSpec, placed: Placed, of: PlacedLibrary, machine: Machine
) -> ReadyClient:
    machine = machine.with_jdk(spec.build.jdk)
    guests = prepare_guests(jmh_core_jar=None, **machine.parts)
    clients = JavaClients(guests, **machine.parts)
    made = clients.ready(spec, placed, of.library.project)
    return ReadyClient(made.project, JavaTracer(guests, made.tests))


LANGUAGES: Mapping[str, TracingSupport] = {
    "jmh": TracingSupport(JavaMutator(), _always(java_stubs), _java_library, _java_client),
    "go": TracingSupport(GoMutator(), _go_stubs, _go_library, _go_client),
    "python": TracingSupport(
        PythonMutator(), _always(python_stubs), _python_library, _python_client, public_notes
    ),
}
"""By what `detect` says of a folder."""


class LibraryTracing:
    """A library placed, with what its language brings."""

    def __init__(self, subject: SubjectSpec, words: BuildOptions, machine: Machine) -> None:
        """Place the library; raises SubjectError for what is none, UsageError without methods."""
        self._machine = machine
        placed = self._place(subject)
        found = "jmh" if isinstance(subject, MavenSpec) else detect(placed.tree)
        if found is None or isinstance(subject, JarSpec):
            raise SubjectError(f"{placed.name} is no project: there is no {MARKS} in its folder")
        self._support = LANGUAGES[found]
        self.mutator = self._support.mutator
        self.library = self._support.library(placed, machine, subject, words)
        self.stubs = self._support.stubs(self.library.project)
        self.notes = tuple(self._support.notes(self.library.sources))
        if not self.library.methods:
            raise UsageError(f"{placed.name} has no public method that could be traced")
        self._placed = PlacedLibrary(self.library, placed)

    def client(self, spec: ClientSpec) -> ReadyClient:
        """Make a client ready; raises an AuditError where that fails."""
        placed = self._place(spec.subject)
        return self._support.client(spec, placed, self._placed, self._machine)

    def _place(self, subject: SubjectSpec) -> Placed:
        return place(subject, **self._machine.parts)
