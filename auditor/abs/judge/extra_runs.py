"""Which further processes of a pair are worth it, by what its first ones have shown."""

from statistics import median

from auditor.abs.judge.detection import judge_pair
from auditor.abs.judge.distortion import is_surely_distorted
from auditor.abs.judge.pair import PairData, reference_ratio
from auditor.abs.judge.paired import carries_no_verdict
from auditor.abs.model import PairVerdict
from auditor.core.result import Verdict
from auditor.measure.calibration import CLOSE_ENOUGH

WITHIN_REACH = 2 / 3
"""Of the half of a run's interval, in the middle: nearer to the limit than that a pair stays near
it, as further runs make intervals somewhat narrower, by what they tell of q, and seldom more."""


def may_yet_decide(pair: PairVerdict) -> bool:
    """Tell whether further runs may decide: nothing but the scatter stands against it.

    Where t(k) is unknown no detection can be made sure.
    """
    is_near_threshold = any(caveat.slug == "near-threshold" for caveat in pair.caveats)
    return (
        pair.outcome is Verdict.INCONCLUSIVE
        and is_near_threshold
        and pair.method_seconds is not None
    )


def is_settled(pair: PairVerdict, data: PairData) -> bool:
    """Tell whether no other run can change a verdict: what stands against it is not in the runs.

    A t(k) that is in doubt, or a probe that surely distorts, does so in each of them.
    """
    if pair.outcome in (Verdict.MISSED, Verdict.DEAD_CODE):
        return True
    slugs = {caveat.slug for caveat in pair.caveats}
    distorted = "distorted" in slugs and is_surely_distorted(data)
    return distorted or "unverified" in slugs or carries_no_verdict(data)


def is_within_reach(pair: PairVerdict) -> bool:
    """Tell whether further runs, wide and placed as those made are in the middle, may decide."""
    effects = [(run.effect, *run.effect_bounds) for run in pair.runs if run.interval is not None]
    if pair.threshold is None or not effects:
        return False
    middle = median(effect for effect, _, _ in effects)
    below = median(effect - low for effect, low, _ in effects)
    above = median(high - effect for effect, _, high in effects)
    low, high = middle - WITHIN_REACH * below, middle + WITHIN_REACH * above
    return not low <= pair.threshold <= high


def may_correction_decide(pair: PairVerdict, slowdown: float) -> bool:
    """Tell whether other turns may decide: the slowdown seems another, and the verdict hangs on it.

    A delay of turns does not grow with the method where another program slows the processor down,
    so what was right in a quiet moment may be too little on the whole.
    """
    achieved = pair.achieved_slowdown
    differs_from_target = achieved is not None and abs(achieved / slowdown - 1) > CLOSE_ENOUGH
    return differs_from_target and may_yet_decide(pair)


def needs_plain(data: PairData) -> bool:
    """Tell whether a verdict hangs on processes of the unchanged program, beside the suite's runs.

    With plain blocks of its own a pair needs none, but where inlined calls may take less than
    those do, and where that matters. A budget may leave it without any run of the suite.
    """
    if not data.has_plain_blocks:
        return True
    if not data.inlined or not data.runs:
        return False
    return reference_ratio(data) is None or may_yet_decide(judge_pair(data))
