"""Limits on what a job may use where no container holds it: it is looked at, and ended."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from runners.hosts.descendants import DESCENDANTS, ResourceUse

_LOOK_SECONDS = 0.05
"""Between two looks. What a job takes and gives back meanwhile is not seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCaps:
    """What a job may use at most, with all of its processes; None: no limit."""

    memory: int | None = None  # bytes
    processes: int | None = None  # with their threads

    def find_exceeded(self, use: ResourceUse) -> str:
        """Return the limit that is exceeded, in words; empty where none is."""
        if self.memory is not None and use.bytes > self.memory:
            return f"{self.memory >> 20} MiB of memory (local.memory)"
        if self.processes is not None and use.threads > self.processes:
            return f"{self.processes} processes and threads (local.processes)"
        return ""


@contextmanager
def enforce_caps(caps: JobCaps, group: int) -> Iterator[Callable[[], str]]:
    """Kill a job that exceeds a limit; gives what tells which one that was, empty for none."""
    if caps == JobCaps():
        yield str
        return
    exceeded: list[str] = []
    over = threading.Event()

    def check_use() -> None:
        while not over.wait(_LOOK_SECONDS):
            limit = caps.find_exceeded(DESCENDANTS.measure_use(group))
            if limit:
                exceeded.append(limit)
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(group, signal.SIGKILL)

    thread = threading.Thread(target=check_use, daemon=True)
    thread.start()
    try:
        yield lambda: exceeded[0] if exceeded else ""
    finally:
        over.set()
        thread.join()
