"""Files, compressed or not, of which none is too large and none is a surprise."""

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from auditor.core.errors import UsageError
from auditor.core.files.foreign_files import LARGEST, describe_os_error, format_size, open_regular
from auditor.importers.checking import BrokenFile

LARGEST_TEXT = 2 << 30
"""Bytes of what is read line by line, decompressed."""
MOST = 10_000
"""Files in a folder."""
_COMPRESSED = b"\x1f\x8b"
_MARK = b"\xef\xbb\xbf"
_KINDS = (".json", ".csv", ".txt", ".log", ".out")
_ENDS = (*_KINDS, *(f"{kind}.gz" for kind in _KINDS))
_START = 1 << 16
_LEAST_BLANK = 1 << 10
"""Bytes: what is blank for so long may be anything, and is read on."""
_LINE = 1 << 16


def read_start(path: Path) -> bytes:
    """Return the first kilobytes of a file, decompressed; raises UsageError."""
    with _open_file(path) as file:
        return file.read(_START).removeprefix(_MARK)


def is_json(beginning: bytes) -> bool:
    """Tell by the first letters whether a text may be JSON."""
    first = beginning.lstrip()[:1]
    return first in (b"{", b"[") if first else len(beginning) >= _LEAST_BLANK


def read_lines(path: Path, sha: "hashlib._Hash") -> Iterator[bytes]:
    """Yield the lines of a file, decompressed, and take each into the digest.

    What is longer than any result of a tool comes in pieces. Raises UsageError.
    """
    read = 0
    with _open_file(path) as file:
        while line := file.readline(_LINE):
            read += len(line)
            if read > LARGEST_TEXT:
                raise _make_size_error(path, LARGEST_TEXT)
            sha.update(line)
            yield line


def result_files(folder: Path) -> list[Path]:
    """Return files in a folder and in the folders right below, in order of their names.

    These are all of JSON, and those that end as tables and what tools print do. Raises UsageError
    where there are none, or too many.
    """
    try:
        inside = [*folder.iterdir()]
        folders = [path for path in inside if path.is_dir() and not path.is_symlink()]
        inside += [entry for path in folders for entry in path.iterdir()]
    except OSError as error:
        raise _make_read_error(folder, error) from error
    paths = sorted(path for path in inside if path.name.endswith(_ENDS) and not path.is_dir())
    if not paths:
        raise UsageError(
            f"{folder} holds no result file (JSON, CSV, TXT, LOG), nor does a folder right below "
            "it; name the folder of the results, such as .asv/results or .benchmarks"
        )
    if len(paths) > MOST:
        raise UsageError(f"{folder} contains {len(paths)} files; name the ones to read")
    return paths


def read_content(path: Path) -> bytes:
    """Return the bytes of a file, decompressed; raises UsageError where they cannot be had."""
    with _open_file(path) as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise _make_size_error(path, LARGEST)
    return data


def _make_size_error(path: Path, most: int) -> UsageError:
    return UsageError(
        f"{path} holds more than {format_size(most)}; store fewer benchmarks in a file, or no "
        "single values"
    )


@contextmanager
def _open_file(path: Path) -> Iterator[BinaryIO | gzip.GzipFile]:
    """Open a file to read it, decompressed; raises UsageError for whatever is wrong with it."""
    try:
        with open_regular(path) as file:
            is_packed = file.read(len(_COMPRESSED)) == _COMPRESSED
            if not is_packed and os.fstat(file.fileno()).st_size > LARGEST_TEXT:
                raise _make_size_error(path, LARGEST_TEXT)
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
        raise _make_read_error(path, error) from error


def read_json(data: bytes) -> object:
    """Return what stands in a file of JSON; raises BrokenFile.

    NaN and Infinity are numbers here, as asv writes them.
    """
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BrokenFile("not UTF-8; convert the file") from error
    except RecursionError as error:
        raise BrokenFile("nested too deeply for a result; is it the right file?") from error
    except ValueError as error:
        raise BrokenFile(f"no JSON, or cut off: {error}; copy it again, or leave it out") from error


def _make_read_error(path: Path, error: OSError) -> UsageError:
    """Return the error for what is no file, or what the system does not let us read."""
    return UsageError(f"cannot read {path}: {describe_os_error(error)}")
