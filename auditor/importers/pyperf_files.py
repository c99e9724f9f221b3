"""pyperf's files: a run of a suite each, of which a benchmark has many processes."""

import re
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from auditor.core.jobs import HostFacts
from auditor.core.series.stored import StoredProcess, StoredRun
from auditor.importers.checking import (
    BrokenFile,
    build_process,
    escape_text,
    format_fact,
    parse_timestamp,
    quoted_name,
    require_list,
    require_mapping,
    require_number,
    require_text,
)

_VERSION = "1.0"
_SECOND = "second"
_PAIR = 2
_GOVERNOR = re.compile(r"\bgovernor:(\w+)")
_INTEL = re.compile(r"\bintel_pstate:((?:no )?turbo)")
_TURBO = {"turbo": "on", "no turbo": "off"}


def matches_format(document: dict[str, object]) -> bool:
    """Tell whether pyperf wrote it."""
    return "version" in document and "benchmarks" in document and "machine_info" not in document


def parse_run(document: dict[str, object], path: Path) -> tuple[StoredRun, tuple[str, ...]]:
    """Return the run, and the benchmarks that measure no time; raises BrokenFile.

    Values are per loop already, those of warm-ups, too. Processes that only calibrate have no
    values. What all benchmarks or all processes share, pyperf writes once, above them.
    """
    if document["version"] != _VERSION:
        raise BrokenFile(
            f"not version {_VERSION} of pyperf's format; convert it: pyperf convert OLD --output "
            "NEW"
        )
    shared = _read_metadata(document, "the whole")
    processes_by_name: dict[str, tuple[StoredProcess, ...]] = {}
    left_out, hosts, dates = [], [], []
    for index, entry in enumerate(require_list(document["benchmarks"], "benchmarks")):
        place = f"benchmarks[{index}]"
        benchmark = require_mapping(entry, place)
        metadata = shared | _read_metadata(benchmark, place)
        name = require_text(metadata.get("name"), f"{place}.metadata.name")
        if name in processes_by_name or name in left_out:
            raise BrokenFile(f"{quoted_name(name)} exists twice; give the file of one suite")
        runs = [
            require_mapping(item, quoted_name(name))
            for item in require_list(benchmark.get("runs"), f"{place}.runs")
        ]
        run_metadata = [metadata | _read_metadata(run, quoted_name(name)) for run in runs]
        if any(run.get("unit", _SECOND) != _SECOND for run in run_metadata):
            left_out.append(name)
            continue
        processes_by_name[name] = tuple(_build_processes(name, runs))
        hosts += [_read_host(run) for run in run_metadata]
        dates += [parse_timestamp(run.get("date")) for run in run_metadata]
    return StoredRun(
        name=path.name,
        host=hosts[0] if hosts else _read_host(shared),
        commit=escape_text(str(shared.get("commit_id") or "")),
        timestamps=(0.0, max(dates, default=0.0)),
        processes={name: processes for name, processes in processes_by_name.items() if processes},
    ), tuple(left_out)


def _read_metadata(benchmark: dict[str, object], label: str) -> dict[str, object]:
    return require_mapping(benchmark.get("metadata", {}), f"{label}: metadata")


def _build_processes(name: str, runs: list[dict[str, object]]) -> Iterator[StoredProcess]:
    for run in runs:
        label = f"{quoted_name(name)}: values"
        values = [
            require_number(item, label) for item in require_list(run.get("values", []), label)
        ]
        if values:
            yield build_process(values, fmean(values), warmups=tuple(_read_warmups(name, run)))


def _read_warmups(name: str, run: dict[str, object]) -> Iterator[float]:
    """Yield the times of warm-ups, of which each stands beside its number of loops."""
    label = f"{quoted_name(name)}: warmups"
    for pair in require_list(run.get("warmups") or [], label):
        loops_and_value = require_list(pair, label)
        if len(loops_and_value) != _PAIR:
            raise BrokenFile(f"{label} are not pairs of loops and a value; run pyperf again")
        yield require_number(loops_and_value[1], label)


def _read_host(metadata: dict[str, object]) -> HostFacts:
    python = (
        f"{format_fact(metadata.get('python_implementation'))} "
        f"{format_fact(metadata.get('python_version'))}"
    )
    facts = {
        "cores": format_fact(metadata.get("cpu_count")),
        "cpu": format_fact(metadata.get("cpu_model_name")),
        "governor": _read_cpu_setting(metadata, _GOVERNOR),
        "platform": format_fact(metadata.get("platform")),
        "python": python,
        "turbo": _TURBO.get(_read_cpu_setting(metadata, _INTEL), "unknown"),
    }
    return HostFacts(format_fact(metadata.get("hostname")), tuple(sorted(facts.items())))


def _read_cpu_setting(metadata: dict[str, object], pattern: re.Pattern[str]) -> str:
    """Return what processors are set to; of several that differ, each in the order of the file."""
    benchmark = dict.fromkeys(pattern.findall(format_fact(metadata.get("cpu_config"))))
    return ", ".join(benchmark) or "unknown"
