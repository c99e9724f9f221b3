"""An indifference zone around the limit, in which either verdict is right.

Source: Wald 1945, Sequential Tests of Statistical Hypotheses, Section 3. An effect at the limit
would be left open by any number of runs. Once its 99 % interval reaches across the limit by no more
than the zone, the verdict of its other side is wrong in at most 1 % of cases for an effect outside
of the zone: an end of the interval is wrong in 0.5 %, and the margin of 0.11 limits in the place of
0.1 leaves 2.3 standard deviations of an interval that is as wide as the zone.
"""

from collections.abc import Iterable
from dataclasses import replace
from statistics import median

from auditor.abs.model import INJECTION, PairVerdict
from auditor.core.caveats import Caveat
from auditor.core.result import Interval, Verdict
from auditor.core.units import format_percent

ZONE = 0.1
"""Half of the zone, relative to the limit."""
MARGIN = 1.1 * ZONE
"""How far an interval may reach across the limit, relative to it, and its other side decides."""
_DOUBTS = frozenset({"distorted", "unverified", "calibration-failed", "calls-overlap"})
"""Caveats of a pair whose effect may not be that of the slowdown."""
BORDERLINE = "borderline"
"""Caveat of a verdict on an effect that its interval does not tell from the limit."""


def settle_interval(interval: Interval, middle: float, limit: float) -> Verdict | None:
    """Return the verdict by a 99 % interval that reaches across the limit by no more than the zone.

    Where it leaves the zone on neither side, the likelier one; None where it leaves it on both.
    """
    detected = interval[0] >= (1 - MARGIN) * limit
    missed = interval[1] <= (1 + MARGIN) * limit
    if detected and missed:
        return Verdict.DETECTED if middle > limit else Verdict.MISSED
    if detected or missed:
        return Verdict.DETECTED if detected else Verdict.MISSED
    return None


def borderline_caveat(interval: Interval, limit: float) -> Caveat:
    """Return the caveat of a borderline verdict."""
    text = (
        f"the effect, {format_percent(interval[0], 1)} to {format_percent(interval[1], 1)}, may "
        f"lie at the threshold of {format_percent(limit, 1)}: the verdict is the likelier one"
    )
    return Caveat(BORDERLINE, text)


def is_borderline(caveats: Iterable[Caveat]) -> bool:
    """Tell whether a verdict with these caveats is borderline."""
    return any(caveat.slug == BORDERLINE for caveat in caveats)


def settle_borderline(pair: PairVerdict) -> PairVerdict:
    """Return the final verdict of a pair whose runs all left it near the limit."""
    slugs = {caveat_of_pair.slug for caveat_of_pair in pair.caveats}
    may_settle = (
        "near-threshold" in slugs and not slugs & _DOUBTS and pair.method_seconds is not None
    )
    effects = [(run.effect, *run.effect_bounds) for run in pair.runs if run.interval is not None]
    if (
        pair.outcome is not Verdict.INCONCLUSIVE
        or not may_settle
        or not effects
        or not pair.threshold
    ):
        return pair
    middle = median(effect for effect, _, _ in effects)
    interval = (
        middle - median(effect - low for effect, low, _ in effects),
        middle + median(high - effect for effect, _, high in effects),
    )
    outcome = settle_interval(interval, middle, pair.threshold)
    if outcome is None:
        return pair
    caveats = tuple(
        caveat_of_pair for caveat_of_pair in pair.caveats if caveat_of_pair.slug != "near-threshold"
    )
    caveat = borderline_caveat(interval, pair.threshold)
    return replace(
        pair,
        outcome=outcome,
        effect=middle,
        interval=interval,
        decided_by=INJECTION,
        reason=caveat.text,
        caveats=(*caveats, caveat),
    )
