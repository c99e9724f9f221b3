"""What a framework prints while it runs, iteration by iteration: JMH, or `go test -bench`."""

from collections.abc import Callable
from typing import Protocol

from auditor.core.printed import Printed
from runners.stored import go_text, jmh_log
from runners.stored.checking import Broken

_LONGEST = 1 << 16
"""Bytes of a line; what comes without an end is no result."""


class _Lines(Protocol):
    def take(self, line: str) -> None: ...


class Stream:
    """Reads output as it comes, in parts that may end anywhere."""

    def __init__(self, hear: Callable[[Printed], None]) -> None:
        """Take who is told of iterations."""
        self._rest = b""
        self._readers: tuple[_Lines, ...] = (
            jmh_log.Log(hear),
            go_text.Package({}, {}, hear),
        )

    def read(self, data: bytes) -> None:
        """Take a part; lines that cannot be understood are left to whoever reads the whole."""
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest[-_LONGEST:]
        for line in lines:
            text = line.decode(errors="replace").rstrip("\r")
            self._readers = tuple(one for one in self._readers if _took(one, text))


def _took(reader: _Lines, line: str) -> bool:
    try:
        reader.take(line)
    except Broken:
        return False
    return True
