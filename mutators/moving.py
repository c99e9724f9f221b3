"""Calls after which the next one works on something else, by their names."""

import re

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


def moves(name: str) -> bool:
    """Tell whether a call of this name changes what a further call of it does."""
    first = _FIRST.search(name)
    word = first[0].lower() if first else ""
    return word in _WORDS or name.replace("_", "").lower().startswith(_BEGINNINGS)
