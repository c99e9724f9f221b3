"""What is laid over a module of Python, for those who may never need its parser."""

from collections.abc import Mapping
from functools import lru_cache

GUEST = "zz_bench_audit"
"""The module that the guest is; in the changed module it has a name that `import *` leaves out."""
TRACER = f"{GUEST}_trace"
"""The module of the guest that counts who calls."""


class EditImpossible(Exception):
    """What was asked for cannot be made; the text says why."""


def insert_guest_calls(
    text: bytes, calls: Mapping[int, tuple[str, str]], guest: str = GUEST
) -> bytes:
    """Return a module whose functions on the given lines call the guest as they begin and end.

    `calls` has for the line of each `def` a call as Python text, and the function that is handed
    what that returns, on every way out; empty, where the end is of no interest. Raises
    EditImpossible where there is no such function, or where lines could not be told apart.
    """
    return _edit_once(text, tuple(calls.items()), guest)


@lru_cache(maxsize=1024)
def _edit_once(text: bytes, calls: tuple[tuple[int, tuple[str, str]], ...], guest: str) -> bytes:
    """Return what is asked for several times, as a library is changed for each set of methods."""
    from mutators.python import edits  # noqa: PLC0415 libcst comes with it, and is slow to load

    return edits.edit_module(text, dict(calls), guest)
