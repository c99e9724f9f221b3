"""The words for how a method or a pair came out, of all that is asked of them."""

from enum import StrEnum

Interval = tuple[float, float]
ReportedInterval = tuple[float | None, float | None]
"""An interval of a result; an end that is not finite is None once the result was written."""


class Verdict(StrEnum):
    """The outcome of a method or of a (method, benchmark) pair (abs-score.md).

    DEAD_CODE and UNMEASURED occur for pairs only; a method with nothing else is MISSED or
    INCONCLUSIVE.
    """

    DETECTED = "detected"
    MISSED = "missed"
    UNREACHED = "unreached"
    INCONCLUSIVE = "inconclusive"
    INVALID = "invalid"
    CRASHED = "crashed"
    TIMED_OUT = "timed-out"
    REFUSED = "refused"
    DEAD_CODE = "dead-code"
    UNMEASURED = "unmeasured"


class ReachState(StrEnum):
    """Where a benchmark calls a method."""

    IN_LOOP = "in the loop"
    SET_UP_ONLY = "in set-up only"
    NOT_AT_ALL = "not at all"
    UNKNOWN = "unknown"
