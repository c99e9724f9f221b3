"""How somebody else runs only some of the benchmarks: a call of the harness's own command."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

SubsetCommandMaker = Callable[[Sequence[str], Sequence[str]], tuple["SubsetCommand", ...]]
"""From the ids of those to run, and of all that are known, to calls that run just these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubsetCommand:
    """A call that runs a choice of benchmarks."""

    pattern: str  # regular expression of what runs
    skip: str = ""  # regular expression of what does not run; empty: none
    package: str = ""  # import path (Go); empty: none
    parameters: tuple[tuple[str, str], ...] = ()  # one value each (JMH)
    words: tuple[str, ...]  # of the whole call
    problem: str = ""  # why the call runs something else than what was chosen; empty: it does not

    @property
    def shell_command(self) -> str:
        """Return the call as it is typed into a shell."""
        return shlex.join(self.words)
