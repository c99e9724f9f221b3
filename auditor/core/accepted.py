"""Misses that the user accepts: methods that no benchmark has to watch."""

from dataclasses import dataclass
from datetime import date

CONFIGURATION = "configuration"
"""Where a miss is accepted that no marker in the sources accepts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """What the configuration says of a method, by its name as written there.

    It holds through the day `until`, None: for good.
    """

    method: str
    reason: str
    until: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedMiss:
    """A method of an audit whose miss the user accepts."""

    method: str  # the method's id
    reason: str  # why the miss is accepted
    until: date | None  # last day; None: no end
    location: str  # CONFIGURATION, or FILE:LINE of a marker
    expired: bool  # whether `until` has passed, so the miss counts again
    left_out: bool
    """Whether the method is not detected, so that the score without accepted misses omits it."""
