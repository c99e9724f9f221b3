"""Runs the blocks of a benchmark as a schedule says; part of the guest."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable

import zz_bench_audit as guest
import zz_bench_audit_profile as profile
from zz_bench_audit_hook import tell

Call = Callable[[int], float]
"""Runs so many operations, and returns the seconds that they took."""
_FEW = 2
_CLOCKED = 4
"""Blocks in which a counted function is timed, about."""


class Schedule:
    """The arms and blocks of a process (runners/records.py)."""

    def __init__(self, text: str) -> None:
        self.arms: list[tuple[str, str, float]] = []
        self.blocks: list[tuple[str, int]] = []
        self.stop: tuple[float, ...] = ()
        self.looks: list[tuple[int, float]] = []
        self.quiet: tuple[int, float] | None = None
        for line in text.splitlines()[1:]:
            kind, *fields = line.split("\t")
            if kind == "arm":
                self.arms.append((fields[1], fields[2], float(fields[3])))
            elif kind == "block":
                self.blocks.append((fields[0], int(fields[1])))
            elif kind == "stop":
                self.stop = tuple(map(float, fields))
            elif kind == "look":
                self.looks.append((int(fields[0]), float(fields[1])))
            elif kind == "quiet":
                self.quiet = int(fields[0]), float(fields[1])


def run(call: Call) -> None:
    """Run the benchmark as asked, and write down what was seen."""
    with open(os.environ["BENCH_AUDIT_SCHEDULE"], encoding="utf-8") as file:
        schedule = Schedule(file.read())
    with guest.CallIsolation():
        if os.environ.get("BENCH_AUDIT_COUNTING"):
            _count(call, len(schedule.blocks))
        elif profile.is_wanted():
            profile.run_blocks(call, [phase for phase, _ in schedule.blocks], _operations(call))
        else:
            _measure(call, schedule)


def _report_presence() -> None:
    if guest.state.ran:
        tell("present", "called")


def _operations(call: Call) -> int:
    """Return the number given, or as many as fill the time that a block is to last.

    Set-up of each call is no part of an operation, but of what one has to wait for.
    """
    fixed_operations = os.environ.get("BENCH_AUDIT_OPERATIONS")
    if fixed_operations:
        return int(fixed_operations)
    seconds = float(os.environ["BENCH_AUDIT_SECONDS"])
    number = 1
    while True:
        began = time.perf_counter()
        took = max(call(number), time.perf_counter() - began)
        if took >= seconds / 2 or number > 1 << 40:
            return max(1, round(number * seconds / took)) if took > 0 else number
        number *= 2


def _measure(call: Call, schedule: Schedule) -> None:
    if any(wait == "clock" for _, wait, _ in schedule.arms):
        guest.measure_clock()
        tell("clock-cost", repr(guest.state.cost))
    number = _operations(call)
    enough = os.environ.get("BENCH_AUDIT_ENOUGH", "")  # a benchmark may change the environment
    times: dict[str, list[float]] = {name: [] for name, _, _ in schedule.arms}
    for index, (phase, arm) in enumerate(schedule.blocks):
        name, wait, value = schedule.arms[arm]
        guest.set_arm(wait, value)
        guest.state.clear()
        began = time.perf_counter()
        seconds = call(number)
        wall = time.perf_counter() - began
        calls, spent = guest.state.calls, guest.state.spent
        guest.set_arm("none", 0)
        numbers = (number, seconds / number, wall, calls, spent)
        tell("block", str(index), *map(repr, numbers))
        if phase == "measurement":
            times[name].append(seconds)
            if _decided(schedule, times) or _quiet(schedule, times):
                tell("stopped", str(len(times[name])))
                break
        if os.path.exists(enough):
            tell("stopped", "0")
            break
    _report_presence()


def _decided(schedule: Schedule, times: dict[str, list[float]]) -> bool:
    """Tell whether the pairs say all that they will (core.schedule.Stop)."""
    while schedule.looks and min(map(len, times.values())) >= schedule.looks[0][0]:
        pairs, critical = schedule.looks.pop(0)
        above, below, least, enough = schedule.stop
        block_pairs = zip(times["slowed"][:pairs], times["probe"][:pairs])
        logs = [math.log(slowed / probe) for slowed, probe in block_pairs]
        mean = math.fsum(logs) / pairs
        squares = math.fsum((log - mean) ** 2 for log in logs)
        half = critical * max(math.sqrt(squares / (pairs - 1)), least) / math.sqrt(pairs)
        if mean - half > above or mean + half < below or half <= enough:
            return True
    return False


def _quiet(schedule: Schedule, times: dict[str, list[float]]) -> bool:
    """Tell whether each arm has two blocks that nothing disturbed (core.schedule.Quiet)."""
    counts = {len(arm_times) for arm_times in times.values()}
    if schedule.quiet is None or len(counts) > 1 or counts.pop() < schedule.quiet[0]:
        return False
    lows = [sorted(arm_times) for arm_times in times.values()]
    return all(second <= least * (1 + schedule.quiet[1]) for least, second, *_ in lows)


def tell_window(operations: int) -> None:
    """Write down what was counted since the last time."""
    by_callers = guest.callers.calls
    calls, nested = guest.counter.take_counts()
    tell("window", str(operations))
    for name, count in sorted(calls.items()):
        tell("count", name, str(count), str(int(name in nested)))
    for name, (by_library, by_other_code) in sorted(by_callers.items()):
        tell("callers", name, str(by_library), str(by_other_code))


def _timed(call: Call, number: int, names: list[str]) -> tuple[dict[str, float], float]:
    """Run a block, and return the seconds in calls of the functions named, and its own."""
    guest.counter.clock(names)
    seconds = call(number)
    return guest.counter.timed(), seconds


def _count(call: Call, blocks: int) -> None:
    """Count in two windows, of few operations and of a block's, as often as there are blocks.

    What only the first operations call fills caches: it is gone once the benchmark is warm. In the
    second window calls are timed as well, the functions of the first one taking turns.
    """
    number = max(3, _operations(call))
    guest.callers.sampling = True
    call(_FEW)
    outside, _ = guest.counter.take_counts()
    few = max(_FEW, min(11, number // 2))
    for _ in range(blocks):
        call(few)
    names = sorted(guest.counter.calls)
    tell_window(few * blocks)
    guest.callers.sampling = False  # it would take time of the calls that are clocked
    groups = max(1, min(len(names), blocks // _CLOCKED))
    timed = [_timed(call, number, names[block % groups :: groups]) for block in range(blocks)]
    tell_window(number * blocks)
    for spent, seconds in timed:
        for name, call_seconds in sorted(spent.items()):
            tell("clocked", name, str(number), repr(call_seconds), repr(seconds))
    for name, count in guest.counter.outside.items():
        outside[name] = outside.get(name, 0) + count
    for name, count in sorted(outside.items()):
        tell("outside", name, str(count))
