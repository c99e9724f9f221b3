"""Runs several benchmarks of a suite, each in a fork of the process that imported them all.

Part of the guest. What a framework and the suite import is imported once. A fork goes on as a
process of one benchmark would. runners/shared_process.py says what it is given and leaves. A line
of its members is JSON: {"variables": {...}, "seconds": ...}, the variables that a process of this
benchmark alone would have, and its limit.
"""

from __future__ import annotations

import atexit
import json
import math
import os
import select
import signal
import sys
import time
import warnings
from typing import Any, NoReturn

import zz_bench_audit_profile as profile

MEMBERS = "BENCH_AUDIT_MEMBERS"
RECORDS = "BENCH_AUDIT_RECORDS"
BENCHMARK = "BENCH_AUDIT_BENCHMARK"
_LOOK_SECONDS = 0.01
"""How often a fork is looked at where the system does not tell that it has ended."""


class Members:
    """The benchmarks that are still to run in a fork, by name: their line, variables and limit."""

    def __init__(self) -> None:
        self.waiting: dict[str, tuple[int, dict[str, Any]]] = {}
        self.is_parent = MEMBERS in os.environ
        self.is_fork = False
        if self.is_parent:
            with open(os.environ[MEMBERS], encoding="utf-8") as file:
                for number, line in enumerate(file):
                    member = json.loads(line)
                    self.waiting[member["variables"][BENCHMARK]] = number, member
            self.limit_imports()

    def limit_imports(self) -> None:
        """End this process where it does not fork for long: the next import may never end."""
        limits = [float(member["seconds"]) for _, member in self.waiting.values()]
        signal.alarm(math.ceil(max(limits, default=0.0)))

    def wants(self, name: str) -> bool:
        """Tell whether a benchmark is to be run by this process or a fork of it."""
        return name in self.waiting if self.is_parent else name == os.environ.get(BENCHMARK)

    def begin(self, name: str) -> bool:
        """Tell whether this process is to run a benchmark now.

        Where there are several it forks, returns True in the fork, and waits for that. What cannot
        be run in a fork is left out: all of them where the process has what forks cannot share
        (threads of Python, open files), and all further ones after one that hung or left a process.
        """
        if not self.is_parent or not self.wants(name):
            return self.wants(name)
        if not _can_fork():
            self.waiting.clear()
            return False
        number, member = self.waiting.pop(name)
        signal.alarm(0)
        profile.prepare(member["variables"])
        began = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that libraries have threads; those know of forks
            child = os.fork()
        if not child:
            self.is_parent, self.is_fork = False, True
            _become(member["variables"])
            return True
        status = _wait(child, float(member["seconds"]))
        _tell_end(number, status, time.perf_counter() - began)
        profile.learn(member["variables"])
        if status is None:
            self.waiting.clear()
        self.limit_imports()
        return False

    @property
    def are_done(self) -> bool:
        """Tell whether this process of several has nothing left to run."""
        return self.is_parent and not self.waiting


members = Members()


def leave() -> NoReturn:
    """End the process of a benchmark that has run well: all that counts is written down.

    What frameworks and plugins do at their end can take longer than the benchmark.
    """
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _become(variables: dict[str, str]) -> None:
    """Go on as a process with these variables; it has the records of the imports, too."""
    atexit._clear()  # what the parent has to clean up is for its other forks as well
    with open(os.environ[RECORDS], "rb") as file:
        records = file.read().partition(b"\n")[2]
    os.environ.update(variables)
    del os.environ[MEMBERS]
    with open(os.environ[RECORDS], "ab") as file:
        file.write(records)


def _can_fork() -> bool:
    """Tell whether forks of this process would be like processes of their own.

    It has one thread of Python, is all of its group, and has no file or socket open, whose position
    forks would share; as far as /proc shows. Threads of libraries may be there: what computes with
    several makes its own after a fork.
    """
    if len(sys._current_frames()) > 1:
        return False
    try:
        numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
        descriptors = [int(name) for name in os.listdir("/proc/self/fd")]
    except OSError:
        return False
    if any(map(_is_shared, descriptors)):
        return False
    return not any(_is_in_group(number) for number in numbers if number != os.getpid())


def _is_shared(descriptor: int) -> bool:
    """Tell whether a descriptor is of a named file or a socket; pytest's own files have no name."""
    try:
        target = os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        return False
    return descriptor > 2 and (target.startswith("socket:") or os.path.isfile(target))


def _is_in_group(number: int) -> bool:
    try:
        return os.getpgid(number) == os.getpgrp()
    except OSError:
        return False


def _wait(child: int, seconds: float) -> int | None:
    """Return the exit status of a fork, None for one that had to be ended."""
    end = time.monotonic() + seconds
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        _pause(child, end - time.monotonic())


def _pause(child: int, seconds: float) -> None:
    """Wait until a fork may have ended; without looking at it where the system can tell."""
    try:
        handle = os.pidfd_open(child)
    except (AttributeError, OSError):
        time.sleep(_LOOK_SECONDS)
        return
    try:
        waiter = select.poll()
        waiter.register(handle, select.POLLIN)
        waiter.poll(max(0.0, seconds) * 1000)
    finally:
        os.close(handle)


def _tell_end(number: int, status: int | None, seconds: float) -> None:
    with open(os.environ["BENCH_AUDIT_ENDS"], "a", encoding="utf-8") as file:
        file.write(json.dumps([number, status, seconds]) + "\n")
