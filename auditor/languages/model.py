"""The record of a language: all that the product knows of it, and the types its steps exchange."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from auditor.config import Config
from auditor.core.contracts.lint import Linter
from auditor.core.errors import SubjectError
from auditor.core.mutant import Delay, Overlay, OverlayRefusal, Variant, VariantKind
from auditor.core.popularity import Library
from auditor.core.ports import Harness, Host, Launcher, Mutator, StubWriter
from auditor.core.request import BuildOptions, ClientSpec, Pace, SubjectSpec
from auditor.core.series.steady import NeededWarmup
from auditor.core.subject import Language, Method, Project, SourceFile
from auditor.measure.trial_times import AuditFigures
from runners.home import HomeFolder
from runners.jmh.built_suite import BuiltSuite
from runners.jmh.jdks import with_jdk
from runners.steps import ignore_step
from runners.subjects.placed import PlacedSubject
from runners.subset import SubsetCommandMaker
from runners.trial import ArtifactSource, no_artifact_source

PatchedFiles = Mapping[str, bytes]
"""Files by their paths in the project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """The machine and folders where a subject is made ready."""

    home: HomeFolder
    """Folders for copies, builds and caches."""
    host: Host
    """Starts processes."""
    environment: tuple[tuple[str, str], ...]
    """Of its processes."""
    elsewhere: ArtifactSource = no_artifact_source
    """Fetches builds of similar machines."""
    built: BuiltSuite | None = None
    """A build of the unchanged subject from another machine; None where it is built here."""
    tell: Callable[[str], None] = ignore_step
    """Called with each step of a build tool."""

    @property
    def preparation_arguments(self) -> Any:
        """Return home, host and environment as the keyword arguments of functions that prepare."""
        return {"home": self.home, "host": self.host, "environment": self.environment}

    def with_jdk(self, jdk: str) -> "Machine":
        """Return the machine with the chosen JDK; raises UsageError if it has no such JDK."""
        return replace(self, environment=with_jdk(jdk, self.host, self.environment))


@dataclass(frozen=True, slots=True)
class ReadyProject:
    """A project, and the harness that runs its suite."""

    project: Project
    harness: Harness
    writes: tuple[Path, ...] = ()
    """Folders outside the build folder of a variant that its build writes to."""
    built: Callable[[], BuiltSuite | None] = lambda: None
    """Packs the build for similar machines; returns None where it cannot be sent."""


@dataclass(frozen=True, slots=True)
class ReadyClient:
    """A client, and what runs its tests."""

    project: Project
    launcher: Launcher


@dataclass(frozen=True, slots=True)
class PlacedLibrary:
    """A library, and where it was placed."""

    library: Library
    placed: PlacedSubject


@dataclass(frozen=True, slots=True)
class TracingSupport:
    """How a language prepares a library and the clients whose tests are traced."""

    library: Callable[[PlacedSubject, Machine, SubjectSpec, BuildOptions], Library]
    client: Callable[[ClientSpec, PlacedSubject, PlacedLibrary, Machine], ReadyClient]
    stubs: Callable[[Project], StubWriter]


def _no_setting(_iterations: int, _needed: NeededWarmup | None) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessSupport:
    """What one harness brings."""

    prepare: Callable[[SubjectSpec, PlacedSubject, Config, Machine], ReadyProject]
    """Makes a placed subject ready; raises UsageError for options of other harnesses."""
    pace: Pace
    """Warm-up and block length where the configuration names none."""
    calls: SubsetCommandMaker
    """Returns the user's own commands for a subset of the benchmarks."""
    warmup_setting: Callable[[int, NeededWarmup | None], str] = _no_setting
    """Writes the harness's option for a warm-up of so many iterations; empty where it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiredProgram:
    """A program that has to be installed, and how to install it."""

    name: str
    """Of the executable."""
    argument: str
    """The argument that prints the version."""
    oldest: tuple[int, ...]
    """The oldest version that works."""
    purpose: str
    """What needs it."""
    debian: str
    """How to install it on Debian."""
    macos: str
    """How to install it on macOS."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePatch:
    """A method to slow down in the sources of a checkout."""

    project: Project
    """The checkout."""
    sources: Sequence[SourceFile]
    """Files of the library."""
    mutator: Mutator
    """Of the language."""
    method: Method
    """The method to slow down."""
    guarded: bool
    """Whether nested calls of the method add no further delay."""
    delay: Delay
    """That each call gets."""
    trace: str
    """The file that the patched program creates when it starts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageSupport:
    """All that the product knows of a language; one record in `registry` for each."""

    language: Language
    """The language."""
    kind: str
    """The name of its projects in `runners.subjects.placed`."""
    main_harness: str
    """The harness that stands for the language, for example in `doctor`."""
    harnesses: Mapping[str, HarnessSupport]
    """By name."""
    choose_harness: Callable[[Path], str]
    """Returns the harness that the suite in a folder uses."""
    subject_types: tuple[type, ...] = ()
    """Types of subjects that hold only this language."""
    package_types: tuple[type, ...] = ()
    """Those of them that have no build file."""
    mutator: Mutator
    """Finds methods and makes overlays."""
    tracing: TracingSupport
    """Prepares libraries and clients, and writes stubs."""
    make_linter: Callable[[], Linter]
    """Loads the linter; its parser is slow to load, and no other command needs it."""
    rule_prefix: str
    """The first part of the ids of its lint rules."""
    patch: Callable[[SourcePatch], PatchedFiles]
    """Slows a method in a checkout; raises SubjectError where that is impossible."""
    split_benchmark: Callable[[str], tuple[str, str]]
    """Splits the id of a benchmark into package or class, and name."""
    notes: Callable[[Sequence[SourceFile]], Sequence[str]] = lambda _: ()
    """Returns what people have to know of the methods of a library, a line each."""
    figures: AuditFigures
    """How long its audits take."""
    image: str
    """The name of the Dockerfile with its toolchain, without the extension."""
    programs: tuple[RequiredProgram, ...]
    """The programs that its suites need."""


def public_library(project: Project, sources: Sequence[SourceFile], mutator: Mutator) -> Library:
    """Return a library with its public methods."""
    methods = tuple(method for method in mutator.find_methods(sources) if method.public)
    return Library(project=project, sources=tuple(sources), methods=methods)


def split_at_last_dot(benchmark: str) -> tuple[str, str]:
    """Return the class or module of a benchmark's id, and the name with its parameters.

    The first is empty where the id has only a name, as in the tables of the research tools.
    """
    # Parameters (`[size=1.5]`) have dots of their own.
    name, bracket, parameters = benchmark.partition("[")
    group, _, last = name.rpartition(".")
    return group, f"{last}{bracket}{parameters}"


def delayed_overlay(patch: SourcePatch) -> Overlay:
    """Return the overlay that slows the method; raises SubjectError where the mutator refuses."""
    variant = Variant(VariantKind.DELAYED, (patch.method,), guarded=patch.guarded)
    overlay = patch.mutator.build_overlay(patch.sources, variant)
    if isinstance(overlay, OverlayRefusal):
        raise SubjectError(f"{patch.method.id} cannot be slowed: {overlay.reason}")
    return overlay
