"""The one module that writes to the terminal: results to stdout, everything else to stderr."""

import io
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, TextIO

from rich.console import Console as Terminal
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from auditor.core.errors import MachineError
from reports import names

_UNLIMITED_WIDTH = 10_000
"""Columns of what is no terminal: lines of a log are not to be broken or cut."""


class Console:
    """Two streams; `quiet` silences what is neither a result nor an error."""

    def __init__(self, environment: Mapping[str, str], *, quiet: bool) -> None:
        """Take the environment for NO_COLOR, TERM and COLUMNS."""
        self.quiet = quiet
        self._out = _make_terminal(environment, stderr=False)
        self._err = _make_terminal(environment, stderr=True)

    @property
    def stderr_terminal(self) -> Terminal:
        """Return the stream for progress."""
        return self._err

    @property
    def can_draw_progress(self) -> bool:
        """Tell whether progress can be drawn."""
        return self._err.is_terminal and not self._err.is_dumb_terminal and not self.quiet

    def print_result(self, *renderables: RenderableType) -> None:
        """Print a result to stdout; raises MachineError."""
        if self._out.is_terminal:
            with _guard_stream(sys.stdout):
                self._out.print(*renderables, sep="\n")
            return
        text = io.StringIO()
        text_terminal = _PipeSafeTerminal(
            file=text, width=self._out.width, highlight=False, emoji=False, color_system=None
        )
        for renderable in renderables:
            text_terminal.print(renderable, soft_wrap=isinstance(renderable, Text))
        lines = text.getvalue().splitlines()  # tables pad their last column
        self.print_text("".join(f"{line.rstrip(' ')}\n" for line in lines))

    def print_document(self, document: object) -> None:
        """Print exactly one JSON document to stdout; raises MachineError."""
        from reports import results  # noqa: PLC0415 `--help` needs no msgspec

        self.print_text(results.format_json(document))

    def print_text(self, text: str) -> None:
        """Print exactly this text to stdout; raises MachineError."""
        if sys.stdout is not None:  # as it is where the caller has closed it
            with _guard_stream(sys.stdout):
                sys.stdout.write(text)
                sys.stdout.flush()

    def print_bytes(self, data: bytes) -> None:
        """Print to stdout what another program has printed, as it is; raises MachineError."""
        _write_bytes(sys.stdout, data)

    def print_error_bytes(self, data: bytes) -> None:
        """Print to stderr what another program has printed there; raises MachineError."""
        _write_bytes(sys.stderr, data)

    def print_note(self, text: str) -> None:
        """Say something to stderr, unless quiet."""
        if not self.quiet:
            self.print_message(text)

    def print_message(self, text: str) -> None:
        """Say something to stderr, quiet or not: a gate's verdict, for example."""
        self._err.print(Text(text), soft_wrap=True)


class _PipeSafeTerminal(Terminal):
    """A terminal whose reader may leave (`| head`): the exit code still counts.

    Names come from the subject: what in them would steer the terminal is shown as escapes.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """Yield what is to be printed; the styles are ours."""
        for segment in super().render(renderable, options):
            yield (
                segment
                if segment.control
                else Segment(names.escape_invisible(segment.text), segment.style)
            )

    def on_broken_pipe(self) -> None:
        """Print to nobody from now on, where rich would end the program."""
        _discard_output(self.file)


@contextmanager
def _guard_stream(stream: IO[str]) -> Iterator[None]:
    """Print to nobody once the reader has left; raises MachineError for a full disk."""
    try:
        yield
    except BrokenPipeError:
        _discard_output(stream)
    except OSError as error:
        _discard_output(stream)
        reason = (error.strerror or str(error)).lower()
        raise MachineError(f"the output cannot be written: {reason}; send it elsewhere") from error


def _write_bytes(stream: TextIO | None, data: bytes) -> None:
    if stream is not None:
        with _guard_stream(stream):
            stream.buffer.write(data)
            stream.flush()


def _discard_output(stream: IO[str]) -> None:
    # Also for Python itself, which flushes at its end and would complain.
    null_device = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null_device, stream.fileno())
    os.close(null_device)


def _make_terminal(environment: Mapping[str, str], *, stderr: bool) -> Terminal:
    terminal = _PipeSafeTerminal(
        stderr=stderr,
        highlight=False,
        emoji=False,
        no_color=bool(environment.get("NO_COLOR")),
        _environ=environment,
    )
    if not terminal.is_terminal and "COLUMNS" not in environment:
        terminal.width = _UNLIMITED_WIDTH
    return terminal
