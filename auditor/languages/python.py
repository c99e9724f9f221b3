"""The record of Python and its benchmark frameworks."""

import posixpath
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from math import ceil

from auditor.config import Config
from auditor.core.contracts.lint import Linter
from auditor.core.errors import BuildFailed, ResolveFailed, ToolMissing, UsageError
from auditor.core.mutant import InjectionKind
from auditor.core.popularity import Library
from auditor.core.request import (
    BuildOptions,
    ClientSpec,
    DistributionSpec,
    JarSpec,
    MavenSpec,
    Pace,
    SubjectSpec,
)
from auditor.core.series.steady import NeededWarmup
from auditor.core.subject import Language, Project, SourceFile
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
    split_at_last_dot,
)
from auditor.measure.trial_times import AuditFigures
from mutators.python.guest_call_edits import GUEST
from mutators.python.mutator import PythonMutator
from mutators.python.public import describe_name_problems
from mutators.python.stubs import write_stubs
from runners.pybench import subset
from runners.pybench.client import prepare_client
from runners.pybench.frontends import FRONTENDS, Frontend, framework_of
from runners.pybench.frontends import read_library_sources as module_sources
from runners.pybench.harness import PythonHarness, make_unknown_names
from runners.pybench.project import prepare_library, prepare_project
from runners.pybench.tracer import PythonTracer
from runners.subjects.placed import PlacedSubject

_LIVE_VALUE_SECONDS = 0.1
"""Duration of a value of pyperf when we run the suite."""
_FIXED_DELAY = """

{clock}set_arm("{wait}", {number!r})
try:
    open({trace!r}, "wb").close()
except OSError:
    pass
"""


def _prepare_project(
    frontend: Frontend, spec: SubjectSpec, placed: PlacedSubject, config: Config, machine: Machine
) -> ReadyProject:
    if isinstance(spec, MavenSpec | JarSpec):
        raise UsageError(
            "Maven artifacts and jars hold no Python benchmarks; leave out the harness"
        )
    if config.build != BuildOptions() or config.tags:
        raise UsageError(
            "profiles, flags, jdk, gradle and tags do not work with Python suites; remove them"
        )
    if config.request.allocation_bytes is not None:
        raise UsageError("allocations are not available for Python suites; remove the option")
    project = prepare_project(
        placed,
        python=config.python,
        frontend=frontend,
        tell=machine.tell,
        **machine.preparation_arguments,
    )
    return ReadyProject(project, PythonHarness(frontend))


def _prepare_library(placed: PlacedSubject, machine: Machine, *_: object) -> Library:
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
    return public_library(project, _read_sources(placed, machine), PythonMutator())


def _read_sources(placed: PlacedSubject, machine: Machine) -> tuple[SourceFile, ...]:
    """Return the sources with the public names that an audit has, if they can be had."""
    try:
        project = prepare_library(placed, **machine.preparation_arguments)
    except (BuildFailed, ResolveFailed, ToolMissing, UsageError) as error:
        return (*module_sources(placed.tree), make_unknown_names(str(error)))
    harness = PythonHarness(FRONTENDS[project.harness])
    return harness.read_sources(
        project, machine.home.make_builds_folder(project.digest), machine.host.run_process
    )


def _prepare_client(
    spec: ClientSpec, placed: PlacedSubject, library: PlacedLibrary, machine: Machine
) -> ReadyClient:
    project = prepare_client(
        placed,
        library.placed,
        python=spec.python,
        tests=spec.tests,
        **machine.preparation_arguments,
    )
    return ReadyClient(project, PythonTracer(spec.tests))


def _pytest_warmup(_iterations: int, needed: NeededWarmup | None) -> str:
    if needed is None:
        return ""
    if needed.operations == 0:
        return "--benchmark-warmup=off"
    return f"--benchmark-warmup=on --benchmark-warmup-iterations={needed.operations}"


def _asv_warmup(_iterations: int, needed: NeededWarmup | None) -> str:
    return "" if needed is None else f"warmup_time = {ceil(100 * needed.seconds) / 100:g}"


def _pyperf_warmup(iterations: int, needed: NeededWarmup | None) -> str:
    values = iterations if needed is None else ceil(needed.seconds / _LIVE_VALUE_SECONDS)
    return f"--warmups={values}"


_WARMUP_SETTINGS: dict[str, Callable[[int, NeededWarmup | None], str]] = {
    "pytest": _pytest_warmup,
    "asv": _asv_warmup,
    "pyperf": _pyperf_warmup,
}


def _patch_sources(patch: SourcePatch) -> PatchedFiles:
    """Put the guest into the package, under a name of its own: it is installed with it."""
    delay, is_work = patch.delay, patch.delay.wait is InjectionKind.WORK
    guest = files("runners.pybench").joinpath("guest", f"{GUEST}.py").read_bytes()
    text = _FIXED_DELAY.format(
        wait=str(delay.wait),
        number=int(delay.number) if is_work else float(delay.number),
        trace=patch.trace,
        clock="" if is_work else "measure_clock()\n",
    )
    overlay = delayed_overlay(patch)
    instructions = (
        line.split("\t") for line in overlay.instructions if line.startswith("module\t")
    )
    modules = {path: module for _, module, path in instructions}
    changed = {}
    for file in overlay.files:
        folder, package = posixpath.dirname(file.path), modules[file.path].split(".")
        if posixpath.basename(file.path) != "__init__.py":
            package = package[:-1]
        name = ".".join((*package, GUEST))
        changed[file.path] = file.text.replace(
            f"import {GUEST} as".encode(), f"import {name} as".encode(), 1
        )
        changed[posixpath.join(folder, f"{GUEST}.py")] = guest + text.encode()
    return changed


def _load_linter() -> Linter:
    from mutators.python.lint_rules.linter import PythonLinter  # noqa: PLC0415 slow to load

    return PythonLinter()


PYTHON = LanguageSupport(
    language=Language.PYTHON,
    kind="python",
    main_harness="pytest",
    harnesses={
        name: HarnessSupport(
            prepare=partial(_prepare_project, frontend),
            pace=Pace(warm_seconds=0.2, block_seconds=0.01, longest_seconds=0.01),
            calls=partial(subset.build_subset_commands, name),
            warmup_setting=_WARMUP_SETTINGS[name],
        )
        for name, frontend in FRONTENDS.items()
    },
    choose_harness=framework_of,
    subject_types=(DistributionSpec,),
    mutator=PythonMutator(),
    tracing=TracingSupport(
        library=_prepare_library, client=_prepare_client, stubs=lambda _: write_stubs
    ),
    make_linter=_load_linter,
    rule_prefix="py",
    patch=_patch_sources,
    split_benchmark=split_at_last_dot,
    notes=describe_name_problems,
    figures=AuditFigures(start_seconds=0.35, build_seconds=0.1),
    image="python",
    programs=(
        RequiredProgram(
            name="python3",
            argument="--version",
            oldest=(3, 9),
            purpose="Python suites",
            debian="apt install python3-venv",
            macos="brew install python",
        ),
    ),
)
