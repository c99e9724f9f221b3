"""How long an audit is likely to take, and the least that decides a method."""

from dataclasses import dataclass
from math import ceil

from auditor.core.units import format_duration
from auditor.measure.trial_times import AuditFigures


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """What is still to be run, as far as that is known beforehand."""

    suite_seconds: float
    """The time of pilots and runs of the unchanged suite that are not in the store."""
    counting_seconds: float
    """The time of counting calls and of unit tests, likewise."""
    benchmarks: int
    """Number of benchmarks."""
    methods: int
    """Number of methods."""
    pairs: int | None = None
    """Pairs that are still to be measured; None: calls are not counted yet."""
    calibration_blocks: float
    """Mean planned seconds of the blocks of a calibration process."""
    pair_blocks: float
    """Mean planned seconds of the blocks of such a process."""
    runs: int
    """Runs of a pair."""
    measures_further: bool
    """Whether controls or a curve are measured."""


@dataclass(frozen=True, slots=True)
class ExpectedTime:
    """A range of seconds that holds the time of most audits like this one."""

    low: float
    high: float
    budget: float | None = None
    """The limit of the command; None: there is none."""

    @property
    def range_text(self) -> str:
        """Return the range in words, in front of it the budget."""
        if not self.high:
            return "nothing is left to measure"
        low, high = format_duration(self.low), format_duration(self.high)
        if low.rpartition(" ")[2] == high.rpartition(" ")[2] and " h " not in high:
            low = low.rpartition(" ")[0]
        within = f"expected {high}" if high.startswith(f"{low} ") else f"expected {low} to {high}"
        if self.budget is None:
            return within
        limit = f"at most {format_duration(self.budget)} (budget)"
        return limit if self.low >= self.budget else f"{limit}; {within}"


def expected_time(load: Workload, figures: AuditFigures, budget: float | None) -> ExpectedTime:
    """Return the range of an audit's time; a budget ends it."""
    seconds = load.suite_seconds + load.counting_seconds + _pair_seconds(load, figures)
    if not seconds:
        return ExpectedTime(0.0, 0.0, budget)
    seconds += figures.result_seconds
    low, high = figures.low * seconds, figures.high * seconds
    if budget is not None:
        low, high = min(low, budget), min(high, budget)
    return ExpectedTime(low, high, budget)


def _pair_seconds(load: Workload, figures: AuditFigures) -> float:
    pairs: float
    if load.pairs is None:
        part = min(1.0, load.methods / 20)
        pairs = min(part * figures.pairs_per_benchmark, load.methods) * load.benchmarks
    else:
        pairs = load.pairs
    processes = figures.pair_processes * load.runs / 2
    processes += figures.further_processes if load.measures_further else 0.0
    seconds_per_pair = figures.calibrations * (figures.start_seconds + load.calibration_blocks)
    seconds_per_pair += processes * (figures.start_seconds + figures.used_part * load.pair_blocks)
    return pairs * seconds_per_pair + min(pairs, load.methods) * figures.build_seconds


def least_seconds(load: Workload, figures: AuditFigures) -> float:
    """Return about the least time in which a single method is decided, of a suite nobody knows.

    `load` is that of the cheapest benchmark; everything is as fast as it ever was.
    """
    calibration = figures.start_seconds + load.calibration_blocks
    pair = load.runs * (figures.start_seconds + 0.25 * figures.used_part * load.pair_blocks)
    suite = load.suite_seconds + load.counting_seconds
    return figures.low * (suite + calibration + pair + 2 * figures.build_seconds)


def too_small(budget: float, elapsed: float, least: float) -> str | None:
    """Return why a budget decides nothing and which one would; None where it may do."""
    if elapsed + least <= budget:
        return None
    return (
        f"--budget {format_duration(budget)} is too small to decide one method; the smallest that "
        f"would do is about {format_duration(ceil(elapsed + least))}"
    )
