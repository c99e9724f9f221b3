"""An iteration, as a framework prints it while it runs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedIterations:
    """The iteration that a process has just ended."""

    harness: str  # benchmark framework
    benchmark: str  # the benchmark's id
    fork: int  # number of the process of its benchmark in the run
    seconds: float  # of an operation
    lasts: float  # seconds that the iteration was to last
    warmups: int | None = None
    """Iterations that the process warms up for; None: it has no such setting."""
    warmup_seconds: float | None = None  # of each of these; None: it has no such setting
    run: int = 1  # how often the framework was started
