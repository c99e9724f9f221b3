"""The unit of work: a process or fork that measures one benchmark, and what it did."""

import hashlib
import json
from dataclasses import dataclass, field
from enum import StrEnum

from auditor.core.jobs import HostFacts, HostInterference
from auditor.core.mutant import PLAIN, Overlay, Variant, VariantKind
from auditor.core.outcome import (
    TRANSIENT_FAILURES,
    Measured,
    Outcome,
    TimedOut,
    Traced,
    find_ending,
)
from auditor.core.schedule import Arm, ArmName, Phase, Schedule
from auditor.core.stop_rules import StoppingRule
from auditor.core.suite import Benchmark
from auditor.core.values import TIME


class Purpose(StrEnum):
    """Which question a trial was run for."""

    PILOT = "pilot"
    """How long is an operation?"""
    SUITE = "suite"
    """Unchanged subject: how stable is it?"""
    USAGE = "usage"
    """Which methods do the unit tests call?"""
    REACH = "reach"
    """Which methods does the benchmark call?"""
    CALIBRATION = "calibration"
    """How long does the method take, and which loop count delays it as wanted?"""
    PAIRS = "pairs"
    """Does the benchmark detect the slowdown?"""
    REFERENCE = "reference"
    """Baseline processes interleaved with the pairs, so both are from the same period."""
    MUTANT = "mutant"
    """Slowed blocks only, compared with SUITE or REFERENCE."""
    ALLOCATION = "allocation"
    """Does the benchmark show an allocation? All other changes delay."""
    COMPARISON = "comparison"
    """Unchanged subject, interleaved with processes of another revision."""
    STEADY = "steady"
    """Unchanged subject, from its start and for long: when is it warm?"""
    TRACE = "trace"
    """Tests of another project, a client of the library: what do they call?"""
    PROFILE = "profile"
    """Stacks of the unchanged benchmark, sampled."""


_UNTIMED = frozenset({Purpose.USAGE, Purpose.REACH, Purpose.TRACE, Purpose.PROFILE})
"""Counts of calls and shares of processor time are the same on a busy machine as on a quiet one."""


class Layouts(StrEnum):
    """How the machine code of processes of one and the same build lies in memory."""

    OF_PROCESS = "of-process"
    """Anew in each process, as a compiler at run time has it."""
    DRAWN = "drawn"
    """In the order that a number given to the build makes (`Trial.layout`)."""
    FIXED = "fixed"
    """In one order, which nobody can change."""


REPEAT_OFFSET = 1_000
"""What each repeat of a suite run on a quieter machine adds to its number."""


def original_repetition(repetition: int) -> int:
    """Return the number that a suite run had before it was repeated."""
    return (repetition - 1) % REPEAT_OFFSET + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One launch of one benchmark: everything that decides what it measures."""

    subject: str
    """Digest of what the benchmark is built of and may read (`BuildInputs`)."""
    purpose: Purpose
    """What it is run for."""
    variant: Variant = PLAIN
    """Plain, profiled, counting, traced or delayed."""
    overlay: Overlay = field(default=Overlay(), repr=False)
    """Files and agent instructions that make the variant."""
    built_overlay: str = ""
    """Digest of the part of `overlay` that is in the program; empty: all of it is."""
    benchmark: Benchmark | None
    """None for the subject's own unit tests (USAGE) and for those of a client (TRACE)."""
    schedule: Schedule
    """Blocks and their arms."""
    repetition: int
    """Run of the study, one-based."""
    fork: int = 1
    """Process of that run, one-based."""
    seed: int
    """Decides the order of the blocks."""
    tests: str = ""
    """Part of the unit tests that runs (a package of Go); empty: all of them."""
    layout: int = 0
    """Number that the order of functions is drawn with; 0: the order of the user's own build."""
    watch: StoppingRule | None = None
    """When the process may end before its last block; None: it does all blocks."""
    rough: bool = False
    """Another process may run beside it."""
    timeout_seconds: float = field(compare=False)
    """Seconds until our watchdog ends it."""

    def __post_init__(self) -> None:
        """Refuse to watch a changed subject, or blocks that are a warm-up."""
        phases = {block.phase for block in self.schedule.blocks}
        watchable = self.variant.kind is VariantKind.PLAIN and phases == {Phase.MEASUREMENT}
        if self.watch is not None and not watchable:
            raise ValueError("what is watched is plain, and none of its blocks is a warm-up")

    @property
    def is_exclusive(self) -> bool:
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
        return self.purpose is Purpose.COMPARISON or self.schedule.has_allocating_arm

    @property
    def overlay_digest(self) -> str:
        """Return the digest of what is laid over the program that is run."""
        return self.built_overlay or self.overlay.digest

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
        "methods": [] if trial.built_overlay else [method.id for method in trial.variant.methods],
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
        "overlay": trial.overlay_digest,
        "benchmark": trial.benchmark.id if trial.benchmark else "",
        "schedule": _describe_schedule(trial.schedule),
        "repetition": trial.repetition,
        "fork": trial.fork,
        "seed": trial.seed,
    }
    return json.dumps(
        fields | {name: value for name, value in optional.items() if value},
        sort_keys=True,
        separators=(",", ":"),
    )


def _describe_schedule(schedule: Schedule) -> dict[str, object]:
    """Return what a schedule asks for. Early stopping only shortens it, so it is left out.

    That of slow blocks is in it: what has ended so lacks what a run of the suite needs.
    """
    slow = {"slow_seconds": schedule.slow_seconds} if schedule.slow_seconds else {}
    return slow | {
        "arms": [_describe_arm(arm) for arm in schedule.arms],
        "blocks": [[block.phase.value, block.arm] for block in schedule.blocks],
        "seconds": float(schedule.seconds),
        "operations": schedule.operations,
    }


def _describe_arm(arm: Arm) -> dict[str, object]:
    text: dict[str, object] = {"name": arm.name.value}
    if arm.delay is not None:
        text |= {"injection": arm.delay.wait.value, "amount": float(arm.delay.number)}
    return text


def _stopping_rule(watch: StoppingRule) -> dict[str, object]:
    return {
        "criterion": watch.method.value,
        "measured": watch.measured,
        "seconds": float(watch.seconds),
        "width": None if watch.width is None else float(watch.width),
        "model": watch.model,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How a trial ended, where and when."""

    trial: Trial
    """The trial."""
    host: HostFacts
    """Machine that it ran on."""
    outcome: Outcome
    """Measured values, or how it failed."""
    started: str
    """UTC in ISO 8601."""
    seconds: float
    """From start to end, builds included."""
    revision: str = ""
    """That of the project it was made of: another revision may have the same trial."""
    strain: HostInterference = field(default_factory=HostInterference)
    """What kept the machine from it."""
    loop_seconds: float | None = None
    """Seconds of a fixed loop just before; None: it was not run."""

    @property
    def is_transient(self) -> bool:
        """Tell whether the trial failed in a way that another try may not repeat."""
        cut_off = isinstance(self.outcome, Traced) and self.outcome.ended_after is not None
        return cut_off or find_ending(self.outcome) in TRANSIENT_FAILURES

    @property
    def block_count(self) -> int:
        """Return how many blocks of the unchanged subject it measured, the warm-up included."""
        if not isinstance(self.outcome, Measured):
            return 0
        by_phase = (self.outcome.find_series(TIME, ArmName.PLAIN, phase) for phase in Phase)
        return sum(len(series.values) for series in by_phase if series)

    def answers_trial(self, trial: Trial) -> bool:
        """Tell whether this, a run of the same trial, need not be made again.

        A watchdog that now has more patience may see the end of what it ended before.
        """
        outcome = self.outcome
        if isinstance(outcome, Traced):
            return outcome.ended_after is None or outcome.ended_after >= trial.timeout_seconds
        return not isinstance(outcome, TimedOut) or outcome.after_seconds >= trial.timeout_seconds
