"""Go subjects made ready, and trials of them."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from auditor.core.mutant import PLAIN, Delay, InjectionKind, Overlay, Variant, VariantKind
from auditor.core.outcome import Measured
from auditor.core.plan import Purpose, Trial
from auditor.core.schedule import Arm, ArmName, Block, Phase, Schedule
from auditor.core.subject import Method, Project
from auditor.core.suite import Benchmark, Suite
from mutators.go import GoMutator
from runners.gobench.harness import GoBench
from runners.gobench.project import prepare_project
from runners.home import HomeFolder
from runners.hosts.clock import SystemClock
from runners.hosts.local import LocalHost
from runners.trial import TrialExecutor

ROUNDS = 12
"""Blocks of each arm: many short ones, so that some are not disturbed by other load."""
HANGING_SECONDS = 4.0
"""How long the watchdog of these tests waits for one operation."""


@dataclass(slots=True)
class Lab:
    """A subject with its suite, on the machine we are on."""

    project: Project
    bench: TrialExecutor
    suite: Suite
    methods: Mapping[str, Method] = field(init=False)

    def __post_init__(self):
        self.methods = {
            method.id: method for method in GoMutator().find_methods(self.suite.sources)
        }

    def benchmark(self, name) -> Benchmark:
        return next(benchmark for benchmark in self.suite.benchmarks if benchmark.name == name)

    def run(self, trial):
        return self.bench.run_trial(trial).outcome

    def trial(self, purpose, name, schedule, variant=PLAIN, seconds=60.0, *, tests="") -> Trial:
        overlay = GoMutator().build_overlay(self.suite.sources, variant)
        assert isinstance(overlay, Overlay), overlay
        return Trial(
            subject=self.project.digest,
            purpose=purpose,
            variant=variant,
            overlay=overlay,
            benchmark=self.benchmark(name) if name else None,
            schedule=schedule,
            repetition=1,
            seed=1,
            tests=tests,
            timeout_seconds=seconds,
        )

    def plain(self, name, operations, blocks=3, seconds=60.0):
        trial_schedule = schedule([Arm(ArmName.PLAIN)], operations, blocks)
        return self.run(self.trial(Purpose.SUITE, name, trial_schedule, seconds=seconds))

    def slowed(
        self, name, method, operations, delay, *, rounds=ROUNDS, stop=None, has_plain_blocks=False
    ):
        """Return the outcome of interleaved arms: a probe, a slowed and, if wanted, a plain one."""
        arms = [Arm(ArmName.PROBE, Delay(delay.wait, 0)), Arm(ArmName.SLOWED, delay)]
        arms += [Arm(ArmName.PLAIN)] if has_plain_blocks else []
        trial_schedule = replace(schedule(arms, operations, rounds), stop=stop)
        return self.run(
            self.delayed(name, method, trial_schedule, has_plain_blocks=has_plain_blocks)
        )

    def clocked(self, name, method, operations, guarded=False):
        arms = [Arm(ArmName.CLOCKED, Delay(InjectionKind.CLOCK, 0))]
        return self.run(self.delayed(name, method, schedule(arms, operations, 3), guarded))

    def delayed(self, name, method, trial_schedule, guarded=False, has_plain_blocks=False):
        variant = Variant(VariantKind.DELAYED, (self.methods[method],), guarded, has_plain_blocks)
        return self.trial(Purpose.PAIRS, name, trial_schedule, variant)

    def counted(self, name, operations, blocks=1, seconds=60.0):
        trial_schedule = schedule([Arm(ArmName.PLAIN)], operations, blocks - 1)
        return self.run(self.trial(Purpose.REACH, name, trial_schedule, self._counting, seconds))

    def called_by_tests(self, package):
        """Return how the unit tests of a package end."""
        trial_schedule = schedule([Arm(ArmName.PLAIN)], None, 0)
        return self.run(
            self.trial(Purpose.USAGE, None, trial_schedule, self._counting, tests=package)
        )

    @property
    def _counting(self):
        good = [
            method
            for method in self.methods.values()
            if not method.refusal and "clash" not in method.id
        ]
        return Variant(VariantKind.COUNTING, tuple(good))


def schedule(arms, operations, rounds) -> Schedule:
    """Return one warm-up block, then `rounds` blocks of each arm in turn."""
    turns = [Block(Phase.MEASUREMENT, index) for _ in range(rounds) for index in range(len(arms))]
    return Schedule(
        arms=tuple(arms),
        blocks=(Block(Phase.WARMUP, 0), *turns),
        seconds=0.01,
        operations=operations,
    )


def write_lab(folder: Path, home: HomeFolder, name: str, source: str, tests: str) -> Lab:
    """Make a module `example.org/NAME` ready; its code notes what it does in `folder`/notes."""
    tree = folder / "tree"
    tree.mkdir()
    notes = str(folder / "notes")
    (tree / "go.mod").write_text(f"module example.org/{name}\n\ngo 1.24\n")
    (tree / f"{name}.go").write_text(source.replace("{notes}", notes))
    (tree / f"{name}_test.go").write_text(tests.replace("{notes}", notes))
    return lab(tree, home, dict(os.environ))


def lab(tree: Path, home: HomeFolder, environment: Mapping[str, str], top=None, **options) -> Lab:
    """Make a subject ready and find its suite."""
    host = LocalHost()
    project = prepare_project(
        tree,
        name=None,
        revision="now",
        home=home,
        host=host,
        environment=environment,
        options=options,
        top=top,
    )
    bench = TrialExecutor(
        project=project,
        launcher=GoBench(HANGING_SECONDS),
        host=host,
        builds=home.make_work_folder(project.digest),
        clock=SystemClock(),
    )
    return Lab(project, bench, bench.discover_suite())


def least(outcome, metric, arm):
    """Return the least value of a metric: what other load on the machine disturbs least."""
    assert isinstance(outcome, Measured), outcome
    return min(outcome.find_series(metric, arm).values)
