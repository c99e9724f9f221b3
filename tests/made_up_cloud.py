"""A cloud for tests: its machines are processes that outlive who has asked for them.

A machine is a file in a folder, named by its audit, with the number of its process group. It comes
a while after it was asked for, whatever has become of who asked.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from runners.rented import ledger

LATE_SECONDS = 1.0
BOOT = 'sleep "$1"; echo $$ > "$2.new" && mv "$2.new" "$2"; shift 2; exec "$@"'
LIST = 'cd "$1" && for one in {id}-*; do [ ! -e "$one" ] || echo "$one"; done'
REMOVE = """
cd "$1"; shift
[ ! -e slow ] || { touch removing; sleep 2; }
[ ! -e broken ] || { echo "the cloud is closed" >&2; exit 3; }
for one; do kill -s KILL -- "-$(cat "$one")"; rm "$one"; done
"""


class MadeUpCloud:
    """A cluster as Dask's classes are: a scheduler, and as many workers as asked for."""

    def __init__(self, *, folder, name, secret, asynchronous):
        assert asynchronous
        assert secret
        # Whoever rents here need not wait for late machines as long as in a real cloud.
        ledger._LATE_SECONDS = 3 * LATE_SECONDS
        self.folder = Path(folder)
        self.loop = None
        self.secret = secret
        self._name = name
        self._workers = 0
        self._file = self.folder / f".{name}.json"

    def __await__(self):
        return self._start().__await__()

    async def _start(self):
        sys.stdout.write("a scheduler is made\n")  # as some of Dask's do
        self._machine(
            "scheduler", "scheduler", "--port", "0", "--no-dashboard", "--idle-timeout", "60s"
        )
        while not self._file.exists():
            await asyncio.sleep(0.05)
        return self

    @property
    def scheduler_address(self):
        return json.loads(self._file.read_text())["address"]

    def scale(self, workers):
        for number in range(self._workers, workers):
            worker_options = ("--nworkers", "1", "--nthreads", "1", "--no-nanny", "--no-dashboard")
            limits = ("--resources", "machine=1", "--death-timeout", "60")
            self._machine(f"worker-{number}", "worker", *worker_options, *limits)
        self._workers = max(self._workers, workers)

    async def close(self):
        """End nothing: whoever has rented has to."""

    def _machine(self, role, *words):
        command = (sys.executable, "-m", "dask", *words, "--scheduler-file", str(self._file))
        machine = self.folder / f"{self._name}-{role}"
        subprocess.Popen(
            ("/bin/sh", "-c", BOOT, "sh", str(LATE_SECONDS), str(machine), *command),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


class TalkativeCloud(MadeUpCloud):
    """One that says with what it was called when it cannot be."""

    async def _start(self):
        raise ValueError(f"nobody is known by {self.secret} in {self.folder}")


def machines(folder):
    """Return the machines that are there."""
    return sorted(path.name for path in folder.glob("*-*") if path.suffix != ".new")


def processes(folder):
    """Return the processes that work for a cloud, in no order."""
    process_ids = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if str(folder).encode() in (path / "cmdline").read_bytes():
                process_ids.append(int(path.name))
    return [number for number in process_ids if number != os.getpid()]


def ended(folder, seconds=20.0):
    """Tell whether all processes of a cloud end soon; what a signal has ended takes a moment."""
    until = time.monotonic() + seconds
    while processes(folder) and time.monotonic() < until:
        time.sleep(0.1)
    return not processes(folder)


def end(folder):
    """End all that is left of a cloud, whatever a test has found."""
    for process in processes(folder):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
