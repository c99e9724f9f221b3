"""Looking at what a process shows while it runs."""

import os
import weakref
from contextlib import suppress
from pathlib import Path

from auditor.core.files.foreign_files import open_regular
from auditor.core.jobs import Invocation, OutputMonitor
from runners.disk import convert_write_errors
from runners.hosts.exchange import require_inside

POLL_SECONDS = 0.02
"""How often a file is looked at."""
_MOST_BYTES = 1 << 20
"""What is read at a look."""
_NOTHING = OutputMonitor(read=lambda _: ())


class OutputFollower:
    """Hands on what comes until it is enough; of a process that is not followed, nothing."""

    def __init__(self, job: Invocation, *inside: Path) -> None:
        """Take a process before it starts: what told an older one to end must not be there.

        What tells it lies in one of the folders `inside`, if some are given.
        """
        follow = job.follow or _NOTHING
        self._take = follow.judge_data
        self._path = job.cwd / follow.path if follow.path else None
        self._enough = StopFile(job.cwd / follow.enough, *inside) if follow.enough else None
        self._heard = bytearray()
        self._offset = 0
        self._grace: float | None = None

    @property
    def can_tell(self) -> bool:
        """Tell whether the process can be told that it is enough."""
        return self._enough is not None

    def choose_wait_seconds(self, left: float) -> float:
        """Return for how long one may wait for output, of so many seconds that are left."""
        return left if self._path is None else min(left, POLL_SECONDS)

    def add_output(self, chunk: bytes) -> None:
        """Keep what was written to the standard output until the next look."""
        if self._path is None:
            self._heard += chunk

    def judge_output(self) -> bool:
        """Hand on what has come; True once, when it is enough. Nothing is handed on after that."""
        new_output = self._take_output()
        if self._grace is None and new_output:
            self._grace = self._take(new_output)
            return self._grace is not None
        return False

    def request_end(self) -> float:
        """Tell the process that it is enough; return how many seconds it gets to end by itself."""
        if self._enough is None or self._grace is None:
            return 0.0
        self._enough.create_file()
        return self._grace

    def _take_output(self) -> bytes:
        new_output = bytes(self._heard)
        self._heard.clear()
        if self._path is not None:
            new_output = _read_new_bytes(self._path, self._offset)
            self._offset += len(new_output)
        return new_output


def _read_new_bytes(path: Path, offset: int) -> bytes:
    """Return what stands there, a part of it where that is much; nothing of what is no file.

    The subject may put anything in the place of the file.
    """
    with suppress(OSError), open_regular(path) as file:
        return os.pread(file.fileno(), _MOST_BYTES, offset)
    return b""


class StopFile:
    """An empty file in a folder that the process may write, where we may be allowed more than it.

    The folder is held from before the process starts. Whatever that puts in place of the folder or
    of the file, nothing is made anywhere else.
    """

    def __init__(self, path: Path, *inside: Path) -> None:
        """Take it away, if it is there; raises FolderUnusable where nothing can be written."""
        self._name = path.name
        with convert_write_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            require_inside(path.parent, inside)
            self._folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            weakref.finalize(self, os.close, self._folder)
            with suppress(FileNotFoundError):
                os.unlink(self._name, dir_fd=self._folder)

    def create_file(self) -> None:
        """Make it, unless something is there or the folder is gone: it is then not told."""
        with suppress(OSError):
            # Exclusively: no link is followed, and no pipe of the process's is waited for.
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            os.close(os.open(self._name, flags, 0o644, dir_fd=self._folder))
