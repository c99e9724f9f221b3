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
class WarmUp:
    """What a warm-up of so many `iterations` does in a process that is steady.

    `early` is how many measured iterations were not warm, and `off` by how much the mean of what
    was measured lies above that of the steady part (0.05 for 5 %). `late` is how many steady ones
    were spent on warming up, and `wasted_seconds` how long these took, None where nobody knows.
    """

    iterations: int
    early: int = 0
    off: float = 0.0
    late: int = 0
    wasted_seconds: float | None = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesSteadiness:
    """A process of a benchmark; `run` and `fork` count from zero.

    `steady_from` is the 0-based index of the first steady iteration, warm-up included; None where
    there is none or nobody can tell. `warm_up` is None where the configured one is not known.
    """

    run: int
    fork: int
    iterations: int
    label: SteadyLabel
    steady_from: int | None = None
    changes: tuple[int, ...] = ()
    warm_up: WarmUp | None = None
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """What it takes until all processes that get warm are warm.

    `seconds` and `operations` pass until then. `iterations` of `iteration_seconds` each (None: of
    one call) are a warm-up that is long enough, and a run of the suite is `saved_seconds` shorter
    with it than with the configured one (longer where that is below zero); None where that is not
    known.
    `measured_seconds` is the shortest time (0.1, 0.2, 0.5, 1 … s) whose mean from a cold start lies
    within 1 % of that of the steady part, None without any.
    """

    seconds: float
    operations: int
    iterations: int
    iteration_seconds: float | None
    saved_seconds: float | None = None
    measured_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkSteadiness:
    """A benchmark and its processes.

    `iteration_seconds` is None where nobody knows it. `needed` is None where nobody knows how long
    an iteration took, and where no process gets warm.
    """

    id: str
    series: tuple[SeriesSteadiness, ...]
    iteration_seconds: float | None = None
    needed: Needed | None = None

    @property
    def label(self) -> SteadyLabel:
        """Return what all processes are together; those that nobody can tell of do not count."""
        return _together([one.label for one in self.series])

    @property
    def warm_iterations(self) -> int | None:
        """Return a warm-up that is long enough for all steady processes; None without any."""
        starts = [one.steady_from for one in self.series if one.steady_from is not None]
        return max(starts, default=None)


def _together(labels: Sequence[SteadyLabel]) -> SteadyLabel:
    known = {label for label in labels if label is not SteadyLabel.UNKNOWN}
    if not known:
        return SteadyLabel.UNKNOWN
    return known.pop() if len(known) == 1 else SteadyLabel.INCONSISTENT


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteSteadiness:
    """The benchmarks of a suite, as one detector sees them."""

    detector: str
    benchmarks: tuple[BenchmarkSteadiness, ...]
    caveats: tuple[Caveat, ...] = ()
