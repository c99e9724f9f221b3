"""What the disk refuses, said in one line."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from auditor.core.errors import FolderUnusable

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
        said = error.strerror or str(error)
        advice = _ADVICE.get(error.errno or 0, f"{said}; choose another folder")
        raise FolderUnusable(f"cannot write {where}: {advice}") from error
