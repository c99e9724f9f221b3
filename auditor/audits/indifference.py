"""An indifference zone around the limit, in which either verdict is right.

Source: Wald 1945, Sequential Tests of Statistical Hypotheses, Section 3. An effect at the limit
would be left open by any number of runs. Once its interval is as narrow as the zone, the likelier
verdict is wrong in at most 1 % of cases for an effect outside of the zone: a 99 % interval that
reaches 0.11 limits to either side has a standard deviation of 0.043 limits, and the edge of the
zone lies 2.3 of them away.
"""

from dataclasses import replace
from statistics import median

from auditor.core.caveats import Caveat
from auditor.core.result import Interval, Result
from auditor.core.units import percent
from auditor.core.verdict import PairVerdict

ZONE = 0.1
"""Half of the zone, relative to the limit."""
NARROW = 1.1 * ZONE
"""Half of an interval that decides, relative to the limit."""
BORDERLINE = "borderline"
"""Caveat of a verdict on an effect that its interval does not tell from the limit."""


def is_narrow(interval: Interval, limit: float) -> bool:
    """Tell whether an interval around the limit is no wider than the zone."""
    return (interval[1] - interval[0]) / 2 <= NARROW * limit


def borderline(interval: Interval, limit: float) -> Caveat:
    """Return the caveat of a borderline verdict."""
    text = (
        f"the effect, {percent(interval[0], 1)} to {percent(interval[1], 1)}, lies at the limit of "
        f"{percent(limit, 1)}: the verdict is the likelier one"
    )
    return Caveat(BORDERLINE, text)


def is_borderline(caveats: tuple[Caveat, ...]) -> bool:
    """Tell whether a verdict with these caveats is borderline."""
    return any(one.slug == BORDERLINE for one in caveats)


def settle_borderline(pair: PairVerdict) -> PairVerdict:
    """Return the final verdict of a pair whose runs all left it near the limit."""
    near = any(one.slug == "near-threshold" for one in pair.caveats)
    found = [(run.effect, *run.interval) for run in pair.runs if run.interval is not None]
    if pair.outcome is not Result.INCONCLUSIVE or not near or not found or not pair.threshold:
        return pair
    middle = median(effect for effect, _, _ in found)
    interval = (
        middle - median(effect - low for effect, low, _ in found),
        middle + median(high - effect for effect, _, high in found),
    )
    if not is_narrow(interval, pair.threshold):
        return pair
    outcome = Result.DETECTED if middle > pair.threshold else Result.MISSED
    kept = tuple(one for one in pair.caveats if one.slug != "near-threshold")
    caveat = borderline(interval, pair.threshold)
    return replace(
        pair,
        outcome=outcome,
        effect=middle,
        interval=interval,
        decided_by="injection",
        reason=caveat.text,
        caveats=(*kept, caveat),
    )
