"""The record of Go."""

import posixpath
from functools import partial
from pathlib import Path

from auditor.config import Config
from auditor.core.contracts.lint import Linter
from auditor.core.errors import UsageError
from auditor.core.mutant import InjectionKind
from auditor.core.popularity import Library
from auditor.core.ports import StubWriter
from auditor.core.request import (
    BuildOptions,
    ClientSpec,
    GoModuleSpec,
    JarSpec,
    MavenSpec,
    Pace,
    SubjectSpec,
)
from auditor.core.series.steady import NeededWarmup
from auditor.core.subject import Language, Project
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
    delayed_overlay,
    public_library,
)
from auditor.measure.trial_times import AuditFigures
from mutators.go.mutator import FOLDER, GoMutator
from mutators.go.stubs import write_stubs
from runners.gobench import subset
from runners.gobench.harness import GoBench
from runners.gobench.project import prepare_placed
from runners.gobench.toolchain import language_version
from runners.gobench.tracer import GoTracer, prepare_client
from runners.subjects.placed import PlacedSubject

_FIXED_DELAY = """package {folder}

import "os"

func init() {{
{clock}	set("{wait}", {number!r})
	if file, err := os.Create({trace}); err == nil {{
		file.Close()
	}}
}}
"""
_FIGURES = AuditFigures(start_seconds=0.3, build_seconds=2.0)


def _prepare_project(
    spec: SubjectSpec, placed: PlacedSubject, config: Config, machine: Machine
) -> ReadyProject:
    if isinstance(spec, MavenSpec | JarSpec):
        contents = "a jar holds" if isinstance(spec, JarSpec) else "Maven artifacts hold"
        raise UsageError(f"{contents} no Go benchmarks; leave out the harness")
    if config.build != BuildOptions():
        raise UsageError(
            "profiles, flags, jdk and gradle work only with JMH suites; remove them for a Go suite"
        )
    options = {"tags": ",".join(config.tags)} if config.tags else {}
    project = prepare_placed(placed, options=options, **machine.preparation_arguments)
    harness = GoBench(list_seconds=config.request.suite.timeout_seconds)
    variables = dict(project.environment)
    return ReadyProject(
        project, harness, writes=(Path(variables["GOCACHE"]), Path(variables["GOTMPDIR"]))
    )


def _prepare_library(placed: PlacedSubject, machine: Machine, *_: object) -> Library:
    project = prepare_placed(placed, chooses=False, **machine.preparation_arguments)
    folder = machine.home.make_builds_folder(project.digest)
    sources = GoBench().read_sources(project, folder, machine.host.run_process)
    return public_library(project, sources, GoMutator())


def _prepare_client(
    spec: ClientSpec, placed: PlacedSubject, library: PlacedLibrary, machine: Machine
) -> ReadyClient:
    name = library.library.project.name
    project = prepare_client(placed, name, tests=spec.tests, **machine.preparation_arguments)
    return ReadyClient(project, GoTracer())


def _make_stub_writer(project: Project) -> StubWriter:
    return partial(write_stubs, version_of=partial(language_version, project.root))


def _warmup_setting(_iterations: int, needed: NeededWarmup | None) -> str:
    """Return a longer measurement, as Go has no warm-up; ten values are what benchstat wants."""
    if needed is None or needed.measured_seconds is None:
        return ""
    return f"-benchtime={round(1000 * needed.measured_seconds)}ms -count=10"


def _patch_sources(patch: SourcePatch) -> PatchedFiles:
    changed = {file.path: file.text for file in delayed_overlay(patch).files}
    guest = next(
        posixpath.dirname(path) for path in changed if posixpath.dirname(path).endswith(FOLDER)
    )
    is_work = patch.delay.wait is InjectionKind.WORK
    text = _FIXED_DELAY.format(
        folder=FOLDER,
        wait=str(patch.delay.wait),
        number=float(patch.delay.number),
        trace='"' + patch.trace.replace("\\", "\\\\").replace('"', '\\"') + '"',
        clock="" if is_work else "\tmeasureClock()\n",
    )
    return {**changed, f"{guest}/fixed.go": text.encode()}


def _split_benchmark(benchmark: str) -> tuple[str, str]:
    """Return package and name; no package in the tables of the research tools."""
    package, separator, rest = benchmark.partition(".Benchmark")
    return (package, f"Benchmark{rest}") if separator else ("", benchmark)


def _load_linter() -> Linter:
    from mutators.go.lint_rules.linter import GoLinter  # noqa: PLC0415 slow to load

    return GoLinter()


GO = LanguageSupport(
    language=Language.GO,
    kind="go",
    main_harness="go",
    harnesses={
        "go": HarnessSupport(
            prepare=_prepare_project,
            pace=Pace(warm_seconds=0.05, block_seconds=0.003, longest_seconds=0.03),
            calls=subset.build_subset_commands,
            warmup_setting=_warmup_setting,
        )
    },
    choose_harness=lambda _: "go",
    subject_types=(GoModuleSpec,),
    mutator=GoMutator(),
    tracing=TracingSupport(
        library=_prepare_library, client=_prepare_client, stubs=_make_stub_writer
    ),
    make_linter=_load_linter,
    rule_prefix="go",
    patch=_patch_sources,
    split_benchmark=_split_benchmark,
    figures=_FIGURES,
    image="go",
    programs=(
        RequiredProgram(
            name="go",
            argument="version",
            oldest=(1, 20),
            purpose="Go suites",
            debian="apt install golang-go, or an archive from go.dev/dl where that is too old",
            macos="brew install go",
        ),
    ),
)
