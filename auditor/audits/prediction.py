"""What a slowdown must come to in an operation, from how much of it the method is.

The effect is v times the method's share. One far below the limit cannot exceed it, so such a pair
is missed without being measured; a detection is always measured, unless an estimate is asked for.
"""

from dataclasses import dataclass

from auditor.audits import readings
from auditor.audits.pair import PairData, method_doubt
from auditor.core.result import Result
from auditor.core.schedule import ArmName

SURELY_MISSED = 0.5
"""Share of the limit up to which an effect is far from it."""
HIDDEN = 0.5
"""Share of the clock's cost that the clock may have hidden of a short method: on the JVM straight
arithmetic can move across its readings, and 16 of 46 ns were seen to vanish."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """The method's share of the plain operation, between `low` and `high` if all doubt is real.

    `misses`: no measuring is needed to know that the benchmark cannot notice. `expected` is the
    verdict where nothing is measured.
    """

    share: float
    low: float
    high: float
    misses: bool
    expected: Result


def predict(data: PairData) -> Prediction | None:
    """Return the share, None where t(k), the calls or the plain time are not known."""
    plain = readings.least(data.plain, ArmName.PLAIN)
    if data.share is None or data.method_seconds is None or not data.calls or not plain:
        return None
    each = data.calls / data.benchmark.concurrency
    doubt = method_doubt(data)
    high = (data.method_seconds + doubt + HIDDEN * data.clock_seconds) * each / min(plain)
    low = (data.method_seconds - doubt) * each / max(plain)
    expected = Result.INCONCLUSIVE
    if low * data.slowdown > data.limit:
        expected = Result.DETECTED
    elif high * data.slowdown < data.limit:
        expected = Result.MISSED
    return Prediction(
        share=data.share,
        low=low,
        high=high,
        misses=high * data.slowdown <= SURELY_MISSED * data.limit,
        expected=expected,
    )
