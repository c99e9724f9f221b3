"""The commands that a store remembers."""

from dataclasses import dataclass

COMPARE = "compare"
TRACE, PROFILE = "trace", "profile"
STEADY, SIMILARITY = "steady", "similarity"
UNTIMED = (COMPARE, TRACE, PROFILE)
"""Results that time no single revision: of two, of calls in its own suite, in that of clients."""
SECOND_LOOK = "second-look"
"""An audit of the methods alone that would make a gate fail."""
WATCHED = (STEADY, SIMILARITY)
"""Results of series, not of how stable the suite is or what it detects."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRecord:
    """One command: what was asked, with which tools, and when."""

    command: str  # its name
    subject: str  # digest of the project
    config: str  # JSON text
    tools: tuple[tuple[str, str], ...]  # (name, version) of each
    version: str  # of bench-audit
    started: str  # UTC, ISO 8601
    ended: str | None = None  # UTC, ISO 8601; None: it has not ended
    number: int | None = None  # in the store; None: not stored yet

    def is_meant(self, command: str | None) -> bool:
        """Tell whether a name means this command; None means any that timed one revision."""
        other_commands = (*UNTIMED, *WATCHED, SECOND_LOOK)
        return self.command not in other_commands if command is None else self.command == command
