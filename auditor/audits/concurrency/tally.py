"""What goes wrong while tests are made, and what is drawn less for it."""

import re
from collections import Counter
from dataclasses import dataclass, field

_NUMBER = re.compile(r"@?[0-9a-f]*\d[0-9a-f]*")
_LONGEST_PROBLEM = 160


@dataclass(slots=True)
class Tally:
    """What was left out while tests were made, and how often; hangs by method.

    `dumps` are the further lines of a reason in `dropped`. `failing` counts how often in a row a
    method has failed when it was tried last. `spoilers` are methods after which others fail, None
    as long as nobody has looked for them; `beside` are those that failed in one of several threads.
    """

    dropped: Counter[str] = field(default_factory=Counter)
    dumps: dict[str, str] = field(default_factory=dict)
    hangs: Counter[str] = field(default_factory=Counter)
    failing: Counter[str] = field(default_factory=Counter)
    spoilers: frozenset[str] | None = None
    beside: frozenset[str] = frozenset()

    @property
    def shunned(self) -> frozenset[str]:
        """Return the methods that are hardly called."""
        return (self.spoilers or frozenset()) | self.beside

    def drop(self, what: str, problem: str) -> None:
        """Count something left out; problems that differ in numbers only are one.

        What follows the first line (the dump of a deadlock, say) is that of the first of them.
        """
        line, _, rest = problem.partition("\n")
        key = f"{what}: {_NUMBER.sub('#', line)[:_LONGEST_PROBLEM]}"
        self.dropped[key] += 1
        if rest:
            self.dumps.setdefault(key, rest)
