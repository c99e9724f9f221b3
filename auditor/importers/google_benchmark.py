"""Google Benchmark's JSON (`--benchmark_out_format=json`): a run of a program, in one process."""

from pathlib import Path
from statistics import fmean

from auditor.core.jobs import HostFacts
from auditor.core.outcome import Skipped
from auditor.core.series.stored import StoredProcess, StoredRun
from auditor.core.units import SECONDS
from auditor.importers.checking import (
    BrokenFile,
    build_failed_process,
    build_process,
    format_fact,
    parse_timestamp,
    quoted_name,
    require_list,
    require_mapping,
    require_number,
    require_text,
)

HARNESS = "google-benchmark"
_UNITS = ("ns", "us", "ms", "s")
_MEAN = "mean"
_AGGREGATES = ("_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS")
"""Ends of names, in files of versions before 1.5, which say no `run_type`."""


def matches_format(document: dict[str, object]) -> bool:
    """Tell whether Google Benchmark wrote it."""
    context = document.get("context")
    return isinstance(context, dict) and "num_cpus" in context and "benchmarks" in document


def parse_run(document: dict[str, object], path: Path) -> StoredRun:
    """Return the run; raises BrokenFile. A value is a repetition, in real time per iteration.

    Where the file has aggregates alone, the mean is the figure of a benchmark.
    """
    values: dict[str, list[float]] = {}
    means: dict[str, float] = {}
    failures: dict[str, StoredProcess] = {}
    for index, entry in enumerate(require_list(document["benchmarks"], "benchmarks")):
        place = f"benchmarks[{index}]"
        benchmark = require_mapping(entry, place)
        name = require_text(benchmark.get("run_name") or benchmark.get("name"), f"{place}.name")
        if benchmark.get("error_occurred"):
            failures[name] = build_failed_process(
                f"it ended with an error: {format_fact(benchmark.get('error_message'))}"
            )
        elif benchmark.get("skipped"):
            reason = f"it skips itself: {format_fact(benchmark.get('skip_message'))}"
            failures.setdefault(name, StoredProcess(failure=Skipped(reason)))
        elif not _is_aggregate(benchmark):
            values.setdefault(name, []).append(_read_seconds(benchmark, name))
        elif benchmark.get("aggregate_name") == _MEAN:
            means[name] = _read_seconds(benchmark, name)
    names = dict.fromkeys((*values, *means, *failures))
    context = require_mapping(document["context"], "context")
    return StoredRun(
        name=path.name,
        host=_read_host(context),
        timestamps=(0.0, parse_timestamp(context.get("date"))),
        processes={
            name: (failures.get(name) or _build_process(values.get(name, []), means.get(name)),)
            for name in names
        },
    )


def _is_aggregate(entry: dict[str, object]) -> bool:
    if "run_type" in entry:
        return entry["run_type"] != "iteration"
    return str(entry.get("name")).endswith(_AGGREGATES)


def _read_seconds(entry: dict[str, object], name: str) -> float:
    label = f"{quoted_name(name)}: real_time"
    unit = entry.get("time_unit", "ns")
    if not isinstance(unit, str) or unit not in _UNITS:
        raise BrokenFile(
            f"{quoted_name(name)}: time_unit is {quoted_name(str(unit))}; is it the right file?"
        )
    return require_number(entry.get("real_time"), label) * SECONDS[unit]


def _build_process(values: list[float], mean: float | None) -> StoredProcess:
    return build_process(values, fmean(values) if values else mean or 0.0)


def _read_host(context: dict[str, object]) -> HostFacts:
    facts = {
        "build": format_fact(context.get("library_build_type")),
        "cores": format_fact(context["num_cpus"]),
    }
    return HostFacts(format_fact(context.get("host_name")), tuple(sorted(facts.items())))
