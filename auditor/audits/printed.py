"""Judges processes that run elsewhere, from what their framework prints."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from auditor.audits.steady.validity import trusted
from auditor.audits.steady.watching import Rule, Watchers
from auditor.core.printed import Printed
from auditor.core.warming import Watch


@dataclass(slots=True)
class Seen:
    """A process: what it has printed, and after how many iterations it was warm, None: not yet.

    `warmups` are the iterations that its framework warms up for, None where it has no such thing;
    `lasted` are the seconds of its iterations, as they were asked for.
    """

    benchmark: str
    fork: int
    watch: Watch
    warmups: int | None
    warm: int | None = None
    lasted: list[float] = field(default_factory=list)

    @property
    def warm_seconds(self) -> float:
        """Return how long its warm-up lasted."""
        return sum(self.lasted[: self.warm])

    @property
    def warmup_seconds(self) -> float | None:
        """Return how long it warms up as its framework is told, None where nothing is told."""
        return None if self.warmups is None else sum(self.lasted[: self.warmups])


class Streams:
    """Looks at all processes that are printed, each by itself."""

    def __init__(self, watch: Watch, watchers: Watchers, seed: int) -> None:
        """Take how they are watched; what is drawn at random is decided by the seed."""
        self._watch = watch
        self._watchers = watchers
        self._seed = seed
        self._known: dict[tuple[str, int], tuple[Seen, Rule]] = {}

    @property
    def seen(self) -> Sequence[Seen]:
        """Return all processes, in the order in which they began."""
        return [seen for seen, _ in self._known.values()]

    def observe(self, one: Printed) -> Seen | None:
        """Take an iteration; return its process when it has just become warm."""
        key = (one.benchmark, one.fork)
        if key not in self._known:
            watch = trusted(self._watch, one.harness, one.lasts)
            made = Seen(one.benchmark, one.fork, watch, one.warmups)
            self._known[key] = made, self._watchers.rule(watch, self._seed)
        seen, rule = self._known[key]
        seen.lasted.append(one.lasts)
        if seen.warm is not None:
            return None
        seen.warm = rule.observe(one.seconds, one.lasts)
        return None if seen.warm is None else seen
