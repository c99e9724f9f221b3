"""Commits of a repository, as its history tells them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A commit of a repository."""

    id: str
    """Full name."""
    parent: str
    """Full name of the first parent; empty for a commit without one."""
    title: str
    """First line of the message."""
    message: str
    """The message without its first line."""
    day: str
    """Date of the commit, such as 2024-05-31."""
    files: tuple[str, ...]
    """Paths of the files that it changes."""
