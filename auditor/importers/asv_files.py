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
    Broken,
    clean,
    fact,
    items,
    mapping,
    number,
    process,
    quoted_name,
    text,
)

OWN = ("benchmarks.json", "machine.json")
"""What lies beside the results, and is none."""
_COLUMNS = ("result", "params")
_MOST_CHOICES = 100_000
"""In a file: a short row of several parameters has a great many."""
_MILLISECOND = 1e-3
_FAR = 1e15
_GIB = 1 << 20
_LONG = 20
_SECONDS = "seconds"


def is_mine(document: dict[str, object]) -> bool:
    """Tell whether asv wrote it."""
    return "results" in document and ("result_columns" in document or "commit_hash" in document)


class AsvFiles:
    """Reads files; the units of a suite lie in one file beside them, which is read once."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._units: dict[Path, dict[str, str]] = {}

    def read(self, document: dict[str, object], path: Path) -> tuple[StoredRun, tuple[str, ...]]:
        """Return the run, and the benchmarks that measure no time; raises Broken, UsageError."""
        if "result_columns" not in document:
            raise Broken("the format of an old asv; convert it with asv update")
        columns = [
            text(item, "result_columns")
            for item in items(document["result_columns"], "result_columns")
        ]
        if missing := [column for column in _COLUMNS if column not in columns]:
            raise Broken(f"result_columns lacks {missing[0]!r}; is it the right file?")
        units = self._units_near(path)
        processes_by_name: dict[str, tuple[StoredProcess, ...]] = {}
        left_out, started, left = [], [0.0], _MOST_CHOICES
        for key, row in mapping(document["results"], "results").items():
            name = clean(key)
            known = [] if row is None else items(row, f"results of {quoted_name(name)}")
            cells = dict(zip(columns, known, strict=False))
            if not _is_time(name, cells, units.get(name)):
                left_out.append(name)
                continue
            choices = _choices(name, cells.get("params"), left)
            left -= len(choices)
            processes_by_name |= {
                chosen: (stored_process,)
                for chosen, stored_process in _processes(name, cells, choices)
            }
            started.append(_moment(cells.get("started_at")))
        return StoredRun(
            name=path.name,
            host=_host(document),
            commit=clean(str(document.get("commit_hash") or "")),
            made=(_moment(document.get("date")), max(started)),
            processes=processes_by_name,
        ), tuple(left_out)

    def _units_near(self, path: Path) -> dict[str, str]:
        """Return the units that the suite's list has, none where there is no list."""
        for folder in (path.parent, path.parent.parent):
            beside = folder / OWN[0]
            if not beside.is_file():
                continue
            if beside not in self._units:
                try:
                    listed = mapping(files.read_json(files.content(beside)), "the whole")
                except Broken as error:
                    raise UsageError(f"{beside}: {error}") from error
                self._units[beside] = {
                    clean(name): str(document.get("unit"))
                    for name, document in listed.items()
                    if isinstance(document, dict)
                }
            return self._units[beside]
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


def _processes(
    name: str, cells: dict[str, object], choices: list[str]
) -> Iterator[tuple[str, StoredProcess]]:
    """Yield what is stored of each choice of parameters, all of its processes together."""
    what = f"{quoted_name(name)}: result"
    # asv writes a single null where all choices failed.
    results = cells.get("result")
    results = [None] * len(choices) if results is None else items(results, what)
    samples = cells.get("samples")
    samples = [None] * len(choices) if samples is None else items(samples, f"{what}s")
    if not len(results) == len(samples) == len(choices):
        raise Broken(
            f"{what} must have one value for each combination of parameters; run the benchmark "
            "again"
        )
    version = cells.get("version")
    known = clean(version) if isinstance(version, str) else ""
    for chosen, result, kept in zip(choices, results, samples, strict=True):
        yield chosen, _process(chosen, result, kept, known)


def _choices(name: str, params: object, most: int) -> list[str]:
    """Return the names of the choices of parameters, as our own listing has them; raises Broken."""
    what = f"{quoted_name(name)}: params"
    lists = [[text(item, what) for item in items(item, what)] for item in items(params or [], what)]
    if not lists:
        return [name]
    if math.prod(len(choices) for choices in lists) > most:
        raise Broken(
            f"{what}: more than {_MOST_CHOICES} parameter combinations; is it the right file?"
        )
    return [f"{name}({', '.join(chosen)})" for chosen in itertools.product(*lists)]


def _process(name: str, result: object, kept: object, version: str) -> StoredProcess:
    if result is None:
        failure = Unreadable("it failed or timed out when asv ran it", "")
        return StoredProcess(failure=failure, version=version)
    if isinstance(result, float) and math.isnan(result):
        skipped = Skipped("its set-up says that it is not for these parameters")
        return StoredProcess(failure=skipped, version=version)
    what = f"{quoted_name(name)}: samples"
    values = [] if kept is None else [number(item, what) for item in items(kept, what)]
    # The result is the median of the samples, whether these are kept or not.
    return process(values, number(result, f"{quoted_name(name)}: result"), version)


def _moment(value: object) -> float:
    """Return asv's milliseconds as seconds, 0 where they are none."""
    if not isinstance(value, int | float) or not 0 < value < _FAR:
        return 0.0
    return value * _MILLISECOND


def _memory(kibibytes: str) -> str:
    """Return it in GiB, as kernels keep a little for themselves, each another amount."""
    number = kibibytes.isdecimal() and len(kibibytes) < _LONG and round(int(kibibytes) / _GIB)
    return f"{number} GiB" if number else kibibytes


def _host(document: dict[str, object]) -> HostFacts:
    params = document.get("params")
    known = params if isinstance(params, dict) else {}
    facts = {
        "arch": fact(known.get("arch")),
        "cores": fact(known.get("num_cpu")),
        "cpu": fact(known.get("cpu")),
        "environment": fact(document.get("env_name")),
        "kernel": fact(known.get("os")),
        "memory": _memory(fact(known.get("ram"))),
        "python": fact(document.get("python")),
    }
    return HostFacts(fact(known.get("machine")), tuple(sorted(facts.items())))
