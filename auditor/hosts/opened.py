"""A host with what belongs to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from auditor.core.errors import UsageError
from auditor.core.ports import Clock, Host
from runners.home import HomeFolder


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenHost:
    """A host with the folders that it sees."""

    host: Host  # starts processes
    home: HomeFolder  # folders for copies, builds and caches
    environment: Mapping[str, str]  # of its processes
    lock: Path  # file whose holder measures on this machine
    clock: Clock  # tells time
    several: bool = True  # whether processes that need not be alone can run side by side


def chosen_variables(
    names: Sequence[str], environment: Mapping[str, str], key: str
) -> dict[str, str]:
    """Return the variables of these names; raises UsageError where one is not set."""
    if missing := [name for name in names if name not in environment]:
        raise UsageError(
            f"the variable {missing[0]} at {key} is not set; set it, or remove it there"
        )
    return {name: environment[name] for name in names}
