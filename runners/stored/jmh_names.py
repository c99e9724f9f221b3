"""What all formats of JMH share: names, units, durations."""

import math
from collections.abc import Iterable, Mapping

from auditor.core.suite import Benchmark
from auditor.core.units import SECONDS, is_throughput, seconds_per_operation

HARNESS = "jmh"
SINGLE_SHOT = "ss"
MOST_FORKS = 1000
"""Of those that are missing so many are named, whatever a file asks for."""


def name_of(benchmark: str, parameters: Mapping[str, str]) -> str:
    """Return the name that our own listing gives a benchmark with these parameters."""
    group, _, name = benchmark.rpartition(".")
    return Benchmark(group=group, name=name, parameters=tuple(parameters.items())).id


def by_mode(keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return a name for each benchmark in a mode: its own, the mode with it where it has several.

    Keys are names and modes.
    """
    modes: dict[str, set[str]] = {}
    chosen = list(keys)
    for name, mode in chosen:
        modes.setdefault(name, set()).add(mode)
    return {
        (name, mode): f"{name} ({mode})" if len(modes[name]) > 1 else name for name, mode in chosen
    }


def is_time(unit: str) -> bool:
    """Tell whether results in a unit are times, or throughput."""
    try:
        seconds_per_operation(1.0, unit)
    except ValueError:
        return False
    return True


def converted(value: float, unit: str) -> float:
    """Return seconds per operation; infinite for a throughput of nothing, which is no time."""
    if value == 0 and is_throughput(unit):
        return math.inf
    return seconds_per_operation(value, unit)


def duration(written: object) -> float | None:
    """Read `10 s` or `100 ms`, None for what is neither, such as `single-shot`."""
    number, _, unit = written.partition(" ") if isinstance(written, str) else ("", "", "")
    is_known = number.isascii() and number.isdecimal() and len(number) <= 9 and unit in SECONDS
    return (int(number) * SECONDS[unit] or None) if is_known else None


def machine(jdk: str, jmh: str) -> tuple[tuple[str, str], ...]:
    """Return what JMH says of where it ran, which is only the Java virtual machine."""
    return (("jdk", jdk), ("jmh", jmh))
