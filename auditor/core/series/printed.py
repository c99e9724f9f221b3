"""An iteration, as a framework prints it while it runs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedIterations:
    """The iteration that a process, the `fork`-th of its benchmark in a run, has just ended.

    `run` counts how often the framework was started. `seconds` are those of an operation, `lasts`
    those of the iteration as it was asked for. `warmups` are the iterations that it is to warm up
    for, of so many `warmup_seconds` each; None where it has no such thing.
    """

    harness: str
    benchmark: str
    fork: int
    seconds: float
    lasts: float
    warmups: int | None = None
    warmup_seconds: float | None = None
    run: int = 1
