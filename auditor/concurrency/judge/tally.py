"""What goes wrong while tests are made, and what is drawn less for it."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from typing import Any

from auditor.concurrency.judge.terminal_methods import Spoilers

_NUMBER = re.compile(r"@?[0-9a-f]*\d[0-9a-f]*")
_LONGEST_PROBLEM = 160
_COUNTED = ("dropped", "hangs", "failing", "thread_failures")
_SELDOM = 0.02
"""How much less a method is called after which too much fails, or that fails itself too often."""
_EACH_FAILURE = 0.25
"""How much less one is called for each test in which it failed beside others."""


@dataclass(slots=True)
class GenerationTally:
    """What the generation of tests has learned so far."""

    dropped: Counter[str] = field(default_factory=Counter)
    """How often something was left out, by what and why."""
    dumps: dict[str, str] = field(default_factory=dict)  # further lines of a reason in `dropped`
    hangs: Counter[str] = field(default_factory=Counter)  # number of attempts that hung, by method
    failing: Counter[str] = field(default_factory=Counter)
    """Number of consecutive failures of a method up to now."""
    spoilers: Spoilers | None = None  # methods after which others fail; None: not determined
    thread_failures: Counter[str] = field(default_factory=Counter)
    """Number of tests that a method was first to fail in one of several threads."""

    def dump_state(self) -> dict[str, Any]:
        """Return it as what can be stored: see `from_state`."""
        counted = {name: getattr(self, name) for name in _COUNTED}
        spoilers = self.spoilers
        return {
            **{name: [*counter.items()] for name, counter in counted.items()},
            "dumps": dict(self.dumps),
            "spoilers": None if spoilers is None else [sorted(keys) for keys in astuple(spoilers)],
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "GenerationTally":
        """Return the tally of a `dump_state`, with its order."""
        counters = {name: Counter(dict(map(tuple, state[name]))) for name in _COUNTED}
        spoiler_keys = state["spoilers"]
        spoilers = None if spoiler_keys is None else Spoilers(*map(frozenset, spoiler_keys))
        return cls(dumps=dict(state["dumps"]), spoilers=spoilers, **counters)

    @property
    def spoiler_methods(self) -> Spoilers:
        """Return what is known of methods after which others fail."""
        return self.spoilers or Spoilers()

    def compute_shun_factor(self, key: str) -> float:
        """Return how much less a method is called than if nobody had seen it do harm.

        One that fails beside others may do so in a state that few tests have: so it gets chances.
        """
        if key in self.spoiler_methods.shunned:
            return _SELDOM
        return max(_SELDOM, _EACH_FAILURE ** self.thread_failures[key])

    def record_drop(self, label: str, problem: str) -> None:
        """Count something left out; problems that differ in numbers only are one.

        What follows the first line (the dump of a deadlock, say) is that of the first of them.
        """
        line, _, rest = problem.partition("\n")
        key = f"{label}: {_NUMBER.sub('#', line)[:_LONGEST_PROBLEM]}"
        self.dropped[key] += 1
        if rest:
            self.dumps.setdefault(key, rest)
