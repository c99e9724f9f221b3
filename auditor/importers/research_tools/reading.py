"""A research tool's result file, read: rows with values in seconds per operation."""

import csv
import hashlib
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from auditor.core.errors import UsageError
from auditor.core.files.foreign_files import describe_os_error, open_regular
from auditor.core.units import seconds_per_operation
from auditor.importers.research_tools.layout import (
    BASELINE,
    DELIMITER,
    NANOSECONDS,
    RUN,
    ColumnLayout,
    ProcessValues,
    ResearchTool,
    layout_of,
)

LONGEST = 1 << 16
"""Bytes of a line: names of methods with all their parameters stay far below."""
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")

Key = tuple[str | None, str, int]
"""Method, benchmark, run."""


@dataclass(frozen=True, slots=True)
class ResultUnit:
    """The unit of the results of benchmarks whose name holds a match of `pattern`."""

    pattern: re.Pattern[str]
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultTable:
    """A file: all processes of a run together, in the order of the file.

    `digest` is the SHA-256 of its bytes, hexadecimal.
    """

    tool: ResearchTool
    digest: str
    rows: tuple[ProcessValues, ...] = field(repr=False)


def parse_unit(text: str) -> ResultUnit:
    """Read `us/op` or `REGEX=us/op`; raises UsageError."""
    pattern, _, name = text.rpartition("=")
    try:
        seconds_per_operation(1.0, name)
        return ResultUnit(re.compile(pattern), name)
    except re.error as error:
        raise UsageError(f"{pattern!r} is not a regular expression: {error}") from error
    except ValueError as error:
        raise UsageError(
            f"{name!r} is not a unit of a result; write us/op, ops/s or the like, or REGEX=us/op"
        ) from error


def read_table(
    path: Path, *, tool: ResearchTool | None = None, units: Sequence[ResultUnit] = ()
) -> ResultTable:
    """Read a file; raises UsageError that names the line, what is wrong and what to do.

    `tool` is None where the file is to tell. `units` are those of JavaABS's results; of several
    that fit a benchmark the last one counts.
    """
    reader = _TableReader(tool, units)
    sha = hashlib.sha256()
    number = 0
    try:
        with open_regular(path) as file:
            for number, line in enumerate(iter(lambda: file.readline(LONGEST + 1), b""), 1):
                sha.update(line)
                reader.read_line(line, first=number == 1)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {describe_os_error(error)}") from error
    except _UnreadableLine as error:
        raise UsageError(f"{path.name}, line {number}: {error}") from error
    if reader.layout is None:
        raise UsageError(f"{path.name} holds no results; is it the right file?")
    return ResultTable(
        tool=reader.layout.tool, digest=sha.hexdigest(), rows=tuple(reader.list_rows())
    )


def is_table(path: Path) -> bool:
    """Tell whether the first line of a file has cells, as tables of the research tools have."""
    try:
        with open_regular(path) as file:
            return DELIMITER.encode() in file.readline(LONGEST)
    except OSError:
        return True


class _UnreadableLine(Exception):
    """What is wrong with a line, and what to do about it."""


class _TableReader:
    """Takes lines one by one: the file of a large suite has a million."""

    def __init__(self, tool: ResearchTool | None, units: Sequence[ResultUnit]) -> None:
        self.layout: ColumnLayout | None = None
        self._tool = tool
        self._units = units
        self._unit_of: dict[str, str] = {}
        self._values: dict[Key, list[float]] = {}

    def list_rows(self) -> Iterator[ProcessValues]:
        """Yield what was read, in the order in which it first occurred."""
        for (method, benchmark, run), values in self._values.items():
            yield ProcessValues(run=run, method=method, benchmark=benchmark, seconds=tuple(values))

    def read_line(self, line: bytes, *, first: bool) -> None:
        """Read a line; raises _UnreadableLine."""
        record = _split_line(line, first=first)
        if not record or (first and _is_header(record)):
            return
        if self.layout is None:
            self.layout = self._detect_layout(record)
        layout = self.layout
        if len(record) != layout.columns:
            raise _UnreadableLine(
                f"{len(record)} columns where the first row has {layout.columns}; are these rows "
                "of another file, or the end of an older one? Remove them"
            )
        run = RUN.fullmatch(record[0])
        if run is None or (layout.tool is ResearchTool.JAVA and run[2]):
            raise _UnreadableLine(
                f"{_shorten_text(record[0])} is not a run number; repair or remove the row"
            )
        method, benchmark = record[1], record[2]
        if not method or not benchmark:
            raise _UnreadableLine("a row without a method or benchmark; repair or remove it")
        key = (None if method == BASELINE else method, benchmark, int(run[1]))
        seconds = _parse_seconds(record[layout.result], self._find_unit(benchmark, layout))
        self._values.setdefault(key, []).append(seconds)

    def _detect_layout(self, record: list[str]) -> ColumnLayout:
        layout = layout_of(record, self._tool)
        if layout is None:
            raise _UnreadableLine(
                "neither GoABS's run-suite-bench;function;benchmark;invocations;ns nor JavaABS's "
                "Run;Method altered;Microbenchmark;Result; is it the right file?"
            )
        if layout.tool is ResearchTool.GO and self._units:
            raise _UnreadableLine(f"results of GoABS are in {NANOSECONDS}; leave out --unit")
        return layout

    def _find_unit(self, benchmark: str, layout: ColumnLayout) -> str:
        if layout.tool is ResearchTool.GO:
            return NANOSECONDS
        if benchmark not in self._unit_of:
            fitting = [
                result_unit.unit
                for result_unit in self._units
                if result_unit.pattern.search(benchmark)
            ]
            if not fitting:
                raise _UnreadableLine(
                    f"the unit of {_shorten_text(benchmark)} is not in the file; give it, such as "
                    "--unit ops/s (JMH's default) or --unit us/op"
                )
            self._unit_of[benchmark] = fitting[-1]
        return self._unit_of[benchmark]


def _split_line(line: bytes, *, first: bool) -> list[str]:
    """Return the cells of a line, without the blanks around them; none of a blank line."""
    if len(line) > LONGEST:
        raise _UnreadableLine(f"more than {LONGEST} bytes; is it the right file?")
    if b"\0" in line:
        raise _UnreadableLine("a zero byte; is it the right file, and in UTF-8?")
    try:
        text = line.decode("utf-8-sig" if first else "utf-8")
        (cells,) = csv.reader([text.rstrip("\r\n")], delimiter=DELIMITER, strict=True)
    except UnicodeDecodeError as error:
        raise _UnreadableLine("not UTF-8; convert the file") from error
    except csv.Error as error:
        raise _UnreadableLine(
            f"not a row of cells separated by {DELIMITER}: {error}; repair it"
        ) from error
    record = [cell.strip() for cell in cells]
    return record if any(record) else []


def _is_header(record: list[str]) -> bool:
    return record[0].lower().startswith("run") and len(record) > 1


def _parse_seconds(text: str, unit: str) -> float:
    """Return seconds per operation; 0 or infinite where the tool's own rounding left no time."""
    if "," in text:
        raise _UnreadableLine(f"{_shorten_text(text)} has a comma; decimals need a point")
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value) or value < 0:
        raise _UnreadableLine(f"{_shorten_text(text)} is not a result; repair or remove the row")
    if value == 0:
        return 0.0
    return seconds_per_operation(value, unit)


def _shorten_text(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:59]}…")
