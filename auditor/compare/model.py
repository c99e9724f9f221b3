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
    """Which revision a process runs: AGAIN is a second process of the base (the A/A arm)."""

    BASE = "base"
    AGAIN = "again"
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
    def all(self) -> tuple[tuple[float, float, float], ...]:
        """Return both."""
        return self.first + self.fresh


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionVerdict:
    """What became of a benchmark in one dimension.

    `ratio` is head / base with its `interval`, of the fresh rounds where a change is confirmed and
    of all rounds else; None where the base is 0. `confirmed` is None where there was no suspicion,
    and False of a change that nothing could be run to confirm. `itself` is the ratio of the base to
    itself. `visible` is the smallest growth (0.1 for 1.1 times as much) that would have been seen;
    None where too little is known. `suspected` is the change that the first rounds saw, where
    nothing confirmed or refuted it.
    """

    dimension: Dimension
    change: PerformanceChange
    base: float | None
    head: float | None
    ratio: float | None
    interval: Interval | None
    confirmed: bool | None
    itself: float | None
    visible: float | None
    rounds: Rounds = field(repr=False)
    reason: str = ""
    suspected: PerformanceChange | None = None
    paired: bool = False
    """Whether `head`, which is `base` times `ratio`, is 1 % or more off the mean of head's values:
    the ratio is then that within rounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkComparison:
    """What became of a benchmark that both revisions have, or may have.

    `same` tells that both are built of the same code, so that nothing was measured; `reason` why
    there is no verdict on a benchmark that fails, or that head cannot list.
    """

    id: str
    dimensions: tuple[DimensionVerdict, ...] = ()
    same: bool = False
    reason: str = ""
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
    """The methods that differ, and what the suite of head would notice of them.

    `verdict` is that of those which were slowed down, None where no method differs, and where
    nobody asked. `unwatched` are public methods that are new in head and
    that no benchmark calls.
    """

    changed: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    unwatched: tuple[str, ...] = ()
    verdict: AbsVerdict | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The answer to "did a benchmark get slower, and would the suite have noticed?".

    `controls` are how many benchmarks were compared with themselves (the A/A arm), `suspected` in
    how many of these a change was suspected by the rule of the first rounds.
    `confirming_seconds` is about how long the rounds take that would confirm what is suspected of
    head still; None where nothing is.
    """

    min_delta: float
    benchmarks: tuple[BenchmarkComparison, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    controls: int
    suspected: tuple[str, ...]
    confirming_seconds: float | None = None
    patch: Patch = field(default=Patch(changed=(), added=(), removed=()))
    caveats: tuple[Caveat, ...] = ()

    @property
    def change(self) -> PerformanceChange:
        """Return the worst of all benchmarks; nothing changes where there is none."""
        changes = {benchmark.change for benchmark in self.benchmarks}
        return next((change for change in WORST_FIRST if change in changes), PerformanceChange.NONE)
