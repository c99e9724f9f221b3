"""What came of methods that were slowed down by nothing."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Controls:
    """How often a slowdown of nothing was "detected", with the limits of the audit.

    `alarms` are the (method, benchmark) pairs in which it was, of `judged`. `bound` is the
    one-sided 95 % upper bound of that chance, `effects` are what was seen in place of nothing.
    """

    judged: int
    alarms: tuple[tuple[str, str], ...]
    bound: float
    effects: tuple[float, ...]
