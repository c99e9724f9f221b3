"""Reading what a process writes until it ends, or has to."""

import os
import selectors
import signal
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from auditor.core.ports import Clock
from runners.hosts.following import OutputFollower

GRACE_SECONDS = 0.5
"""How long a process may take to end after an interrupt, and again after a request to end."""
LINGER_SECONDS = 0.5
"""How long a pipe is read after the process is gone: only one that got away can hold it."""
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedProcess:
    """A process, wherever it runs, with all that belongs to it.

    `stdout` and `stderr` are pipes to read from; `wait` returns once the process has ended, and
    `signal` reaches all of its processes.
    """

    stdout: int
    stderr: int
    wait: Callable[[], object]
    signal: Callable[[signal.Signals], None]


@dataclass(frozen=True, slots=True)
class _EndStep:
    number: signal.Signals
    grace: float


_STEPS = (
    _EndStep(signal.SIGINT, GRACE_SECONDS),
    _EndStep(signal.SIGTERM, GRACE_SECONDS),
    _EndStep(signal.SIGKILL, 10 * GRACE_SECONDS),
)


_SIGNAL_EXIT_CODES = frozenset(
    code for number in (signal.SIGTERM, signal.SIGKILL) for code in (-number, 128 + number)
)
"""How a process or a shell around it ends that gets one of our signals."""


_SIGNALS = 64


def signal_or_code(exit_code: int) -> int:
    """Return the negative number of the signal that a shell, or a daemon, says as 128 more."""
    return 128 - exit_code if 128 < exit_code <= 128 + _SIGNALS else exit_code


class OutputWatch:
    """Reads what a process writes while waiting for its end, in one thread."""

    def __init__(
        self, watched: WatchedProcess, clock: Clock, limit: int, following: OutputFollower
    ) -> None:
        """Begin to read; of either stream both ends are kept, `limit` bytes together."""
        self._watched = watched
        self._clock = clock
        self._following = following
        self.enough = False
        self.stdout = HeadTailBuffer(limit)
        self.stderr = HeadTailBuffer(limit)
        self._selector = selectors.DefaultSelector()
        for stream, ends in ((watched.stdout, self.stdout), (watched.stderr, self.stderr)):
            self._selector.register(stream, selectors.EVENT_READ, ends)
        self._end, write_end = os.pipe()
        self._selector.register(self._end, selectors.EVENT_READ, None)
        self._ended = False
        self._waiter = threading.Thread(target=self._wait, args=(write_end,), daemon=True)
        self._waiter.start()

    def _wait(self, write_end: int) -> None:
        try:
            self._watched.wait()
        finally:  # nobody would tell of the end any more
            os.close(write_end)

    def wait_until(self, deadline: float) -> bool:
        """Wait for the end; tell whether we had to bring it about, as time was up or as enough."""
        while not (self._ended or self.enough) and self._read_ready(deadline):
            self.enough = self._shows_enough()
        if self.enough:
            self._read(min(deadline, self._clock.monotonic() + self._following.request_end()))
        if self._ended:
            return False
        for step in self._choose_steps():
            self._watched.signal(step.number)
            if self._read(self._clock.monotonic() + step.grace):
                break
        return True

    def _choose_steps(self) -> tuple[_EndStep, ...]:
        """Return how to end it: what has shown enough is not interrupted.

        Where nobody could tell it, it has nothing to tidy up, and what it might do when it is
        asked to end could look like a failure.
        """
        if not self.enough:
            return _STEPS
        return _STEPS[1:] if self._following.can_tell else _STEPS[-1:]

    def adjust_exit_code(self, ended: int) -> int | None:
        """Return the code of a process whose end we brought about, and that ended with this one.

        One that had shown enough has not failed, unless it ended with a code that is not our
        signal's; any other one has none.
        """
        if not self.enough:
            return None
        return 0 if ended in _SIGNAL_EXIT_CODES else ended

    def _shows_enough(self) -> bool:
        return not self._ended and self._following.judge_output()

    def drain_pipes(self) -> None:
        """Read what is left in the pipes, after the group is gone."""
        deadline = self._clock.monotonic() + LINGER_SECONDS
        while self._selector.get_map():
            if not self._read_ready(deadline):
                break
        self._waiter.join()
        self._selector.close()
        os.close(self._end)

    def _read(self, deadline: float) -> bool:
        while not self._ended:
            if not self._read_ready(deadline):
                return False
        return True

    def _read_ready(self, deadline: float) -> bool:
        """Take what is ready; False when the deadline has passed."""
        left = deadline - self._clock.monotonic()
        if left <= 0:
            return False
        for key, _ in self._selector.select(self._following.choose_wait_seconds(left)):
            if key.data is None:
                self._ended = True
                self._selector.unregister(key.fileobj)
            elif chunk := os.read(key.fd, _CHUNK):
                key.data.add_chunk(chunk)
                if key.data is self.stdout:
                    self._following.add_output(chunk)
            else:
                self._selector.unregister(key.fileobj)
        return True


class HeadTailBuffer:
    """Keeps the first half and the last half of `limit` bytes, whatever passes."""

    def __init__(self, limit: int) -> None:
        """Keep at most `limit` bytes."""
        self._head_limit = limit // 2
        self._tail_limit = limit - self._head_limit
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._dropped = False

    def add_chunk(self, chunk: bytes) -> None:
        """Add what comes next."""
        room = self._head_limit - len(self._head)
        self._head += chunk[:room]
        rest = chunk[room:]
        if rest:
            self._tail.append(rest)
            self._tail_size += len(rest)
        while self._tail and self._tail_size - len(self._tail[0]) >= self._tail_limit:
            dropped_chunk = self._tail.popleft()
            self._tail_size -= len(dropped_chunk)
            self._dropped = self._dropped or bool(dropped_chunk)

    @property
    def is_truncated(self) -> bool:
        """Tell whether something was dropped."""
        return self._dropped or self._tail_size > self._tail_limit

    @property
    def retained_bytes(self) -> bytes:
        """Return both ends, joined."""
        tail = b"".join(self._tail)
        return bytes(self._head) + tail[max(0, len(tail) - self._tail_limit) :]
