"""What the processes of a pair have achieved, and what effect follows from it as the limit."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import expm1, inf
from statistics import median

from auditor.abs.judge.pair import PairData, method_doubt
from auditor.core.caveats import Caveat
from auditor.core.result import Interval
from auditor.measure.calibration import TOLERANCE, achieved_caveat

Pairs = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessJudgement:
    """What one process of a pair shows."""

    least: float  # shortest reference block, seconds per operation
    pairs: Pairs  # (reference, slowed) seconds per operation of neighbouring blocks
    middle: float  # centre of the log ratios slowed / reference
    interval: Interval  # confidence interval of `middle`
    p: float  # p-value of the test that slowed and reference blocks do not differ
    trial: str  # id of its trial


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectThreshold:
    """The effect that has to be exceeded, and how far it may itself be wrong."""

    threshold: float  # relative effect that a detection exceeds
    missing: float  # relative effect that a miss stays below; at most `threshold`
    low: float  # least value that `threshold` may really have
    high: float  # largest value that `threshold` may really have
    achieved: float | None  # measured slowdown of the method, relative; None: not verified
    is_off_target: bool = False  # whether `achieved` surely differs from the requested slowdown
    delivered: bool = True  # whether the delay surely slowed the method at all
    caveats: tuple[Caveat, ...] = ()  # of the achieved slowdown


def scale_threshold(data: PairData, achieved: float) -> float:
    """Return the limit for a slowdown other than v: what is judged is the share of the method."""
    return data.nominal_threshold * achieved / data.slowdown


def find_effect_threshold(data: PairData, processes: Sequence[ProcessJudgement]) -> EffectThreshold:
    """Return what has to be exceeded: the limit, in proportion to what was achieved if far from v.

    What was achieved is the middle of the processes: the loop of one may take half as long again.
    Where the method is a small part of the operation, what was achieved is mostly noise: only an
    interval wholly beyond the tolerance lowers the threshold. A detection always has to exceed
    what is in proportion to what was achieved.
    """
    limit = data.nominal_threshold
    if data.control or data.seconds_in_method is None or data.method_seconds is None:
        return EffectThreshold(threshold=limit, missing=limit, low=limit, high=limit, achieved=None)
    inside = data.seconds_in_method
    achieved = median(process.least * expm1(process.middle) / inside for process in processes)
    low = min(process.least * expm1(process.interval[0]) / inside for process in processes)
    high = max(process.least * expm1(process.interval[1]) / inside for process in processes)
    caveat = achieved_caveat(achieved, data.slowdown, (low, high))
    caveats = (caveat,) if caveat else ()
    if low <= (1 + TOLERANCE) * data.slowdown and high >= (1 - TOLERANCE) * data.slowdown:
        most = max(limit, scale_threshold(data, achieved)) if caveat else limit
        return EffectThreshold(
            threshold=most, missing=limit, low=limit, high=most, achieved=achieved, caveats=caveats
        )
    doubt = method_doubt(data) / data.method_seconds
    threshold = scale_threshold(data, achieved)
    return EffectThreshold(
        threshold=threshold,
        missing=threshold,
        low=threshold / (1 + doubt),
        high=threshold / (1 - doubt) if doubt < 1 else inf,
        achieved=achieved,
        is_off_target=True,
        delivered=low > 0,
        caveats=caveats,
    )
