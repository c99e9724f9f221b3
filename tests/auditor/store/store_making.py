"""Trials and runs for the store's tests, and a process that writes many of them."""

import sys
from pathlib import Path

from auditor.core.jobs import HostFacts
from auditor.core.outcome import Measured, Outcome
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.schedule import Arm, ArmName, Block, Phase, Schedule
from auditor.core.subject import Language, Project
from auditor.core.suite import Benchmark
from auditor.core.values import TIME, Series
from auditor.store.sqlite import SqliteStore

LOCAL_HOST = HostFacts("here", (("cores", "2"), ("governor", "unknown")))


def trial(repetition: int = 1, *, seed: int = 1, subject: str = "abc") -> Trial:
    return Trial(
        subject=subject,
        purpose=Purpose.SUITE,
        benchmark=Benchmark(group="example.org/ring", name="BenchmarkPush"),
        schedule=Schedule(
            arms=(Arm(ArmName.PLAIN),), blocks=(Block(Phase.MEASUREMENT, 0),), seconds=0.05
        ),
        repetition=repetition,
        seed=seed,
        timeout_seconds=60,
    )


def measured(*values: float) -> Measured:
    numbered_values = enumerate(values or (1e-9, 2e-9))
    return Measured(
        (Series.from_values(TIME, "s/op", ArmName.PLAIN, Phase.MEASUREMENT, numbered_values),)
    )


def run(planned_trial: Trial | None = None, outcome: Outcome | None = None) -> Run:
    return Run(
        trial=planned_trial or trial(),
        host=LOCAL_HOST,
        outcome=outcome or measured(),
        started="2026-01-02T03:04:05Z",
        seconds=1.5,
    )


def project(digest: str = "abc") -> Project:
    return Project(
        name="ring",
        revision="working tree",
        language=Language.GO,
        harness="go",
        root=Path("/nowhere"),
        digest=digest,
        parts=(),
        environment=(("TOKEN", "not to be kept"),),
    )


def write_many(path: Path, first: int, last: int) -> None:
    """Add runs, saying after each that it is kept."""
    with SqliteStore(path) as store:
        for repetition in range(first, last):
            store.add_run(run(trial(repetition), measured(*[float(repetition)] * 200)))
            sys.stdout.write(f"{repetition}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    write_many(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
