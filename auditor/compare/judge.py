"""Base against head: the rule (docs/explanation/revision-comparison.md).

The first rounds raise suspicions, freely; fresh rounds confirm them, strictly. Only what is
confirmed is said, so false alarms are those of the fresh rounds, whatever was looked at before.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import expm1, isclose, log1p
from statistics import median

from auditor.compare.model import Dimension, DimensionVerdict, PerformanceChange, Rounds
from auditor.core.busy import is_busy
from auditor.core.outcome import Measured
from auditor.core.plan import Run
from auditor.core.schedule import ArmName
from auditor.core.values import TIME
from auditor.measure import readings
from auditor.stats.arrays import trimmed_geometric_mean
from auditor.stats.blocked import compute_contrast
from auditor.stats.compare import Ratio, estimate_ratio, predict_half_width
from auditor.stats.sequential import LEAST_DEVIATION

SCREENING_LEVEL = 0.95
"""Level of the interval that raises a suspicion, or says that nothing has changed."""
MAX_FALSE_ALARM_RATE = 0.01
"""How often, at most, a suspicion is confirmed in a suite in which nothing has changed."""
_INTERVAL_COUNT = 2
"""Intervals of which the narrower is taken."""
SCREENING_ROUNDS = (4, 6, 8, 10, 12, 16, 20, 25, 30)
"""Numbers of first rounds after which a benchmark may be settled."""
_STANDING_OUT_ROUNDS = 2
"""Rounds from which head may be suspected where there are too few for SCREENING_ROUNDS."""

_COUNT_OFFSETS = {Dimension.TIME: 0.0, Dimension.ALLOCATIONS: 0.5, Dimension.ALLOCATED: 16.0}
"""What is added to both sides: none can then be compared with one, and one more is much of none."""

_PAIRED_TOLERANCE = 0.01
"""Relative difference between head's mean and base times ratio that has to be said."""
_COUNT_DECIMALS = 6
"""Decimals of allocations and bytes per operation."""

_HEAD_WEIGHTS = (-0.5, -0.5, 1.0)
_CONTROL_WEIGHTS = (-1.0, 1.0, 0.0)
"""Weights of (base, again, head): head over the base, and the base over itself."""

RoundValues = Sequence[tuple[float, float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonThresholds:
    """What counts: changes from `min_delta` on; `fresh` rounds confirm one of `suspects`."""

    min_delta: float
    fresh: int
    suspects: int = 1

    @property
    def confirming_level(self) -> float:
        """Return the level of the interval that confirms: one side of it, the narrower of two."""
        return 1 - 2 * MAX_FALSE_ALARM_RATE / (_INTERVAL_COUNT * max(1, self.suspects))


BUSY_ROUND_SHARE = 0.3
"""Share of time that tasks waited for a processor, from which a median is no longer robust.

It is above `core.busy.BUSY`, since other work that disturbs few blocks leaves the median alone.
"""


def is_busy_round(runs: Iterable[Run]) -> bool:
    """Tell whether other work has disturbed a round; threads that wait for each other do not."""
    return any(
        (run.strain.waited or 0.0) >= BUSY_ROUND_SHARE and is_busy(run.strain) for run in runs
    )


def find_run_value(run: Run, dimension: Dimension, *, busy: bool = False) -> float | None:
    """Return the value of a process in a dimension: the median of its blocks; None without blocks.

    Of times in a `busy` round it is the least block: other work only adds time, and may add it to
    most blocks of a process (benchmarks/results/gates.md).
    """
    if dimension == TIME:
        times = readings.list_block_times(run, ArmName.PLAIN)
        reduce_times = min if busy else median
        return reduce_times(times) if times else None
    series = (
        run.outcome.find_series(dimension, ArmName.PLAIN)
        if isinstance(run.outcome, Measured)
        else None
    )
    return median(series.values) if series and series.values else None


def screen_rounds(
    dimension: Dimension, values: RoundValues, thresholds: ComparisonThresholds
) -> PerformanceChange:
    """Return what the first rounds say: a change that is suspected, none, or that is open."""
    head_ratio = _compute_ratio(dimension, values, SCREENING_LEVEL)
    return (
        PerformanceChange.UNKNOWN if head_ratio is None else classify_change(head_ratio, thresholds)
    )


def estimate_head_ratio(dimension: Dimension, values: RoundValues) -> float | None:
    """Return head over base by these rounds; None where they are too few."""
    head_ratio = _compute_ratio(dimension, values, SCREENING_LEVEL)
    return None if head_ratio is None else head_ratio.estimate


def differs_from_itself(
    dimension: Dimension, values: RoundValues, thresholds: ComparisonThresholds
) -> bool:
    """Tell whether the same rule would suspect a change from the base to the base."""
    control_ratio = _compute_control_ratio(dimension, values)
    return (
        control_ratio is not None
        and classify_change(control_ratio, thresholds) in _SUSPECTED_CHANGES
    )


_SUSPECTED_CHANGES = (PerformanceChange.REGRESSION, PerformanceChange.IMPROVEMENT)


def _is_explained(
    dimension: Dimension, values: RoundValues, head_ratio: Ratio, thresholds: ComparisonThresholds
) -> bool:
    """Tell whether the base may differ from itself by as much as head surely differs from it."""
    if not differs_from_itself(dimension, values, thresholds):
        return False
    control_ratio = _compute_control_ratio(dimension, values)
    return control_ratio is not None and max(control_ratio.high, 1 / control_ratio.low) >= max(
        head_ratio.low, 1 / head_ratio.high
    )


def classify_change(estimated_ratio: Ratio, thresholds: ComparisonThresholds) -> PerformanceChange:
    """Return what a ratio and its interval say."""
    max_ratio = 1 + thresholds.min_delta
    if 1 / max_ratio < estimated_ratio.low and estimated_ratio.high < max_ratio:
        return PerformanceChange.NONE
    if estimated_ratio.low > 1 and estimated_ratio.estimate >= max_ratio:
        return PerformanceChange.REGRESSION
    if estimated_ratio.high < 1 and estimated_ratio.estimate <= 1 / max_ratio:
        return PerformanceChange.IMPROVEMENT
    return PerformanceChange.UNKNOWN


def judge_dimension(
    dimension: Dimension, rounds: Rounds, thresholds: ComparisonThresholds
) -> DimensionVerdict:
    """Return the verdict, of the fresh rounds where there are any."""
    screen = screen_rounds(dimension, rounds.first, thresholds)
    change, confirmed, reason, suspected = screen, None, "", None
    decisive_values = rounds.all_rounds
    head_ratio = _compute_ratio(dimension, decisive_values, SCREENING_LEVEL)
    if change in _SUSPECTED_CHANGES:
        fresh_ratio = _compute_ratio(dimension, rounds.fresh, thresholds.confirming_level)
        confirmed = fresh_ratio is not None and classify_change(fresh_ratio, thresholds) is change
        if (
            confirmed
            and fresh_ratio is not None
            and _is_explained(dimension, rounds.all_rounds, fresh_ratio, thresholds)
        ):
            change, confirmed = PerformanceChange.UNKNOWN, False
            reason = "it differs from itself as well"
        elif confirmed:
            head_ratio, decisive_values = fresh_ratio, rounds.fresh
        else:
            change, reason = _judge_unconfirmed(head_ratio, fresh_ratio, change, thresholds)
            suspected = screen if change is PerformanceChange.UNKNOWN else None
    elif change is PerformanceChange.UNKNOWN:
        is_suspected = head_ratio is None and _stands_out(dimension, rounds.first, thresholds)
        suspected = PerformanceChange.REGRESSION if is_suspected else None
        reason = explain_inconclusive(head_ratio, thresholds)
    control_ratio = _compute_control_ratio(dimension, rounds.all_rounds)
    estimates = _make_estimates(dimension, decisive_values, head_ratio)
    return DimensionVerdict(
        dimension=dimension,
        change=change,
        base=estimates.base,
        head=estimates.head,
        ratio=estimates.ratio,
        interval=estimates.interval,
        paired=estimates.paired,
        confirmed=confirmed,
        control_ratio=None if control_ratio is None else control_ratio.estimate,
        visible=_estimate_visible_change(dimension, rounds, thresholds),
        rounds=rounds,
        reason=reason,
        suspected=suspected,
    )


def _judge_unconfirmed(
    head_ratio: Ratio | None,
    fresh_ratio: Ratio | None,
    screen: PerformanceChange,
    thresholds: ComparisonThresholds,
) -> tuple[PerformanceChange, str]:
    if fresh_ratio is None:
        return (
            PerformanceChange.UNKNOWN,
            f"a suspected {screen} could not be looked into: the time was up",
        )
    if head_ratio is not None and classify_change(head_ratio, thresholds) is PerformanceChange.NONE:
        return PerformanceChange.NONE, f"a suspected {screen} was not confirmed"
    return (
        PerformanceChange.UNKNOWN,
        f"a suspected {screen} was not confirmed, and not refuted either",
    )


def _stands_out(
    dimension: Dimension, values: RoundValues, thresholds: ComparisonThresholds
) -> bool:
    """Tell whether head is slower in rounds that are too few for an interval.

    The base's greatest value is left out, as one process may have been disturbed. Head's least
    value then exceeds all others by the smallest change that counts, and by the base's spread.
    """
    if len(values) < _STANDING_OUT_ROUNDS:
        return False
    head, base = _split_sides(_add_offsets(dimension, values))
    least, *_, greatest, _ = sorted(base)
    return min(head) / greatest >= max(1 + thresholds.min_delta, greatest / least)


def explain_inconclusive(head_ratio: Ratio | None, thresholds: ComparisonThresholds) -> str:
    """Return why a ratio says neither that something has changed nor that nothing has."""
    if head_ratio is None:
        return "too few rounds"
    return (
        f"it takes {head_ratio.low:.3g} to {head_ratio.high:.3g} times as much; "
        f"no change is {1 / (1 + thresholds.min_delta):.3g} to {1 + thresholds.min_delta:.3g}"
    )


@dataclass(frozen=True, slots=True)
class _RowEstimates:
    """What a row shows: `head` is `base` times `estimate_ratio`."""

    base: float | None = None
    head: float | None = None
    ratio: float | None = None
    interval: tuple[float, float] | None = None
    paired: bool = False
    """Whether the mean of head's own values is not `head`, as the ratio is that within rounds."""


def _make_estimates(
    dimension: Dimension, values: RoundValues, head_ratio: Ratio | None
) -> _RowEstimates:
    """Return the values of both sides by the means that the ratio is made of.

    What was added to both sides for the ratio is taken off again; a base of nothing has no ratio.
    """
    if not values:
        return _RowEstimates()
    offset = _COUNT_OFFSETS[dimension]
    head_mean, base_mean = (
        trimmed_geometric_mean(side_values)
        for side_values in _split_sides(_add_offsets(dimension, values))
    )
    if head_ratio is None:
        return _RowEstimates(
            base=_subtract_count(base_mean, offset), head=_subtract_count(head_mean, offset)
        )
    paired = not isclose(head_mean, base_mean * head_ratio.estimate, rel_tol=_PAIRED_TOLERANCE)
    base, head = (
        _subtract_count(base_mean, offset),
        _subtract_count(base_mean * head_ratio.estimate, offset),
    )
    if not base:
        return _RowEstimates(base=base, head=head, paired=paired)
    low, high = (
        max(0.0, (base_mean * end - offset) / base) for end in (head_ratio.low, head_ratio.high)
    )
    return _RowEstimates(base, head, head / base, (low, high), paired)


def _subtract_count(value: float, offset: float) -> float:
    """Return a count without what was added, and without what logarithms leave of rounding."""
    return max(0.0, round(value - offset, _COUNT_DECIMALS)) if offset else value


def _compute_ratio(dimension: Dimension, values: RoundValues, level: float) -> Ratio | None:
    """Return head / base; of the base there are two processes in each round."""
    if len(values) < SCREENING_ROUNDS[0]:
        return None
    rounds = _add_offsets(dimension, values)
    return _choose_narrower(
        estimate_ratio(*_split_sides(rounds), level),
        compute_contrast(rounds, _HEAD_WEIGHTS).compute_ratio(level),
    )


def _compute_control_ratio(dimension: Dimension, values: RoundValues) -> Ratio | None:
    """Return the base divided by itself."""
    if len(values) < SCREENING_ROUNDS[0]:
        return None
    rounds = _add_offsets(dimension, values)
    base, base_again, _ = zip(*rounds, strict=True)
    return _choose_narrower(
        estimate_ratio(base_again, base, SCREENING_LEVEL),
        compute_contrast(rounds, _CONTROL_WEIGHTS).compute_ratio(SCREENING_LEVEL),
    )


def _add_offsets(dimension: Dimension, values: RoundValues) -> RoundValues:
    offset = _COUNT_OFFSETS[dimension]
    return [
        (base + offset, base_again + offset, head + offset) for base, base_again, head in values
    ]


def _choose_narrower(unpaired_ratio: Ratio | None, paired_ratio: Ratio) -> Ratio:
    """Return the narrower interval, at least LEAST_DEVIATION wide at each side.

    Where the machine drifts, sides are alike within a round; where single processes are disturbed,
    every second round may be. The data says which it is, and the level pays for the choice. Few
    values may be alike by luck.
    """
    return widen_interval(
        min(
            unpaired_ratio or paired_ratio,
            paired_ratio,
            key=lambda candidate: candidate.high / candidate.low,
        )
    )


def widen_interval(estimated_ratio: Ratio) -> Ratio:
    """Return a ratio whose interval is at least LEAST_DEVIATION wide at each side."""
    low, high = (
        estimated_ratio.estimate / (1 + LEAST_DEVIATION),
        estimated_ratio.estimate * (1 + LEAST_DEVIATION),
    )
    return Ratio(
        estimated_ratio.estimate, min(estimated_ratio.low, low), max(estimated_ratio.high, high)
    )


def _split_sides(rounds: RoundValues) -> tuple[list[float], list[float]]:
    """Return all values of head, and all of the base."""
    return [head for _, _, head in rounds], [
        base_value for round_values in rounds for base_value in round_values[:2]
    ]


def _estimate_visible_change(
    dimension: Dimension, rounds: Rounds, thresholds: ComparisonThresholds
) -> float | None:
    """Return the least growth that would have been suspected and confirmed, most likely."""
    if len(rounds.all_rounds) < SCREENING_ROUNDS[0]:
        return None
    offset_rounds = _add_offsets(dimension, rounds.all_rounds)
    sizes = (thresholds.fresh, 2 * thresholds.fresh)
    half_interval = min(
        predict_half_width(
            *_split_sides(offset_rounds), sizes=sizes, level=thresholds.confirming_level
        ),
        compute_contrast(offset_rounds, _HEAD_WEIGHTS).compute_half_width(
            thresholds.fresh, thresholds.confirming_level
        ),
    )
    return expm1(max(log1p(thresholds.min_delta), half_interval))
