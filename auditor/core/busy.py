"""When is a number the machine's, and not the benchmark's? The one place that decides."""

from collections.abc import Iterator

from auditor.core.jobs import Strain
from auditor.core.units import percent

BUSY = 0.10
"""Share of time for which a machine may keep a process from its work.

A process that is kept off for a share s of its time takes 1 / (1 - s) times as long: at 0.10 a mean
moves by 11 % at most, which is little beside the slowdowns that are asked for. A quiet machine
shows less, one busy process for each processor far more (benchmarks/results/busy.md).
"""
SLUG = "busy-machine"
"""The caveat of what was measured on a busy machine."""


def causes(strain: Strain) -> Iterator[str]:
    """Yield what kept a machine from a process for more than BUSY of its time, with the share.

    Counters that a machine lacks yield nothing. Waiting counts only where others than the process
    itself used the processors, as far as that is known: a benchmark with more threads than
    processors waits for itself.
    """
    waited = strain.waited or 0.0
    if waited > BUSY and (strain.others is None or strain.others > BUSY):
        yield f"processes waited {percent(waited)} of the time"
    if (stolen := strain.stolen or 0.0) > BUSY:
        yield f"other virtual machines had {percent(stolen)} of the processors"
    if (throttled := strain.throttled or 0.0) > BUSY:
        yield f"a quota stopped processes {percent(throttled)} of the time"
    if (hot := strain.hot or 0.0) > BUSY:
        yield f"a processor was too hot {percent(hot)} of the time"


def is_busy(strain: Strain) -> bool:
    """Tell whether what was measured under this strain is the machine's."""
    return any(causes(strain))


def named(strain: Strain) -> str:
    """Return "busy machine" with what made it so; empty for a machine that was not."""
    found = "; ".join(causes(strain))
    return f"busy machine ({found})" if found else ""


def headed(headline: str, strain: Strain) -> str:
    """Return a headline that says first that the machine was busy, where it was."""
    name = named(strain)
    return f"{name[0].upper()}{name[1:]}: {headline}" if name else headline
