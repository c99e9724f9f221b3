"""Base against head by sessions that did not run in turns (revision-comparison.md).

Nothing raises a suspicion first and nothing confirms one: all is said at once, so the level is
shared by all benchmarks that are asked about.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, expm1, log1p

import numpy as np

from auditor.compare.judge import (
    FALSE_ALARMS,
    FIRST_LEVEL,
    ComparisonThresholds,
    change_of,
    no_narrower,
    open_because,
)
from auditor.compare.model import Dimension, DimensionVerdict, PerformanceChange, Rounds
from auditor.stats.arrays import positive
from auditor.stats.compare import Ratio, ratio, ratio_reach
from auditor.stats.trimming import trimmed_mean

LEAST = 3
"""Values of each side: fewer tell nothing of how far sessions lie apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """Values of base and head in seconds per operation, one for each file.

    `obstacle` says why they cannot be compared, whatever they are.
    """

    base: Sequence[float]
    head: Sequence[float]
    obstacle: str = ""


def level_for(benchmarks: int) -> float:
    """Return the level of an interval that may call a change, either way, of one of so many.

    In a suite in which nothing has changed, something is called at most so often: FALSE_ALARMS.
    """
    return 1 - FALSE_ALARMS / max(1, benchmarks)


def judge(sides: Sides, min_delta: float, benchmarks: int) -> DimensionVerdict:
    """Return the verdict on the time of one of so many benchmarks."""
    limits = ComparisonThresholds(min_delta=min_delta, fresh=0)
    level = level_for(benchmarks)
    strict = _ratio(sides, level)
    change, found, reason = PerformanceChange.UNKNOWN, _ratio(sides, FIRST_LEVEL), sides.obstacle
    if strict is None:
        reason = reason or _too_few(sides)
    elif not reason:
        change, found, reason = _change_and_interval(strict, found or strict, limits)
    return DimensionVerdict(
        dimension=Dimension.TIME,
        change=change,
        base=_middle(sides.base),
        head=_middle(sides.head),
        ratio=None if found is None else found.estimate,
        interval=None if found is None else (found.low, found.high),
        confirmed=False
        if change in (PerformanceChange.REGRESSION, PerformanceChange.IMPROVEMENT)
        else None,
        itself=None,
        visible=None if strict is None else _visible(sides, min_delta, level),
        rounds=Rounds(first=()),
        reason=reason,
    )


def _change_and_interval(
    strict: Ratio, usual: Ratio, limits: ComparisonThresholds
) -> tuple[PerformanceChange, Ratio, str]:
    """Return the verdict, and the interval that it was reached by."""
    change = change_of(strict, limits)
    if change in (PerformanceChange.REGRESSION, PerformanceChange.IMPROVEMENT):
        return change, strict, ""
    if change_of(usual, limits) is PerformanceChange.NONE:
        return PerformanceChange.NONE, usual, ""
    return PerformanceChange.UNKNOWN, strict, open_because(strict, limits)


def _ratio(sides: Sides, level: float) -> Ratio | None:
    if min(len(sides.base), len(sides.head)) < LEAST:
        return None
    found = ratio(sides.head, sides.base, level)
    return None if found is None else no_narrower(found)


def _middle(values: Sequence[float]) -> float:
    """Return the middle that the ratio is made of."""
    return exp(trimmed_mean(np.log(positive(values))).middle)


def _too_few(sides: Sides) -> str:
    return (
        f"{LEAST} files of each side, made at different times, are needed, not {len(sides.base)} "
        f"and {len(sides.head)}: one, however many values it has, does not tell how far they lie "
        "apart"
    )


def _visible(sides: Sides, min_delta: float, level: float) -> float:
    """Return the least growth that would have been called, most likely."""
    sizes = (len(sides.head), len(sides.base))
    half = ratio_reach(sides.head, sides.base, sizes=sizes, level=level)
    return expm1(max(log1p(min_delta), half))
