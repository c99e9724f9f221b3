"""Files that somebody may have written: only regular ones are read, and of those not too much.

Whoever made the file may be hostile. A pipe never ends, a device has side effects, a link leads
to a file that its author could not read.
"""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from auditor.core.errors import UsageError

LARGEST = 256 << 20
"""Bytes of a file that is read as a whole."""
BEGINNING = 2_000_000
"""Bytes of a source file that is only searched."""


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file to read it, without waiting; raises OSError that says what it is."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError as error:
        raise OSError(errno.EINVAL, "the name is not valid") from error
    except FileNotFoundError as error:
        raise FileNotFoundError(errno.ENOENT, "it does not exist") from error
    except OSError as error:
        if path.is_symlink():
            raise OSError(errno.ELOOP, "it is a symbolic link; name its target") from error
        raise
    kind = os.fstat(number).st_mode
    if stat.S_ISREG(kind):
        return os.fdopen(number, "rb")
    os.close(number)
    message = "it is a folder" if stat.S_ISDIR(kind) else "it is not a regular file"
    raise OSError(errno.EINVAL, message)


def read_regular(path: Path, most: int = LARGEST) -> bytes:
    """Return the bytes of a regular file; raises OSError where it holds more than `most`."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        content = b"" if size > most else file.read(most + 1)
    if max(size, len(content)) > most:
        raise OSError(errno.EFBIG, f"it is larger than {format_size(most)}")
    return content


def read_named(path: Path, most: int = LARGEST) -> bytes:
    """Return the bytes of a regular file that the user has named; raises UsageError."""
    try:
        return read_regular(path, most)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {describe_os_error(error)}") from error


def read_beginning(path: Path) -> bytes:
    """Return the first BEGINNING bytes of a regular file or of a link's target; empty if none."""
    try:
        with open_regular(Path(os.path.realpath(path))) as file:
            return file.read(BEGINNING)
    except (OSError, ValueError):
        return b""


def format_size(number: int) -> str:
    """Return a number of bytes for a message."""
    return f"{number >> 20} MiB" if number % (1 << 20) == 0 else f"{number:,} bytes"


def describe_os_error(error: OSError) -> str:
    """Return why a file cannot be read, for a message."""
    message = error.strerror or str(error)
    return message[:1].lower() + message[1:]
