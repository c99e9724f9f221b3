"""A file that tells a process something by being there."""

import os
import weakref
from contextlib import suppress
from pathlib import Path

from runners.disk import convert_write_errors
from runners.hosts.exchange import require_inside


class StopFile:
    """An empty file in a folder that the process may write, where we may be allowed more than it.

    The folder is held from before the process starts. Whatever that puts in place of the folder or
    of the file, nothing is made anywhere else.
    """

    def __init__(self, path: Path, *inside: Path) -> None:
        """Take it away, if it is there; raises as `put` does."""
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
