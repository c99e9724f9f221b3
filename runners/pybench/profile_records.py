"""The stacks that the guest sampled in a process of a Python benchmark, as an outcome.

The guest writes the file that BENCH_AUDIT_PROFILE names once all blocks have run. It is UTF-8 text,
one entry a line, fields parted by tabs:

    bench-audit-profile 1
    frame    LINE FILE FUNCTION     in the order of their numbers, from 0; LINE is 0 and FILE empty
                                    where they are not known
    stack    BLOCK COUNT FRAMES     FRAMES are numbers parted by commas, innermost first
    total    NAME NUMBER            each of TOTALS
    end                             the file is whole
"""

import math
from collections.abc import Sequence
from pathlib import PurePosixPath

from auditor.core.outcome import (
    Frame,
    Profiled,
    Stack,
)
from auditor.core.schedule import Phase, Schedule

PROFILE_HEADER = "bench-audit-profile 1"


PROFILE_VARIABLE = "BENCH_AUDIT_PROFILE"


MODULES_VARIABLE = "BENCH_AUDIT_MODULES"


TOTALS = ("unattributed", "background", "period", "cpu", "timed", "waiting", "operations")


LARGEST_PROFILE = 16 << 20
"""Bytes of the largest file that is read; a profile of seconds has some kilobytes."""


_MOST_FRAMES = 100_000


_MOST_STACKS = 100_000


_LONGEST_STACK = 3000


_LONGEST_TEXT = 4096


_LARGEST_COUNT = 1 << 40


class ProfileUnreadable(Exception):
    """The file is not one that the guest writes; the text says where."""


def read_profile(data: bytes, schedule: Schedule) -> Profiled:
    """Return the profile of a process that ran all of a schedule; raises ProfileUnreadable."""
    if len(data) > LARGEST_PROFILE:
        raise ProfileUnreadable(f"the profile has more than {LARGEST_PROFILE >> 20} MiB")
    header, *lines = data.decode(errors="replace").split("\n")
    if header != PROFILE_HEADER or lines[-2:] != ["end", ""]:
        raise ProfileUnreadable("the guest wrote no whole profile")
    frames: list[Frame] = []
    stacks: list[Stack] = []
    totals: dict[str, float] = {}
    measured_blocks = {
        index for index, block in enumerate(schedule.blocks) if block.phase is Phase.MEASUREMENT
    }
    for line in lines[:-2]:
        try:
            _take_entry(line.split("\t"), frames, stacks, totals)
        except ValueError as error:
            raise ProfileUnreadable(f"not an entry of a profile: {line[:80]!r}") from error
    _check_stacks(stacks, len(frames), measured_blocks)
    if set(totals) != set(TOTALS):
        raise ProfileUnreadable("the profile lacks some of its totals")
    return _make_profile(frames, stacks, totals)


def _take_entry(
    fields: Sequence[str], frames: list[Frame], stacks: list[Stack], totals: dict[str, float]
) -> None:
    """Add the entry of a line; raises ValueError."""
    match fields:
        case ["frame", line, file, function] if len(frames) < _MOST_FRAMES:
            frames.append(Frame(_checked_text(function), _checked_path(file), _read_count(line)))
        case ["stack", block, count, numbers] if len(stacks) < _MOST_STACKS:
            chain = tuple(map(_read_count, numbers.split(","))) if numbers else ()
            if len(chain) > _LONGEST_STACK or len(set(chain)) < len(chain):
                raise ValueError("a frame is there twice, or the stack is too long")
            stacks.append(Stack(_read_count(block), chain, _read_count(count)))
        case ["total", name, number] if name in TOTALS and name not in totals:
            totals[name] = float(number)
            if not 0 <= totals[name] <= _LARGEST_COUNT or not math.isfinite(totals[name]):
                raise ValueError(number)
        case _:
            raise ValueError(fields)


def _read_count(text: str) -> int:
    number = int(text)
    if not 0 <= number <= _LARGEST_COUNT:
        raise ValueError(text)
    return number


def _checked_text(text: str) -> str:
    if len(text) > _LONGEST_TEXT or not text.isprintable():
        raise ValueError(text[:80])
    return text


def _checked_path(text: str) -> str:
    """Return a path that stays inside the project; raises ValueError."""
    path = PurePosixPath(_checked_text(text))
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(text)
    return text


def _check_stacks(stacks: Sequence[Stack], frames: int, measured_blocks: set[int]) -> None:
    for stack in stacks:
        if stack.block not in measured_blocks:
            raise ProfileUnreadable(f"a stack is of block {stack.block}, which is not measured")
        if any(number >= frames for number in stack.frames):
            raise ProfileUnreadable("a stack has a frame that the profile does not name")


def _make_profile(frames: list[Frame], stacks: list[Stack], totals: dict[str, float]) -> Profiled:
    if not totals["period"] or totals["cpu"] > totals["timed"] * 1.001:
        raise ProfileUnreadable("the times of the profile contradict each other")
    return Profiled(
        frames=tuple(frames),
        stacks=tuple(stacks),
        unattributed=int(totals["unattributed"]),
        background=int(totals["background"]),
        period_seconds=totals["period"],
        cpu_seconds=totals["cpu"],
        timed_seconds=totals["timed"],
        waiting_seconds=totals["waiting"],
        operations=int(totals["operations"]),
    )
