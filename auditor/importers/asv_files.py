"""asv's files (`.asv/results/<machine>/<commit>-<environment>.json`): a run of a commit each."""

import itertools
import math
from collections.abc import Iterator
from pathlib import Path

from auditor.core.errors import UsageError
from auditor.core.jobs import HostFacts
from auditor.core.outcome import Skipped, Unreadable
from auditor.core.series.stored import StoredProcess, StoredRun
from auditor.importers import files
from auditor.importers.checking import (
    BrokenFile,
    build_process,
    escape_text,
    format_fact,
    quoted_name,
    require_list,
    require_mapping,
    require_number,
    require_text,
)

SUITE_FILES = ("benchmarks.json", "machine.json")
"""What lies beside the results, and is none."""
_COLUMNS = ("result", "params")
_MOST_CHOICES = 100_000
"""In a file: a short row of several parameters has a great many."""
_MILLISECOND = 1e-3
_FAR = 1e15
_GIB = 1 << 20
_LONG = 20
_SECONDS = "seconds"


def matches_format(document: dict[str, object]) -> bool:
    """Tell whether asv wrote it."""
    return "results" in document and ("result_columns" in document or "commit_hash" in document)


class AsvReader:
    """Reads files; the units of a suite lie in one file beside them, which is read once."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._units: dict[Path, dict[str, str]] = {}

    def parse_run(
        self, document: dict[str, object], path: Path
    ) -> tuple[StoredRun, tuple[str, ...]]:
        """Return the run, and benchmarks that measure no time; raises BrokenFile, UsageError."""
        if "result_columns" not in document:
            raise BrokenFile("the format of an old asv; convert it with asv update")
        columns = [
            require_text(item, "result_columns")
            for item in require_list(document["result_columns"], "result_columns")
        ]
        if missing := [column for column in _COLUMNS if column not in columns]:
            raise BrokenFile(f"result_columns lacks {missing[0]!r}; is it the right file?")
        units = self._units_near(path)
        processes_by_name: dict[str, tuple[StoredProcess, ...]] = {}
        left_out, started, left = [], [0.0], _MOST_CHOICES
        for key, row in require_mapping(document["results"], "results").items():
            name = escape_text(key)
            row_cells = [] if row is None else require_list(row, f"results of {quoted_name(name)}")
            cells = dict(zip(columns, row_cells, strict=False))
            if not _is_time(name, cells, units.get(name)):
                left_out.append(name)
                continue
            choices = _name_choices(name, cells.get("params"), left)
            left -= len(choices)
            processes_by_name |= {
                variant_name: (stored_process,)
                for variant_name, stored_process in _list_processes(name, cells, choices)
            }
            started.append(_convert_milliseconds(cells.get("started_at")))
        return StoredRun(
            name=path.name,
            host=_read_host(document),
            commit=escape_text(str(document.get("commit_hash") or "")),
            timestamps=(_convert_milliseconds(document.get("date")), max(started)),
            processes=processes_by_name,
        ), tuple(left_out)

    def _units_near(self, path: Path) -> dict[str, str]:
        """Return the units that the suite's list has, none where there is no list."""
        for folder in (path.parent, path.parent.parent):
            suite_file = folder / SUITE_FILES[0]
            if not suite_file.is_file():
                continue
            if suite_file not in self._units:
                try:
                    suite_document = require_mapping(
                        files.read_json(files.read_content(suite_file)), "the whole"
                    )
                except BrokenFile as error:
                    raise UsageError(f"{suite_file}: {error}") from error
                self._units[suite_file] = {
                    escape_text(name): str(document.get("unit"))
                    for name, document in suite_document.items()
                    if isinstance(document, dict)
                }
            return self._units[suite_file]
        return {}


def _is_time(name: str, cells: dict[str, object], unit: str | None) -> bool:
    """Tell whether a benchmark is one of times; asv counts calls of these only.

    Of one that failed it has counted none; then the name tells, by asv's own rule.
    """
    if unit is not None:
        return unit == _SECONDS
    if cells.get("stats_number") is not None:
        return True
    result = cells.get("result")
    has_failed = result is None or (isinstance(result, list) and not any(result))
    return has_failed and name.rpartition(".")[2].lower().startswith("time")


def _list_processes(
    name: str, cells: dict[str, object], choices: list[str]
) -> Iterator[tuple[str, StoredProcess]]:
    """Yield what is stored of each choice of parameters, all of its processes together."""
    label = f"{quoted_name(name)}: result"
    # asv writes a single null where all choices failed.
    results = cells.get("result")
    results = [None] * len(choices) if results is None else require_list(results, label)
    samples = cells.get("samples")
    samples = [None] * len(choices) if samples is None else require_list(samples, f"{label}s")
    if not len(results) == len(samples) == len(choices):
        raise BrokenFile(
            f"{label} must have one value for each combination of parameters; run the benchmark "
            "again"
        )
    version = cells.get("version")
    version_text = escape_text(version) if isinstance(version, str) else ""
    for variant_name, result, sample_values in zip(choices, results, samples, strict=True):
        yield variant_name, _build_process(variant_name, result, sample_values, version_text)


def _name_choices(name: str, params: object, most: int) -> list[str]:
    """Return the names of parameter choices, as our listing has them; raises BrokenFile."""
    label = f"{quoted_name(name)}: params"
    lists = [
        [require_text(item, label) for item in require_list(item, label)]
        for item in require_list(params or [], label)
    ]
    if not lists:
        return [name]
    if math.prod(len(choices) for choices in lists) > most:
        raise BrokenFile(
            f"{label}: more than {_MOST_CHOICES} parameter combinations; is it the right file?"
        )
    return [f"{name}({', '.join(values)})" for values in itertools.product(*lists)]


def _build_process(name: str, result: object, sample_values: object, version: str) -> StoredProcess:
    if result is None:
        failure = Unreadable("it failed or timed out when asv ran it", "")
        return StoredProcess(failure=failure, version=version)
    if isinstance(result, float) and math.isnan(result):
        skipped = Skipped("its set-up says that it is not for these parameters")
        return StoredProcess(failure=skipped, version=version)
    label = f"{quoted_name(name)}: samples"
    values = (
        []
        if sample_values is None
        else [require_number(item, label) for item in require_list(sample_values, label)]
    )
    # The result is the median of the samples, whether these are kept or not.
    return build_process(values, require_number(result, f"{quoted_name(name)}: result"), version)


def _convert_milliseconds(value: object) -> float:
    """Return asv's milliseconds as seconds, 0 where they are none."""
    if not isinstance(value, int | float) or not 0 < value < _FAR:
        return 0.0
    return value * _MILLISECOND


def _format_memory(kibibytes: str) -> str:
    """Return it in GiB, as kernels keep a little for themselves, each another amount."""
    number = kibibytes.isdecimal() and len(kibibytes) < _LONG and round(int(kibibytes) / _GIB)
    return f"{number} GiB" if number else kibibytes


def _read_host(document: dict[str, object]) -> HostFacts:
    params = document.get("params")
    parameters = params if isinstance(params, dict) else {}
    facts = {
        "arch": format_fact(parameters.get("arch")),
        "cores": format_fact(parameters.get("num_cpu")),
        "cpu": format_fact(parameters.get("cpu")),
        "environment": format_fact(document.get("env_name")),
        "kernel": format_fact(parameters.get("os")),
        "memory": _format_memory(format_fact(parameters.get("ram"))),
        "python": format_fact(document.get("python")),
    }
    return HostFacts(format_fact(parameters.get("machine")), tuple(sorted(facts.items())))
