"""What is at a path that a user wrote; a name that cannot be one, as it is too long, is nothing."""

import os
import stat
from pathlib import Path


def is_file(path: Path) -> bool:
    """Tell whether there is a regular file."""
    return stat.S_ISREG(_mode(path))


def is_dir(path: Path) -> bool:
    """Tell whether there is a folder."""
    return stat.S_ISDIR(_mode(path))


def exists(path: Path) -> bool:
    """Tell whether there is anything."""
    return _mode(path) != 0


def read_regular(path: Path, most: int, *, offset: int = 0) -> bytes | None:
    """Return at most `most` bytes of a file from `offset` on; raises OSError.

    None for what is no regular file, or is a link: whoever wrote it may have put a pipe, which
    nobody ever writes to, or a link to somebody else's file in its place.
    """
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(number, "rb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            return None
        file.seek(offset)
        parts = []
        while most > 0 and (part := file.read(most)):
            parts.append(part)
            most -= len(part)
        return b"".join(parts)


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return 0
