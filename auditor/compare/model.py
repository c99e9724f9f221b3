"""Two revisions beside each other: what their benchmarks say, and which methods differ."""

from dataclasses import dataclass, field
from enum import StrEnum

from auditor.abs.model import AbsVerdict
from auditor.core.caveats import Caveat
from auditor.core.result import Interval
from auditor.core.values import ALLOCATED, ALLOCATIONS, TIME


class PerformanceChange(StrEnum):
    """What became of a benchmark from base to head."""

    REGRESSION = "regression"
    IMPROVEMENT = "improvement"
    NONE = "no change"
    UNKNOWN = "cannot tell"


WORST_FIRST = (
    PerformanceChange.REGRESSION,
    PerformanceChange.UNKNOWN,
    PerformanceChange.IMPROVEMENT,
    PerformanceChange.NONE,
)


class Dimension(StrEnum):
    """What of a benchmark is compared, by the name of its metric; less is better of each."""

    TIME = TIME
    ALLOCATIONS = ALLOCATIONS
    ALLOCATED = ALLOCATED


class ComparisonArm(StrEnum):
    """Which revision a process runs: CONTROL is a second process of the base (the A/A arm)."""

    BASE = "base"
    CONTROL = "again"
    HEAD = "head"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """What the processes of a benchmark gave: one value for each side and round.

    `fresh` are the rounds that were made to confirm a suspicion, which did not raise it.
    """

    first: tuple[tuple[float, float, float], ...]
    """(base, again, head) of each round, seconds, allocations or bytes per operation."""
    fresh: tuple[tuple[float, float, float], ...] = ()

    @property
    def all_rounds(self) -> tuple[tuple[float, float, float], ...]:
        """Return both."""
        return self.first + self.fresh


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionVerdict:
    """The verdict on a benchmark in one dimension."""

    dimension: Dimension
    """Time, allocations or bytes per operation."""
    change: PerformanceChange
    """From base to head."""
    base: float | None
    """Trimmed geometric mean of the rounds that decide; None: nothing was measured."""
    head: float | None
    """Likewise; see `paired`."""
    ratio: float | None
    """Head / base, of the fresh rounds where these confirm a change; None: the base is 0."""
    interval: Interval | None
    """Of `ratio`; None: there is no ratio, or too few rounds."""
    confirmed: bool | None
    """Whether fresh rounds confirm a suspected change; None: nothing was suspected."""
    control_ratio: float | None
    """Ratio of the base to itself (A/A control); None: not measured."""
    visible: float | None
    """Smallest detectable growth, 0.1 for 1.1 times; None: unknown."""
    rounds: Rounds = field(repr=False)
    """Values of all processes."""
    reason: str = ""
    """Why it cannot be judged; empty: it is judged."""
    suspected: PerformanceChange | None = None
    """Change that the first rounds show and that nothing confirmed or refuted; None: none."""
    paired: bool = False
    """Whether `head`, which is `base` times `ratio`, is 1 % or more off the mean of head's values:
    the ratio is then that within rounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkComparison:
    """The verdict on a benchmark that both revisions have, or may have."""

    id: str
    """The benchmark's id."""
    dimensions: tuple[DimensionVerdict, ...] = ()
    """Those that were measured."""
    same: bool = False
    """Whether both revisions build the same code, so that nothing was measured."""
    reason: str = ""
    """Why there is no verdict; empty: there is one."""
    fails_in_head: bool = False
    """Whether head cannot list or run it, which base could."""
    calls_changed: bool | None = None
    """Whether it calls a method that head has changed; None where that was not asked or counted."""
    unit: str = ""
    """The unit in which its tool shows the time, such as ops/s; empty where that is unknown."""

    @property
    def change(self) -> PerformanceChange:
        """Return the worst of its dimensions."""
        if self.same:
            return PerformanceChange.NONE
        changes = {dimension.change for dimension in self.dimensions}
        return next(
            (change for change in WORST_FIRST if change in changes), PerformanceChange.UNKNOWN
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """The methods that differ, and what the suite of head would detect of them."""

    changed: tuple[str, ...]  # ids of methods whose code differs and can be slowed down
    added: tuple[str, ...]  # ids of those that only head has
    removed: tuple[str, ...]  # ids of those that only the base has
    unwatched: tuple[str, ...] = ()
    """Public ones of `added` that no benchmark calls."""
    refused: tuple[str, ...] = ()
    """Those that head has changed or added and that cannot be slowed down."""
    unknown: int = 0
    """Number of methods without a source here, so that nobody knows whether they differ."""
    verdict: AbsVerdict | None = None
    """Of those that were slowed down; None: no method differs, or nobody asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The answer to "did a benchmark get slower, and would the suite have detected it?"."""

    min_delta: float  # smallest relative change that counts
    benchmarks: tuple[BenchmarkComparison, ...]  # those of both revisions
    added: tuple[str, ...]  # ids of benchmarks that only head has
    removed: tuple[str, ...]  # ids of benchmarks that only the base has
    controls: int  # number of benchmarks compared with themselves (A/A control)
    suspected: tuple[str, ...]  # ids of `controls` that the first rounds suspect
    confirming_seconds: float | None = None
    """Estimated time to confirm the suspected changes; None: there are none."""
    patch: Patch = field(default=Patch(changed=(), added=(), removed=()))
    """Methods that differ, and whether the suite detects their slowdown."""
    caveats: tuple[Caveat, ...] = ()  # of the comparison

    @property
    def change(self) -> PerformanceChange:
        """Return the worst of all benchmarks; nothing changes where there is none."""
        changes = {benchmark.change for benchmark in self.benchmarks}
        return next((change for change in WORST_FIRST if change in changes), PerformanceChange.NONE)
