"""The machine we are on: one process with its whole group, watched from start to end."""

import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, cast

from auditor.core.errors import FolderUnusable, MachineError, ToolMissing, UsageError
from auditor.core.jobs import CompletedProcess, HostFacts, Invocation
from auditor.core.ports import Clock
from runners.disk import check_local_disk
from runners.hosts import interference
from runners.hosts.clock import SystemClock
from runners.hosts.descendants import DESCENDANTS, JobCaps, enforce_caps
from runners.hosts.exchange import collect_files, write_files
from runners.hosts.following import OutputFollower
from runners.hosts.interrupts import DelayedInterrupts
from runners.hosts.machine_facts import read_machine_facts
from runners.hosts.output_watch import OutputWatch, WatchedProcess

# Reads its group's number; if the auditor dies (end of file instead of a second line), the group
# dies too. A parent-death signal would reach only the first process, and would depend on the
# thread that started it.
_KEEPER = 'trap "" INT TERM HUP; read -r group && { read -r over || kill -s KILL -- "-$group"; }'


class LocalHost:
    """Runs jobs on this machine."""

    def __init__(
        self, clock: Clock | None = None, processors: str = "", caps: JobCaps | None = None
    ) -> None:
        """Take a clock, the system's by default, and on which processors jobs run ("0,2-3").

        `caps` are what each job may use.
        """
        self._clock = clock or SystemClock()
        self._caps = caps or JobCaps()
        self._is_measuring = False
        self._processors = processors
        self._processor_count = len(parse_processors(processors)) if processors else None
        self._facts: HostFacts | None = None
        self._running: set[int] = set()
        self._stopped = threading.Event()

    def stop_processes(self) -> None:
        """End what other threads run here; nothing is run after that."""
        self._stopped.set()
        for group in tuple(self._running):
            _signal_group(group, signal.SIGKILL)

    def make_measuring_host(self, writable: Sequence[Path]) -> "LocalHost":  # noqa: ARG002 nothing holds it
        """Return the same: a process of the user's account can do what the user can."""
        same = copy(self)
        same._is_measuring = True
        return same

    def read_facts(self) -> HostFacts:
        """Return what must be equal for two runs to be comparable."""
        if self._facts is None:
            host_facts = read_machine_facts()
            if self._processors:
                pinned = {"cores": str(self._processor_count), "pinned": self._processors}
                host_facts = HostFacts(
                    host_facts.name, tuple(sorted((dict(host_facts.facts) | pinned).items()))
                )
            self._facts = host_facts
        return self._facts

    def run_process(self, job: Invocation) -> CompletedProcess:
        """Run one process to its end, or until it has shown enough; nothing of its group is left.

        Raises MachineError once it has been stopped, and whatever the judge of a followed process
        raises.
        """
        write_files(job)
        following = OutputFollower(job)
        before, started = interference.read_own_counters(), self._clock.monotonic()
        words = _pin_command(job, self._processors) if self._processors else job.argv
        with (
            DESCENDANTS.adopt_orphans(),
            _start_keeper() as keep,
            _open_process(job, words) as process,
        ):
            keep(process.pid)
            self._running.add(process.pid)
            watch = OutputWatch(
                _make_watched_process(process), self._clock, job.output_limit, following
            )
            try:
                with enforce_caps(self._caps, process.pid) as exceeded:
                    limit = started + job.timeout_seconds
                    is_ended = self._stopped.is_set() or watch.wait_until(limit)
            finally:
                self._running.discard(process.pid)
                _signal_group(process.pid, signal.SIGKILL)
                DESCENDANTS.end_job(process.pid)
                watch.drain_pipes()
        if self._stopped.is_set():
            raise MachineError(f"{job.argv[0]} was stopped because another step failed")
        following.judge_output()  # what it showed at its very end
        exit_code = process.returncode
        answer = CompletedProcess(
            exit_code=watch.adjust_exit_code(exit_code) if is_ended else exit_code,
            stdout=watch.stdout.retained_bytes,
            stderr=watch.stderr.retained_bytes,
            seconds=self._clock.monotonic() - started,
            files=collect_files(job),
            truncated=watch.stdout.is_truncated or watch.stderr.is_truncated,
            enough=watch.enough,
            strain=interference.measure_interference(before, self._processor_count),
        )
        check_local_disk(job, answer)
        return self._within_caps(job, answer, exceeded())

    def _within_caps(
        self, job: Invocation, answer: CompletedProcess, exceeded: str
    ) -> CompletedProcess:
        if exceeded and not self._is_measuring:
            raise MachineError(
                f"{job.argv[0]} needs more than {exceeded} to build the subject; raise the limit"
            )
        return replace(answer, exhausted=exceeded)


def _make_watched_process(process: "subprocess.Popen[bytes]") -> WatchedProcess:
    stdout, stderr = (cast("IO[bytes]", pipe) for pipe in (process.stdout, process.stderr))
    return WatchedProcess(
        stdout=stdout.fileno(),
        stderr=stderr.fileno(),
        wait=process.wait,
        signal=partial(_signal_group, process.pid),
    )


def _pin_command(job: Invocation, processors: str) -> tuple[str, ...]:
    """Return the words that start a job on some processors; raises ToolMissing."""
    path = dict(job.environment).get("PATH", os.defpath)
    taskset = shutil.which("taskset")
    if taskset is None:
        raise ToolMissing(
            "taskset, which pins processes to processors, was not found; install util-linux"
        )
    if shutil.which(job.argv[0], path=path) is None:
        raise _make_missing_error(job)
    return (taskset, "--cpu-list", processors, *job.argv)


def _make_missing_error(job: Invocation) -> ToolMissing:
    path = dict(job.environment).get("PATH", os.defpath)
    return ToolMissing(
        f"{job.argv[0]} was not found on PATH ({path}); install it or add its folder to PATH"
    )


@contextmanager
def _open_process(job: Invocation, words: Sequence[str]) -> Iterator["subprocess.Popen[bytes]"]:
    with DelayedInterrupts() as requests, _start_process(job, words) as process:
        try:
            requests.release_requests()
            yield process
        except BaseException:
            _signal_group(process.pid, signal.SIGKILL)
            raise


def _start_process(job: Invocation, words: Sequence[str]) -> "subprocess.Popen[bytes]":
    program = job.argv[0]
    if not job.cwd.is_dir():
        raise FolderUnusable(f"cannot run {program} in {job.cwd}: there is no such folder")
    try:
        return subprocess.Popen(
            words,
            cwd=job.cwd,
            env=dict(job.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
    except (FileNotFoundError, NotADirectoryError) as error:  # also where PATH names a file
        raise _make_missing_error(job) from error
    except PermissionError as error:
        raise ToolMissing(
            f"{program} cannot be run: permission denied; make it executable"
        ) from error
    except OSError as error:
        raise MachineError(f"{program} could not be started: {error.strerror}") from error


@contextmanager
def _start_keeper() -> Iterator[Callable[[int], None]]:
    """Start the process that ends a group if we die; gives the function that tells it which."""
    with subprocess.Popen(
        ("/bin/sh", "-c", _KEEPER),
        env={},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        start_new_session=True,
    ) as keeper:
        pipe = cast("IO[bytes]", keeper.stdin)  # asked for above

        def register_group(group: int) -> None:
            pipe.write(f"{group}\n".encode())

        try:
            with DESCENDANTS.exempt_process(keeper.pid):
                yield register_group
        finally:
            with suppress(BrokenPipeError):
                pipe.write(b"over\n")


def _signal_group(group: int, number: signal.Signals) -> None:
    """Send a signal to every process of the group; macOS refuses where only a zombie is left."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def parse_processors(text: str) -> frozenset[int]:
    """Return the processors of "0,2-3"."""
    processors: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        processors |= set(range(int(first), int(last or first) + 1))
    return frozenset(processors)


@contextmanager
def reserve_processors(job_processors: str, key: str) -> Iterator[None]:
    """Keep this program off the processors of others, where there are more than those.

    Raises UsageError, naming the `key` that they are from, for processors that there are not, and
    MachineError where processors cannot be chosen.
    """
    if not hasattr(os, "sched_setaffinity"):
        raise MachineError(f"{key} works only on Linux; remove it")
    all_, requested_processors = os.sched_getaffinity(0), parse_processors(job_processors)
    if missing_cpus := requested_processors - all_:
        available_text = ", ".join(map(str, sorted(all_)))
        raise UsageError(
            f"processor {min(missing_cpus)} at {key} does not exist; this machine has "
            f"{available_text}"
        )
    with stay_off_processors(job_processors):
        yield


@contextmanager
def stay_off_processors(job_processors: str) -> Iterator[None]:
    """Keep this program off the processors of others, as far as they are ours and can be chosen.

    A daemon may have others than we, and may be in a machine of its own.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    all_ = os.sched_getaffinity(0)
    os.sched_setaffinity(0, all_ - parse_processors(job_processors) or all_)
    try:
        yield
    finally:
        os.sched_setaffinity(0, all_)
