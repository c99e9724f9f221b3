"""What else a machine did while a race ran, by the counters of its kernel."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from auditor.core.jobs import Completed
from runners.hosts import strain

_COUNTED = 8
"""Times of guests, which come after these in proc(5), are in that of users as well."""
_IDLE = (3, 4, 7)
"""The places of those in which no process of this machine ran: idle, waiting, stolen."""


@dataclass(frozen=True, slots=True)
class Look:
    """Seconds of all processors: all of them, with a process, with one of ours that has ended."""

    all: float
    busy: float
    ours: float


def look() -> Look:
    """Return what has been counted since the machine, and this process, were started."""
    ticks = strain.here().ticks[:_COUNTED]
    second = os.sysconf("SC_CLK_TCK")
    idle = sum(one for at, one in enumerate(ticks) if at in _IDLE)
    return Look(sum(ticks) / second, (sum(ticks) - idle) / second, sum(os.times()[:4]))


def noted(ended: Completed, before: Look, after: Look) -> Mapping[str, float]:
    """Return the `seconds` of a race, and shares of time: see `auditor.audits.concurrency.beside`.

    What cannot be read is not there.
    """
    found = {
        "seconds": ended.seconds,
        "stolen": ended.strain.stolen,
        "throttled": ended.strain.throttled,
        "hot": ended.strain.hot,
    }
    if (lasted := after.all - before.all) > 0:
        found["others"] = (after.busy - before.busy - (after.ours - before.ours)) / lasted
    return {name: value for name, value in found.items() if value is not None}
