"""The machine we are on: one process with its whole group, watched from start to end."""

import os
import selectors
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from auditor.core.errors import FolderUnusable, MachineError, ToolMissing
from auditor.core.jobs import Completed, HostFacts, Invocation
from auditor.core.ports import Clock
from runners.hosts.clock import SystemClock
from runners.hosts.disk import refuse_full, writing
from runners.hosts.facts import machine_facts
from runners.hosts.following import Following
from runners.hosts.output import Ends

GRACE_SECONDS = 0.5
"""How long a group may take to end after an interrupt, and again after a request to end."""
LINGER_SECONDS = 0.5
"""How long a pipe is read after the group is gone: only a process that left it can hold it."""
_CHUNK = 1 << 16

# Reads its group's number; if the auditor dies (end of file instead of a second line), the group
# dies too. A parent-death signal would reach only the first process, and would depend on the
# thread that started it.
_KEEPER = 'trap "" INT TERM HUP; read -r group && { read -r over || kill -s KILL -- "-$group"; }'


class LocalHost:
    """Runs jobs on this machine."""

    def __init__(self, clock: Clock | None = None) -> None:
        """Take a clock, the system's by default."""
        self._clock = clock or SystemClock()
        self._facts: HostFacts | None = None
        self._running: set[int] = set()
        self._stopped = False

    def stop(self) -> None:
        """End what other threads run here; nothing is run after that."""
        self._stopped = True
        for group in tuple(self._running):
            _signal(group, signal.SIGKILL)

    def facts(self) -> HostFacts:
        """Return what must be equal for two runs to be comparable."""
        if self._facts is None:
            self._facts = machine_facts()
        return self._facts

    def run(self, job: Invocation) -> Completed:
        """Run one process to its end, or until it has shown enough; nothing of its group is left.

        Raises MachineError once it has been stopped, and whatever the judge of a followed process
        raises.
        """
        _write_files(job)
        following = Following(job)
        started = self._clock.monotonic()
        with _keeper() as keep, _process(job) as process:
            keep(process.pid)
            self._running.add(process.pid)
            watch = _Watch(process, self._clock, job.output_limit, following)
            try:
                brought_about = self._stopped or watch.until(started + job.timeout_seconds)
            finally:
                self._running.discard(process.pid)
                _signal(process.pid, signal.SIGKILL)
                watch.finish()
        if self._stopped:
            raise MachineError(f"{job.argv[0]} was ended, as another part of the work had failed")
        following.look()  # what it showed at its very end
        answer = Completed(
            exit_code=_code(process.returncode, watch) if brought_about else process.returncode,
            stdout=watch.stdout.kept,
            stderr=watch.stderr.kept,
            seconds=self._clock.monotonic() - started,
            files=_collect(job),
            truncated=watch.stdout.truncated or watch.stderr.truncated,
            enough=watch.enough,
        )
        refuse_full(job, answer)
        return answer


def _code(code: int, watch: "_Watch") -> int | None:
    """Return the code of a process whose end we brought about.

    One that had shown enough has not failed, unless it ended with a code that is not our signal's.
    """
    if not watch.enough:
        return None
    return 0 if code in _OURS else code


@contextmanager
def _process(job: Invocation) -> Iterator["subprocess.Popen[bytes]"]:
    with _start(job) as process:
        try:
            yield process
        except BaseException:
            _signal(process.pid, signal.SIGKILL)
            raise


def _start(job: Invocation) -> "subprocess.Popen[bytes]":
    program = job.argv[0]
    if not job.cwd.is_dir():
        raise FolderUnusable(f"cannot run {program} in {job.cwd}: there is no such folder")
    try:
        return subprocess.Popen(
            job.argv,
            cwd=job.cwd,
            env=dict(job.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        path = dict(job.environment).get("PATH", os.defpath)
        raise ToolMissing(
            f"{program} was not found on PATH ({path}); install it or add its folder to PATH"
        ) from error
    except PermissionError as error:
        raise ToolMissing(f"{program} may not be run: permission denied") from error
    except OSError as error:
        raise MachineError(f"{program} could not be started: {error.strerror}") from error


@contextmanager
def _keeper() -> Iterator[Callable[[int], None]]:
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

        def keep(group: int) -> None:
            pipe.write(f"{group}\n".encode())

        try:
            yield keep
        finally:
            with suppress(BrokenPipeError):
                pipe.write(b"over\n")


def _signal(group: int, number: signal.Signals) -> None:
    """Send a signal to every process of the group; macOS refuses where only a zombie is left."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


@dataclass(frozen=True, slots=True)
class _Step:
    number: signal.Signals
    grace: float


_STEPS = (
    _Step(signal.SIGINT, GRACE_SECONDS),
    _Step(signal.SIGTERM, GRACE_SECONDS),
    _Step(signal.SIGKILL, 10 * GRACE_SECONDS),
)


_OURS = frozenset(
    code for number in (signal.SIGTERM, signal.SIGKILL) for code in (-number, 128 + number)
)
"""How a process or a shell around it ends that gets one of our signals."""


class _Watch:
    """Reads what a process writes while waiting for its end, in one thread."""

    def __init__(
        self, process: "subprocess.Popen[bytes]", clock: Clock, limit: int, following: Following
    ) -> None:
        self._process = process
        self._clock = clock
        self._following = following
        self.enough = False
        self.stdout = Ends(limit)
        self.stderr = Ends(limit)
        self._selector = selectors.DefaultSelector()
        for stream, ends in ((process.stdout, self.stdout), (process.stderr, self.stderr)):
            self._selector.register(cast("IO[bytes]", stream), selectors.EVENT_READ, ends)
        self._end, write_end = os.pipe()
        self._selector.register(self._end, selectors.EVENT_READ, None)
        self._ended = False
        self._waiter = threading.Thread(target=self._wait, args=(write_end,), daemon=True)
        self._waiter.start()

    def _wait(self, write_end: int) -> None:
        self._process.wait()
        os.close(write_end)

    def until(self, deadline: float) -> bool:
        """Wait for the end; tell whether we had to bring it about, as time was up or as enough."""
        while not (self._ended or self.enough) and self._turn(deadline):
            self.enough = self._shows_enough()
        if self.enough:
            self._read(min(deadline, self._clock.monotonic() + self._following.tell()))
        if self._ended:
            return False
        for step in _STEPS[1:] if self.enough else _STEPS:
            _signal(self._process.pid, step.number)
            if self._read(self._clock.monotonic() + step.grace):
                break
        return True

    def _shows_enough(self) -> bool:
        return not self._ended and self._following.look()

    def finish(self) -> None:
        """Read what is left in the pipes, after the group is gone."""
        self._waiter.join()
        deadline = self._clock.monotonic() + LINGER_SECONDS
        while len(self._selector.get_map()) > (0 if self._ended else 1):
            if not self._turn(deadline):
                break
        self._selector.close()
        os.close(self._end)

    def _read(self, deadline: float) -> bool:
        while not self._ended:
            if not self._turn(deadline):
                return False
        return True

    def _turn(self, deadline: float) -> bool:
        """Take what is ready; False when the deadline has passed."""
        left = deadline - self._clock.monotonic()
        if left <= 0:
            return False
        for key, _ in self._selector.select(self._following.pause(left)):
            if key.data is None:
                self._ended = True
                self._selector.unregister(key.fileobj)
            elif chunk := os.read(key.fd, _CHUNK):
                key.data.take(chunk)
                if key.data is self.stdout:
                    self._following.hear(chunk)
            else:
                self._selector.unregister(key.fileobj)
        return True


def _write_files(job: Invocation) -> None:
    for path, content in job.files:
        target = job.cwd / path
        with writing(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


def _collect(job: Invocation) -> dict[Path, bytes]:
    found: dict[Path, bytes] = {}
    for path in job.collects:
        try:
            found[path] = (job.cwd / path).read_bytes()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise FolderUnusable(f"cannot read {job.cwd / path}: {error.strerror}") from error
    return found
