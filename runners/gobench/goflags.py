"""Flags of the go command: those in GOFLAGS, and those that bench-audit gives the linker."""

import re
from collections.abc import Iterable

from auditor.core.errors import FolderUnusable

_FIELD = re.compile(r"'([^']*)'|\"([^\"]*)\"|(\S+)")
DRAWS_FROM = (1, 23)
"""The first Go whose linker has -randlayout."""
_VERSION = re.compile(r"\bgo(\d+)\.(\d+)")
_LINKER_FLAGS = re.compile(r"--?ldflags=(.*)", re.DOTALL)
_NEEDS_QUOTES = re.compile(r"\s|^['\"]")


def split_goflags(goflags: str) -> list[str]:
    """Return the flags of GOFLAGS: separated by white space, quoted as a whole or not at all."""
    return ["".join(groups) for groups in _FIELD.findall(goflags)]


def join_goflags(flags: Iterable[str]) -> str:
    """Return flags as the value of GOFLAGS; raises FolderUnusable if Go cannot quote one."""
    return " ".join(map(_quote_flag, flags))


def _quote_flag(flag: str) -> str:
    if not _NEEDS_QUOTES.search(flag):
        return flag
    for quote in "'\"":
        if quote not in flag:
            return f"{quote}{flag}{quote}"
    raise FolderUnusable(
        f"Go cannot read {flag}: it contains both kinds of quotes; choose another folder"
    )


def draws_layouts(version: str) -> bool:
    """Tell whether the linker of a Go version (`go env GOVERSION`) can shuffle functions."""
    match = _VERSION.search(version)
    return match is not None and (int(match.group(1)), int(match.group(2))) >= DRAWS_FROM


def linker_flags(layout: int, user_flags: str) -> tuple[str, ...]:
    """Return the flags that shuffle functions by the number `layout`; 0 keeps their order.

    The linker shuffles all functions of the program; data and C code stay where they are. `-w`
    omits debugging information: it takes a good part of linking and does not affect the program.
    Go ignores -ldflags in GOFLAGS if the command line has them for the same package, because the
    last match counts. Therefore each of the user's is repeated in order, followed by ours.
    """
    audit_flags = f"-w -randlayout={layout}" if layout else "-w"
    user_linker_flags = [
        match.group(1)
        for flag in split_goflags(user_flags)
        if (match := _LINKER_FLAGS.fullmatch(flag))
    ]
    return (
        f"-ldflags={audit_flags}",
        *(f"-ldflags={flags} {audit_flags}" for flags in user_linker_flags),
    )
