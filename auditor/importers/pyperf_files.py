"""pyperf's files: a run of a suite each, of which a benchmark has many processes."""

import re
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from auditor.core.jobs import HostFacts
from auditor.core.series.stored import StoredProcess, StoredRun
from auditor.importers.checking import (
    Broken,
    clean,
    fact,
    items,
    mapping,
    moment,
    number,
    process,
    quoted_name,
    text,
)

_VERSION = "1.0"
_SECOND = "second"
_PAIR = 2
_GOVERNOR = re.compile(r"\bgovernor:(\w+)")
_INTEL = re.compile(r"\bintel_pstate:((?:no )?turbo)")
_TURBO = {"turbo": "on", "no turbo": "off"}


def is_mine(document: dict[str, object]) -> bool:
    """Tell whether pyperf wrote it."""
    return "version" in document and "benchmarks" in document and "machine_info" not in document


def read(document: dict[str, object], path: Path) -> tuple[StoredRun, tuple[str, ...]]:
    """Return the run, and the benchmarks that measure no time; raises Broken.

    Values are per loop already, those of warm-ups, too. Processes that only calibrate have no
    values. What all benchmarks or all processes share, pyperf writes once, above them.
    """
    if document["version"] != _VERSION:
        raise Broken(
            f"not of the version {_VERSION} of pyperf's format; convert it: pyperf convert OLD "
            "--output NEW"
        )
    shared = _metadata(document, "the whole")
    found: dict[str, tuple[StoredProcess, ...]] = {}
    left_out, hosts, dates = [], [], []
    for index, entry in enumerate(items(document["benchmarks"], "benchmarks")):
        place = f"benchmarks[{index}]"
        benchmark = mapping(entry, place)
        metadata = shared | _metadata(benchmark, place)
        name = text(metadata.get("name"), f"{place}.metadata.name")
        if name in found or name in left_out:
            raise Broken(f"{quoted_name(name)} is there twice; give the file of one suite")
        runs = [
            mapping(item, quoted_name(name))
            for item in items(benchmark.get("runs"), f"{place}.runs")
        ]
        known = [metadata | _metadata(run, quoted_name(name)) for run in runs]
        if any(run.get("unit", _SECOND) != _SECOND for run in known):
            left_out.append(name)
            continue
        found[name] = tuple(_processes(name, runs))
        hosts += [_host(run) for run in known]
        dates += [moment(run.get("date")) for run in known]
    return StoredRun(
        name=path.name,
        host=hosts[0] if hosts else _host(shared),
        commit=clean(str(shared.get("commit_id") or "")),
        made=(0.0, max(dates, default=0.0)),
        processes={name: processes for name, processes in found.items() if processes},
    ), tuple(left_out)


def _metadata(benchmark: dict[str, object], what: str) -> dict[str, object]:
    return mapping(benchmark.get("metadata", {}), f"{what}: metadata")


def _processes(name: str, runs: list[dict[str, object]]) -> Iterator[StoredProcess]:
    for run in runs:
        what = f"{quoted_name(name)}: values"
        values = [number(item, what) for item in items(run.get("values", []), what)]
        if values:
            yield process(values, fmean(values), warmups=tuple(_warmups(name, run)))


def _warmups(name: str, run: dict[str, object]) -> Iterator[float]:
    """Yield the times of warm-ups, of which each stands beside its number of loops."""
    what = f"{quoted_name(name)}: warmups"
    for pair in items(run.get("warmups") or [], what):
        loops_and_value = items(pair, what)
        if len(loops_and_value) != _PAIR:
            raise Broken(f"{what} are not pairs of loops and a value; let pyperf write it again")
        yield number(loops_and_value[1], what)


def _host(metadata: dict[str, object]) -> HostFacts:
    python = f"{fact(metadata.get('python_implementation'))} {fact(metadata.get('python_version'))}"
    facts = {
        "cores": fact(metadata.get("cpu_count")),
        "cpu": fact(metadata.get("cpu_model_name")),
        "governor": _set(metadata, _GOVERNOR),
        "platform": fact(metadata.get("platform")),
        "python": python,
        "turbo": _TURBO.get(_set(metadata, _INTEL), "unknown"),
    }
    return HostFacts(fact(metadata.get("hostname")), tuple(sorted(facts.items())))


def _set(metadata: dict[str, object], what: re.Pattern[str]) -> str:
    """Return what processors are set to; of several that differ, each in the order of the file."""
    benchmark = dict.fromkeys(what.findall(fact(metadata.get("cpu_config"))))
    return ", ".join(benchmark) or "unknown"
