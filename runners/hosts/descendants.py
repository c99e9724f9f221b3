"""Processes that come from a job, wherever they have gone: they are found, counted and ended.

A process that leaves the group of its job (`setsid`, a double fork, job control of a shell) would
outlive it, and run beside the next measurement. On Linux we are the one to which such orphans are
handed (`PR_SET_CHILD_SUBREAPER`); elsewhere they are not found.
"""

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER."""
_LONGEST_SECONDS = 5.0
"""How long processes may take to be gone after they were killed."""
_PAUSE_SECONDS = 0.005
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class _ProcessStatus:
    """What /proc tells of a process."""

    session: int
    threads: int


@dataclass(frozen=True, slots=True)
class ResourceUse:
    """What processes have together."""

    threads: int  # each process has one at least
    bytes: int  # of memory that they share with no file and no other process


class Descendants:
    """The processes of the jobs that run on this machine, of all threads of ours."""

    def __init__(self) -> None:
        """Know of none yet."""
        self._lock = threading.Lock()
        self._jobs = 0
        self._others: frozenset[int] = frozenset()
        self._ours: set[int] = set()

    @contextmanager
    def adopt_orphans(self) -> Iterator[None]:
        """Take in the orphans of a job that runs within this."""
        with self._lock:
            if not self._jobs:
                _take_orphans_in(enabled=True)
                self._others = frozenset(_list_children(os.getpid()))
            self._jobs += 1
        try:
            yield
        finally:
            with self._lock:
                self._jobs -= 1
                if not self._jobs:
                    _take_orphans_in(enabled=False)

    @contextmanager
    def exempt_process(self, process: int) -> Iterator[None]:
        """Leave a process of our own alone that has a session of its own."""
        self._ours.add(process)
        try:
            yield
        finally:
            self._ours.discard(process)

    def end_job(self, group: int) -> None:
        """Kill what is left of a job, whose first process leads a group and a session.

        What has made a session of its own cannot be told from that of other jobs, so it ends with
        the last of those that run side by side.
        """
        with self._lock:
            until = time.monotonic() + _LONGEST_SECONDS
            while True:
                left = [*self._list_orphans(group)]
                for process in left:
                    _kill_process(process)
                if not left and not _is_group(group):
                    return
                if time.monotonic() > until:
                    return
                time.sleep(_PAUSE_SECONDS)

    def measure_use(self, group: int) -> ResourceUse:
        """Return what a job uses, with all orphans that may be of it."""
        with self._lock:
            first = {group, *self._list_orphans(group)}
        processes = {*first, *(below for process in first for below in _list_descendants(process))}
        statuses = filter(None, map(_read_status, processes))
        threads = sum(status.threads for status in statuses)
        return ResourceUse(threads, sum(map(_private_bytes, processes)))

    def _list_orphans(self, group: int) -> Iterator[int]:
        session = os.getsid(0)
        for process in _list_children(os.getpid()):
            status = _read_status(process)
            if status is None or process == group or process in self._ours:
                continue
            has_left = self._jobs == 1 and status.session != session and process not in self._others
            if status.session == group or has_left:
                yield process


DESCENDANTS = Descendants()
"""Of this process: orphans are handed to a process, not to an object in it."""


def _take_orphans_in(*, enabled: bool) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SUBREAPER, int(enabled), 0, 0, 0)


def _list_children(process: int) -> list[int]:
    children: list[int] = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            children += map(int, task.read_text().split())
    return children


def _list_descendants(process: int) -> Iterator[int]:
    visited, left = {process}, [process]
    while left:
        for child in _list_children(left.pop()):
            if child not in visited:
                visited.add(child)
                left.append(child)
                yield child


def _read_status(process: int) -> _ProcessStatus | None:
    """Return None where the process is gone."""
    try:
        # The name of the program stands in brackets, and may hold anything.
        words = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()
        return _ProcessStatus(session=int(words[3]), threads=int(words[17]))
    except (OSError, IndexError, ValueError):
        return None


def _private_bytes(process: int) -> int:
    try:
        _, resident, shared, *_ = map(int, Path(f"/proc/{process}/statm").read_text().split())
    except (OSError, ValueError):
        return 0
    return (resident - shared) * _PAGE


def _kill_process(process: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGKILL)
    with suppress(ChildProcessError):
        os.waitpid(process, os.WNOHANG)


def _is_group(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


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
