"""A host with what belongs to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from auditor.core.errors import UsageError
from auditor.core.ports import Clock, Host
from runners.home import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenHost:
    """A host with the folders that it sees and the environment of its processes.

    `lock` means "somebody measures on this machine". `several` tells whether what need not be alone
    can run there several at a time.
    """

    host: Host
    home: Home
    environment: Mapping[str, str]
    lock: Path
    clock: Clock
    several: bool = True


def chosen_variables(
    names: Sequence[str], environment: Mapping[str, str], key: str
) -> dict[str, str]:
    """Return the variables of these names; raises UsageError where one is not set."""
    if missing := [name for name in names if name not in environment]:
        raise UsageError(f"{missing[0]} at {key} is not set; set it, or leave it out")
    return {name: environment[name] for name in names}
