"""Measured values: packed, ordered, with what they are."""

import struct
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from auditor.core.schedule import ArmName, Phase

TIME = "time"
"""The metric of every harness's main result, in seconds per operation."""
OPERATIONS = "operations"
"""Operations done in the block."""
METHOD_CALLS = "method-calls"
"""Outermost calls of the method in the block, all threads together; in arms that count them."""
METHOD_TIME = "method-time"
"""Seconds spent in these calls, all threads together, the clock's own cost included."""
CLOCK_COST = "clock-cost"
"""Seconds that the clock adds to what it shows of a call, measured in the process."""
WALL = "wall"
"""Seconds that the block took by the clock."""
ALLOCATIONS = "allocations"
"""Allocations per operation as the harness reports them; Go's are whole numbers, cut off."""
ALLOCATED = "allocated"
"""Bytes allocated per operation as the harness reports them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The values of one metric of one arm and phase in one process, in the order measured."""

    metric: str  # such as TIME
    unit: str  # "s/op" for TIME, else that of the harness
    arm: ArmName  # of the blocks
    phase: Phase  # warm-up or measured
    packed: bytes = field(repr=False)
    """Values as little-endian doubles, readable by numpy without a copy."""
    positions: bytes = field(repr=False)
    """Index of each value's block in the process, packed unsigned 32-bit."""

    def __post_init__(self) -> None:
        """Refuse values without a position."""
        if len(self.packed) != 2 * len(self.positions):
            raise ValueError("a series needs one position for each value")

    @classmethod
    def from_values(
        cls,
        metric: str,
        unit: str,
        arm: ArmName,
        phase: Phase,
        positioned_values: Iterable[tuple[int, float]],
    ) -> "Series":
        """Pack (position, value) pairs, in the order of their positions."""
        ordered = sorted(positioned_values)
        return cls(
            metric=metric,
            unit=unit,
            arm=arm,
            phase=phase,
            packed=struct.pack(f"<{len(ordered)}d", *(value for _, value in ordered)),
            positions=struct.pack(f"<{len(ordered)}I", *(position for position, _ in ordered)),
        )

    def split_warmup(self, first: int) -> tuple["Series", ...]:
        """Return the values before the block `first` as warm-up, the others as measured."""
        count = bisect_left(self.block_positions, first)
        values, places = 8 * count, 4 * count
        parts = (
            (Phase.WARMUP, self.packed[:values], self.positions[:places]),
            (Phase.MEASUREMENT, self.packed[values:], self.positions[places:]),
        )
        return tuple(
            replace(self, phase=phase, packed=packed, positions=positions)
            for phase, packed, positions in parts
            if packed
        )

    @property
    def values(self) -> tuple[float, ...]:
        """Return the values, unpacked."""
        return struct.unpack(f"<{len(self.packed) // 8}d", self.packed)

    @property
    def block_positions(self) -> tuple[int, ...]:
        """Return the positions, unpacked."""
        return struct.unpack(f"<{len(self.positions) // 4}I", self.positions)
