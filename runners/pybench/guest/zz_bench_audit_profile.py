"""Profiles the blocks of a benchmark: which stacks a sampler sees while its timer runs.

Part of the guest. The sampler is a process of its own (zz_bench_audit_sampler.py), so the benchmark
runs unchanged. A word in memory tells the sampler which block is timed. What was seen is written
as runners/pybench/reading.py describes.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import threading
import time
from array import array
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from types import CodeType, FunctionType
from typing import Any

import zz_bench_audit_memory as memory
from zz_bench_audit_hook import tell
from zz_bench_audit_places import Places

_PERIOD_NS = 1_000_000
_FINISHED = -1
_END_SECONDS = 20
_READ = ".files"
"""Ending of the file, beside the profile, that names the source files that were read for it."""


class _Region:
    """The block that is timed now, as a word in memory: 0 for none, -1 once all have run."""

    def __init__(self) -> None:
        self.word = array("q", [0])
        self.number = 0
        self.switched = False

    @property
    def address(self) -> int:
        return self.word.buffer_info()[0]


_region = _Region()


def timed(timer: Callable[[], float]) -> Callable[[], float]:
    """Return a timer whose calls, in turn, begin and end what is sampled.

    Without a profile it is the timer itself.
    """
    if not is_wanted():
        return timer
    word = _region.word
    _region.switched = True

    def switch() -> float:
        if word[0] > 0:
            word[0] = 0
            return timer()
        now = timer()
        word[0] = _region.number
        return now

    return switch


def is_wanted() -> bool:
    """Tell whether this process is to be profiled."""
    return bool(os.environ.get("BENCH_AUDIT_PROFILE"))


class Block:
    """A measured block: what is called while it is open, with a timer or as a whole."""

    def __init__(self, index: int) -> None:
        self.index = index

    def __enter__(self) -> None:
        _region.number = self.index + 1
        if not _region.switched:
            _region.word[0] = self.index + 1

    def __exit__(self, *_: object) -> None:
        _region.word[0] = _region.number = 0


class Profile:
    """A sampler beside this process, and what the blocks took."""

    def __init__(self, base: Any) -> None:
        """Begin to sample the calling thread above the frame `base`; raises Unsupported."""
        self.seconds = self.wall = self.thread = self.process = 0.0
        self.operations = 0
        _region.word[0] = _region.number = 0
        self.memory = os.open("/proc/self/mem", os.O_RDONLY)
        self.layout = memory.find_layout(self.memory)
        self.shims = memory.shim_codes(self.memory, self.layout)
        self.stat = os.open(f"/proc/self/task/{threading.get_native_id()}/stat", os.O_RDONLY)
        settings = {
            **self.layout._asdict(),
            "memory": self.memory,
            "stat": self.stat,
            "region": _region.address,
            "base": memory.frame_address(self.memory, base),
            "period_ns": _PERIOD_NS,
        }
        folder = os.path.dirname(os.path.abspath(__file__))
        script = os.path.join(folder, "zz_bench_audit_sampler.py")
        self.sampler = subprocess.Popen(  # noqa: S603 - this interpreter, and a script of ours
            [sys.executable, "-I", "-S", script, json.dumps(settings)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            pass_fds=(self.memory, self.stat),
            text=True,
        )
        if self.sampler.stdout.readline() != "ready\n":
            raise memory.Unsupported("the sampler did not start")

    def run(self, call: Callable[[int], float], number: int, index: int) -> float:
        """Run a measured block, and return its seconds."""
        wall, thread, process = time.perf_counter(), time.thread_time(), time.process_time()
        with Block(index):
            seconds = call(number)
        self.thread += time.thread_time() - thread
        self.process += time.process_time() - process
        self.wall += time.perf_counter() - wall
        self.seconds += seconds
        self.operations += number
        return seconds

    def end(self) -> None:
        """End the sampler, whatever the benchmark did, and keep what it says."""
        _region.word[0] = _FINISHED
        try:
            self.told, _ = self.sampler.communicate(timeout=_END_SECONDS)
        except (subprocess.SubprocessError, OSError, ValueError):
            self.sampler.kill()
            self.told = ""
        for descriptor in (self.memory, self.stat):
            with suppress(OSError):  # the benchmark may have closed them
                os.close(descriptor)

    def write(self) -> None:
        """Write down what the sampler saw."""
        if not self.told:
            raise memory.Unsupported("the sampler ended early")
        report = json.loads(self.told)
        addresses = {address for _, *stack, _ in report["stacks"] for address in stack}
        codes, places = find_codes(addresses - self.shims), find_places()
        lost = sum(count for _, count in report["lost"])
        stack_counts: Counter[tuple[int, tuple[int, ...]]] = Counter()
        frames: dict[tuple[str, int, str], int] = {}
        for region, *stack, count in report["stacks"]:
            addresses = [address for address in stack if address not in self.shims]
            if any(address not in codes for address in addresses):
                lost += count
                continue
            named = (places.of_code(codes[address]) for address in addresses)
            numbers = (frames.setdefault(name, len(frames)) for name in named)
            stack_counts[region - 1, tuple(dict.fromkeys(numbers))] += count
        lines = ["\t".join(("frame", str(line), file, name)) for file, line, name in frames]
        for (index, numbers), count in sorted(stack_counts.items()):
            lines.append(f"stack\t{index}\t{count}\t{','.join(map(str, numbers))}")
        totals = self._totals(report, sum(stack_counts.values()), lost)
        lines += [f"total\t{name}\t{value!r}" for name, value in totals.items()]
        with open(
            os.environ["BENCH_AUDIT_PROFILE"], "a", encoding="utf-8", errors="replace"
        ) as out:
            out.write("\n".join([*lines, "end"]) + "\n")
        with open(os.environ["BENCH_AUDIT_PROFILE"] + _READ, "w", encoding="utf-8") as out:
            out.write("".join(f"{file}\n" for file in places.lines))

    def _totals(self, report: dict[str, Any], samples: int, lost: int) -> dict[str, float]:
        """Return the figures beside the stacks."""
        idle = sum(count for _, count in report["idle"])
        timed_part = min(1.0, self.seconds / self.wall) if self.wall else 1.0
        cpu = min(self.seconds, self.thread * timed_part)
        # What is neither on a processor nor idle waits for one, or is stopped for a sample.
        ready = (samples + lost) / (samples + lost + idle) if samples + lost else 0.0
        background_ratio = (
            max(0.0, self.process - self.thread) / self.thread if self.thread > 0 else 0.0
        )
        if not _region.switched:
            # The benchmark has a timer of its own: what it leaves out was sampled as well.
            lost += round(samples * max(0.0, 1 - timed_part - 0.01))
        return {
            "unattributed": lost,
            "background": round(samples * background_ratio),
            "period": _PERIOD_NS * 1e-9,
            "timed": self.seconds,
            "waiting": max(0.0, self.seconds * ready - cpu),
            "cpu": cpu,
            "operations": self.operations,
        }


def run_blocks(call: Callable[[int], float], phases: list[str], number: int) -> None:
    """Run one block for each phase, and sample those that are measured."""
    try:
        profile = Profile(sys._getframe())
    except (memory.Unsupported, OSError) as error:
        tell("failed", f"no profile: {' '.join(str(error).split())}")
        return
    try:
        for index, phase in enumerate(phases):
            began = time.perf_counter()
            seconds = profile.run(call, number, index) if phase == "measurement" else call(number)
            wall = time.perf_counter() - began
            tell("block", str(index), *map(repr, (number, seconds / number, wall, 0, 0.0)))
    finally:
        profile.end()
    try:
        profile.write()
    except (memory.Unsupported, OSError, ValueError, SyntaxError, RecursionError) as error:
        tell("failed", f"no profile: {' '.join(str(error).split())}")


class _Shared:
    """What a process knows of its code before it forks, so that its forks need not find it out."""

    places: Places | None = None
    codes: dict[int, CodeType] = {}  # noqa: RUF012 - there is one


def prepare(variables: dict[str, str]) -> None:
    """Find out what a fork with these variables needs to know, if it is profiled."""
    if "BENCH_AUDIT_PROFILE" not in variables or _Shared.places is not None:
        return
    with suppress(Exception):  # the fork tries it again, and says so
        _Shared.places, _Shared.codes = Places(variables["BENCH_AUDIT_MODULES"]), live_codes()


def learn(variables: dict[str, str]) -> None:
    """Read what a fork with these variables had to read: the next ones will need it, too."""
    places = _Shared.places
    if "BENCH_AUDIT_PROFILE" in variables and places is not None:
        path = variables["BENCH_AUDIT_PROFILE"] + _READ
        with (
            suppress(Exception),  # the next fork reads it itself
            open(path, encoding="utf-8") as file,
        ):
            for name in file.read().splitlines():
                if name in places.files:
                    places.read(name)


def find_places() -> Places:
    """Return the places of all code."""
    if _Shared.places is None:
        return Places(os.environ["BENCH_AUDIT_MODULES"])
    _Shared.places.look()
    return _Shared.places


def find_codes(addresses: set[int]) -> dict[int, CodeType]:
    """Return the code at these addresses, and more, as far as it is still there.

    What a process had before it forked is there for good.
    """
    return _Shared.codes if addresses <= _Shared.codes.keys() else live_codes()


def live_codes() -> dict[int, CodeType]:
    """Return the code of all functions that there are, and what is nested in it, by address."""
    waiting = [
        get_object.__code__ for get_object in gc.get_objects() if type(get_object) is FunctionType
    ]
    codes: dict[int, CodeType] = {}
    while waiting:
        code = waiting.pop()
        if id(code) not in codes:
            codes[id(code)] = code
            waiting += [co_const for co_const in code.co_consts if isinstance(co_const, CodeType)]
    return codes
