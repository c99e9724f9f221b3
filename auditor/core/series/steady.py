"""When the processes of benchmarks get warm, and what the configured warm-up does about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from auditor.core.caveats import Caveat


class SteadyLabel(StrEnum):
    """What becomes of a series, or of all series of a benchmark (INCONSISTENT: of some only)."""

    STEADY = "steady"
    INCONSISTENT = "inconsistent"
    NOT_STEADY = "no steady state"
    UNKNOWN = "cannot tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmupEffect:
    """What the configured warm-up does in a process that gets steady."""

    iterations: int  # warm-up iterations
    early: int  # measured iterations that were not warm
    relative_error: float | None  # (measured mean - steady mean) / steady mean: 0.05 for 5 %
    late: int  # steady iterations that the warm-up took
    wasted_seconds: float | None  # time of the `late` ones; None: not known


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesSteadiness:
    """When a process of a benchmark is steady; all numbers count from zero."""

    run: int  # of the suite
    fork: int  # process of the benchmark in that run
    iterations: int  # number of iterations
    label: SteadyLabel  # whether it gets steady
    steady_from: int | None = None
    """Index of the first steady iteration, warm-up included; None: none, or unknown."""
    changes: tuple[int, ...] = ()  # last iteration of each segment that the detector separates
    warm_up: WarmupEffect | None = None  # effect of the configured warm-up; None: that is unknown
    caveats: tuple[Caveat, ...] = ()  # of the series


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededWarmup:
    """The warm-up that suffices for all processes that get warm."""

    seconds: float  # until all are warm
    operations: int  # until all are warm
    iterations: int  # a warm-up that is long enough
    iteration_seconds: float | None  # of each of these iterations; None: one call
    saved_seconds: float | None
    """By how much it shortens a run of the suite; below zero: lengthens; None: not known."""
    measured_seconds: float | None
    """The shortest time (0.1, 0.2, 0.5, 1 … s) whose mean from a cold start lies within 1 % of the
    steady mean; None: none does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkSteadiness:
    """A benchmark and its processes.

    `iteration_seconds` is None where nobody knows it. `needed` is None where nobody knows how long
    an iteration took, where no process gets warm, and with `has_unkept_warmup`.
    """

    id: str
    series: tuple[SeriesSteadiness, ...]
    iteration_seconds: float | None = None
    needed: NeededWarmup | None = None
    has_unkept_warmup: bool = False
    """Whether indices of a process count from the end of a warm-up that has no values."""

    @property
    def steady_label(self) -> SteadyLabel:
        """Return what all processes are together: STEADY only where all of them were judged."""
        return _combine_labels([steadiness.label for steadiness in self.series])

    @property
    def warm_iterations(self) -> int | None:
        """Return a warm-up that is long enough for all steady processes; None: unknown."""
        if self.has_unkept_warmup:
            return None
        starts = [
            steadiness.steady_from
            for steadiness in self.series
            if steadiness.steady_from is not None
        ]
        return max(starts, default=None)


def _combine_labels(labels: Sequence[SteadyLabel]) -> SteadyLabel:
    definite_labels = {label for label in labels if label is not SteadyLabel.UNKNOWN}
    if not definite_labels or {*labels} == {SteadyLabel.STEADY, SteadyLabel.UNKNOWN}:
        return SteadyLabel.UNKNOWN
    return definite_labels.pop() if len(definite_labels) == 1 else SteadyLabel.INCONSISTENT


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteSteadiness:
    """The benchmarks of a suite, as one detector sees them."""

    detector: str
    benchmarks: tuple[BenchmarkSteadiness, ...]
    caveats: tuple[Caveat, ...] = ()
