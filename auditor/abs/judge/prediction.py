"""What a slowdown must come to in an operation, from how much of it the method is.

The effect is v times the method's share. One far below the limit cannot exceed it, so such a pair
is missed without being measured; a detection is always measured, unless an estimate is asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from auditor.abs.judge.pair import PairData, method_doubt
from auditor.core.busy import is_busy
from auditor.core.result import Verdict
from auditor.core.schedule import ArmName
from auditor.measure import readings

SURELY_MISSED = 0.5
"""Share of the limit up to which an effect is far from it."""
SURELY_MISSED_COUNTED = 0.8
"""The same of what was timed while calls were counted, beside runs of the suite: most of it is the
cost of counters."""
HIDDEN = 0.5
"""Share of the clock's cost that the clock may have hidden of a short method: on the JVM straight
arithmetic can move across its readings, and 16 of 46 ns were seen to vanish."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """The method's share of the plain operation, between `low` and `high` if all doubt is real.

    `share` is None where only `high` is known. `misses`: no measuring is needed to know that the
    benchmark cannot detect. `expected` is the verdict where nothing is measured.
    """

    share: float | None
    low: float
    high: float
    misses: bool
    expected: Verdict


def predict_share(data: PairData, *, by_counting: bool = True) -> Prediction | None:
    """Return the share, None where t(k), the calls or the plain time are not known.

    Of a method that is lost in the cost of reading the clock t(k) is not known, but what it is at
    most: what the clock has shown, and all that it may have hidden. So it is before a calibration,
    by what was clocked while calls were counted, if that is to count.
    """
    if not data.calls_per_operation:
        return None
    plain = data.plain_seconds
    seconds = _clocked_seconds(data)
    if seconds is None:
        return _bound_by_counting(data, plain) if by_counting else None
    if not plain:
        return None
    calls_per_thread = data.calls_per_operation / data.benchmark.concurrency
    doubt = method_doubt(data)
    high = (seconds + doubt + HIDDEN * data.clock_seconds) * calls_per_thread / min(plain)
    low = 0.0 if data.method_seconds is None else (seconds - doubt) * calls_per_thread / max(plain)
    return _make_prediction(data, data.method_share, low, high)


def _bound_by_counting(data: PairData, plain: Sequence[float]) -> Prediction | None:
    """Return what the method is of the operation at most, by the process that counted its calls.

    Counters and clock add to its time there, and other processes beside it may, so it is compared
    with a plain operation, that of a pilot where a budget leaves no other; but also with the one of
    that process, if the machine was faster then.
    """
    clocked = data.reach.clocked if data.reach else None
    far = SURELY_MISSED_COUNTED if plain else SURELY_MISSED  # a pilot has one block that counts
    if not plain:
        quiet = [run for run in data.pilots if not is_busy(run.strain)]
        plain = readings.list_block_minima(quiet, ArmName.PLAIN)
    if clocked is None or clocked.inside <= 0 or clocked.operation <= 0 or not plain:
        return None
    inside = clocked.inside / data.benchmark.concurrency
    high = inside / min(*plain, clocked.operation)
    return _make_prediction(data, None, 0.0, high, far=far)


def _make_prediction(
    data: PairData, share: float | None, low: float, high: float, *, far: float = SURELY_MISSED
) -> Prediction:
    expected = Verdict.INCONCLUSIVE
    if low * data.slowdown > data.nominal_threshold:
        expected = Verdict.DETECTED
    elif high * data.slowdown < data.nominal_threshold:
        expected = Verdict.MISSED
    return Prediction(
        share=share,
        low=low,
        high=high,
        misses=high * data.slowdown <= far * data.nominal_threshold,
        expected=expected,
    )


def _clocked_seconds(data: PairData) -> float | None:
    """Return the seconds of a call as the clock shows them without its own cost, if it told it."""
    if data.method_seconds is not None or not data.clock_seconds:
        return data.method_seconds
    shortest_calls = [min(times) for run in data.calibrating if (times := readings.call_times(run))]
    return max(0.0, median(shortest_calls) - data.clock_seconds) if shortest_calls else None
