"""The unit of work: one process that measures one benchmark, and what it did."""

import hashlib
import json
from dataclasses import dataclass, field
from enum import StrEnum

from auditor.core.jobs import HostFacts, Strain
from auditor.core.mutant import PLAIN, Kind, Overlay, Variant
from auditor.core.outcome import MAY_PASS, Outcome, TimedOut, Traced, ending
from auditor.core.schedule import Arm, Phase, Schedule
from auditor.core.suite import Benchmark
from auditor.core.warming import Watch


class Purpose(StrEnum):
    """Which question a trial was run for.

    SUITE and REFERENCE both run the unchanged subject: SUITE for its stability, REFERENCE among the
    pairs, at the time that their plain time is needed of, and COMPARISON among those of another
    revision. STEADY runs it for long and from the start, to see when it is warm. ALLOCATION
    allocates, all others wait. TRACE runs the tests of another project, a
    client of the library. PROFILE samples the stacks of the unchanged benchmark.
    """

    PILOT = "pilot"
    SUITE = "suite"
    USAGE = "usage"
    REACH = "reach"
    CALIBRATION = "calibration"
    PAIRS = "pairs"
    REFERENCE = "reference"
    MUTANT = "mutant"
    ALLOCATION = "allocation"
    COMPARISON = "comparison"
    STEADY = "steady"
    TRACE = "trace"
    PROFILE = "profile"


_UNTIMED = frozenset({Purpose.USAGE, Purpose.REACH, Purpose.TRACE, Purpose.PROFILE})
"""Counts of calls and shares of processor time are the same on a busy machine as on a quiet one."""


class Layouts(StrEnum):
    """How the machine code of processes of one and the same build lies in memory.

    OF_PROCESS: anew in each, as a compiler at run time has it. DRAWN: in the order that a number
    given to the build makes (`Trial.layout`). FIXED: in one order, which nobody can change.
    """

    OF_PROCESS = "of-process"
    DRAWN = "drawn"
    FIXED = "fixed"


REPEAT_OFFSET = 1_000
"""What each repeat of a suite run on a quieter machine adds to its number."""


def original_repetition(repetition: int) -> int:
    """Return the number that a suite run had before it was repeated."""
    return (repetition - 1) % REPEAT_OFFSET + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One launch of one benchmark: everything that decides what it measures.

    `subject` is the digest of what the benchmark is built of and may read (`Closure`),
    `repetition` the run of the study (one-based), `fork` the process of that run. `benchmark`
    is None for the subject's own unit tests (USAGE), and for those of a client (TRACE); `tests`
    names the part of the former that runs (a package of Go), empty where that is all of them.
    `laid` is a digest of that part of the overlay that is in the program, empty where that is
    all of it. `layout` is the number that the order of functions in the program is drawn with,
    0 where they lie as the user's own build has them. What is `rough` bears another process
    beside it. With a `watch` the process may end before its last block, and which blocks were
    its warm-up is found out while it runs.
    """

    subject: str
    purpose: Purpose
    variant: Variant = PLAIN
    overlay: Overlay = field(default=Overlay(), repr=False)
    laid: str = ""
    benchmark: Benchmark | None
    schedule: Schedule
    repetition: int
    fork: int = 1
    seed: int
    tests: str = ""
    layout: int = 0
    watch: Watch | None = None
    rough: bool = False
    timeout_seconds: float = field(compare=False)

    def __post_init__(self) -> None:
        """Refuse to watch a changed subject, or blocks that are a warm-up."""
        phases = {block.phase for block in self.schedule.blocks}
        watchable = self.variant.kind is Kind.PLAIN and phases == {Phase.MEASUREMENT}
        if self.watch is not None and not watchable:
            raise ValueError("what is watched is plain, and none of its blocks is a warm-up")

    @property
    def alone(self) -> bool:
        """Tell whether nothing else may run beside it.

        Timed trials are alone. So are profiles of a benchmark that needs several processors, which
        would wait for them otherwise.
        """
        if self.purpose is Purpose.PROFILE:
            return self.benchmark is not None and self.benchmark.concurrency > 1
        return not self.rough and self.purpose not in _UNTIMED

    @property
    def is_whole(self) -> bool:
        """Tell whether all its pairs are wanted: one that stopped early does not stand for it."""
        return self.purpose is Purpose.PAIRS and self.schedule.stop is None

    @property
    def reports_allocations(self) -> bool:
        """Tell whether the process is to report what it allocates."""
        return self.purpose is Purpose.COMPARISON or self.schedule.allocates

    @property
    def overlaid(self) -> str:
        """Return the digest of what is laid over the program that is run."""
        return self.laid or self.overlay.digest

    @property
    def id(self) -> str:
        """Return a digest of all that decides the measurement (not the time-out), hexadecimal."""
        return hashlib.sha256(canonical_text(self).encode()).hexdigest()[:32]


def canonical_text(trial: Trial) -> str:
    """Return everything that decides a trial's measurement as JSON with sorted keys.

    Stores find runs by the digest of this text. It names fields and values itself, so no name of a
    class, field or module is in it. Optional parts are left out where they are absent.
    """
    optional = {
        "methods": [] if trial.laid else [method.id for method in trial.variant.methods],
        "tests": trial.tests,
        "layout": trial.layout,
        "stopping_rule": trial.watch and _stopping_rule(trial.watch),
        "may_share_machine": trial.rough,
        "all_pairs": trial.is_whole,
    }
    fields = {
        "subject": trial.subject,
        "purpose": trial.purpose.value,
        "variant": trial.variant.kind.value,
        "guarded": trial.variant.guarded,
        "overlay": trial.overlaid,
        "benchmark": trial.benchmark.id if trial.benchmark else "",
        "schedule": _schedule(trial.schedule),
        "repetition": trial.repetition,
        "fork": trial.fork,
        "seed": trial.seed,
    }
    return json.dumps(
        fields | {name: value for name, value in optional.items() if value},
        sort_keys=True,
        separators=(",", ":"),
    )


def _schedule(schedule: Schedule) -> dict[str, object]:
    """Return what a schedule asks for. Early stopping only shortens it, so it is left out."""
    return {
        "arms": [_arm(arm) for arm in schedule.arms],
        "blocks": [[block.phase.value, block.arm] for block in schedule.blocks],
        "seconds": float(schedule.seconds),
        "operations": schedule.operations,
    }


def _arm(arm: Arm) -> dict[str, object]:
    text: dict[str, object] = {"name": arm.name.value}
    if arm.delay is not None:
        text |= {"injection": arm.delay.wait.value, "amount": float(arm.delay.number)}
    return text


def _stopping_rule(watch: Watch) -> dict[str, object]:
    return {
        "criterion": watch.method.value,
        "measured": watch.measured,
        "seconds": float(watch.seconds),
        "width": None if watch.width is None else float(watch.width),
        "model": watch.model,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How a trial ended, where and when. `started` is UTC in ISO 8601.

    `revision` is that of the project it was made of: another one may have the same trial. `strain`
    is what kept the machine from it. `loop_seconds` is what a fixed loop took there just before,
    where it was run.
    """

    trial: Trial
    host: HostFacts
    outcome: Outcome
    started: str
    seconds: float
    revision: str = ""
    strain: Strain = field(default_factory=Strain)
    loop_seconds: float | None = None

    @property
    def may_pass(self) -> bool:
        """Tell whether the trial failed in a way that another try may not repeat."""
        cut_off = isinstance(self.outcome, Traced) and self.outcome.ended_after is not None
        return cut_off or ending(self.outcome) in MAY_PASS

    def answers(self, trial: Trial) -> bool:
        """Tell whether this, a run of the same trial, need not be made again.

        A watchdog that now has more patience may see the end of what it ended before.
        """
        outcome = self.outcome
        if isinstance(outcome, Traced):
            return outcome.ended_after is None or outcome.ended_after >= trial.timeout_seconds
        return not isinstance(outcome, TimedOut) or outcome.after_seconds >= trial.timeout_seconds
