"""hyperfine's JSON (`--export-json`): commands with the time of each of their runs."""

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from auditor.core.series.stored import StoredProcess, StoredRun
from auditor.importers.checking import (
    build_process,
    escape_text,
    number_duplicates,
    quoted_name,
    require_list,
    require_mapping,
    require_number,
    require_text,
)

HARNESS = "hyperfine"
_FIRST = ("command", "mean", "median")
_TIME = "time_wall_clock"
_LONGEST = 80


def matches_format(document: dict[str, object]) -> bool:
    """Tell whether hyperfine wrote it, in its first format or its second."""
    results = document.get("results")
    if not isinstance(results, list) or not results:
        return False
    first = results[0]
    if not isinstance(first, dict) or "command" not in first:
        return False
    return "measurements" in first or all(key in first for key in _FIRST)


def parse_run(document: dict[str, object], path: Path) -> StoredRun:
    """Return the run; raises BrokenFile. A value is a run of the command, by the wall clock.

    Commands of one name have numbers, in the order of the file.
    """
    entries = require_list(document["results"], "results")
    results = [require_mapping(item, f"results[{index}]") for index, item in enumerate(entries)]
    names = [_build_name(result, f"results[{index}]") for index, result in enumerate(results)]
    numbered = number_duplicates(names)
    processes = {
        name: (_build_process(result, name),)
        for name, result in zip(numbered, results, strict=True)
    }
    return StoredRun(name=path.name, processes=processes)


def _build_name(entry: dict[str, object], place: str) -> str:
    """Return the command, or the name that it was given, with parameters that it does not show."""
    name = require_text(entry.get("name") or entry.get("command"), f"{place}.command")
    parameters = require_mapping(entry.get("parameters") or {}, f"{quoted_name(name)}: parameters")
    parameter_values = [
        (escape_text(key), escape_text(_format_value(value))) for key, value in parameters.items()
    ]
    hidden = [f"{key}={value}" for key, value in parameter_values if value not in name]
    return f"{name} ({', '.join(hidden)})" if hidden else name


def _format_value(value: object) -> str:
    """Return a value of a parameter as a command has it; it may be empty."""
    return value if isinstance(value, str) else ascii(value)[:_LONGEST]


def _build_process(entry: dict[str, object], name: str) -> StoredProcess:
    values = [*_read_values(entry, name)]
    label = f"{quoted_name(name)}: mean"
    return build_process(
        values, fmean(values) if values else require_number(entry.get("mean"), label)
    )


def _read_values(entry: dict[str, object], name: str) -> Iterator[float]:
    if "measurements" not in entry:
        for value in require_list(entry.get("times") or [], f"{quoted_name(name)}: times"):
            yield require_number(value, f"{quoted_name(name)}: times")
        return
    label = f"{quoted_name(name)}: measurements"
    for item in require_list(entry["measurements"], label):
        yield require_number(
            require_mapping(require_mapping(item, label).get(_TIME), f"{label}: {_TIME}").get(
                "value"
            ),
            label,
        )
