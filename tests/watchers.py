"""A watcher that has seen enough after so many iterations, and trials that it looks at."""

from dataclasses import dataclass, field
from pathlib import Path

from auditor.core.outcome import Measured, Outcome
from auditor.core.plan import Purpose, Trial
from auditor.core.ports import Launcher
from auditor.core.schedule import Arm, ArmName, Block, Phase, Schedule
from auditor.core.stop_rules import Criterion, StoppingRule, WarmupResult
from auditor.core.subject import Project
from auditor.core.suite import Benchmark
from auditor.core.values import TIME
from runners.hosts.clock import SystemClock
from runners.hosts.local import LocalHost
from runners.trial import TrialRunner

WATCH = StoppingRule(method=Criterion.COV, measured=3, seconds=1000.0)
NEVER = 10**9
MOST = 200
"""Blocks of a process that is to end long before the last of them."""


@dataclass
class Patient:
    """Says after `enough` iterations that all but the last WATCH.measured were the warm-up."""

    enough: int
    iterations: list[tuple[float, float]] = field(default_factory=list)

    def __call__(self, trial: Trial) -> "Patient":
        assert trial.watch == WATCH
        return self

    def observe_iteration(self, seconds: float, lasted: float) -> WarmupResult | None:
        self.iterations.append((seconds, lasted))
        if len(self.iterations) < self.enough:
            return None
        return WarmupResult(method=Criterion.COV, warm=self.enough - WATCH.measured, enough=True)

    def finish_watching(self) -> WarmupResult:
        return WarmupResult(method=Criterion.COV, warm=None, enough=False)


@dataclass(frozen=True)
class Watched:
    """A project whose benchmarks are run and looked at."""

    project: Project
    launcher: Launcher
    builds: Path

    def run(
        self, benchmark: Benchmark, watcher: Patient | None, schedule: Schedule, timeout=100.0
    ) -> Outcome:
        trial = Trial(
            subject=self.project.digest,
            purpose=Purpose.SUITE,
            benchmark=benchmark,
            schedule=schedule,
            repetition=1,
            seed=1,
            watch=WATCH,
            timeout_seconds=timeout,
        )
        runner = TrialRunner(
            project=self.project,
            launcher=self.launcher,
            host=LocalHost(),
            builds=self.builds,
            clock=SystemClock(),
            watchers=watcher,
        )
        return runner.run_trial(trial).outcome


def blocks(number: int = MOST, seconds: float = 0.05, operations: int | None = None) -> Schedule:
    return Schedule(
        arms=(Arm(ArmName.PLAIN),),
        blocks=(Block(Phase.MEASUREMENT, 0),) * number,
        seconds=seconds,
        operations=operations,
    )


def times(outcome: Outcome, phase: Phase = Phase.MEASUREMENT) -> tuple[float, ...]:
    assert isinstance(outcome, Measured), outcome
    series = outcome.find_series(TIME, ArmName.PLAIN, phase)
    return () if series is None else series.values


def assert_told_apart(outcome: Outcome, watcher: Patient, most: int = MOST) -> None:
    """All iterations of the watcher are kept, in their phases, and the process ended early."""
    measured = times(outcome)
    warm = watcher.enough - WATCH.measured
    assert outcome.warmed == WarmupResult(method=Criterion.COV, warm=warm, enough=True)
    assert outcome.find_series(TIME, ArmName.PLAIN).block_positions == tuple(
        range(warm, warm + len(measured))
    )
    all_times = times(outcome, Phase.WARMUP) + measured[: WATCH.measured]
    assert all_times == tuple(seconds for seconds, _ in watcher.iterations)
    assert WATCH.measured <= len(measured) < most / 2
