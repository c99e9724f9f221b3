"""Waiting for the end of a process of another machine, and hearing what it shows meanwhile."""

import os
import select
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import IO, Self, cast

from auditor.core.errors import AuditError, MachineError
from auditor.core.jobs import Invocation
from auditor.core.ports import Clock
from runners.hosts.following import OutputFollower
from runners.hosts.output_watch import WatchedProcess
from runners.hosts.ssh.connection import Connection

_OUTPUT_REMAINS = 3
"""What `attach` ends with when the process has ended: the rest of its output is to be had."""
_NOBODY = 4
"""What it ends with when nobody is left there who would say so."""
_CHUNK = 1 << 16
_LAG_SECONDS = 5.0
"""How long what was shown may still be on its way, once nobody waits for it any more."""
_LOOK_SECONDS = 0.2


class RemoteFollower(OutputFollower):
    """Follows what comes over the connection, and tells the process there when it is enough."""

    def __init__(self, job: Invocation, tell: Callable[[], object]) -> None:
        """Take the process before it starts."""
        follow = job.follow and replace(job.follow, path=None)
        super().__init__(replace(job, follow=follow))
        self._tell = tell

    def request_end(self) -> float:
        """Tell the process that it is enough; return how many seconds it gets to end by itself."""
        grace = super().request_end()
        if grace:
            self._tell()
        return grace


class ProcessListener:
    """Hears a process through connections that may be lost, in a thread of its own."""

    def __init__(self, connection: Connection, number: str, clock: Clock) -> None:
        """Take the process."""
        self._connection = connection
        self._number = number
        self._clock = clock
        self._offset = 0
        self._failure: AuditError | None = None
        self._closed = threading.Event()
        self._unheard = False
        self.ended = False
        self._shown, self._show = os.pipe()
        self._nothing, nothing = os.pipe()
        os.close(nothing)
        self._thread = threading.Thread(target=self._listen_until_end, daemon=True)

    def __enter__(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop listening."""
        self.stop_listening()
        self._thread.join()
        os.close(self._shown)
        os.close(self._nothing)

    def make_watched_process(self, send: Callable[[signal.Signals], None]) -> WatchedProcess:
        """Return the process; `send` reaches it with a signal."""
        return WatchedProcess(
            stdout=self._shown, stderr=self._nothing, wait=self._thread.join, signal=send
        )

    def stop_listening(self) -> None:
        """Wait no longer than for what is on its way."""
        self._closed.set()

    def raise_failure(self) -> None:
        """Raise what has kept us from hearing its end."""
        if self._failure is not None:
            raise self._failure

    def _listen_until_end(self) -> None:
        try:
            while not (self.ended or self._unheard):
                self._follow_connection()
        except AuditError as error:
            self._failure = error
        except OSError as error:
            self._failure = MachineError(f"cannot listen to {self._connection.target}: {error}")
        finally:
            os.close(self._show)

    def _follow_connection(self) -> None:
        """Hear until the process has ended or the connection was lost."""
        with self._connection.start_verb("attach", self._number, str(self._offset)) as process:
            if not self._read(cast("IO[bytes]", process.stdout)):
                self._unheard = True
                return
            code = process.wait()
        if self._connection.has_lost_connection(code):
            # Until there is one again, as long as there is hope and somebody waits.
            self._connection.run_verb("hello", until=self._closed)
        elif code == _NOBODY:
            raise MachineError(
                f"the helper on {self._connection.target} ended before its process; was the "
                "machine restarted?"
            )
        elif code not in (0, _OUTPUT_REMAINS):
            raise MachineError(f"{self._connection.target} failed to attach to a process: {code}")
        self.ended = code == 0

    def _read(self, shown: IO[bytes]) -> bool:
        """Hand on what is shown; False where nobody has read or waited for it for a while."""
        while True:
            if not self._wait_until_ready([shown], []):
                return False
            chunk = os.read(shown.fileno(), _CHUNK)
            if not chunk:
                return True
            self._offset += len(chunk)
            while chunk:
                if not self._wait_until_ready([], [self._show]):
                    return False
                chunk = chunk[os.write(self._show, chunk) :]

    def _wait_until_ready(self, reads: list[IO[bytes]], writes: list[int]) -> bool:
        """Wait until one can be read or written; False where it takes too long after the end."""
        late: float | None = None
        while True:
            ready = select.select(reads, writes, [], _LOOK_SECONDS)
            if ready[0] or ready[1]:
                return True
            if self._closed.is_set():
                now = self._clock.monotonic()
                late = now + _LAG_SECONDS if late is None else late
                if now > late:
                    return False
