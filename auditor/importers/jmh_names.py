"""What all formats of JMH share: names, units, durations."""

import math
from collections.abc import Iterable, Mapping

from auditor.core.series.stored import StoredVariant
from auditor.core.suite import Benchmark
from auditor.core.units import SECONDS, is_throughput, seconds_per_operation
from auditor.importers.benchmark_names import MODE

HARNESS = "jmh"


SINGLE_SHOT = "ss"


MOST_FORKS = 1000
"""Of those that are missing so many are named, whatever a file asks for."""


def name_of(benchmark: str, parameters: Mapping[str, str]) -> str:
    """Return the name that our own listing gives a benchmark with these parameters."""
    group, _, name = benchmark.rpartition(".")
    return Benchmark(group=group, name=name, parameters=tuple(parameters.items())).id


def variant_of(name: str, mode: str, threads: str, flags: Iterable[str] = ()) -> StoredVariant:
    """Return a benchmark in a mode, with so many threads and these flags of the JVM.

    Flags count that begin with -X: paths and ports that build tools pass differ in each run.
    """
    counted = " ".join(flag for flag in flags if flag.startswith("-X") and "=/" not in flag)
    facts = {MODE: mode, "threads": threads, "jvmArgs": counted}
    return StoredVariant(name, tuple((key, value) for key, value in facts.items() if value))


def is_time(unit: str) -> bool:
    """Tell whether results in a unit are times, or throughput."""
    try:
        seconds_per_operation(1.0, unit)
    except ValueError:
        return False
    return True


def to_seconds_per_operation(value: float, unit: str) -> float:
    """Return seconds per operation; infinite for a throughput of nothing, which is no time."""
    if value == 0 and is_throughput(unit):
        return math.inf
    return seconds_per_operation(value, unit)


def parse_duration(text: object) -> float | None:
    """Read `10 s` or `100 ms`, None for what is neither, such as `single-shot`."""
    number, _, unit = text.partition(" ") if isinstance(text, str) else ("", "", "")
    is_known = number.isascii() and number.isdecimal() and len(number) <= 9 and unit in SECONDS
    return (int(number) * SECONDS[unit] or None) if is_known else None


def list_machine_facts(jdk: str, jmh: str) -> tuple[tuple[str, str], ...]:
    """Return what JMH says of where it ran, which is only the Java virtual machine."""
    return (("jdk", jdk), ("jmh", jmh))
