"""What the authors of the corpus' benchmarks configured: `subjects.csv`, beside the series."""

import csv
import io
from pathlib import Path

from auditor.core.errors import UsageError
from auditor.core.files.foreign_files import read_regular
from auditor.core.suite import IterationSettings

NAME = "subjects.csv"
_COLUMNS = {
    *("project", "benchmark", "params", "forks"),
    *("warmupIterations", "warmupTimeSec", "measurementIterations", "measurementTimeSec"),
}
_LONGEST = 1e6
"""Seconds; no iteration is as long."""
_MOST = 1_000_000
"""Iterations, and forks."""


def read_configuration(folder: Path) -> dict[str, IterationSettings]:
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
