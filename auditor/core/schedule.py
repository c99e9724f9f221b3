"""What a process does: blocks of operations, and the arms that alternate in it."""

from dataclasses import dataclass, field
from enum import StrEnum

from auditor.core.mutant import Delay


class Phase(StrEnum):
    """Whether a block counts."""

    WARMUP = "warmup"
    MEASUREMENT = "measurement"


class ArmName(StrEnum):
    """What a stretch of operations was measured with.

    PLAIN is the unchanged subject; all others are the same bytes and differ in a number: PROBE
    waits not at all, SLOWED waits (by 0 in a control), CLOCKED measures the method, ALLOCATING
    allocates.
    """

    PLAIN = "plain"
    PROBE = "probe"
    SLOWED = "slowed"
    CLOCKED = "clocked"
    ALLOCATING = "allocating"


@dataclass(frozen=True, slots=True)
class Arm:
    """One of the things that alternate inside a process; `delay` is None for PLAIN."""

    name: ArmName
    delay: Delay | None = None

    @property
    def counts_calls(self) -> bool:
        """Tell whether its blocks have METHOD_CALLS."""
        return self.delay is not None and self.delay.counts_calls


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of operations of one arm (JMH's iteration); `arm` is an index into the arms."""

    phase: Phase
    arm: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyStop:
    """When a process of pairs may end before its last block: when it has decided, or never will.

    After `looks` (pairs, critical) the mean log ratio slowed / probe is compared: the process ends
    if it lies `critical` standard errors above `above` or below `below`, or if so many standard
    errors are no more than `enough`: more pairs would not make the verdict surer. The standard
    deviation is taken to be `least_deviation` at least.
    """

    above: float
    below: float
    looks: tuple[tuple[int, float], ...]
    least_deviation: float
    enough: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StableMinimumStop:
    """When a process of a calibration may end before its last block: once every arm was quiet.

    What disturbs a block only adds to it, so the least block of an arm was hardly disturbed if
    another is as short. The process ends after `blocks` measured blocks of each arm or later, as
    soon as of every arm the second least takes at most the part `share` longer than the least.
    """

    blocks: int
    share: float

    def __post_init__(self) -> None:
        """Refuse to compare the least block with none."""
        if self.blocks <= 1:
            raise ValueError("fewer than two blocks have no second least")


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """What a process does.

    `stop` and `quiet` only shorten a process, so schedules that differ in them are equal: the
    result of one holds for the other (but not for a pair that may not stop: `Trial.is_whole`).
    """

    arms: tuple[Arm, ...]  # the versions of the code that blocks run
    blocks: tuple[Block, ...]  # in order; each names its arm
    seconds: float  # about how long a block lasts
    operations: int | None = None
    """Exact number in a block; None: unknown, or the harness cannot fix it."""
    stop: EarlyStop | None = field(default=None, compare=False, repr=False)
    """Ends a process whose pairs have decided; None: all blocks run."""
    quiet: StableMinimumStop | None = field(default=None, compare=False, repr=False)
    """Ends a calibration whose arms were quiet; None: all blocks run."""
    slow_seconds: float = 0.0
    """Ends a process whose blocks have taken longer than this together; 0: all blocks run."""

    @property
    def has_allocating_arm(self) -> bool:
        """Tell whether one of its arms allocates."""
        return any(arm.name is ArmName.ALLOCATING for arm in self.arms)

    def __post_init__(self) -> None:
        """Refuse a block of an arm that is not there."""
        if any(not 0 <= block.arm < len(self.arms) for block in self.blocks):
            raise ValueError("a block names an arm that the schedule does not have")


OPERATIONS_EACH = 4
"""Operations of a block for each one in flight, at least: else some wait for the last one."""


def count_fewest_operations(concurrency: int) -> int:
    """Return the fewest operations of a block that holds several, by those in flight at once."""
    return 2 if concurrency == 1 else OPERATIONS_EACH * concurrency
