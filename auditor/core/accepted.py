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
    """A method of an audit whose miss is accepted; `where` is CONFIGURATION, or file and line.

    `expired`: no longer, so it counts again. `left_out`: it is not detected, and so it is neither
    covered nor counted in the score without accepted misses.
    """

    method: str
    reason: str
    until: date | None
    where: str
    expired: bool
    left_out: bool
