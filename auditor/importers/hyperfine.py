"""hyperfine's JSON (`--export-json`): commands with the time of each of their runs."""

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from auditor.core.series.stored import StoredProcess, StoredRun
from auditor.importers.checking import (
    clean,
    items,
    mapping,
    number,
    numbers,
    process,
    quoted_name,
    text,
)

HARNESS = "hyperfine"
_FIRST = ("command", "mean", "median")
_TIME = "time_wall_clock"
_LONGEST = 80


def is_mine(document: dict[str, object]) -> bool:
    """Tell whether hyperfine wrote it, in its first format or its second."""
    results = document.get("results")
    if not isinstance(results, list) or not results:
        return False
    first = results[0]
    if not isinstance(first, dict) or "command" not in first:
        return False
    return "measurements" in first or all(key in first for key in _FIRST)


def read(document: dict[str, object], path: Path) -> StoredRun:
    """Return the run; raises Broken. A value is a run of the command, by the wall clock.

    Commands of one name have numbers, in the order of the file.
    """
    entries = items(document["results"], "results")
    known = [mapping(item, f"results[{index}]") for index, item in enumerate(entries)]
    names = [_name(result, f"results[{index}]") for index, result in enumerate(known)]
    numbered = numbers(names)
    processes = {
        name: (_process(result, name),) for name, result in zip(numbered, known, strict=True)
    }
    return StoredRun(name=path.name, processes=processes)


def _name(entry: dict[str, object], place: str) -> str:
    """Return the command, or the name that it was given, with parameters that it does not show."""
    name = text(entry.get("name") or entry.get("command"), f"{place}.command")
    parameters = mapping(entry.get("parameters") or {}, f"{quoted_name(name)}: parameters")
    chosen = [(clean(key), clean(_written(value))) for key, value in parameters.items()]
    hidden = [f"{key}={value}" for key, value in chosen if value not in name]
    return f"{name} ({', '.join(hidden)})" if hidden else name


def _written(value: object) -> str:
    """Return a value of a parameter as a command has it; it may be empty."""
    return value if isinstance(value, str) else ascii(value)[:_LONGEST]


def _process(entry: dict[str, object], name: str) -> StoredProcess:
    values = [*_values(entry, name)]
    what = f"{quoted_name(name)}: mean"
    return process(values, fmean(values) if values else number(entry.get("mean"), what))


def _values(entry: dict[str, object], name: str) -> Iterator[float]:
    if "measurements" not in entry:
        for value in items(entry.get("times") or [], f"{quoted_name(name)}: times"):
            yield number(value, f"{quoted_name(name)}: times")
        return
    what = f"{quoted_name(name)}: measurements"
    for item in items(entry["measurements"], what):
        yield number(mapping(mapping(item, what).get(_TIME), f"{what}: {_TIME}").get("value"), what)
