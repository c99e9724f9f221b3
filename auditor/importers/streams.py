"""What a framework prints while it runs, iteration by iteration: JMH, or `go test -bench`."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from auditor.core.series.printed import PrintedIterations
from auditor.importers import go_text, jmh_log, jmh_names
from auditor.importers.checking import BrokenFile

_PROGRESS = "# Run progress:"
_PACKAGE = "pkg: "
_LONGEST = 1 << 16
"""Bytes of a line; what comes without an end is no result."""


class BenchmarkOutputReader:
    """Reads output as it comes, in parts that may end anywhere.

    `problems` says what could not be understood; it goes on behind that.
    """

    def __init__(self, hear: Callable[[PrintedIterations], None]) -> None:
        """Take who is told of iterations."""
        self.problems: list[str] = []
        self._rest = b""
        self._hear = hear
        self._runs: Counter[str] = Counter({jmh_names.HARNESS: 1})
        self._package = ""
        self._jmh = self._make_jmh_reader()
        self._go = self._make_go_reader()

    def read_data(self, data: bytes) -> None:
        """Take a part."""
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest[-_LONGEST:]
        for line in lines:
            self._read_line(line.decode(errors="replace").rstrip("\r"))

    def finish_reading(self) -> None:
        """Take what came last as a line, though none ends there."""
        self.read_data(b"\n")

    def _read_line(self, line: str) -> None:
        if line.startswith(_PROGRESS) and self._jmh.is_again:
            # One process of JMH has no benchmark twice: it was called again.
            self._runs[jmh_names.HARNESS] += 1
            self._jmh.found.clear()
        elif line.startswith(_PACKAGE):
            self._package = line
            self._runs[line] += 1
        try:
            self._jmh.read_line(line)
        except BrokenFile as error:
            self.problems.append(str(error))
            self._jmh = self._make_jmh_reader()
        try:
            self._go.read_line(line)
        except BrokenFile as error:
            self.problems.append(str(error))
            self._go = self._make_go_reader()

    def _make_jmh_reader(self) -> jmh_log.JmhLogReader:
        return jmh_log.JmhLogReader(
            lambda iteration: self._report_iteration(iteration, jmh_names.HARNESS)
        )

    def _make_go_reader(self) -> go_text.GoPackageReader:
        return go_text.GoPackageReader(
            {}, {}, lambda iteration: self._report_iteration(iteration, self._package)
        )

    def _report_iteration(self, iteration: PrintedIterations, run_key: str) -> None:
        self._hear(replace(iteration, run=max(self._runs[run_key], 1)))
