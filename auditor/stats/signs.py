"""Paired differences by their signs alone: a test that takes nothing for granted but that."""

from collections.abc import Sequence
from math import exp, log

from scipy import special

from auditor.stats.arrays import check_finite

_MOST = 700.0
"""Of an e-value's logarithm: more is no number, and would not be surer."""


def sign_evidence(differences: Sequence[float], limit: float) -> float:
    """Return the e-value against "no more than half of the differences lie above `limit`".

    It may be looked at after every pair, and those of independent samples may be multiplied. Each
    pair is a bet on the sign of what is left, at odds drawn evenly between fair and sure (Ramdas et
    al. 2023, Statistical Science 38:576); where the statement is true the e-value reaches 1 / a
    with a chance of at most a.
    """
    left = check_finite(differences) - limit
    wins, losses = int((left > 0).sum()), int((left <= 0).sum())
    chance = float(special.betaincc(wins + 1, losses + 1, 0.5))
    if chance <= 0:
        return 0.0
    log_evidence = float(special.betaln(wins + 1, losses + 1)) + (wins + losses + 1) * log(2)
    return exp(min(log_evidence + log(chance), _MOST))
