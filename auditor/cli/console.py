"""The one module that writes to the terminal: results to stdout, everything else to stderr."""

import os
import sys
from collections.abc import Mapping
from typing import IO

from rich.console import Console as Terminal
from rich.console import RenderableType
from rich.text import Text

_WIDE = 400
"""Columns of what is no terminal: lines of a log are not to be broken or cut."""


class Console:
    """Two streams; `quiet` silences what is neither a result nor an error."""

    def __init__(self, environment: Mapping[str, str], *, quiet: bool) -> None:
        """Take the environment for NO_COLOR, TERM and COLUMNS."""
        self.quiet = quiet
        self._out = _terminal(environment, stderr=False)
        self._err = _terminal(environment, stderr=True)

    @property
    def err(self) -> Terminal:
        """Return the stream for progress."""
        return self._err

    @property
    def live(self) -> bool:
        """Tell whether progress can be drawn."""
        return self._err.is_terminal and not self._err.is_dumb_terminal and not self.quiet

    def result(self, *what: RenderableType) -> None:
        """Print a result to stdout."""
        for one in what:
            self._out.print(one, soft_wrap=isinstance(one, Text) and not self._out.is_terminal)

    def document(self, found: object) -> None:
        """Print exactly one JSON document to stdout."""
        from reports import document as documents  # noqa: PLC0415 `--help` needs no msgspec

        self.text(documents.text(found))

    def text(self, found: str) -> None:
        """Print exactly this text to stdout."""
        try:
            sys.stdout.write(found)
            sys.stdout.flush()
        except BrokenPipeError:
            _to_nobody(sys.stdout)

    def raw(self, data: bytes) -> None:
        """Print to stdout what another program has printed, as it is."""
        try:
            sys.stdout.buffer.write(data)
            sys.stdout.flush()
        except BrokenPipeError:
            _to_nobody(sys.stdout)

    def note(self, text: str) -> None:
        """Say something to stderr, unless quiet."""
        if not self.quiet:
            self.say(text)

    def say(self, text: str) -> None:
        """Say something to stderr, quiet or not: a gate's verdict, for example."""
        self._err.print(Text(text), soft_wrap=True)


class _Lasting(Terminal):
    """A terminal whose reader may leave (`| head`): the exit code still counts."""

    def on_broken_pipe(self) -> None:
        """Print to nobody from now on, where rich would end the program."""
        _to_nobody(self.file)


def _to_nobody(stream: IO[str]) -> None:
    # Also for Python itself, which flushes at its end and would complain.
    nobody = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nobody, stream.fileno())
    os.close(nobody)


def _terminal(environment: Mapping[str, str], *, stderr: bool) -> Terminal:
    made = _Lasting(
        stderr=stderr,
        highlight=False,
        emoji=False,
        no_color=bool(environment.get("NO_COLOR")),
        _environ=environment,
    )
    if not made.is_terminal and "COLUMNS" not in environment:
        made.width = _WIDE
    return made
