"""Processes that are looked at while they run: their iterations as they come, and who judges."""

import math
from dataclasses import replace

from auditor.core.jobs import Invocation
from auditor.core.outcome import Measured, Outcome
from auditor.core.ports import Clock, IterationWatcher
from auditor.core.stop_rules import StoppingRule, WarmupResult
from runners.records import parse_block

GRACE_SECONDS = 30.0
"""What a process gets to tear down what it has set up, and to end, once it has been told to."""
_SPARE_ITERATIONS = 3.0
"""Iterations that it may be in the middle of when it is told, or do before it looks, with room."""


class LiveRecords:
    """Reads the blocks of a guest's file as it grows.

    A line that is no block is not judged here: who reads the whole file says what it means.
    """

    def __init__(self) -> None:
        """Begin before the first line."""
        self._rest = b""

    def read_iterations(self, data: bytes) -> list[tuple[float, float]]:
        """Return seconds of an operation and of the whole for each block whose line has ended."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [iteration_times for line in lines for iteration_times in _parse_iteration(line)]


def _parse_iteration(line: bytes) -> list[tuple[float, float]]:
    kind, *fields = line.decode(errors="replace").split("\t")
    if kind != "block":
        return []
    try:
        block = parse_block(fields)
    except ValueError:
        return []
    return filter_iteration(block.seconds_per_operation, block.wall_seconds)


def filter_iteration(seconds: float, lasted: float) -> list[tuple[float, float]]:
    """Return an iteration that has a time, nothing of one that has none."""
    return [(seconds, lasted)] if 0 < seconds < math.inf else []


class IterationJudge:
    """A watched process: its watcher, and what it came to."""

    def __init__(self, watch: StoppingRule, watcher: IterationWatcher, clock: Clock) -> None:
        """Take what is asked of a process that is to start, and who judges its iterations."""
        self._watch = watch
        self._watcher = watcher
        self._clock = clock
        self._started: float | None = None
        self._longest = 0.0
        self._warmed: WarmupResult | None = None

    def attach_judge(self, job: Invocation) -> Invocation:
        """Return a process whose iterations are judged, where they can be followed."""
        if job.follow is None:
            return job
        return replace(job, follow=replace(job.follow, judge=self._judge_iteration))

    def _judge_iteration(self, seconds: float, lasted: float) -> float | None:
        self._longest = max(self._longest, lasted)
        self._warmed = self._watcher.observe_iteration(seconds, lasted)
        # By the clock, not by what iterations say: a stopped timer hides what lies between them.
        now = self._clock.monotonic()
        if self._started is None:  # what was built or sent before is none of its time
            self._started = now - lasted
        if now - self._started >= self._watch.seconds:
            self._warmed = self._warmed or self._watcher.finish_watching()
        return None if self._warmed is None else GRACE_SECONDS + _SPARE_ITERATIONS * self._longest

    def split_outcome(self, outcome: Outcome) -> Outcome:
        """Return how the trial ended, the warm-up of a measurement told from what counts."""
        if not isinstance(outcome, Measured):
            return outcome
        return outcome.split_warmup(
            self._warmed or self._watcher.finish_watching(), self._watch.measured
        )
