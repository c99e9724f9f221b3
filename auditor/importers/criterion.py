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
from auditor.importers.checking import Broken, clean, items, mapping, number, process, text

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
        here = Path(place)
        if len(here.relative_to(folder).parts) >= _DEPTH:
            folders.clear()
        if here.name == _NEWEST and _BENCHMARK in names:
            paths += [
                here / file_name for file_name in (_SAMPLE, _ESTIMATES) if file_name in names
            ][:1]
    return sorted(paths)


def is_mine(document: dict[str, object]) -> bool:
    """Tell whether criterion wrote it: samples, or estimates."""
    if "iters" in document and "times" in document:
        return True
    mean = document.get("mean")
    return isinstance(mean, dict) and "point_estimate" in mean


def read(document: dict[str, object], path: Path) -> StoredRun:
    """Return the run of one benchmark; raises Broken. A value is a sample, per iteration."""
    name, _ = _known(path)
    return StoredRun(name=path.name, processes={name: (_process(document),)})


def root(path: Path) -> Path:
    """Return the folder of all benchmarks that a file is of one of."""
    return _known(path)[1]


def _known(path: Path) -> tuple[str, Path]:
    """Return the name of the benchmark and the folder of all."""
    place = path.resolve().parent
    beside = place / _BENCHMARK
    if not beside.is_file():
        return clean(place.parent.name if place.name == _NEWEST else place.name) or "unknown", place
    known = mapping(files.read_json(files.content(beside)), _BENCHMARK)
    above = place.parent
    for _ in Path(text(known.get("directory_name"), f"{_BENCHMARK}: directory_name")).parts:
        above = above.parent
    return text(known.get("full_id"), f"{_BENCHMARK}: full_id"), above


def _process(document: dict[str, object]) -> StoredProcess:
    if "iters" not in document:
        return _figure(document)
    counts, times = (items(document[field_name], field_name) for field_name in ("iters", "times"))
    if len(counts) != len(times):
        raise Broken("the lists iters and times differ in length; run the benchmark again")
    values = [_per_iteration(*pair) for pair in zip(times, counts, strict=True)]
    return process(values, fmean(values) if values else 0.0)


def _per_iteration(nanoseconds: object, count: object) -> float:
    iterations = number(count, "iters")
    if not iterations > 0:
        raise Broken("iters has a zero; run the benchmark again")
    return number(nanoseconds, "times") * _NANOSECOND / iterations


def _figure(document: dict[str, object]) -> StoredProcess:
    if not all(field_name in document for field_name in _SPREADS):
        raise Broken(f"these criterion estimates may be changes instead of times; {_GIVE}")
    estimate = mapping(document["mean"], "mean").get("point_estimate")
    return process((), number(estimate, "mean") * _NANOSECOND)
