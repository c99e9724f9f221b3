"""Verdicts by a method's sampled share: the effect of a slowdown v is v times the share."""

from dataclasses import dataclass, replace
from math import hypot, log, sqrt
from statistics import median

from auditor.audits import readings
from auditor.audits.pair import Judgement, PairData
from auditor.audits.shares import Share, is_removed
from auditor.core.caveats import Caveat
from auditor.core.plan import Run
from auditor.core.result import Interval, Result
from auditor.core.schedule import ArmName
from auditor.core.units import percent
from auditor.core.verdict import Rule
from auditor.stats.compare import t_half

INDIFFERENCE = 0.1
"""Half of the indifference zone, relative to the limit: an effect within a tenth of it may be
called detected or missed (Wald 1945, Sequential Tests of Statistical Hypotheses)."""

NORMAL_MEDIAN = 0.6745
"""Median of the size of a normal variate, in standard deviations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a slowdown of v does to the operation, by the share."""

    effect: float
    """v times the share."""
    interval: Interval
    """By the interval of the share and the scatter of the unchanged benchmark."""


def effect_of(data: PairData) -> Effect | None:
    """Return the effect by the sampled share, None where there is none."""
    share = data.sampled
    if share is None or share.obstacle or data.rule is Rule.PAPER or data.control:
        return None
    v, half = data.slowdown, _scatter(data)
    middle = v * share.share
    return Effect(
        effect=middle,
        interval=(
            max(0.0, middle - hypot(v * (share.share - share.low), half)),
            middle + hypot(v * (share.high - share.share), half),
        ),
    )


INJECTION, SHARE = "injection", "share"
"""What a verdict rests on."""
_DECIDED = (Result.DETECTED, Result.MISSED, Result.DEAD_CODE)
_MAY_YIELD = (Result.INCONCLUSIVE, Result.UNMEASURED, Result.CRASHED, Result.TIMED_OUT)


def combined(data: PairData, injected: Judgement) -> tuple[Judgement, str | None]:
    """Return the judgement of a pair by its delays and its share, and what it rests on.

    Delays decide where they do; else the share. Where both decide and differ, nothing is decided.
    """
    shared = judge(data)
    if shared is None or (data.reach is not None and not data.reach.may_be_in_loop):
        return injected, INJECTION if injected.outcome in _DECIDED else None
    if injected.outcome in _MAY_YIELD:
        kept = tuple(one for one in injected.caveats if one.slug not in _SETTLED_BY_SHARE)
        return (
            replace(
                shared,
                weakest=injected.weakest,
                runs=injected.runs,
                achieved=injected.achieved,
                caveats=(*kept, *shared.caveats),
            ),
            SHARE,
        )
    if injected.outcome not in _DECIDED:
        return injected, None
    if (injected.outcome is Result.DETECTED) == (shared.outcome is Result.DETECTED):
        return (injected, INJECTION) if injected.runs else (shared, SHARE)
    if any(one.slug == "borderline" for one in shared.caveats):
        return injected, INJECTION
    return _contradicted(injected, shared), None


_SETTLED_BY_SHARE = frozenset(
    {"distorted", "unverified", "near-threshold", "few-runs", "few-pairs", "unfinished"}
)
"""Caveats of a verdict by delays that say why there is none."""


def _contradicted(injected: Judgement, shared: Judgement) -> Judgement:
    effect = injected.weakest.effect if injected.weakest else None
    seen = "" if effect is None else f" (effect {percent(effect, 1)})"
    text = (
        f"the injected delay says {injected.outcome}{seen}, the samples say {shared.outcome}: "
        f"{shared.reason}"
    )
    caveat = Caveat("share-contradicted", text)
    return replace(
        injected, outcome=Result.INCONCLUSIVE, reason=text, caveats=(*injected.caveats, caveat)
    )


def _scatter(data: PairData) -> float:
    """Return half of the interval that blocks of the unchanged benchmark leave, as an effect.

    The quietest process counts: what else the machine does only adds scatter, and is no property
    of the benchmark.
    """
    least = min(filter(None, map(_deviation, data.plain)), default=0.0)
    pairs = max(2, data.pairs)
    return t_half(least / sqrt(pairs), pairs - 1, data.confidence)


def _deviation(run: Run) -> float:
    """Return the standard deviation of log ratios of neighbouring blocks, by their median size."""
    times = readings.times(run, ArmName.PLAIN)
    apart = [abs(log(b / a)) for a, b in zip(times[::2], times[1::2], strict=False)]
    return median(apart) / NORMAL_MEDIAN if len(apart) > 1 else 0.0


def judge(data: PairData) -> Judgement | None:
    """Judge a pair by its share; None where the share does not decide."""
    found = effect_of(data)
    if found is None or data.sampled is None:
        return None
    (low, high), limit, share = found.interval, data.limit, data.sampled
    if low > limit:
        return _judged(Result.DETECTED, data, share, found)
    if high < limit:
        return _missed(data, share, found)
    if is_in_zone(found.interval, limit) or (data.is_spent and is_mostly_in_zone(found, limit)):
        outcome = Result.DETECTED if found.effect > limit else Result.MISSED
        return _judged(outcome, data, share, found, borderline(found.interval, limit))
    return None


def is_in_zone(interval: Interval, limit: float) -> bool:
    """Tell whether a whole interval lies in the indifference zone."""
    return interval[0] >= (1 - INDIFFERENCE) * limit and interval[1] <= (1 + INDIFFERENCE) * limit


def is_mostly_in_zone(found: Effect, limit: float) -> bool:
    """Tell whether at least half of the interval lies in the zone, and its middle does."""
    low, high = found.interval
    least, most = (1 - INDIFFERENCE) * limit, (1 + INDIFFERENCE) * limit
    inside = min(high, most) - max(low, least)
    return least <= found.effect <= most and inside >= (high - low) / 2


def borderline(interval: Interval, limit: float) -> Caveat:
    """Return the caveat of a verdict that an effect near the limit has."""
    text = (
        f"the effect of {percent(interval[0], 1)} to {percent(interval[1], 1)} lies at the limit "
        f"of {percent(limit, 1)}: the verdict is the likelier one"
    )
    return Caveat("borderline", text)


def _missed(data: PairData, share: Share, found: Effect) -> Judgement:
    """Return a miss, with the reason where the compiler has removed the call."""
    judged = _judged(Result.MISSED, data, share, found)
    if not (data.reach and data.reach.calls_per_operation):
        return judged
    where = f" at {data.called_at}" if data.called_at else ""
    if not is_removed(share) and not data.called_at:
        return judged
    text = (
        f"the compiler removed the call{where}: none of {share.samples} samples is in the method; "
        "use its result"
    )
    return Judgement(
        outcome=Result.DEAD_CODE,
        threshold=judged.threshold,
        reason=text,
        caveats=(Caveat("dead-code", text),),
    )


def _judged(
    outcome: Result, data: PairData, share: Share, found: Effect, *more: Caveat
) -> Judgement:
    low, high = found.interval
    text = (
        f"by share: {percent(share.share)} of the operation ({share.samples} samples), so "
        f"{percent(data.slowdown)} add {percent(low)} to {percent(high)}, limit "
        f"{percent(data.limit)}"
    )
    return Judgement(outcome=outcome, threshold=data.limit, reason=text, caveats=more)
