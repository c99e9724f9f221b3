"""The folder of ours: caches, fetched tools, copies of subjects, work in progress."""

import fcntl
import os
import platform
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from auditor.core.errors import FolderUnusable
from runners.disk import convert_write_errors

_STALE_SECONDS = 86_400
_UNUSED_SECONDS = 30 * 86_400


def read_machine_name() -> str:
    """Return the name of this machine in its network, as a name of files."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", platform.node()).strip("-") or "machine"


def mark_used(folder: Path) -> Path:
    """Return a folder of ours that from now on counts as used."""
    with suppress(OSError):  # of another user, who has to have it longer than we
        os.utime(folder)
    return folder


class HomeFolder:
    """Hands out folders below one root, made when first asked for.

    What was copied, sent or built of subjects, and nobody has used for thirty days, is removed with
    the next scratch folder: nobody comes to a machine to clean up.
    """

    def __init__(self, root: Path, mode: int = 0o700) -> None:
        """Take the root, which need not exist yet, and who may look into it.

        Copies of subjects may hold files that only their owner may read.
        """
        self.root = root.absolute()
        self._mode = mode

    @property
    def machine_lock(self) -> Path:
        """Return the file that whoever measures on this machine holds a lock of.

        It has the machine's name, as many may see this folder.
        """
        return self.root / f"{read_machine_name()}.lock"

    def make_cache_folder(self, name: str) -> Path:
        """Return the folder of a cache of ours (Maven repository, Go build cache …)."""
        return self._folder("cache", name)

    def make_tool_folder(self, name: str) -> Path:
        """Return the folder of something we fetched or built for ourselves."""
        return self._folder("tools", name)

    def make_work_folder(self, digest: str) -> Path:
        """Return the folder for what is built of one project; `digest` is one name."""
        return mark_used(self._folder("work", digest))

    def make_builds_folder(self, digest: str) -> Path:
        """Return the folder for the variants of a project by its digest."""
        return mark_used(self._folder("builds", digest))

    def make_subjects_folder(self) -> Path:
        """Return the folder that holds the copies of subjects."""
        return self._folder("subjects")

    @contextmanager
    def make_scratch_folder(self) -> Iterator[Path]:
        """Give an empty folder on the same file system, gone afterwards.

        Those of auditors that were killed are removed a day later.
        """
        folder = self._folder("scratch")
        with convert_write_errors(folder):
            scratch_folder = Path(tempfile.mkdtemp(dir=folder))
        now = scratch_folder.stat().st_mtime
        _remove_unused_folders(folder, now - _STALE_SECONDS)
        for name in ("subjects", "work", "builds"):
            _remove_unused_folders(self.root / name, now - _UNUSED_SECONDS)
        try:
            yield scratch_folder
        finally:
            shutil.rmtree(scratch_folder, ignore_errors=True)

    @contextmanager
    def lock_folder(self, folder: Path) -> Iterator[None]:
        """Wait until no other auditor uses a folder of ours, and keep others out meanwhile."""
        path = folder / ".bench-audit-lock"
        with convert_write_errors(path):
            lock = path.open("w")
        with lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _folder(self, *names: str) -> Path:
        folder = self.root.joinpath(*names)
        with convert_write_errors(self.root):
            self.root.mkdir(mode=self._mode, parents=True, exist_ok=True)
            folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise FolderUnusable(
                f"cannot write {folder}: it is read-only; change its permissions, "
                "or choose another folder"
            )
        return folder


def _remove_unused_folders(folder: Path, since: float) -> None:
    """Remove the folders in one that were last used before a time, in seconds of the epoch."""
    with suppress(FileNotFoundError):  # the folder is not there yet
        for candidate in folder.iterdir():
            with suppress(FileNotFoundError):  # another auditor is at it, too
                status = candidate.stat(follow_symlinks=False)
                # What is no folder is none of ours: to open a pipe would wait for its other end.
                if stat.S_ISDIR(status.st_mode) and status.st_mtime < since:
                    _remove_folder(candidate)


def _remove_folder(folder: Path) -> None:
    """Remove a folder, read-only parts included, as far as it is ours; links are not followed."""
    for *_, descriptor in os.fwalk(folder):
        with suppress(OSError):
            os.fchmod(descriptor, 0o755)
    shutil.rmtree(folder, ignore_errors=True)
