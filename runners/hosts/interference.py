"""What keeps a machine from its work, from the counters of a Linux kernel before and after."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from auditor.core.jobs import HostInterference
from runners.hosts import machine_facts

STAT, PRESSURE, UPTIME = "/proc/stat", "/proc/pressure/cpu", "/proc/uptime"
GROUP = "cpu.stat"
"""That of each control group."""
_THROTTLED = ((r"^throttled_usec ([0-9]+)$", 1e-6), (r"^throttled_time ([0-9]+)$", 1e-9))
"""In version 2 of control groups, and in version 1."""
_CLOCK = re.compile(r"([0-9]+)m([0-9.]+)s")
_HEAT = re.compile(r"/cpu[0-9]+/thermal_throttle/[a-z]+_throttle_total_time_ms$")
_PROCESSORS = Path("/sys/devices/system/cpu")
_STOLEN = 7
"""The place of that time among those of all processors, in proc(5)."""
_COUNTED = 8
"""Times of guests, which come after these, are in that of users as well."""
_IDLE = (3, 4, _STOLEN)
"""The places of those in which no process of this machine ran: idle, waiting for a disk, stolen."""
TIMES = "times"
"""In place of a path: what a shell's `times` printed on the machine."""
_TICKS_A_SECOND = 100
"""USER_HZ, which Linux has fixed for what /proc tells."""


@dataclass(frozen=True, slots=True)
class KernelCounters:
    """What a kernel has counted since its start; None: it does not count that."""

    seconds: float | None
    """Since its start."""
    ticks: tuple[int, ...]
    """Of all processors, by kind of time as in proc(5)."""
    waited: float | None
    """Seconds in which some task had no processor."""
    throttled: float | None
    """Seconds in which control groups had used up their time."""
    hot: Mapping[str, float]
    """By processor, and by package as each of its processors tells it."""
    own_seconds: float | None = None
    """Processor time of this program and of its processes that have ended."""


def parse_counters(texts: Mapping[str, str]) -> KernelCounters:
    """Read the texts of these files, those that are there, by their paths."""
    times = _CLOCK.findall(texts.get(TIMES, ""))
    cpu_times = [60 * float(minutes) + float(seconds) for minutes, seconds in times]
    line = _find_match(texts.get(STAT, ""), r"^cpu +([0-9 ]+)$") or ""
    return KernelCounters(
        seconds=_parse_number(_find_match(texts.get(UPTIME, ""), r"^([0-9.]+) ")),
        ticks=tuple(int(word) for word in line.split()),
        waited=_parse_number(
            _find_match(texts.get(PRESSURE, ""), r"^some .*total=([0-9]+)$"), 1e-6
        ),
        throttled=sum(stopped) if (stopped := [*_read_throttled_seconds(texts)]) else None,
        hot={
            path: seconds
            for path, text in texts.items()
            if _HEAT.search(path)
            and (seconds := _parse_number(_find_match(text, r"^([0-9]+)$"), 1e-3)) is not None
        },
        own_seconds=sum(cpu_times) if cpu_times else None,
    )


def read_own_counters() -> KernelCounters:
    """Return what this machine's kernel has counted."""
    group_files = machine_facts.list_group_files(
        _read_text(machine_facts.SELF_CGROUP) or "", (GROUP,)
    )
    counter_files = (UPTIME, STAT, PRESSURE, *group_files, *_find_heat_files())
    counts = parse_counters(
        {path: text for path in counter_files if (text := _read_text(path)) is not None}
    )
    return replace(counts, own_seconds=sum(os.times()[:4]))


@cache
def _find_heat_files() -> tuple[str, ...]:
    """Return where processors tell for how long they were too hot: those of Intel do."""
    sensor_files = _PROCESSORS.glob("cpu[0-9]*/thermal_throttle/*_throttle_total_time_ms")
    return tuple(sorted(map(str, sensor_files)))


def compute_interference(
    before: KernelCounters, after: KernelCounters, processors: int | None = None
) -> HostInterference:
    """Return what was counted meanwhile; the process may use so many processors (None: all)."""
    elapsed_seconds = _subtract_counts(before.seconds, after.seconds)
    ticks = [late - early for early, late in zip(before.ticks, after.ticks, strict=False)]
    all_ticks = sum(ticks[:_COUNTED])
    hot = [
        after.hot[sensor] - before.hot[sensor] for sensor in before.hot.keys() & after.hot.keys()
    ]
    return HostInterference(
        stolen=ticks[_STOLEN] / all_ticks if len(ticks) > _STOLEN and all_ticks > 0 else None,
        waited=_compute_share(_subtract_counts(before.waited, after.waited), elapsed_seconds),
        throttled=_compute_share(
            _subtract_counts(before.throttled, after.throttled), elapsed_seconds
        ),
        hot=_compute_share(max(hot, default=None), elapsed_seconds),
        foreign=_compute_other_share(
            ticks, _subtract_counts(before.own_seconds, after.own_seconds), processors
        ),
    )


def measure_interference(before: KernelCounters, processors: int | None = None) -> HostInterference:
    """Return what this machine's kernel has counted since `before`."""
    return compute_interference(before, read_own_counters(), processors)


def _compute_other_share(
    ticks: Sequence[int], program_seconds: float | None, processors: int | None
) -> float | None:
    """Return what was neither idle nor ours, as a share of the time of the processors to be used.

    With few of many processors, others may have used only the rest. Whether they were in the way of
    the process, `Strain.waited` tells.
    """
    busy = sum(processor for index, processor in enumerate(ticks[:_COUNTED]) if index not in _IDLE)
    if program_seconds is None or not ticks:
        return None
    processor_count = os.cpu_count() or 1
    part = min(processors or processor_count, processor_count) / processor_count
    return _compute_share(
        busy / _TICKS_A_SECOND - program_seconds, part * sum(ticks[:_COUNTED]) / _TICKS_A_SECOND
    )


def _read_throttled_seconds(texts: Mapping[str, str]) -> Iterator[float]:
    """Yield for how many seconds each group was stopped, for its own quota."""
    for path, text in texts.items():
        if path.rpartition("/")[2] == GROUP:
            for pattern, unit in _THROTTLED:
                if (seconds := _parse_number(_find_match(text, pattern), unit)) is not None:
                    yield seconds


def _compute_share(part: float | None, total: float | None) -> float | None:
    """Return a share: counters of different clocks may say a little more than all."""
    return None if part is None or not total else min(1.0, max(0.0, part / total))


def _subtract_counts(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _find_match(text: str, pattern: str) -> str | None:
    match = re.search(pattern, text, re.MULTILINE)
    return match[1] if match else None


def _parse_number(text: str | None, unit: float = 1.0) -> float | None:
    return None if text is None else float(text) * unit


def _read_text(path: str) -> str | None:
    try:
        return Path(path).read_text()
    except (OSError, ValueError):
        return None
