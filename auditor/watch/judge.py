"""Judges processes that run elsewhere, from what their framework prints."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from auditor.core.series.printed import Printed
from auditor.core.stop_rules import StoppingRule
from auditor.warmup.stop_rules import Rule, Watchers
from auditor.warmup.validity import trusted


@dataclass(slots=True)
class WatchedProcess:
    """A process: what it has printed, and after how many iterations it was warm, None: not yet.

    `since` is the iteration, from zero, from which on it seems to have been steady already.
    `warmups` are the iterations that its framework warms up for, `warmup_seconds` what they last
    together, None where it has no such thing; `lasted` are the seconds of its iterations, as they
    were asked for.
    """

    benchmark: str
    run: int
    fork: int
    watch: StoppingRule
    warmups: int | None
    warmup_seconds: float | None
    warm: int | None = None
    since: int | None = None
    lasted: list[float] = field(default_factory=list)

    @property
    def warm_seconds(self) -> float:
        """Return how long its warm-up lasted."""
        return sum(self.lasted[: self.warm])


class Streams:
    """Looks at all processes that are printed, each by itself."""

    def __init__(self, watch: StoppingRule, watchers: Watchers, seed: int) -> None:
        """Take how they are watched; what is drawn at random is decided by the seed."""
        self._watch = watch
        self._watchers = watchers
        self._seed = seed
        self._known: dict[tuple[str, int, int], _Process] = {}
        self.left_out = 0
        """Iterations whose time is none: rounded to zero, for example."""

    @property
    def seen(self) -> Sequence[WatchedProcess]:
        """Return all processes, in the order in which they began."""
        return [one.seen for one in self._known.values()]

    def observe(self, one: Printed) -> WatchedProcess | None:
        """Take an iteration; return its process when it has just become warm."""
        if not (0 < one.seconds < math.inf and 0 < one.lasts < math.inf):
            self.left_out += 1
            return None
        key = (one.benchmark, one.run, one.fork)
        watch = trusted(self._watch, one.harness, one.lasts)
        if key not in self._known:
            self._known[key] = self._begun(one, watch)
        mine = self._known[key]
        was_warm = mine.seen.warm is not None
        if not was_warm and watch != self._watch and mine.seen.watch == self._watch:
            self._again(mine, watch)
        mine.seconds.append(one.seconds)
        mine.seen.lasted.append(one.lasts)
        if mine.seen.warm is None:
            mine.seen.warm = mine.rule.observe(one.seconds, one.lasts)
        last = mine.rule.last_warmup
        mine.seen.since = None if last is None else last + 1
        return None if was_warm or mine.seen.warm is None else mine.seen

    def _again(self, mine: "_Process", watch: StoppingRule) -> None:
        """Let another rule look from the start on: iterations have a length no model knows."""
        mine.seen.watch, mine.rule = watch, self._watchers.rule(watch, self._seed)
        before = zip(mine.seconds, mine.seen.lasted, strict=True)
        found = (mine.rule.observe(*each) for each in before)
        mine.seen.warm = next((warm for warm in found if warm is not None), None)

    def _begun(self, one: Printed, watch: StoppingRule) -> "_Process":
        seconds = None
        if one.warmups is not None and one.warmup_seconds is not None:
            seconds = one.warmups * one.warmup_seconds
        seen = WatchedProcess(one.benchmark, one.run, one.fork, watch, one.warmups, seconds)
        return _Process(seen, self._watchers.rule(watch, self._seed))


@dataclass(slots=True)
class _Process:
    seen: WatchedProcess
    rule: Rule
    seconds: list[float] = field(default_factory=list)
