"""How far neighbouring blocks of the unchanged benchmark lie apart."""

from math import log, sqrt
from statistics import median

from auditor.abs.judge.pair import PairData
from auditor.core.plan import Run
from auditor.core.schedule import ArmName
from auditor.measure import readings
from auditor.stats.compare import t_half

NORMAL_MEDIAN = 0.6745
"""Median of the size of a normal variate, in standard deviations."""


def estimate_half_interval(data: PairData) -> float:
    """Return half of the interval of an effect that the plan's pairs of plain blocks would have.

    The quietest process counts: what else the machine does only adds scatter, and is no property
    of the benchmark. Without two processes' blocks nothing is added.
    """
    least = min(filter(None, map(_estimate_deviation, data.plain)), default=0.0)
    pairs = max(2, data.pairs)
    return t_half(least / sqrt(pairs), pairs - 1, data.confidence)


def _estimate_deviation(run: Run) -> float:
    """Return the standard deviation of log ratios of neighbouring blocks, by their median size."""
    times = readings.list_block_times(run, ArmName.PLAIN)
    differences = [abs(log(b / a)) for a, b in zip(times[::2], times[1::2], strict=False)]
    return median(differences) / NORMAL_MEDIAN if len(differences) > 1 else 0.0
