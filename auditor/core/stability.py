"""How stable the benchmarks of a suite are: the result of its unchanged runs."""

from dataclasses import dataclass
from enum import StrEnum

from auditor.core.caveats import Caveat
from auditor.core.units import mean_time


class Bucket(StrEnum):
    """The columns of Table 3 of the paper."""

    BELOW_5 = "[0, .05)"
    BELOW_10 = "[.05, .10)"
    BELOW_25 = "[.10, .25)"
    BELOW_50 = "[.25, .50]"
    ABOVE_50 = "(.50, inf)"


UNLISTED = "unlisted"
"""`BenchmarkVerdict.ending` of a benchmark that the harness could not even list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkVerdict:
    """How stable a benchmark is, and which methods it detects."""

    id: str
    """The benchmark's id."""
    max_spread: float | None
    """(Largest - smallest run mean) / overall mean; None: runs are missing, or were disturbed."""
    bucket: Bucket | None
    """Column of `max_spread`; None where that is None."""
    means: tuple[float, ...]
    """Means of the complete runs, seconds per operation."""
    runs: int
    """Number of complete runs."""
    seconds: float | None
    """Mean duration of its processes in a complete run; None where no run is complete."""
    visible: float | None = None
    """Smallest slowdown that the plan can detect in it, of a method that is all of its operation.

    inf: none; None: unknown, or none in a result that was written.
    """
    unique: tuple[str, ...]
    """Methods that no other benchmark detects."""
    shared: tuple[str, ...]
    """Methods that other benchmarks detect too."""
    ending: str
    """Word for the last outcome, or UNLISTED."""
    reason: str | None
    """Why a run has no values; None where all have."""
    caveats: tuple[Caveat, ...]
    """Of the benchmark."""
    trials: tuple[str, ...] = ()
    """Ids of its trials in the runs of the suite."""
    unit: str = ""
    """The unit in which its tool shows the time, such as ops/s; empty where that is unknown."""

    @property
    def mean_seconds(self) -> float | None:
        """Return seconds per operation over the complete runs; None where none is."""
        return mean_time(self.means, self.unit) if self.means else None


@dataclass(frozen=True, slots=True)
class BucketCount:
    """How many benchmarks have a spread in a column of Table 3."""

    range: Bucket
    count: int
    percent: float
    """`count` as a percentage of the benchmarks with a `max_spread`."""


@dataclass(frozen=True, slots=True)
class Filter:
    """A regular expression that left benchmarks out."""

    pattern: str
    suite_size: int
    """Number of benchmarks of the whole suite."""
    groups_passed_over: int = 0
    """Number of groups that were not listed, since none of their benchmarks can match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Duration:
    """How long a run of the whole suite takes (Table 2), in seconds."""

    mean: float
    sd: float | None
    """Standard deviation; None for a single run."""
    limit: float
    """How much time CI has for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stability:
    """Section 5 of the paper: spreads, buckets, duration of the suite."""

    benchmarks: tuple[BenchmarkVerdict, ...]
    """In the order of the suite."""
    buckets: tuple[BucketCount, ...]
    """One for each column of Table 3."""
    suite_seconds: tuple[float, ...]
    """Durations of the complete suite runs, seconds."""
    runs: int
    """Number of suite runs that were asked for."""
    duration: Duration | None = None
    """Summary of `suite_seconds`; None where these are empty."""
    filter: Filter | None = None
    """None where `benchmarks` has the whole suite."""
    caveats: tuple[Caveat, ...] = ()
    """Of the suite as a whole."""
