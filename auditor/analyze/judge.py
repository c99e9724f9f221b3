"""Base against head by sessions that did not run in turns (revision-comparison.md).

Nothing raises a suspicion first and nothing confirms one: all is said at once, so the level is
shared by all benchmarks that are asked about.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import expm1, log1p

from auditor.compare.judge import (
    MAX_FALSE_ALARM_RATE,
    SCREENING_LEVEL,
    ComparisonThresholds,
    classify_change,
    explain_inconclusive,
    widen_interval,
)
from auditor.compare.model import Dimension, DimensionVerdict, PerformanceChange, Rounds
from auditor.stats.arrays import trimmed_geometric_mean
from auditor.stats.compare import Ratio, estimate_ratio, predict_half_width

LEAST = 3
"""Values of each side: fewer tell nothing of how far sessions lie apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonSides:
    """Values of base and head in seconds per operation, one for each file.

    `obstacle` says why they cannot be compared, whatever they are.
    """

    base: Sequence[float]
    head: Sequence[float]
    obstacle: str = ""


def _level_for(benchmarks: int) -> float:
    """Return the level of an interval that may call a change, either way, of one of so many.

    In a suite in which nothing has changed, something is called with a probability of at most
    MAX_FALSE_ALARM_RATE.
    """
    return 1 - MAX_FALSE_ALARM_RATE / max(1, benchmarks)


def judge_sides(sides: ComparisonSides, min_delta: float, benchmarks: int) -> DimensionVerdict:
    """Return the verdict on the time of one of so many benchmarks."""
    limits = ComparisonThresholds(min_delta=min_delta, fresh=0)
    level = _level_for(benchmarks)
    strict = _compute_ratio(sides, level)
    change, interval, reason = (
        PerformanceChange.UNKNOWN,
        _compute_ratio(sides, SCREENING_LEVEL),
        sides.obstacle,
    )
    if strict is None:
        reason = reason or _too_few(sides)
    elif not reason:
        change, interval, reason = _change_and_interval(strict, interval or strict, limits)
    return DimensionVerdict(
        dimension=Dimension.TIME,
        change=change,
        base=trimmed_geometric_mean(sides.base),
        head=trimmed_geometric_mean(sides.head),
        ratio=None if interval is None else interval.estimate,
        interval=None if interval is None else (interval.low, interval.high),
        confirmed=False
        if change in (PerformanceChange.REGRESSION, PerformanceChange.IMPROVEMENT)
        else None,
        control_ratio=None,
        visible=None if strict is None else _estimate_visible_change(sides, min_delta, level),
        rounds=Rounds(first=()),
        reason=reason,
    )


def _change_and_interval(
    strict: Ratio, usual: Ratio, limits: ComparisonThresholds
) -> tuple[PerformanceChange, Ratio, str]:
    """Return the verdict, and the interval that it was reached by."""
    change = classify_change(strict, limits)
    if change in (PerformanceChange.REGRESSION, PerformanceChange.IMPROVEMENT):
        return change, strict, ""
    if classify_change(usual, limits) is PerformanceChange.NONE:
        return PerformanceChange.NONE, usual, ""
    return PerformanceChange.UNKNOWN, strict, explain_inconclusive(strict, limits)


def _compute_ratio(sides: ComparisonSides, level: float) -> Ratio | None:
    if min(len(sides.base), len(sides.head)) < LEAST:
        return None
    estimate = estimate_ratio(sides.head, sides.base, level)
    return None if estimate is None else widen_interval(estimate)


def _too_few(sides: ComparisonSides) -> str:
    return (
        f"{LEAST} files of each side, made at different times, are needed, not {len(sides.base)} "
        f"and {len(sides.head)}: one, however many values it has, does not tell how far they lie "
        "apart"
    )


def _estimate_visible_change(sides: ComparisonSides, min_delta: float, level: float) -> float:
    """Return the least growth that would have been called, most likely."""
    sizes = (len(sides.head), len(sides.base))
    half = predict_half_width(sides.head, sides.base, sizes=sizes, level=level)
    return expm1(max(log1p(min_delta), half))
