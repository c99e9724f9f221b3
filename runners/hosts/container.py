"""One container, from its making to its removal."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from docker.errors import APIError, DockerException, NotFound
from docker.utils.socket import frames_iter

from runners.hosts.daemon import FAILURES, SECONDS, DockerDaemon, Image, container_refused
from runners.hosts.output_watch import WatchedProcess

_LAG_SECONDS = 5.0
"""How long after its end a container's output may still be on its way."""


class Container:
    """One that runs one program; what goes wrong with the daemon is MachineError."""

    def __init__(self, daemon: DockerDaemon, image: Image, program: str, number: str) -> None:
        """Take one that is made and not started, by its number."""
        self._daemon = daemon
        self._api: Any = daemon.api
        self._image = image
        self._program = program
        self._number = number
        self._lost: Exception | None = None

    @contextmanager
    def start_watched(self, seconds: float) -> Iterator[WatchedProcess]:
        """Start it, its output going to pipes; it is watched for so many seconds."""
        output = self._start_container()
        reads, writes = zip(os.pipe(), os.pipe(), strict=True)
        pump = threading.Thread(target=_pump_output, args=(output, writes), daemon=True)
        pump.start()
        try:
            yield WatchedProcess(
                stdout=reads[0],
                stderr=reads[1],
                wait=partial(self._wait_for_end, pump, seconds),
                signal=self.send,
            )
        finally:
            for read in reads:
                os.close(read)
        if self._lost is not None:
            raise self._daemon.make_daemon_error(f"wait for {self._program}", self._lost)

    def send(self, which: signal.Signals) -> None:
        """Send it a signal; it may have ended; `_wait_for_end` notices a daemon that is gone."""
        if self._lost is not None:
            return
        with suppress(*FAILURES):
            self._api.kill(self._number, signal=which.name)

    def inspect_state(self) -> Any:
        """Return how it has ended, in the daemon's words."""
        with self._daemon.convert_failures(f"tell how {self._program} has ended"):
            return self._api.inspect_container(self._number)["State"]

    def remove(self) -> None:
        """Remove it, whatever it does, unless it is gone; raises what the SDK does."""
        with suppress(NotFound):
            self._api.remove_container(self._number, force=True, v=True)

    def _start_container(self) -> Any:
        """Start it; return its output."""
        stream_options = {"stdout": 1, "stderr": 1, "stream": 1, "logs": 0}
        with self._daemon.convert_failures(f"hand on the output of {self._program}"):
            output = self._api.attach_socket(self._number, params=stream_options)
        try:
            self._api.start(self._number)
        except FAILURES as error:
            _close_connection(output)
            if isinstance(error, APIError):
                raise container_refused(error, self._program, self._image) from error
            raise self._daemon.make_daemon_error(f"start {self._program}", error) from error
        return output

    def _wait_for_end(self, pump: threading.Thread, seconds: float) -> None:
        """Wait for the end. A daemon that does not tell of it is waited for a while longer."""
        try:
            self._api.wait(self._number, timeout=seconds + SECONDS)
        except FAILURES as error:
            self._lost = error
        pump.join(_LAG_SECONDS)


@contextmanager
def open_container(
    daemon: DockerDaemon, image: Image, program: str, settings: Any
) -> Iterator[Container]:
    """Make a container for a program; it is removed whatever happens."""
    with daemon.convert_failures(f"make a container for {program}"):
        number = str(daemon.api.create_container_from_config(settings)["Id"])
    container = Container(daemon, image, program, number)
    try:
        yield container
    except BaseException:
        with suppress(*FAILURES):  # what went wrong before is what is to be said
            container.remove()
        raise
    with daemon.convert_failures(f"remove the container of {program}"):
        container.remove()


def _pump_output(output: Any, pipes: tuple[int, int]) -> None:
    """Hand on what a container writes, until it ends or nobody reads any more."""
    try:
        with suppress(DockerException, OSError):
            for stream, chunk in frames_iter(output, tty=False):
                left = memoryview(chunk)
                while left:
                    left = left[os.write(pipes[stream - 1], left) :]
    finally:
        for pipe in pipes:
            os.close(pipe)
        _close_connection(output)


def _close_connection(output: Any) -> None:
    """Close what the SDK attached; its connection was upgraded, so no pool takes it back."""
    connection = getattr(output, "_sock", output)
    output.close()
    connection.close()
