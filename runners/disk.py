"""What the disk refuses, said in one line."""

import errno
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from auditor.core.errors import FolderUnusable
from auditor.core.jobs import Completed, Invocation

_ADVICE = {
    errno.ENOSPC: "the disk is full; make room, or choose another folder",
    errno.EDQUOT: "the disk quota is used up; make room, or choose another folder",
    errno.EROFS: "it is on a read-only file system; choose another folder",
    errno.EACCES: "permission denied; change its permissions, or choose another folder",
    errno.EPERM: "permission denied; change its permissions, or choose another folder",
    errno.ENOTDIR: "a file is in the way; remove it, or choose another folder",
    errno.EEXIST: "a file is in the way; remove it, or choose another folder",
}


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn every OSError inside into FolderUnusable, which names the file or `path`."""
    try:
        yield
    except OSError as error:
        where = error.filename if isinstance(error.filename, str) else path
        message = error.strerror or str(error)
        advice = _ADVICE.get(error.errno or 0, f"{message}; choose another folder")
        raise FolderUnusable(f"cannot write {where}: {advice}") from error


_FULL = re.compile(rb"no space left on device", re.IGNORECASE)
_LITTLE = 64 << 20
"""Bytes left on a disk that counts as full: a linker that fails gives back what it had written."""


def refuse_full(job: Invocation, answer: Completed) -> None:
    """Raise FolderUnusable for a process of this machine's disks, as `refuse_full_of` does."""
    advice = "make room, or choose another folder with XDG_CACHE_HOME"
    refuse_full_of(job, answer, lambda: shutil.disk_usage(job.cwd).free, advice)


def refuse_full_of(
    job: Invocation, answer: Completed, free: Callable[[], int], advice: str
) -> None:
    """Raise FolderUnusable for a process that a full disk ended: it says nothing of the subject.

    Both signs are needed: a subject may print these words for reasons of its own. `free` returns
    the bytes that there are.
    """
    if answer.exit_code and says_full(answer.stdout + answer.stderr) and free() < _LITTLE:
        raise FolderUnusable(
            f"{Path(job.argv[0]).name} could not write: the disk of {job.cwd} is full; {advice}"
        )


def says_full(text: bytes) -> bool:
    """Tell whether somebody complains of a full disk."""
    return _FULL.search(text) is not None
