"""Verdicts by a method's sampled share: the effect of a slowdown v is v times the share."""

from dataclasses import dataclass, replace
from math import hypot

from auditor.abs.judge import pair
from auditor.abs.judge.indifference_zone import borderline_caveat, is_borderline, settle_interval
from auditor.abs.judge.pair import Judgement, PairData
from auditor.abs.model import INJECTION, SHARE, Evidence
from auditor.core.caveats import Caveat
from auditor.core.request import DetectionRule
from auditor.core.result import Interval, Verdict
from auditor.core.units import format_percent
from auditor.measure.profiles.cpu_shares import CpuShare


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareEffect:
    """What a slowdown of v does to the operation, by the share."""

    effect: float
    """v times the share."""
    interval: Interval
    """v times the interval of the share; the scatter of the unchanged benchmark lowers its low end.

    Scatter can hide an effect from the benchmark, and never lets it detect a smaller one.
    """
    own_interval: Interval
    """The same by the 99 % interval of this share, which no other benchmark or look widens."""


def estimate_share_effect(data: PairData) -> ShareEffect | None:
    """Return the effect by the sampled share, None where there is none."""
    share = data.sampled
    if share is None or share.obstacle or data.rule is DetectionRule.PAPER or data.control:
        return None
    v, half = data.slowdown, pair.estimate_half_interval(data)
    # What two programs tell together may leave out the share that one of them has shown.
    likely = min(max(share.share, share.low), share.high)
    middle = v * likely

    def convert_share(low: float, high: float) -> Interval:
        return max(0.0, middle - hypot(v * max(0.0, likely - low), half)), v * max(likely, high)

    return ShareEffect(
        effect=middle,
        interval=convert_share(share.low, share.high),
        own_interval=convert_share(*share.own_interval),
    )


_DECIDED = (Verdict.DETECTED, Verdict.MISSED, Verdict.DEAD_CODE)
_MAY_YIELD = (
    Verdict.INCONCLUSIVE,
    Verdict.UNMEASURED,
    Verdict.INVALID,
    Verdict.REFUSED,
    Verdict.CRASHED,
    Verdict.TIMED_OUT,
)
"""Outcomes of injected delays that leave the verdict to the share."""


def combine_evidence(data: PairData, injected: Judgement) -> tuple[Judgement, Evidence | None]:
    """Return the judgement of a pair by its delays and its share, and what it rests on.

    Delays decide where they do; else the share. Where both decide and differ, nothing is decided.
    """
    by_samples = judge_by_share(data)
    if by_samples is None or (data.reach is not None and not data.reach.may_be_in_loop):
        return _judge_without_share(data, injected)
    if injected.outcome in _MAY_YIELD:
        caveats = tuple(
            caveat for caveat in injected.caveats if caveat.slug not in _SETTLED_BY_SHARE
        )
        return (
            replace(
                by_samples,
                weakest=injected.weakest,
                runs=injected.runs,
                achieved=injected.achieved,
                caveats=(*caveats, *by_samples.caveats),
            ),
            SHARE,
        )
    if injected.outcome not in _DECIDED:
        return injected, None
    if (injected.outcome is Verdict.DETECTED) == (by_samples.outcome is Verdict.DETECTED):
        return (injected, INJECTION) if injected.runs else (by_samples, SHARE)
    return _judge_difference(data, injected, by_samples)


def _judge_without_share(data: PairData, injected: Judgement) -> tuple[Judgement, Evidence | None]:
    """Return the judgement of a pair of which the samples decide nothing."""
    open_share = _describe_open_share(data)
    if open_share and injected.outcome is Verdict.UNMEASURED:
        text = f"{open_share}: inconclusive, and no delay was injected"
        injected = replace(injected, reason=text)
    if open_share and any(caveat.slug == "distorted" for caveat in injected.caveats):
        injected = replace(injected, reason=f"{injected.reason}; {open_share}")
    for is_doubtful, slug, text in (
        (_may_be_hidden, "hidden-delay", _HIDDEN_AND_OPEN),
        (_calls_may_overlap, "calls-overlap", _OVERLAPPING),
    ):
        if is_doubtful(data, injected):
            caveats = (*injected.caveats, Caveat(slug, text))
            return replace(
                injected, outcome=Verdict.INCONCLUSIVE, reason=text, caveats=caveats
            ), None
    return injected, INJECTION if injected.outcome in _DECIDED else None


_SETTLED_BY_SHARE = frozenset(
    {"distorted", "unverified", "near-threshold", "few-runs", "few-pairs", "unfinished"}
)
"""Caveats of a verdict by delays that say why there is none."""


HIDDEN_SECONDS = 40e-9
"""Delay of a call up to which a missed effect says nothing against the samples.

Measured in `tests/subjects/go-short`: a work loop of 16 ns behind a chain of 30 ns, of which each
step needs the one before, showed effects of 1 to 9 % in three of ten audits, where 30 % are due.
"""


_HIDDEN = (
    "an injected delay showed a smaller effect than the CPU samples predict: the processor can "
    "overlap a delay of a few nanoseconds with the method"
)


_HIDDEN_AND_OPEN = (
    "an injected delay showed too small an effect: the processor can overlap a delay of a few "
    "nanoseconds with the method; the CPU samples do not decide"
)


_OVERLAP_PROCESSORS = 1.5
"""Processors that an operation keeps busy, over those asked for, from which on calls of goroutines
that it starts may overlap. Chosen, not measured: well above what the interval of a share allows for
without a word."""
_OVERLAPPING = (
    "the operation keeps several processors busy, so calls of the method may overlap and the "
    "slowdown achieved is unknown; the CPU samples do not decide"
)


def _calls_may_overlap(data: PairData, injected: Judgement) -> bool:
    """Tell whether an effect rests on a sum of calls that may run at the same time."""
    is_near_threshold = any(caveat.slug == "near-threshold" for caveat in injected.caveats)
    return (
        (injected.outcome is Verdict.DETECTED or is_near_threshold)
        and data.sampled is not None
        and data.sampled.processors > _OVERLAP_PROCESSORS
    )


def _may_be_hidden(data: PairData, injected: Judgement) -> bool:
    """Tell whether the processor may have passed a missed delay while it waited for the method.

    The delay counts that was injected if the share is right, or the one of a method at the limit
    where that is longer: then a method above the limit would have been seen.
    """
    share = data.sampled
    if (
        injected.outcome is not Verdict.MISSED
        or not injected.runs
        or share is None
        or estimate_share_effect(data) is None
    ):
        return False
    if share.seconds_between_calls is None:
        return False
    delay = max(data.slowdown * share.share, data.nominal_threshold) * share.seconds_between_calls
    return delay < HIDDEN_SECONDS


def _judge_difference(
    data: PairData, injected: Judgement, by_samples: Judgement
) -> tuple[Judgement, Evidence | None]:
    """Return the judgement where delays and samples both decide, and differ."""
    if _may_be_hidden(data, injected):
        caveat = Caveat("hidden-delay", _HIDDEN)
        return replace(by_samples, caveats=(*by_samples.caveats, caveat)), SHARE
    if is_borderline(by_samples.caveats):
        return _judge_without_share(data, injected)
    return _report_contradiction(injected, by_samples), None


def _report_contradiction(injected: Judgement, by_samples: Judgement) -> Judgement:
    effect = injected.weakest.effect if injected.weakest else None
    effect_text = "" if effect is None else f" (effect {format_percent(effect, 1)})"
    source = "the injected delay says" if injected.runs else "the timed calls predict"
    text = (
        f"{source} {injected.outcome}{effect_text}, the CPU samples say {by_samples.outcome}: "
        f"{by_samples.reason}"
    )
    caveat = Caveat("share-contradicted", text)
    return replace(
        injected, outcome=Verdict.INCONCLUSIVE, reason=text, caveats=(*injected.caveats, caveat)
    )


def judge_by_share(data: PairData) -> Judgement | None:
    """Judge a pair by its share; None where the share does not decide."""
    effect = estimate_share_effect(data)
    if effect is None or data.sampled is None:
        return None
    (low, high), limit, share = effect.interval, data.nominal_threshold, data.sampled
    if data.removed and data.reach and data.reach.calls_per_operation:
        return _judge_removed_call(data, share)
    if low > limit:
        return _make_judgement(Verdict.DETECTED, data, share, effect)
    if high < limit:
        return _make_judgement(Verdict.MISSED, data, share, effect)
    outcome = settle_interval(effect.own_interval, effect.effect, limit)
    if outcome is None:
        return None
    return _make_judgement(
        outcome, data, share, effect, borderline_caveat(effect.own_interval, limit)
    )


def _judge_removed_call(data: PairData, share: CpuShare) -> Judgement:
    """Return the judgement of a pair whose call the compiler has removed."""
    text = (
        f"the compiler removed the call {data.removed}: none of {share.unchanged[1]} CPU samples "
        "is in the method; use its result"
    )
    if share.seconds_out_of_line and share.seconds_between_calls:
        method_ns, operation_ns = 1e9 * share.seconds_out_of_line, 1e9 * share.seconds_between_calls
        text = (
            f"the compiler optimised the call {data.removed} away: none of {share.unchanged[1]} "
            f"CPU samples is in the method; alone it takes {method_ns:.1f} ns, the whole operation "
            f"{operation_ns:.1f} ns; use its result, and vary its arguments"
        )
    return Judgement(
        outcome=Verdict.DEAD_CODE,
        threshold=data.nominal_threshold,
        reason=text,
        caveats=(Caveat("dead-code", text),),
    )


def _make_judgement(
    outcome: Verdict, data: PairData, share: CpuShare, effect: ShareEffect, *more: Caveat
) -> Judgement:
    text = _describe_share(data, share, effect)
    return Judgement(outcome=outcome, threshold=data.nominal_threshold, reason=text, caveats=more)


def _describe_share(data: PairData, share: CpuShare, effect: ShareEffect) -> str:
    low, high = effect.interval
    return (
        f"by share: {format_percent(share.share)} of the operation ({share.samples} samples), so "
        f"{format_percent(data.slowdown)} add {format_percent(low)} to {format_percent(high)}, "
        f"limit {format_percent(data.nominal_threshold)}"
    )


def _describe_open_share(data: PairData) -> str:
    """Say what the share leaves open; empty where none was sampled."""
    effect = estimate_share_effect(data)
    if effect is None or data.sampled is None:
        return ""
    return _describe_share(data, data.sampled, effect)
