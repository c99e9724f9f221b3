"""The outcome of a method from those of its pairs.

| the pairs in which the method is reached               | the method           |
| ------------------------------------------------------ | -------------------- |
| at least one detected                                  | detected             |
| none                                                   | unreached            |
| all invalid, all refused, all crashed or all timed out | that                 |
| crashed and timed out, nothing else                    | crashed              |
| all missed or dead code                                | missed               |
| anything else                                          | inconclusive         |

"Anything else" has a pair that might still detect: undecided, or failed beside others that did
not, so the bounds of the score hold it.
"""

from collections.abc import Iterable, Sequence

from auditor.abs.model import PairVerdict
from auditor.core.result import Verdict

UNDECIDED = frozenset(
    {Verdict.INCONCLUSIVE, Verdict.UNMEASURED, Verdict.CRASHED, Verdict.TIMED_OUT}
)
"""What counts as not covered and may be covered (detection.md)."""
NOT_COUNTED = frozenset({Verdict.INVALID, Verdict.REFUSED})
"""What leaves the denominator (abs-score.md)."""
_UNWATCHED = frozenset({Verdict.MISSED, Verdict.DEAD_CODE})
_FAILED = frozenset({Verdict.CRASHED, Verdict.TIMED_OUT})
_UNIFORM_OUTCOMES = (Verdict.INVALID, Verdict.REFUSED, Verdict.CRASHED, Verdict.TIMED_OUT)


def method_outcome(pairs: Sequence[PairVerdict]) -> Verdict:
    """Return the outcome of the method that these are the pairs of."""
    return combine_outcomes(pair.outcome for pair in pairs)


def combine_outcomes(results: Iterable[Verdict]) -> Verdict:
    """Return the outcome of the method whose pairs came out like that."""
    outcomes = set(results) - {Verdict.UNREACHED}
    if Verdict.DETECTED in outcomes:
        return Verdict.DETECTED
    if not outcomes:
        return Verdict.UNREACHED
    if len(outcomes) == 1 and outcomes <= set(_UNIFORM_OUTCOMES):
        return outcomes.pop()
    if outcomes == _FAILED:
        return Verdict.CRASHED
    return Verdict.MISSED if outcomes <= _UNWATCHED else Verdict.INCONCLUSIVE
