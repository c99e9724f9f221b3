"""What names tell of loops that repeat a call: whether each round does the same, and on purpose."""

import re
from collections.abc import Set

_WORDS = frozenset(
    [
        "add",
        "choice",
        "done",
        "drain",
        "emit",
        "expo",
        "extend",
        "gauss",
        "lock",
        "move",
        "normal",
        "offer",
        "poll",
        "pop",
        "position",
        "pull",
        "put",
        "rotate",
        "sample",
        "step",
        "take",
        "tick",
        "uniform",
        "unlock",
        "update",
        "wait",
    ]
)
"""First words of such names, as in `popLeft`; `normalize` begins with another one."""
_BEGINNINGS = (
    *("advance", "append", "delete", "dequeue", "enqueue", "fetch", "getnowait", "insert", "next"),
    *("push", "rand", "read", "receive", "recv", "remove", "scan", "seek", "send", "shuffle"),
    *("skip", "write"),
)
"""Beginnings of such names, as in `readline`."""
_FIRST = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


_ON_PURPOSE = frozenset(
    {"many", "multi", "multiple", "repeat", "repeated", "times", "batch", "bulk", "loop", "warm"}
)
"""Words in the name of a benchmark that repeats a call on purpose."""


def changes_next_call(name: str) -> bool:
    """Tell whether a call of this name changes what a further call of it does."""
    first = _FIRST.search(name)
    word = first[0].lower() if first else ""
    return word in _WORDS or name.replace("_", "").lower().startswith(_BEGINNINGS)


def states_repetition(name: str, words: Set[str], rounds: int) -> bool:
    """Tell whether the name of a benchmark, or one of its words, says that it repeats a call.

    The name may hold the number of rounds: `sort1000`, or `sort1k`.
    """
    short = f"{rounds // 1000}k" if rounds % 1000 == 0 else str(rounds)
    return str(rounds) in name or short in name.lower() or not _ON_PURPOSE.isdisjoint(words)
