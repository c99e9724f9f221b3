"""A second opinion that takes nothing for granted: how many pairs of blocks exceed the limit.

Means and ranks can be led astray by few pairs of blocks, or by a distribution that is not what they
suppose. Signs cannot, but need more pairs; so they confirm no verdict, but may contradict one.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import log, log1p, prod

from auditor.abs.judge.pair import Judgement
from auditor.core.caveats import Caveat
from auditor.core.result import Verdict
from auditor.stats.signs import sign_evidence

SURE = 100.0
"""The e-value from which the signs speak against a verdict: a chance of one in a hundred."""

Pairs = Sequence[tuple[float, float]]
"""(probe, slowed) of neighbouring blocks."""


def check_signs(judgement: Judgement, processes: Sequence[Pairs], q: float) -> Judgement:
    """Return a verdict unless the signs speak against it; `q` is probe over plain.

    A detection says that the limit is exceeded in the middle, a miss that in one process at least
    it is not.
    """
    if judgement.threshold is None or judgement.outcome not in (Verdict.DETECTED, Verdict.MISSED):
        return judgement
    limit = log1p(judgement.threshold / q)
    above = [[log(slowed / probe) for probe, slowed in pairs] for pairs in processes]
    if judgement.outcome is Verdict.DETECTED:
        against = prod(
            sign_evidence([-log_ratio for log_ratio in log_ratios], -limit) for log_ratios in above
        )
    else:
        against = min(sign_evidence(log_ratios, limit) for log_ratios in above)
    if against < SURE:
        return judgement
    text = (
        f"{judgement.outcome} by its mean or ranks, but most block pairs say the opposite; look "
        "for outliers in the report"
    )
    more = (*judgement.caveats, Caveat("signs-disagree", text))
    return replace(judgement, outcome=Verdict.INCONCLUSIVE, reason=text, caveats=more)
