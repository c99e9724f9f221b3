"""What Go's linker is told: an order of functions, drawn by a number, and to be quick."""

import re

from runners.gobench import goflags

DRAWS_FROM = (1, 23)
"""The first Go whose linker has -randlayout."""
_VERSION = re.compile(r"\bgo(\d+)\.(\d+)")
_LINKER_FLAGS = re.compile(r"--?ldflags=(.*)", re.DOTALL)


def draws_layouts(version: str) -> bool:
    """Tell whether the linker of a Go, as its `go env GOVERSION` says it, can draw an order."""
    match = _VERSION.search(version)
    return match is not None and (int(match.group(1)), int(match.group(2))) >= DRAWS_FROM


def linker_flags(layout: int, set_by_user: str) -> tuple[str, ...]:
    """Return what makes a build draw its order of functions with `layout`, unless that is 0.

    All functions of the program are shuffled; data, and the code of C, stay where they are. What a
    debugger needs, which takes a good part of linking and is no part of what runs, is left out.
    With -ldflags on the command line Go forgets those in GOFLAGS where both are for the same
    package: the last one that matches counts. So each of them is said again, in its order, with
    ours behind it.
    """
    ours = f"-w -randlayout={layout}" if layout else "-w"
    theirs = [
        match.group(1)
        for flag in goflags.split(set_by_user)
        if (match := _LINKER_FLAGS.fullmatch(flag))
    ]
    return (f"-ldflags={ours}", *(f"-ldflags={flags} {ours}" for flags in theirs))
