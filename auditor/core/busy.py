"""When a machine was too busy for what it measured: the threshold, the causes, the headline."""

from collections.abc import Iterable, Iterator

from auditor.core.caveats import Caveat
from auditor.core.jobs import HostInterference
from auditor.core.units import format_percent

BUSY = 0.10
"""Share of time for which a machine may keep a process from its work.

A process that is kept off for a share s of its time takes 1 / (1 - s) times as long: at 0.10 a mean
moves by 11 % at most, which is little beside the slowdowns that are asked for. A quiet machine
shows less, one busy process for each processor far more (benchmarks/results/busy.md).
"""
SLUG = "busy-machine"
"""The caveat of what was measured on a busy machine."""
JITTER_SLUG = "host-jitter"
"""The caveat of a machine whose own speed varied, so that spreads may be its own."""


def busy_causes(strain: HostInterference) -> Iterator[str]:
    """Yield what kept a machine from a process for more than BUSY of its time, with the share.

    Counters that a machine lacks yield nothing. Waiting counts only where others than the process
    itself used the processors, as far as that is known: a benchmark with more threads than
    processors waits for itself.
    """
    waited = strain.waited or 0.0
    if waited > BUSY and (strain.foreign is None or strain.foreign > BUSY):
        yield f"processes waited {format_percent(waited)} of the time"
    if (stolen := strain.stolen or 0.0) > BUSY:
        yield f"other virtual machines had {format_percent(stolen)} of the processors"
    if (throttled := strain.throttled or 0.0) > BUSY:
        yield f"a quota stopped processes {format_percent(throttled)} of the time"
    if (hot := strain.hot or 0.0) > BUSY:
        yield f"a processor was too hot {format_percent(hot)} of the time"


def is_busy(strain: HostInterference) -> bool:
    """Tell whether the machine was busy under this strain."""
    return any(busy_causes(strain))


def describe_machine(strain: HostInterference) -> str:
    """Return "busy machine" with the causes; empty for a machine that was not busy."""
    text = "; ".join(busy_causes(strain))
    return f"busy machine ({text})" if text else ""


def add_to_headline(headline: str, strain: HostInterference) -> str:
    """Return a headline that says first that the machine was busy, where it was."""
    machine = describe_machine(strain)
    return f"{machine[0].upper()}{machine[1:]}: {headline}" if machine else headline


def is_withheld(max_spread: float | None, caveats: Iterable[Caveat]) -> bool:
    """Tell whether a benchmark has no spread only because the machine was busy."""
    return max_spread is None and any(caveat.slug == SLUG for caveat in caveats)
