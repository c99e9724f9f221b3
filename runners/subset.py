"""How somebody else runs only some of the benchmarks: a call of the harness's own command."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Calls = Callable[[Sequence[str], Sequence[str]], tuple["Subset", ...]]
"""From the ids of those to run, and of all that are known, to calls that run just these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subset:
    """A call: the regular expression of what is run, of what is not, and all words of it.

    `package` is Go's import path, `parameters` are JMH's, one value each; both may be empty.
    `problem` says why the call runs something else than what was chosen, where that cannot be had.
    """

    pattern: str
    skip: str = ""
    package: str = ""
    parameters: tuple[tuple[str, str], ...] = ()
    words: tuple[str, ...]
    problem: str = ""

    @property
    def command(self) -> str:
        """Return the call as it is typed into a shell."""
        return shlex.join(self.words)
