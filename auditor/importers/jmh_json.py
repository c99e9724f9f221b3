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
    Broken,
    duplicate_message,
    fact,
    failed,
    items,
    mapping,
    process,
    quoted_name,
    seconds,
    text,
)
from auditor.importers.jmh_names import (
    MOST_FORKS,
    SINGLE_SHOT,
    duration,
    is_time,
    name_of,
    to_seconds_per_operation,
    variant_of,
)
from auditor.importers.jmh_names import machine as jmh_machine

_NO_NUMBERS = ("NaN", "+INF", "-INF")
"""How JMH writes what JSON has no number for."""
_PAIR = 2


def is_mine(document: list[object]) -> bool:
    """Tell whether JMH wrote it."""
    return any(isinstance(item, dict) and "primaryMetric" in item for item in document)


def read(document: list[object], path: Path) -> tuple[StoredRun, tuple[str, ...]]:
    """Return the run, and the benchmarks that measure no time; raises Broken.

    JMH keeps no iterations of warm-up in it.
    """
    entries = _entries([mapping(entry, f"[{number}]") for number, entry in enumerate(document)])
    found, left_out, units = {}, [], {}
    names = distinct_names(entries)
    for key, name in names.items():
        metric = mapping(entries[key].get("primaryMetric"), f"{quoted_name(name)}: primaryMetric")
        unit = text(metric.get("scoreUnit"), f"{quoted_name(name)}: scoreUnit")
        if is_time(unit):
            processes = tuple(_processes(name, entries[key], metric, unit))
            found[name] = processes or (failed("it has no forks"),)
            units[name] = unit
        else:
            left_out.append(name)
    variants = {names[key]: key for key in names if names[key] in found}
    run = StoredRun(
        name=path.name, host=_host(entries), processes=found, variants=variants, units=units
    )
    return run, tuple(left_out)


def _entries(document: list[dict[str, object]]) -> dict[StoredVariant, dict[str, object]]:
    """Return what was measured, by what tells it apart; raises Broken where nothing does."""
    variants = [_variant(one, f"[{number}]") for number, one in enumerate(document)]
    if len({*variants}) < len(variants):
        # The file was put together of several runs: these may differ in the JVM, too.
        variants = [
            replace(variant, facts=(*variant.facts, *_circumstances(one)))
            for variant, one in zip(variants, document, strict=True)
        ]
    entries: dict[StoredVariant, dict[str, object]] = {}
    for variant, entry in zip(variants, document, strict=True):
        if variant in entries:
            raise duplicate_message(variant.name)
        entries[variant] = entry
    return entries


def _variant(entry: dict[str, object], place: str) -> StoredVariant:
    threads = entry.get("threads")
    variant = variant_of(
        _name(entry, place),
        text(entry.get("mode"), f"{place}.mode"),
        fact(threads) if threads is not None else "",
        _arguments(entry),
    )
    batch = entry.get("measurementBatchSize")
    more = (("batch", fact(batch)),) if batch not in (None, 1) else ()
    return replace(variant, facts=(*variant.facts, *more))


def _arguments(entry: dict[str, object]) -> list[str]:
    written = entry.get("jvmArgs")
    return [fact(argument) for argument in written] if isinstance(written, list) else []


def _circumstances(entry: dict[str, object]) -> tuple[tuple[str, str], ...]:
    """Return what else may tell two results of a file apart."""
    others = [argument for argument in _arguments(entry) if not argument.startswith("-X")]
    return (("jvm", _jdk(entry)), ("arguments", " ".join(others)))


def _name(entry: dict[str, object], place: str) -> str:
    benchmark = text(entry.get("benchmark"), f"{place}.benchmark")
    params = mapping(entry.get("params") or {}, f"{quoted_name(benchmark)}: params")
    what = f"{quoted_name(benchmark)}: a parameter"
    chosen = {text(key, what): text(value, what) if value else "" for key, value in params.items()}
    return name_of(benchmark, chosen)


def _processes(
    name: str, entry: dict[str, object], metric: dict[str, object], unit: str
) -> Iterator[StoredProcess]:
    """Yield each fork, and those that are not there, since they failed."""
    is_sampled = "rawDataHistogram" in metric
    key = "rawDataHistogram" if is_sampled else "rawData"
    what = f"{quoted_name(name)}: {key}"
    forks = items(metric.get(key), what)
    is_timed = entry.get("mode") != SINGLE_SHOT
    asked = duration(entry.get("measurementTime")) if is_timed else None
    for fork in forks:
        kept = items(fork, what)
        raw = [_mean(item, what) if is_sampled else _number(item, what) for item in kept]
        values = [to_seconds_per_operation(value, unit) for value in raw]
        if values:
            yield process(values, mean_time(values, unit), iteration_seconds=asked)
        else:
            yield failed("it has no iterations")
    wanted = entry.get("forks")
    if isinstance(wanted, int):
        for number in range(len(forks) + 1, min(wanted, MOST_FORKS) + 1):
            yield failed(f"fork {number} of {wanted} is not in the file, so it failed")


def _number(value: object, what: str) -> float:
    """Return a number that is not negative, NaN for what is none by JMH's own word."""
    if isinstance(value, str) and value in _NO_NUMBERS:
        return math.nan
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _LARGEST:
        return float(value)
    return seconds(value, what)


_LARGEST = 1e18
"""Of a throughput: no machine does more operations in a day."""


def _mean(histogram: object, what: str) -> float:
    """Return the mean of an iteration's samples: pairs of a value and how often it was seen."""
    pairs = [items(item, what) for item in items(histogram, what)]
    if any(len(pair) != _PAIR for pair in pairs):
        raise Broken(f"{what} has no pairs of value and count; let JMH write it again")
    counts = [_number(pair[1], what) for pair in pairs]
    if not sum(counts) > 0:
        return math.nan
    values = [_number(pair[0], what) for pair in pairs]
    total = math.fsum(value * count for value, count in zip(values, counts, strict=True))
    return total / math.fsum(counts)


def _jdk(entry: dict[str, object]) -> str:
    known = ", ".join(fact(entry.get(key)) for key in ("jdkVersion", "vmName", "vmVersion"))
    return f"JDK {known}"


def _host(entries: dict[StoredVariant, dict[str, object]]) -> HostFacts:
    jdks = dict.fromkeys(map(_jdk, entries.values()))
    first = next(iter(entries.values()))
    return HostFacts("unknown", jmh_machine("; ".join(jdks), fact(first.get("jmhVersion"))))
