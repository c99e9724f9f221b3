"""What a slowdown must come to in an operation, from how much of it the method is.

The effect is v times the method's share. A share far below a half cannot exceed half of v, so such
a pair is missed without being measured; a detection is always measured.
"""

from dataclasses import dataclass

from auditor.audits import readings
from auditor.audits.pair import PairData, clock_cost, method_doubt
from auditor.core.schedule import ArmName

SURELY_MISSED = 0.25
"""A share up to here: half of what the threshold needs."""
HIDDEN = 0.5
"""Share of the clock's cost that the clock may have hidden of a short method: on the JVM straight
arithmetic can move across its readings, and 16 of 46 ns were seen to vanish."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """The method's share of the plain operation, at most `high` if all doubt speaks for it."""

    share: float
    high: float

    @property
    def misses(self) -> bool:
        """Tell whether no measuring is needed to know that the benchmark cannot notice."""
        return self.high <= SURELY_MISSED


def predict(data: PairData) -> Prediction | None:
    """Return the share, None where t(k), the calls or the plain time are not known."""
    plain = readings.medians(data.plain, ArmName.PLAIN)
    if data.share is None or data.method_seconds is None or not data.calls or not plain:
        return None
    doubt = method_doubt(data) + HIDDEN * clock_cost(data)
    longest = (data.method_seconds + doubt) * data.calls / data.benchmark.concurrency
    return Prediction(share=data.share, high=longest / min(plain))
