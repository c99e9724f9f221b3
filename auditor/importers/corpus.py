"""Series of the steady-state corpus: a file of JSON for each benchmark, a list for each fork.

All files of a folder are one run. Values are seconds per operation, from the first iteration on, so
whatever warms up is among them. A table beside them (`subjects.csv`) has what was configured.
"""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import fmean

from auditor.core.errors import UsageError
from auditor.core.files.foreign_files import read_regular
from auditor.core.series.stored import StoredProcess, StoredRun
from auditor.core.suite import IterationSettings
from auditor.importers.checking import (
    LONGEST,
    BrokenFile,
    build_failed_process,
    build_process,
    escape_text,
    quoted_name,
    require_list,
    require_seconds,
    require_text,
)

NAME = "subjects.csv"
_COLUMNS = {
    *("project", "benchmark", "params", "forks"),
    *("warmupIterations", "warmupTimeSec", "measurementIterations", "measurementTimeSec"),
}
_LONGEST = 1e6
"""Seconds; no iteration is as long."""
_MOST = 1_000_000
"""Iterations, and forks."""

_NAME = re.compile(r"[^#]+#[^#]+#[^#]*\.json")
"""`owner__repo#benchmark#parameters.json`; parameters are `a=1&b=2`, or none."""
_SECONDS = 0.1
"""An iteration ends with the first operation after so long."""
_PLACES = ("timeseries/all", "timeseries", "all", ".")
"""Where the series are, below or at the folder that is named: what lies beside is about them."""


def matches_format(document: list[object]) -> bool:
    """Tell whether it may be series: a list of lists."""
    return bool(document) and all(isinstance(item, list) for item in document)


def series_files(folder: Path) -> list[Path]:
    """Return the files of series in a folder of the corpus, none where it is no such folder."""
    for place in _PLACES:
        inside = folder / place
        if inside.is_dir():
            paths = sorted(entry for entry in inside.iterdir() if _NAME.fullmatch(entry.name))
            if paths:
                return paths
    return []


def parse_run(document: list[object], path: Path) -> StoredRun:
    """Return the run of one benchmark; raises BrokenFile.

    It is named as its file is: `subjects.csv`, classifications and change points have the same.
    """
    name = require_text(
        escape_text(path.name.removesuffix(".gz").removesuffix(".json")), "the file's name"
    )
    forks = [require_list(item, "a fork") for item in document]
    if all(map(_is_ascending, forks)) and any(forks):
        raise BrokenFile(
            "ascending whole numbers only, which are positions and not times; name the folder "
            "timeseries"
        )
    label = f"{quoted_name(name)}: fork"
    processes = tuple(_build_process(fork, f"{label} {index}") for index, fork in enumerate(forks))
    return StoredRun(name=path.name, processes={name: processes})


def join_benchmarks(runs: Sequence[tuple[Path, StoredRun]]) -> tuple[StoredRun, ...]:
    """Join the benchmarks of each folder, and what their authors configured: they are one run.

    Raises UsageError where what was configured cannot be read.
    """
    folders: dict[Path, dict[str, tuple[StoredProcess, ...]]] = {}
    for path, run in runs:
        folders.setdefault(path.resolve().parent, {}).update(run.processes)
    return tuple(
        StoredRun(
            name=folder.name, processes=_add_configuration(processes, _read_configuration(folder))
        )
        for folder, processes in folders.items()
    )


def _add_configuration(
    processes: dict[str, tuple[StoredProcess, ...]], configurations: dict[str, IterationSettings]
) -> dict[str, tuple[StoredProcess, ...]]:
    return {
        name: tuple(
            replace(stored_process, configured=configurations.get(name))
            for stored_process in benchmark_processes
        )
        for name, benchmark_processes in processes.items()
    }


def _is_ascending(fork: list[object]) -> bool:
    integers = [index for index in fork if isinstance(index, int)]
    return len(integers) == len(fork) and all(
        index < next_index for index, next_index in pairwise(integers)
    )


def _build_process(fork: list[object], label: str) -> StoredProcess:
    if not fork:
        return build_failed_process("it has no values")
    values = _convert_floats(fork)
    # NaN is in no order, so its mean is looked at, too; infinity is above the longest time.
    if values is None or not (min(values) >= 0 and fmean(values) <= LONGEST):
        values = [require_seconds(item, label) for item in fork]
    return replace(build_process(values, fmean(values)), iteration_seconds=_SECONDS)


def _convert_floats(fork: list[object]) -> list[float] | None:
    """Return the values where all are floats: one look at the types, not one at each value."""
    return [*map(float, fork)] if set(map(type, fork)) == {float} else None  # type: ignore[arg-type]


def _read_configuration(folder: Path) -> dict[str, IterationSettings]:
    """Return what was configured, by the benchmarks' names; none where there is no such table.

    It lies in the folder of the series or one or two above. Raises UsageError for a broken one.
    """
    places = (candidate / NAME for candidate in (folder, folder.parent, folder.parent.parent))
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        return {}
    try:
        text = read_regular(path).decode("utf-8-sig")
        rows = csv.DictReader(io.StringIO(text, newline=""))
        if not _COLUMNS.issubset(rows.fieldnames or ()):
            return {}
        return dict(_parse_row(row, f"{path}: line {rows.line_num}") for row in rows)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error


def _parse_row(row: dict[str, str | None], place: str) -> tuple[str, IterationSettings]:
    name = "#".join(
        ((row["project"] or "").replace("/", "__"), row["benchmark"] or "", row["params"] or "")
    )
    try:
        settings = IterationSettings(
            warmup_iterations=int(row["warmupIterations"] or ""),
            warmup_seconds=float(row["warmupTimeSec"] or ""),
            measurement_iterations=int(row["measurementIterations"] or ""),
            measurement_seconds=float(row["measurementTimeSec"] or ""),
            forks=int(row["forks"] or ""),
        )
    except ValueError as error:
        raise UsageError(f"{place}: {error}; write numbers, or leave the table out") from error
    counts = (settings.warmup_iterations + 1, settings.measurement_iterations, settings.forks)
    lasting = (settings.warmup_seconds, settings.measurement_seconds)
    if not (
        all(0 < number <= _MOST for number in counts)
        and all(0 < seconds < _LONGEST for seconds in lasting)
    ):
        raise UsageError(f"{place}: a number is outside of JMH's range; correct it")
    return name, settings
