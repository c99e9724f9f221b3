"""Files, compressed or not, of which none is too large and none is a surprise."""

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from pathlib import Path

from auditor.core.errors import UsageError
from auditor.core.paths import exists, is_file
from runners.stored.checking import Broken

LARGEST = 256 << 20
"""Bytes of JSON, decompressed: a large suite with every value of it stays below."""
MOST = 10_000
"""Files in a folder."""
_COMPRESSED = b"\x1f\x8b"
_MARK = b"\xef\xbb\xbf"
_KINDS = (".json", ".csv", ".txt", ".log", ".out")
_ENDS = (*_KINDS, *(f"{one}.gz" for one in _KINDS))
_START = 1 << 16
_LEAST_BLANK = 1 << 10
"""Bytes: what is blank for so long may be anything, and is read on."""
_LINE = 1 << 16


def start(path: Path) -> bytes:
    """Return the first kilobytes of a file, decompressed; raises UsageError."""
    with _opened(path) as file:
        return file.read(_START).removeprefix(_MARK)


def is_json(beginning: bytes) -> bool:
    """Tell by the first letters whether a text may be JSON."""
    first = beginning.lstrip()[:1]
    return first in (b"{", b"[") if first else len(beginning) >= _LEAST_BLANK


def lines(path: Path, sha: "hashlib._Hash") -> Iterator[bytes]:
    """Yield the lines of a file, decompressed, and take each into the digest.

    What is longer than any result of a tool comes in pieces. Raises UsageError.
    """
    with _opened(path) as file:
        while line := file.readline(_LINE):
            sha.update(line)
            yield line


def within(folder: Path) -> list[Path]:
    """Return files in a folder and in the folders right below, in order of their names.

    These are all of JSON, and those that end as tables and what tools print do. Raises UsageError
    where there are none, or too many.
    """
    try:
        inside = [*folder.iterdir()]
        inside += [one for each in inside if each.is_dir() for one in each.iterdir()]
    except OSError as error:
        raise unreadable(folder, error) from error
    found = sorted(one for one in inside if one.name.endswith(_ENDS) and one.is_file())
    if not found:
        raise UsageError(
            f"{folder} holds no result file (JSON, CSV, TXT, LOG), nor does a folder right below "
            "it; name the folder of the results, such as .asv/results or .benchmarks"
        )
    if len(found) > MOST:
        raise UsageError(f"{folder} holds {len(found)} files; name those that are meant")
    return found


def content(path: Path) -> bytes:
    """Return the bytes of a file, decompressed; raises UsageError where they cannot be had."""
    with _opened(path) as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise UsageError(
            f"{path} holds more than {LARGEST >> 20} MiB; store fewer benchmarks in a file, or no "
            "single values"
        )
    return data


@contextmanager
def _opened(path: Path) -> Iterator[BufferedIOBase]:
    """Open a file to read it, decompressed; raises UsageError for whatever is wrong with it."""
    if not is_file(path):
        what = "is no regular file" if exists(path) else "is not there"
        raise UsageError(f"cannot read {path}: it {what}")
    try:
        with path.open("rb") as file:
            is_packed = file.read(len(_COMPRESSED)) == _COMPRESSED
            file.seek(0)
            if not is_packed:
                yield file
                return
            with gzip.open(file) as unpacked:
                yield unpacked
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UsageError(
            f"{path} is compressed, but broken or cut off: {error}; copy it again, or leave it out"
        ) from error
    except OSError as error:
        raise unreadable(path, error) from error


def parsed(data: bytes) -> object:
    """Return what stands in a file of JSON; raises Broken.

    NaN and Infinity are numbers here, as asv writes them.
    """
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Broken("not UTF-8; convert the file") from error
    except RecursionError as error:
        raise Broken("nested too deeply for a result; is it the right file?") from error
    except ValueError as error:
        raise Broken(f"no JSON, or cut off: {error}; copy it again, or leave it out") from error


def unreadable(path: Path, error: OSError) -> UsageError:
    """Return the error for what the system does not let us read."""
    return UsageError(f"cannot read {path}: {(error.strerror or str(error)).lower()}")
