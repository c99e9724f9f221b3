"""JMH's CSV (`-rf csv`): one figure for each benchmark, nothing of its forks and iterations."""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from auditor.core.series.stored import StoredProcess, StoredRun, StoredVariant
from auditor.importers.benchmark_names import distinct_names
from auditor.importers.checking import (
    BrokenFile,
    build_process,
    escape_text,
    make_duplicate_error,
    quoted_name,
    require_text,
    rows_of,
)
from auditor.importers.jmh_names import is_time, name_of, to_seconds_per_operation, variant_of

START = ("Benchmark", "Mode", "Threads", "Samples", "Score")
"""The first columns, in every version."""
_UNIT = "Unit"
_PARAMETER = "Param: "
_LABEL = ":"
"""Stands between a benchmark and one of its secondary results."""


def delimiter_of(header: str) -> str:
    """Return what parts the columns (`-rf csv` or `scsv`), nothing where JMH wrote no such line."""
    for delimiter in (",", ";"):
        columns = next(csv.reader([header], delimiter=delimiter), [])
        if tuple(columns[: len(START)]) == START and _UNIT in columns:
            return delimiter
    return ""


def parse_run(lines: Iterable[bytes], path: Path) -> tuple[StoredRun, tuple[str, ...]]:
    """Return the run, and the benchmarks that measure no time; raises BrokenFile."""
    entries: dict[StoredVariant, dict[str, str]] = {}
    for number, row in _read_rows(lines):
        if _LABEL in row["Benchmark"]:
            continue
        benchmark = require_text(row["Benchmark"], f"line {number}: Benchmark")
        parameters = {
            escape_text(column.removeprefix(_PARAMETER)): escape_text(value)
            for column, value in row.items()
            if column.startswith(_PARAMETER) and value
        }
        key = variant_of(
            name_of(benchmark, parameters), escape_text(row["Mode"]), escape_text(row["Threads"])
        )
        if key in entries:
            raise make_duplicate_error(key.name)
        entries[key] = row
    processes, left_out, units = {}, [], {}
    names = distinct_names(entries)
    for key, name in names.items():
        unit = entries[key][_UNIT]
        if is_time(unit):
            processes[name] = (_build_process(name, entries[key]["Score"], unit),)
            units[name] = unit
        else:
            left_out.append(name)
    variants = {names[key]: key for key in names if names[key] in processes}
    run = StoredRun(name=path.name, processes=processes, variants=variants, units=units)
    return run, tuple(left_out)


def _read_rows(lines: Iterable[bytes]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the number of each line and what stands in its columns."""
    rows = rows_of(lines, delimiter_of)
    _, header = next(rows)
    for number, row in rows:
        if len(row) != len(header):
            raise BrokenFile(
                f"line {number} has {len(row)} columns, the first one {len(header)}; is it cut "
                "off? Copy it again"
            )
        yield number, dict(zip(header, row, strict=True))


def _build_process(name: str, score: str, unit: str) -> StoredProcess:
    """Return a figure; languages that have a comma for the point have it here, too."""
    try:
        number = float(score.replace(",", ".").replace("_", "?"))
    except ValueError as error:
        raise BrokenFile(
            f"{quoted_name(name)}: {quoted_name(score)} is not a score; run JMH again"
        ) from error
    if number < 0:
        raise BrokenFile(f"{quoted_name(name)}: {quoted_name(score)} is not a time; run JMH again")
    return build_process((), to_seconds_per_operation(number, unit))
