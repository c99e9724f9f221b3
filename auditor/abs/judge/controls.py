"""Would a method that did not get slower be called detected? (A/A, with the audit's own limits)."""

from collections.abc import Sequence

from auditor.abs.model import Controls, PairVerdict
from auditor.core.result import Verdict
from auditor.stats.proportions import upper_bound

LEVEL = 0.95
"""Of the one-sided bound of the false alarms."""
_JUDGED = (Verdict.DETECTED, Verdict.MISSED, Verdict.INCONCLUSIVE)


def choose_controls(pairs: Sequence[PairVerdict], turn: int) -> list[PairVerdict]:
    """Return of each method a pair that was measured, another one at each turn (from 0)."""
    by_method: dict[str, list[PairVerdict]] = {}
    for pair in pairs:
        if pair.runs and pair.outcome in _JUDGED:
            by_method.setdefault(pair.method, []).append(pair)
    return [verdicts[turn % len(verdicts)] for verdicts in by_method.values()]


def judge_controls(pairs: Sequence[PairVerdict]) -> Controls:
    """Count the false alarms among the verdicts of pairs in which nothing was slowed."""
    verdicts = [pair for pair in pairs if pair.effect is not None and pair.outcome in _JUDGED]
    alarms = [pair for pair in verdicts if pair.outcome is Verdict.DETECTED]
    return Controls(
        judged=len(verdicts),
        alarms=tuple((pair.method, pair.benchmark) for pair in alarms),
        bound=upper_bound(len(alarms), len(verdicts), LEVEL),
        effects=tuple(pair.effect for pair in verdicts if pair.effect is not None),
    )
