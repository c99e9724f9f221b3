"""Samples the Python stack of its parent's thread from outside; part of the guest.

    python -I -S zz_bench_audit_sampler.py SETTINGS

It is a process of its own and needs no right to trace. The parent hands it a descriptor of its own
memory. For each sample the parent is stopped (SIGSTOP), so no frame changes while it is read.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections import Counter

_WORD = 8
_FRAME_BYTES = 128
_DEEPEST = 2000
"""Frames of the longest stack that is read; a deeper one is lost."""
_STOP_SECONDS = 0.05
"""How long a thread may take to stop: one that waits in the kernel may not."""
_QUICK_SECONDS = 3e-4
"""How long a thread that has a processor takes to stop, at most."""
_LOOKS = 4
_LOOK_SECONDS = 2e-5
_TAGS = 7
"""Low bits of a pointer, which Python 3.14 uses as marks."""
FINISHED = -1
OUTSIDE = 0


class Sampler:
    """Reads stacks, and keeps how often each was there."""

    def __init__(self, settings: dict[str, int]) -> None:
        self.settings = settings
        self.parent = os.getppid()
        self.stacks: Counter[tuple[int, ...]] = Counter()
        self.lost: Counter[int] = Counter()
        self.idle: Counter[int] = Counter()
        self.clock = ~self.parent << 3 | 2  # the kernel's name of a process's processor time
        self.ran = 0.0
        self.stopped_quickly = False

    def word(self, address: int) -> int:
        """Return a word of the parent's memory; raises OSError and the like where it has none."""
        return int.from_bytes(os.pread(self.settings["memory"], _WORD, address), sys.byteorder)

    def region(self) -> int:
        """Return the number of the block that is timed now: from 1, OUTSIDE or FINISHED."""
        data = os.pread(self.settings["memory"], _WORD, self.settings["region"])
        return int.from_bytes(data, sys.byteorder, signed=True) if data else FINISHED

    def thread_state(self) -> bytes:
        """Return the letter that the kernel has for the state of the thread."""
        data = os.pread(self.settings["stat"], 400, 0)
        return data[data.rindex(b")") + 2 :][:1]

    def stack(self) -> tuple[int, ...]:
        """Return the addresses of the code on the stack, innermost first, above the base frame."""
        settings = self.settings
        frame = self.word(settings["thread"] + settings["current"])
        if settings["indirect"] >= 0:
            frame = self.word(frame + settings["indirect"])
        addresses: list[int] = []
        code, previous = settings["code"], settings["previous"]
        while frame != settings["base"]:
            data = os.pread(settings["memory"], _FRAME_BYTES, frame)
            addresses.append(int.from_bytes(data[code : code + _WORD], sys.byteorder) & ~_TAGS)
            frame = int.from_bytes(data[previous : previous + _WORD], sys.byteorder)
            if not frame or len(addresses) > _DEEPEST or len(data) < _FRAME_BYTES:
                raise ValueError("the stack does not lead to the base frame")
        return tuple(addresses)

    def take(self) -> None:
        """Take one sample, if a block is being timed."""
        region = self.region()
        if region <= OUTSIDE:
            return
        if self.thread_state() not in (b"R", b"T"):
            self.idle[region] += 1
            return
        if not self.stopped_quickly and not self.has_run():
            return
        self.stopped_quickly = False
        began = time.perf_counter()
        os.kill(self.parent, signal.SIGSTOP)
        try:
            self.await_stop(began)
            self.stopped_quickly = time.perf_counter() - began < _QUICK_SECONDS
            now = self.region()
            stack = self.stack() if now > OUTSIDE else ()
            if self.has_run():
                self.ran = time.clock_gettime(self.clock)
                if now > OUTSIDE:
                    self.stacks[(now, *stack)] += 1
                else:  # it went on until it stopped: what a block ends with would count too much
                    self.lost[region] += 1
        except (OSError, ValueError, OverflowError):
            self.lost[region] += 1
        finally:
            os.kill(self.parent, signal.SIGCONT)

    def has_run(self) -> bool:
        """Tell whether the parent had a processor since the last sample.

        Without one it is where it was, and the sample would be the last one again. The clock of a
        process that runs is behind by a tick of the kernel, often 4 ms; that of a stopped one is
        right. So it is not asked in front of a stop where the last one was so quick that the parent
        must have had a processor: one that waits for it would never get on if it were stopped.
        """
        ran = time.clock_gettime(self.clock)
        return ran - self.ran >= self.settings["period_ns"] * 0.3e-9

    def await_stop(self, began: float) -> None:
        """Wait until the thread has stopped; raises ValueError where it does not.

        It stops once it has a processor, which it may have to wait for: so this one sleeps.
        """
        looks = 0
        while self.thread_state() not in (b"T", b"t"):
            if time.perf_counter() - began > _STOP_SECONDS:
                raise ValueError("the thread does not stop")
            looks += 1
            if looks > _LOOKS:
                time.sleep(_LOOK_SECONDS)

    def run(self) -> None:
        """Take samples until the parent is finished, at distances that no loop keeps step with."""
        period, number = self.settings["period_ns"] * 1e-9, 0
        while self.region() != FINISHED and os.getppid() == self.parent:
            number += 1
            time.sleep(period * (0.5 + number * 0.6180339887498949 % 1))
            self.take()

    def to_json(self) -> str:
        """Return all as JSON."""
        return json.dumps(
            {
                "stacks": [[*stack, count] for stack, count in self.stacks.items()],
                "lost": list(self.lost.items()),
                "idle": list(self.idle.items()),
            }
        )


def main(settings: str) -> int:
    """Say that it is ready, sample, and say what was seen."""
    # So that a parent that is stopped goes on, whoever ends this process.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sampler = Sampler(json.loads(settings))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sampler.run()
    sys.stdout.write(sampler.to_json() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
