"""Judges processes that run elsewhere, from what their framework prints."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from auditor.core.series.printed import PrintedIterations
from auditor.core.stop_rules import StoppingRule
from auditor.warmup.stop_rules import WarmupRule, WatcherFactory
from auditor.warmup.validity import trusted_rule


@dataclass(slots=True)
class WatchedIterations:
    """A process: what it has printed, and when it was warm."""

    benchmark: str  # the benchmark's id
    run: int  # how often the framework was started
    fork: int  # number of the process of its benchmark in the run
    watch: StoppingRule  # rule that tells when it is warm
    warmups: int | None  # iterations that its framework warms up for; None: it has no such setting
    warmup_seconds: float | None  # that these last together; None: it has no such setting
    warm: int | None = None  # number of iterations after which it was warm; None: not yet
    since: int | None = None
    """Iteration, from zero, from which on it seems to be steady; None: not yet."""
    lasted: list[float] = field(default_factory=list)
    """Seconds that each of its iterations was to last."""

    @property
    def warm_seconds(self) -> float:
        """Return how long its warm-up lasted."""
        return sum(self.lasted[: self.warm])


class ProcessStreams:
    """Looks at all processes that are printed, each by itself."""

    def __init__(self, watch: StoppingRule, watchers: WatcherFactory, seed: int) -> None:
        """Take how they are watched; what is drawn at random is decided by the seed."""
        self._watch = watch
        self._watchers = watchers
        self._seed = seed
        self._known: dict[tuple[str, int, int], _StreamProcess] = {}
        self.left_out = 0
        """Iterations whose time is none: rounded to zero, for example."""

    @property
    def watched_processes(self) -> Sequence[WatchedIterations]:
        """Return all processes, in the order in which they began."""
        return [process.watched for process in self._known.values()]

    def observe_iteration(self, iteration: PrintedIterations) -> WatchedIterations | None:
        """Take an iteration; return its process when it has just become warm."""
        if not (0 < iteration.seconds < math.inf and 0 < iteration.lasts < math.inf):
            self.left_out += 1
            return None
        key = (iteration.benchmark, iteration.run, iteration.fork)
        watch = trusted_rule(self._watch, iteration.harness, iteration.lasts)
        if key not in self._known:
            self._known[key] = self._start_process(iteration, watch)
        process = self._known[key]
        was_warm = process.watched.warm is not None
        if not was_warm and watch != self._watch and process.watched.watch == self._watch:
            self._restart_watch(process, watch)
        process.seconds.append(iteration.seconds)
        process.watched.lasted.append(iteration.lasts)
        if process.watched.warm is None:
            process.watched.warm = process.rule.observe_iteration(
                iteration.seconds, iteration.lasts
            )
        last = process.rule.last_warmup
        process.watched.since = None if last is None else last + 1
        return None if was_warm or process.watched.warm is None else process.watched

    def _restart_watch(self, process: "_StreamProcess", watch: StoppingRule) -> None:
        """Let another rule look from the start on: iterations have a length no model knows."""
        process.watched.watch, process.rule = watch, self._watchers.build_rule(watch, self._seed)
        before = zip(process.seconds, process.watched.lasted, strict=True)
        warm_counts = (process.rule.observe_iteration(*iteration) for iteration in before)
        process.watched.warm = next((warm for warm in warm_counts if warm is not None), None)

    def _start_process(self, iteration: PrintedIterations, watch: StoppingRule) -> "_StreamProcess":
        seconds = None
        if iteration.warmups is not None and iteration.warmup_seconds is not None:
            seconds = iteration.warmups * iteration.warmup_seconds
        process = WatchedIterations(
            iteration.benchmark, iteration.run, iteration.fork, watch, iteration.warmups, seconds
        )
        return _StreamProcess(process, self._watchers.build_rule(watch, self._seed))


@dataclass(slots=True)
class _StreamProcess:
    watched: WatchedIterations
    rule: WarmupRule
    seconds: list[float] = field(default_factory=list)
