"""What the JSON result says of accepted misses."""

from collections.abc import Iterable
from datetime import date

import msgspec


class Accepted(msgspec.Struct, frozen=True, kw_only=True):
    """A miss that the user accepts; `where` is "configuration", or file and line of a marker.

    It holds through the day `until` (null: for good); `expired`: no longer. `left_out`: it is not
    in the score without accepted misses.
    """

    method: str
    reason: str
    until: date | None
    where: str
    expired: bool
    left_out: bool


def left_out(accepted: Iterable[Accepted]) -> frozenset[str]:
    """Return the methods whose misses are accepted now: nothing is to be done about them."""
    return frozenset(one.method for one in accepted if one.left_out)
