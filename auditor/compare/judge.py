"""Base against head: the rule (docs/explanation/revision-comparison.md).

The first rounds raise suspicions, freely; fresh rounds confirm them, strictly. Only what is
confirmed is said, so false alarms are those of the fresh rounds, whatever was looked at before.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, expm1, isclose, log1p
from statistics import median

import numpy as np

from auditor.compare.model import Dimension, DimensionVerdict, PerformanceChange, Rounds
from auditor.core.busy import is_busy
from auditor.core.outcome import Measured
from auditor.core.plan import Run
from auditor.core.schedule import ArmName
from auditor.core.values import TIME
from auditor.measure import readings
from auditor.stats.arrays import positive
from auditor.stats.blocked import contrast
from auditor.stats.compare import Ratio, ratio, ratio_reach
from auditor.stats.sequential import LEAST_DEVIATION
from auditor.stats.trimming import trimmed_mean

FIRST_LEVEL = 0.95
"""Level of the interval that raises a suspicion, or says that nothing has changed."""
FALSE_ALARMS = 0.01
"""How often, at most, a suspicion is confirmed in a suite in which nothing has changed."""
_WAYS = 2
"""Intervals of which the narrower is taken."""
LOOKS = (4, 6, 8, 10, 12, 16, 20, 25, 30)
"""Numbers of first rounds after which a benchmark may be settled."""

_ADDED = {Dimension.TIME: 0.0, Dimension.ALLOCATIONS: 0.5, Dimension.ALLOCATED: 16.0}
"""What is added to both sides: none can then be compared with one, and one more is much of none."""

_APART = 0.01
"""Relative difference between head's mean and base times ratio that has to be said."""
_DIGITS = 6
"""Decimals of allocations and bytes per operation."""

_HEAD = (-0.5, -0.5, 1.0)
_AGAIN = (-1.0, 1.0, 0.0)
"""Weights of (base, again, head): head over the base, and the base over itself."""

Values = Sequence[tuple[float, float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonThresholds:
    """What counts: changes from `min_delta` on; `fresh` rounds confirm one of `suspects`."""

    min_delta: float
    fresh: int
    suspects: int = 1

    @property
    def level(self) -> float:
        """Return the level of the interval that confirms: one side of it, the narrower of two."""
        return 1 - 2 * FALSE_ALARMS / (_WAYS * max(1, self.suspects))


BUSY_ROUND = 0.3
"""Share of time that tasks waited for a processor, from which a median is no longer robust.

It is above `core.busy.BUSY`, since other work that disturbs few blocks leaves the median alone.
"""


def is_busy_round(runs: Iterable[Run]) -> bool:
    """Tell whether other work has disturbed a round; threads that wait for each other do not."""
    return any((run.strain.waited or 0.0) >= BUSY_ROUND and is_busy(run.strain) for run in runs)


def value(run: Run, dimension: Dimension, *, busy: bool = False) -> float | None:
    """Return the value of a process in a dimension: the median of its blocks; None without blocks.

    Of times in a `busy` round it is the least block: other work only adds time, and may add it to
    most blocks of a process (benchmarks/results/gates.md).
    """
    if dimension == TIME:
        times = readings.times(run, ArmName.PLAIN)
        middle = min if busy else median
        return middle(times) if times else None
    series = run.outcome.of(dimension, ArmName.PLAIN) if isinstance(run.outcome, Measured) else None
    return median(series.values) if series and series.values else None


def screen_rounds(
    dimension: Dimension, values: Values, limits: ComparisonThresholds
) -> PerformanceChange:
    """Return what the first rounds say: a change that is suspected, none, or that is open."""
    found = _ratio(dimension, values, FIRST_LEVEL)
    return PerformanceChange.UNKNOWN if found is None else change_of(found, limits)


def estimate(dimension: Dimension, values: Values) -> float | None:
    """Return head over base by these rounds; None where they are too few."""
    found = _ratio(dimension, values, FIRST_LEVEL)
    return None if found is None else found.estimate


def differs_from_itself(dimension: Dimension, values: Values, limits: ComparisonThresholds) -> bool:
    """Tell whether the same rule would suspect a change from the base to the base."""
    found = _itself(dimension, values)
    return found is not None and change_of(found, limits) in _CHANGES


_CHANGES = (PerformanceChange.REGRESSION, PerformanceChange.IMPROVEMENT)


def _is_explained(
    dimension: Dimension, values: Values, found: Ratio, limits: ComparisonThresholds
) -> bool:
    """Tell whether the base may differ from itself by as much as head surely differs from it."""
    if not differs_from_itself(dimension, values, limits):
        return False
    itself = _itself(dimension, values)
    return itself is not None and max(itself.high, 1 / itself.low) >= max(found.low, 1 / found.high)


def change_of(found: Ratio, limits: ComparisonThresholds) -> PerformanceChange:
    """Return what a ratio and its interval say."""
    most = 1 + limits.min_delta
    if 1 / most < found.low and found.high < most:
        return PerformanceChange.NONE
    if found.low > 1 and found.estimate >= most:
        return PerformanceChange.REGRESSION
    if found.high < 1 and found.estimate <= 1 / most:
        return PerformanceChange.IMPROVEMENT
    return PerformanceChange.UNKNOWN


def judge(dimension: Dimension, rounds: Rounds, limits: ComparisonThresholds) -> DimensionVerdict:
    """Return the verdict, of the fresh rounds where there are any."""
    screen = screen_rounds(dimension, rounds.first, limits)
    change, confirmed, reason, suspected = screen, None, "", None
    found, shown = _ratio(dimension, rounds.all, FIRST_LEVEL), rounds.all
    if change in _CHANGES:
        fresh = _ratio(dimension, rounds.fresh, limits.level)
        confirmed = fresh is not None and change_of(fresh, limits) is change
        if confirmed and fresh is not None and _is_explained(dimension, rounds.all, fresh, limits):
            change, confirmed = PerformanceChange.UNKNOWN, False
            reason = "it differs from itself as well"
        elif confirmed:
            found, shown = fresh, rounds.fresh
        else:
            change, reason = _unconfirmed(found, fresh, change, limits)
            suspected = screen if change is PerformanceChange.UNKNOWN else None
    elif change is PerformanceChange.UNKNOWN:
        reason = open_because(found, limits)
    itself = _itself(dimension, rounds.all)
    estimates = _estimates(dimension, shown, found)
    return DimensionVerdict(
        dimension=dimension,
        change=change,
        base=estimates.base,
        head=estimates.head,
        ratio=estimates.ratio,
        interval=estimates.interval,
        paired=estimates.paired,
        confirmed=confirmed,
        itself=None if itself is None else itself.estimate,
        visible=_visible(dimension, rounds, limits),
        rounds=rounds,
        reason=reason,
        suspected=suspected,
    )


def _unconfirmed(
    found: Ratio | None,
    fresh: Ratio | None,
    screen: PerformanceChange,
    limits: ComparisonThresholds,
) -> tuple[PerformanceChange, str]:
    if fresh is None:
        return (
            PerformanceChange.UNKNOWN,
            f"a suspected {screen} could not be looked into: the time was up",
        )
    if found is not None and change_of(found, limits) is PerformanceChange.NONE:
        return PerformanceChange.NONE, f"a suspected {screen} was not confirmed"
    return (
        PerformanceChange.UNKNOWN,
        f"a suspected {screen} was not confirmed, and not refuted either",
    )


def open_because(found: Ratio | None, limits: ComparisonThresholds) -> str:
    """Return why a ratio says neither that something has changed nor that nothing has."""
    if found is None:
        return "too few rounds"
    return (
        f"it takes {found.low:.3g} to {found.high:.3g} times as much, and from "
        f"{1 + limits.min_delta:.3g} on it counts"
    )


@dataclass(frozen=True, slots=True)
class _Estimates:
    """What a row shows: `head` is `base` times `ratio`."""

    base: float | None = None
    head: float | None = None
    ratio: float | None = None
    interval: tuple[float, float] | None = None
    paired: bool = False
    """Whether the mean of head's own values is not `head`, as the ratio is that within rounds."""


def _estimates(dimension: Dimension, values: Values, found: Ratio | None) -> _Estimates:
    """Return the values of both sides by the means that the ratio is made of.

    What was added to both sides for the ratio is taken off again; a base of nothing has no ratio.
    """
    if not values:
        return _Estimates()
    more = _ADDED[dimension]
    above, below = (_mean(side) for side in _sides(_raised(dimension, values)))
    if found is None:
        return _Estimates(base=_subtract_count(below, more), head=_subtract_count(above, more))
    paired = not isclose(above, below * found.estimate, rel_tol=_APART)
    base, head = _subtract_count(below, more), _subtract_count(below * found.estimate, more)
    if not base:
        return _Estimates(base=base, head=head, paired=paired)
    low, high = (max(0.0, (below * end - more) / base) for end in (found.low, found.high))
    return _Estimates(base, head, head / base, (low, high), paired)


def _mean(values: Sequence[float]) -> float:
    """Return the trimmed geometric mean."""
    return exp(trimmed_mean(np.log(positive(values))).middle)


def _subtract_count(value: float, more: float) -> float:
    """Return a count without what was added, and without what logarithms leave of rounding."""
    return max(0.0, round(value - more, _DIGITS)) if more else value


def _ratio(dimension: Dimension, values: Values, level: float) -> Ratio | None:
    """Return head / base; of the base there are two processes in each round."""
    if len(values) < LOOKS[0]:
        return None
    rounds = _raised(dimension, values)
    return _narrower(ratio(*_sides(rounds), level), contrast(rounds, _HEAD).ratio(level))


def _itself(dimension: Dimension, values: Values) -> Ratio | None:
    """Return the base divided by itself."""
    if len(values) < LOOKS[0]:
        return None
    rounds = _raised(dimension, values)
    base, again, _ = zip(*rounds, strict=True)
    return _narrower(ratio(again, base, FIRST_LEVEL), contrast(rounds, _AGAIN).ratio(FIRST_LEVEL))


def _raised(dimension: Dimension, values: Values) -> Values:
    more = _ADDED[dimension]
    return [(base + more, again + more, head + more) for base, again, head in values]


def _narrower(alone: Ratio | None, within: Ratio) -> Ratio:
    """Return the narrower interval, at least LEAST_DEVIATION wide at each side.

    Where the machine drifts, sides are alike within a round; where single processes are disturbed,
    every second round may be. The data says which it is, and the level pays for the choice. Few
    values may be alike by luck.
    """
    return no_narrower(min(alone or within, within, key=lambda one: one.high / one.low))


def no_narrower(found: Ratio) -> Ratio:
    """Return a ratio whose interval is at least LEAST_DEVIATION wide at each side."""
    low, high = found.estimate / (1 + LEAST_DEVIATION), found.estimate * (1 + LEAST_DEVIATION)
    return Ratio(found.estimate, min(found.low, low), max(found.high, high))


def _sides(rounds: Values) -> tuple[list[float], list[float]]:
    """Return all values of head, and all of the base."""
    return [head for _, _, head in rounds], [one for both in rounds for one in both[:2]]


def _visible(dimension: Dimension, rounds: Rounds, limits: ComparisonThresholds) -> float | None:
    """Return the least growth that would have been suspected and confirmed, most likely."""
    if len(rounds.all) < LOOKS[0]:
        return None
    raised = _raised(dimension, rounds.all)
    sizes = (limits.fresh, 2 * limits.fresh)
    half = min(
        ratio_reach(*_sides(raised), sizes=sizes, level=limits.level),
        contrast(raised, _HEAD).reach(limits.fresh, limits.level),
    )
    return expm1(max(log1p(limits.min_delta), half))
