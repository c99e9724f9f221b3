"""JMH's JSON (`-rf json`): a run of a suite, of which a benchmark has a process for each fork."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from auditor.core.jobs import HostFacts
from auditor.core.series.stored import StoredProcess, StoredRun, StoredVariant
from auditor.core.units import mean_time
from auditor.importers.benchmark_names import distinct_names
from auditor.importers.checking import (
    BrokenFile,
    build_failed_process,
    build_process,
    format_fact,
    make_duplicate_error,
    quoted_name,
    require_list,
    require_mapping,
    require_seconds,
    require_text,
)
from auditor.importers.jmh_names import (
    MOST_FORKS,
    SINGLE_SHOT,
    is_time,
    name_of,
    parse_duration,
    to_seconds_per_operation,
    variant_of,
)
from auditor.importers.jmh_names import list_machine_facts as jmh_machine

_NO_NUMBERS = ("NaN", "+INF", "-INF")
"""How JMH writes what JSON has no number for."""
_PAIR = 2


def matches_format(document: list[object]) -> bool:
    """Tell whether JMH wrote it."""
    return any(isinstance(item, dict) and "primaryMetric" in item for item in document)


def parse_run(document: list[object], path: Path) -> tuple[StoredRun, tuple[str, ...]]:
    """Return the run, and the benchmarks that measure no time; raises BrokenFile.

    JMH keeps no iterations of warm-up in it.
    """
    entries = _index_entries(
        [require_mapping(entry, f"[{number}]") for number, entry in enumerate(document)]
    )
    processes_by_name, left_out, units = {}, [], {}
    names = distinct_names(entries)
    for key, name in names.items():
        metric = require_mapping(
            entries[key].get("primaryMetric"), f"{quoted_name(name)}: primaryMetric"
        )
        unit = require_text(metric.get("scoreUnit"), f"{quoted_name(name)}: scoreUnit")
        if is_time(unit):
            processes = tuple(_build_processes(name, entries[key], metric, unit))
            processes_by_name[name] = processes or (build_failed_process("it has no forks"),)
            units[name] = unit
        else:
            left_out.append(name)
    variants = {names[key]: key for key in names if names[key] in processes_by_name}
    run = StoredRun(
        name=path.name,
        host=_read_host(entries),
        processes=processes_by_name,
        variants=variants,
        units=units,
    )
    return run, tuple(left_out)


def _index_entries(document: list[dict[str, object]]) -> dict[StoredVariant, dict[str, object]]:
    """Return what was measured, by what tells it apart; raises BrokenFile where nothing does."""
    variants = [
        _build_variant(document_entry, f"[{number}]")
        for number, document_entry in enumerate(document)
    ]
    if len({*variants}) < len(variants):
        # The file was put together of several runs: these may differ in the JVM, too.
        variants = [
            replace(variant, facts=(*variant.facts, *_list_circumstances(document_entry)))
            for variant, document_entry in zip(variants, document, strict=True)
        ]
    entries: dict[StoredVariant, dict[str, object]] = {}
    for variant, entry in zip(variants, document, strict=True):
        if variant in entries:
            raise make_duplicate_error(variant.name)
        entries[variant] = entry
    return entries


def _build_variant(entry: dict[str, object], place: str) -> StoredVariant:
    threads = entry.get("threads")
    variant = variant_of(
        _build_name(entry, place),
        require_text(entry.get("mode"), f"{place}.mode"),
        format_fact(threads) if threads is not None else "",
        _read_arguments(entry),
    )
    batch = entry.get("measurementBatchSize")
    more = (("batch", format_fact(batch)),) if batch not in (None, 1) else ()
    return replace(variant, facts=(*variant.facts, *more))


def _read_arguments(entry: dict[str, object]) -> list[str]:
    jvm_arguments = entry.get("jvmArgs")
    return (
        [format_fact(argument) for argument in jvm_arguments]
        if isinstance(jvm_arguments, list)
        else []
    )


def _list_circumstances(entry: dict[str, object]) -> tuple[tuple[str, str], ...]:
    """Return what else may tell two results of a file apart."""
    plain_arguments = [
        argument for argument in _read_arguments(entry) if not argument.startswith("-X")
    ]
    return (("jvm", _format_jdk(entry)), ("arguments", " ".join(plain_arguments)))


def _build_name(entry: dict[str, object], place: str) -> str:
    benchmark = require_text(entry.get("benchmark"), f"{place}.benchmark")
    params = require_mapping(entry.get("params") or {}, f"{quoted_name(benchmark)}: params")
    label = f"{quoted_name(benchmark)}: a parameter"
    parameters = {
        require_text(key, label): require_text(value, label) if value else ""
        for key, value in params.items()
    }
    return name_of(benchmark, parameters)


def _build_processes(
    name: str, entry: dict[str, object], metric: dict[str, object], unit: str
) -> Iterator[StoredProcess]:
    """Yield each fork, and those that are not there, since they failed."""
    is_sampled = "rawDataHistogram" in metric
    key = "rawDataHistogram" if is_sampled else "rawData"
    label = f"{quoted_name(name)}: {key}"
    forks = require_list(metric.get(key), label)
    is_timed = entry.get("mode") != SINGLE_SHOT
    iteration_time = parse_duration(entry.get("measurementTime")) if is_timed else None
    warmup_count = entry.get("warmupIterations")
    is_warmup_kept = warmup_count == 0 if isinstance(warmup_count, int) else None
    for fork in forks:
        iterations = require_list(fork, label)
        raw = [
            _compute_sample_mean(item, label) if is_sampled else _parse_number(item, label)
            for item in iterations
        ]
        values = [to_seconds_per_operation(value, unit) for value in raw]
        if values:
            process = build_process(
                values, mean_time(values, unit), iteration_seconds=iteration_time
            )
            yield replace(process, is_warmup_kept=is_warmup_kept)
        else:
            yield build_failed_process("it has no iterations")
    fork_count = entry.get("forks")
    if isinstance(fork_count, int):
        for number in range(len(forks) + 1, min(fork_count, MOST_FORKS) + 1):
            yield build_failed_process(
                f"fork {number} of {fork_count} is not in the file, so it failed"
            )


def _parse_number(value: object, label: str) -> float:
    """Return a number that is not negative, NaN for what is none by JMH's own word."""
    if isinstance(value, str) and value in _NO_NUMBERS:
        return math.nan
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _LARGEST:
        return float(value)
    return require_seconds(value, label)


_LARGEST = 1e18
"""Of a throughput: no machine does more operations in a day."""


def _compute_sample_mean(histogram: object, label: str) -> float:
    """Return the mean of an iteration's samples: pairs of a value and how often it was seen."""
    pairs = [require_list(item, label) for item in require_list(histogram, label)]
    if any(len(pair) != _PAIR for pair in pairs):
        raise BrokenFile(f"{label} has no pairs of value and count; run JMH again")
    counts = [_parse_number(pair[1], label) for pair in pairs]
    if not sum(counts) > 0:
        return math.nan
    values = [_parse_number(pair[0], label) for pair in pairs]
    total = math.fsum(value * count for value, count in zip(values, counts, strict=True))
    return total / math.fsum(counts)


def _format_jdk(entry: dict[str, object]) -> str:
    versions = ", ".join(
        format_fact(entry.get(key)) for key in ("jdkVersion", "vmName", "vmVersion")
    )
    return f"JDK {versions}"


def _read_host(entries: dict[StoredVariant, dict[str, object]]) -> HostFacts:
    jdks = dict.fromkeys(map(_format_jdk, entries.values()))
    first = next(iter(entries.values()))
    return HostFacts("unknown", jmh_machine("; ".join(jdks), format_fact(first.get("jmhVersion"))))
