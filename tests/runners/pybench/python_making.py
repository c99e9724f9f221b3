"""Makes Python suites ready, and runs trials of them."""

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from auditor.core.mutant import PLAIN, Delay, InjectionKind, Overlay, Variant, VariantKind
from auditor.core.plan import Purpose, Trial
from auditor.core.request import FolderSpec, PythonSpec
from auditor.core.schedule import Arm, ArmName, Block, Phase, Schedule
from auditor.core.subject import Method, Project
from auditor.core.suite import Suite
from auditor.trace.study import make_trial
from mutators.python.mutator import PythonMutator
from runners.home import HomeFolder
from runners.hosts.clock import SystemClock
from runners.hosts.local import LocalHost
from runners.pybench.client import prepare_client
from runners.pybench.frontends import FRONTENDS, framework_of
from runners.pybench.harness import PythonHarness
from runners.pybench.library import read_library_modules
from runners.pybench.project import prepare_project
from runners.pybench.tracer import PythonTracer
from runners.subjects.place import place_subject
from runners.trial import TrialRunner

RING = Path(__file__).parents[2] / "subjects" / "python-ring"
TRACED = RING.parent / "python-traced"
SETUPTOOLS_PROJECT = """[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "lib"
version = "1"
"""
PASSED_ON = ("PATH", "LANG", "SSL_CERT_FILE", "PIP_CERT", "PIP_FIND_LINKS", "PIP_INDEX_URL")
PLAIN_ARM = Arm(ArmName.PLAIN)
UV = Path(sys.executable).with_name("uv")
"""The one that the development environment has."""
FOR_UV = {"PIP_INDEX_URL": "UV_DEFAULT_INDEX", "PIP_FIND_LINKS": "UV_FIND_LINKS"}
"""Where this machine's packages come from: uv is not told by what pip is told."""


def environment(home):
    passed = {key: os.environ[key] for key in PASSED_ON if key in os.environ}
    return tuple(sorted({**passed, "HOME": str(home)}.items()))


def environment_with(variables, folder, **programs):
    """Return variables with these programs first on PATH, and with nothing that pip is told."""
    folder.mkdir()
    for name, program in programs.items():
        (folder / name).symlink_to(program)
    original = dict(variables)
    adapted = {FOR_UV.get(key, key): value for key, value in original.items()}
    adapted |= {"PATH": f"{folder}:{original['PATH']}", "PIP_CONFIG_FILE": os.devnull}
    return tuple(sorted(adapted.items()))


@dataclass(slots=True)
class Suited:
    """A suite, its methods, and what runs them."""

    project: Project
    suite: Suite
    folder: Path
    mutator: PythonMutator = field(default_factory=PythonMutator)
    host: LocalHost = field(default_factory=LocalHost)

    @property
    def harness(self):
        return PythonHarness(FRONTENDS[self.project.harness])

    def benchmark(self, name):
        ends = (f"::{name}", f".{name}")
        (benchmark,) = [
            benchmark for benchmark in self.suite.benchmarks if benchmark.id.endswith(ends)
        ]
        return benchmark

    def find(self, name) -> Method:
        methods = self.mutator.find_methods(self.suite.sources)
        (method,) = [method for method in methods if self.mutator.matches_name(name, method)]
        return method

    def variant(self, kind, *names, **more):
        return Variant(kind, tuple(map(self.find, names)), **more)

    def delayed(self, name, **more):
        return self.variant(VariantKind.DELAYED, name, **more)

    def make_trial(self, benchmark, schedule, variant=PLAIN, seconds=60, purpose=Purpose.PAIRS):
        overlay = self.mutator.build_overlay(self.suite.sources, variant)
        assert isinstance(overlay, Overlay), overlay
        return Trial(
            subject=self.project.digest,
            purpose=purpose,
            variant=variant,
            overlay=overlay,
            benchmark=self.benchmark(benchmark) if benchmark else None,
            schedule=schedule,
            repetition=1,
            seed=1,
            timeout_seconds=seconds,
        )

    def run(self, benchmark, schedule, variant=PLAIN, **more):
        trial = self.make_trial(benchmark, schedule, variant, **more)
        overlay = trial.overlay
        build_folder = self.folder / (
            overlay.digest if variant.kind is not VariantKind.PLAIN else "plain"
        )
        for path, data in self.harness.plan_build(self.project, overlay, build_folder).files:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        jobs = self.harness.plan_launch(self.project, trial, build_folder)
        return self.harness.read_outcome(trial, [self.host.run_process(job) for job in jobs])

    def make_runner(self, builds, **more):
        return TrialRunner(
            project=self.project,
            launcher=self.harness,
            host=self.host,
            builds=builds,
            clock=SystemClock(),
            **more,
        )


def write_project(folder, files, library):
    """Write a project of one module, `lib`, with further files."""
    files = {**files, "pyproject.toml": SETUPTOOLS_PROJECT, "src/lib/__init__.py": library}
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def prepared(folder, home: HomeFolder, variables, framework=None, **python_options) -> Project:
    common = {"home": home, "host": LocalHost(), "environment": variables}
    placed = place_subject(FolderSpec(folder), **common)
    frontend = FRONTENDS[framework or framework_of(placed.tree)]
    return prepare_project(placed, python=PythonSpec(**python_options), frontend=frontend, **common)


def suited(folder, home: HomeFolder, variables, scratch, **python_options) -> Suited:
    project = prepared(folder, home, variables, **python_options)
    return Suited(project, list_suite(project, scratch), scratch)


def list_suite(project, scratch) -> Suite:
    build_folder = scratch / "plain"
    build_folder.mkdir(exist_ok=True)
    return PythonHarness(FRONTENDS[project.harness]).discover_suite(
        project, build_folder, LocalHost().run_process
    )


def plain(blocks=2, seconds=0.02, operations=None):
    measured = (Block(Phase.MEASUREMENT, 0),) * blocks
    return Schedule(
        arms=(PLAIN_ARM,),
        blocks=(Block(Phase.WARMUP, 0), *measured),
        seconds=seconds,
        operations=operations,
    )


def against_probe(wait, number, pairs=5, operations=200, **more):
    arms = (Arm(ArmName.PROBE, Delay(wait, 0)), Arm(ArmName.SLOWED, Delay(wait, number)))
    measured = tuple(Block(Phase.MEASUREMENT, arm) for _ in range(pairs) for arm in (0, 1))
    return Schedule(arms=arms, blocks=measured, seconds=0.02, operations=operations, **more)


def clocked(operations=200):
    arms = (
        Arm(ArmName.PROBE, Delay(InjectionKind.WORK, 0)),
        Arm(ArmName.CLOCKED, Delay(InjectionKind.CLOCK, 0)),
    )
    blocks = tuple(Block(Phase.MEASUREMENT, arm) for _ in range(3) for arm in (0, 1))
    return Schedule(arms=arms, blocks=blocks, seconds=0.02, operations=operations)


def traced(home: HomeFolder, variables, scratch, folders=None, seconds=120):
    """Return how a client's tests end."""
    library, client = folders or (TRACED / "library", TRACED / "client")
    common = {"home": home, "host": LocalHost(), "environment": variables}
    placed_library = place_subject(FolderSpec(library), **common)
    project = prepare_client(
        place_subject(FolderSpec(client), **common), placed_library, python=PythonSpec(), **common
    )
    sources = read_library_modules(placed_library.tree, ())
    mutator = PythonMutator()
    public = tuple(method for method in mutator.find_methods(sources) if method.public)
    overlay = mutator.build_overlay(sources, Variant(VariantKind.TRACED, public))
    assert isinstance(overlay, Overlay), overlay
    trial = make_trial(project, Variant(VariantKind.TRACED, public), overlay, seconds)
    tracer, build_folder = PythonTracer(), scratch / "built"
    for path, data in tracer.plan_build(project, overlay, build_folder).files:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    jobs = tracer.plan_launch(project, trial, build_folder)
    return tracer.read_outcome(trial, [LocalHost().run_process(job) for job in jobs])
