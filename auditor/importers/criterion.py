"""criterion's files (Rust, `target/criterion`): a folder for each benchmark, in it `new`.

`sample.json` has the iterations and the time of each sample, `estimates.json` figures of them,
`benchmark.json` the name. All benchmarks of one `target/criterion` are a run.
"""

import os
from itertools import islice
from pathlib import Path
from statistics import fmean

from auditor.core.series.stored import StoredProcess, StoredRun
from auditor.core.units import SECONDS
from auditor.importers import files
from auditor.importers.checking import (
    BrokenFile,
    build_process,
    escape_text,
    require_list,
    require_mapping,
    require_number,
    require_text,
)

HARNESS = "criterion"
_SAMPLE, _ESTIMATES, _BENCHMARK = "sample.json", "estimates.json", "benchmark.json"
_NEWEST = "new"
"""Beside it are `base`, which it was compared with, `change` and `report`."""
_NANOSECOND = SECONDS["ns"]
_SPREADS = ("std_dev", "median_abs_dev")
"""What estimates of times have, and those of a change have not."""
_DEPTH = 8
_GIVE = "give the folder target/criterion, which has sample.json"


def criterion_files(folder: Path) -> list[Path]:
    """Return a file of each benchmark in a folder of criterion, none where it is no such folder."""
    paths = []
    for place, folders, names in islice(os.walk(folder), files.MOST):
        folder_path = Path(place)
        if len(folder_path.relative_to(folder).parts) >= _DEPTH:
            folders.clear()
        if folder_path.name == _NEWEST and _BENCHMARK in names:
            paths += [
                folder_path / file_name for file_name in (_SAMPLE, _ESTIMATES) if file_name in names
            ][:1]
    return sorted(paths)


def matches_format(document: dict[str, object]) -> bool:
    """Tell whether criterion wrote it: samples, or estimates."""
    if "iters" in document and "times" in document:
        return True
    mean = document.get("mean")
    return isinstance(mean, dict) and "point_estimate" in mean


def parse_run(document: dict[str, object], path: Path) -> StoredRun:
    """Return the run of one benchmark; raises BrokenFile. A value is a sample, per iteration."""
    name, _ = _identify_benchmark(path)
    return StoredRun(name=path.name, processes={name: (_build_process(document),)})


def find_root_folder(path: Path) -> Path:
    """Return the folder of all benchmarks that a file is of one of."""
    return _identify_benchmark(path)[1]


def _identify_benchmark(path: Path) -> tuple[str, Path]:
    """Return the name of the benchmark and the folder of all."""
    place = path.resolve().parent
    name_file = place / _BENCHMARK
    if not name_file.is_file():
        return escape_text(
            place.parent.name if place.name == _NEWEST else place.name
        ) or "unknown", place
    description = require_mapping(files.read_json(files.read_content(name_file)), _BENCHMARK)
    above = place.parent
    for _ in Path(
        require_text(description.get("directory_name"), f"{_BENCHMARK}: directory_name")
    ).parts:
        above = above.parent
    return require_text(description.get("full_id"), f"{_BENCHMARK}: full_id"), above


def _build_process(document: dict[str, object]) -> StoredProcess:
    if "iters" not in document:
        return _build_from_estimates(document)
    counts, times = (
        require_list(document[field_name], field_name) for field_name in ("iters", "times")
    )
    if len(counts) != len(times):
        raise BrokenFile("the lists iters and times differ in length; run the benchmark again")
    values = [_per_iteration(*pair) for pair in zip(times, counts, strict=True)]
    return build_process(values, fmean(values) if values else 0.0)


def _per_iteration(nanoseconds: object, count: object) -> float:
    iterations = require_number(count, "iters")
    if not iterations > 0:
        raise BrokenFile("iters has a zero; run the benchmark again")
    return require_number(nanoseconds, "times") * _NANOSECOND / iterations


def _build_from_estimates(document: dict[str, object]) -> StoredProcess:
    if not all(field_name in document for field_name in _SPREADS):
        raise BrokenFile(f"these criterion estimates may be changes instead of times; {_GIVE}")
    estimate = require_mapping(document["mean"], "mean").get("point_estimate")
    return build_process((), require_number(estimate, "mean") * _NANOSECOND)
