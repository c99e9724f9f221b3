"""A plain CSV that anybody can write: a row for each iteration, its time in seconds per operation.

It is read row by row, in whatever order rows are; only the values are kept.
"""

import csv
from array import array
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from statistics import fmean

import numpy as np

from auditor.core.series.stored import StoredProcess, StoredRun
from auditor.importers.checking import (
    LONGEST,
    BrokenFile,
    build_failed_process,
    build_process,
    escape_text,
    quoted_name,
    rows_of,
)

COLUMNS = ("benchmark", "fork", "iteration", "seconds")
WARMUP = "warmup"
_TRUTH = {"0": False, "1": True, "": False}
_DIGITS = 18
_ADVICE = "write it as docs/how-to/import-results.md says"

_Key = tuple[str, str, str]
"""Benchmark, fork, and whether it is warm-up, as they are written."""


class _Series:
    """Values with their places, in the order of the file: 16 bytes each."""

    def __init__(self) -> None:
        self.places = array("q")
        self.values = array("d")

    def sort_values(self, whose: str) -> "array[float]":
        """Return the values in the order of their places; raises BrokenFile where two have one."""
        places = np.frombuffer(self.places, dtype=np.int64)
        if not (np.diff(places) > 0).all():
            order = np.argsort(places, kind="stable")
            duplicates = np.flatnonzero(np.diff(places[order]) == 0)
            if duplicates.size:
                place = places[order][duplicates[0]]
                raise BrokenFile(
                    f"{whose}: iteration {place} exists twice; number the iterations of each fork"
                )
            return array("d", np.frombuffer(self.values)[order].tobytes())
        return self.values


def delimiter_of(header: str) -> str:
    """Return what parts the columns, nothing where it is no header of this format."""
    columns = next(csv.reader([header]), [])
    return "," if set(COLUMNS) <= set(columns) else ""


def parse_run(lines: Iterable[bytes], path: Path) -> StoredRun:
    """Return the run; raises BrokenFile."""
    series_by_key: dict[_Key, _Series] = {}
    last: tuple[_Key | None, _Series] = (None, _Series())
    for number, key, place, value in _read_cells(lines):
        if key != last[0]:
            last = (key, series_by_key.setdefault(key, _Series()))
        last[1].places.append(_parse_place(place, number))
        last[1].values.append(_parse_seconds(value, number))
    return StoredRun(
        name=path.name,
        processes=_build_processes(series_by_key),
    )


def _read_cells(lines: Iterable[bytes]) -> Iterator[tuple[int, _Key, str, str]]:
    """Yield the number of each line, whose value it is, its place and the value."""
    rows = rows_of(lines, delimiter_of)
    _, header = next(rows)
    if doubled := [column for column in (*COLUMNS, WARMUP) if header.count(column) > 1]:
        raise BrokenFile(f"the column {doubled[0]!r} exists twice; remove one")
    warm = header.index(WARMUP) if WARMUP in header else None
    cells = itemgetter(*map(header.index, COLUMNS))
    for number, row in rows:
        if len(row) != len(header):
            raise BrokenFile(
                f"line {number} has {len(row)} columns, the header {len(header)}; is the file cut "
                "off? Copy it again"
            )
        name, fork, place, value = cells(row)
        yield number, (name, fork, row[warm] if warm is not None else ""), place, value


def _parse_place(text: str, number: int) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS):
        raise BrokenFile(
            f"line {number}: iteration {quoted_name(text)} is not a whole number; {_ADVICE}"
        )
    return int(text)


def _parse_seconds(text: str, number: int) -> float:
    try:
        value = float(text) if "_" not in text else -1.0
    except ValueError:
        value = -1.0
    if not 0 <= value <= LONGEST:
        raise BrokenFile(f"line {number}: {quoted_name(text)} is not a time in seconds; {_ADVICE}")
    return value


def _build_processes(series_by_key: dict[_Key, _Series]) -> dict[str, tuple[StoredProcess, ...]]:
    """Return the forks of each benchmark in the order of their numbers; what is read is let go."""
    parts: dict[str, dict[int, dict[bool, _Series]]] = {}
    for key in list(series_by_key):
        (name, fork), warm = _parse_fork(key), _TRUTH.get(key[2])
        if warm is None:
            raise BrokenFile(
                f"{quoted_name(name)}: {WARMUP} is {quoted_name(key[2])}, not 0 or 1; {_ADVICE}"
            )
        fork_series = parts.setdefault(name, {}).setdefault(fork, {})
        if warm in fork_series:
            raise BrokenFile(f"{quoted_name(name)}: fork {fork} is written in two forms; {_ADVICE}")
        fork_series[warm] = series_by_key.pop(key)
    return {
        name: tuple(_build_process(name, fork, forks.pop(fork)) for fork in sorted(forks))
        for name, forks in parts.items()
    }


def _parse_fork(key: _Key) -> tuple[str, int]:
    name, fork, _ = key
    if not name:
        raise BrokenFile(f"a row has no benchmark; {_ADVICE}")
    if not (fork.isascii() and fork.isdecimal() and len(fork) <= _DIGITS):
        raise BrokenFile(
            f"{quoted_name(name)}: fork {quoted_name(fork)} is not a whole number; {_ADVICE}"
        )
    return escape_text(name), int(fork)


def _build_process(name: str, fork: int, parts: dict[bool, _Series]) -> StoredProcess:
    whose = f"{quoted_name(name)}, fork {fork}"
    values, warmups = (
        _take_values(parts.pop(warm), whose) if warm in parts else () for warm in (False, True)
    )
    if not values:
        return build_failed_process("it has iterations of warm-up only")
    return build_process(values, fmean(values), warmups=warmups)


def _take_values(series: _Series, whose: str) -> Sequence[float]:
    """Return the values, without keeping their places as well."""
    values = series.sort_values(whose)
    series.places, series.values = array("q"), array("d")
    return values
