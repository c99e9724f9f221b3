"""What the disk refuses, said in one line."""

import errno
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from auditor.core.errors import FolderUnusable
from auditor.core.jobs import CompletedProcess, Invocation

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
def convert_write_errors(path: Path) -> Iterator[None]:
    """Turn every OSError inside into FolderUnusable, which names the file or `path`."""
    try:
        yield
    except OSError as error:
        failed_path = error.filename if isinstance(error.filename, str) else path
        message = error.strerror or str(error)
        advice = _ADVICE.get(error.errno or 0, f"{message}; choose another folder")
        raise FolderUnusable(f"cannot write {failed_path}: {advice}") from error


_FULL_MESSAGE = re.compile(rb"no space left on device", re.IGNORECASE)
_FULL_DISK_BYTES = 64 << 20
"""Bytes left on a disk that counts as full: a linker that fails gives back what it had written."""


def check_local_disk(job: Invocation, answer: CompletedProcess) -> None:
    """Raise FolderUnusable for a process of this machine's disks, as `check_disk` does."""
    advice = "make room, or choose another folder with XDG_CACHE_HOME"
    check_disk(job, answer, lambda: shutil.disk_usage(job.cwd).free, advice)


def check_disk(
    job: Invocation, answer: CompletedProcess, free: Callable[[], int], advice: str
) -> None:
    """Raise FolderUnusable for a process that a full disk ended: it says nothing of the subject.

    Both signs are needed: a subject may print these words for reasons of its own. `free` returns
    the bytes that there are.
    """
    if (
        answer.exit_code
        and reports_full_disk(answer.stdout + answer.stderr)
        and free() < _FULL_DISK_BYTES
    ):
        raise FolderUnusable(
            f"{Path(job.argv[0]).name} could not write: the disk of {job.cwd} is full; {advice}"
        )


def reports_full_disk(text: bytes) -> bool:
    """Tell whether somebody complains of a full disk."""
    return _FULL_MESSAGE.search(text) is not None
