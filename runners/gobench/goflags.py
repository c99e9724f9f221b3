"""GOFLAGS as the go command reads it: at white space, with quotes around whole flags only."""

import re
from collections.abc import Iterable

from auditor.core.errors import FolderUnusable

_FIELD = re.compile(r"'([^']*)'|\"([^\"]*)\"|(\S+)")
_NEEDS_QUOTES = re.compile(r"\s|^['\"]")


def split(goflags: str) -> list[str]:
    """Return the flags without their quotes."""
    return ["".join(groups) for groups in _FIELD.findall(goflags)]


def join(flags: Iterable[str]) -> str:
    """Return flags as one text; raises FolderUnusable where Go has no quotes for one."""
    return " ".join(map(_quoted, flags))


def _quoted(flag: str) -> str:
    if not _NEEDS_QUOTES.search(flag):
        return flag
    for quote in "'\"":
        if quote not in flag:
            return f"{quote}{flag}{quote}"
    raise FolderUnusable(
        f"Go cannot read {flag}: it holds both kinds of quotes; choose another folder"
    )
