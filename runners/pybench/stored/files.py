"""Files of JSON, compressed or not, of which none is too large and none is a surprise."""

import gzip
import io
import json
import zlib
from pathlib import Path

from auditor.core.errors import UsageError
from runners.pybench.stored.checking import Broken, mapping

LARGEST = 256 << 20
"""Bytes of a file, decompressed: a large suite with every value of it stays below."""
MOST = 10_000
"""Files in a folder."""
_COMPRESSED = b"\x1f\x8b"
_MARK = b"\xef\xbb\xbf"
_ENDS = (".json", ".json.gz")


def is_json(path: Path) -> bool:
    """Tell by the first letters of a file whether it may be JSON, compressed or not."""
    try:
        with path.open("rb") as file:
            start = file.read(4096)
    except OSError:
        return False
    return start.startswith(_COMPRESSED) or start.removeprefix(_MARK).lstrip()[:1] in (b"{", b"[")


def within(folder: Path) -> list[Path]:
    """Return the JSON files in a folder and in the folders right below, in order of their names.

    Raises UsageError where there are none, or too many.
    """
    try:
        inside = [*folder.iterdir()]
        inside += [one for each in inside if each.is_dir() for one in each.iterdir()]
    except OSError as error:
        raise unreadable(folder, error) from error
    found = sorted(one for one in inside if one.name.endswith(_ENDS) and one.is_file())
    if not found:
        raise UsageError(
            f"{folder} holds no JSON file, nor does a folder right below it; name the folder of "
            "the results, such as .asv/results or .benchmarks"
        )
    if len(found) > MOST:
        raise UsageError(f"{folder} holds {len(found)} files; name those that are meant")
    return found


def content(path: Path) -> bytes:
    """Return the bytes of a file, decompressed; raises UsageError where they cannot be had."""
    if not path.is_file():
        what = "is no regular file" if path.exists() else "is not there"
        raise UsageError(f"cannot read {path}: it {what}")
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        if data.startswith(_COMPRESSED):
            with gzip.open(io.BytesIO(data)) as packed:
                data = packed.read(LARGEST + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UsageError(
            f"{path} is compressed, but broken or cut off: {error}; copy it again, or leave it out"
        ) from error
    except OSError as error:
        raise unreadable(path, error) from error
    if len(data) > LARGEST:
        raise UsageError(
            f"{path} holds more than {LARGEST >> 20} MiB; store fewer benchmarks in a file, or no "
            "single values"
        )
    return data


def parsed(data: bytes) -> dict[str, object]:
    """Return the object in a file of JSON; raises Broken.

    NaN and Infinity are numbers here, as asv writes them.
    """
    try:
        return mapping(json.loads(data.decode("utf-8-sig")), "the whole")
    except UnicodeDecodeError as error:
        raise Broken("not UTF-8; convert the file") from error
    except RecursionError as error:
        raise Broken("nested too deeply for a result; is it the right file?") from error
    except ValueError as error:
        raise Broken(f"no JSON, or cut off: {error}; copy it again, or leave it out") from error


def unreadable(path: Path, error: OSError) -> UsageError:
    """Return the error for what the system does not let us read."""
    return UsageError(f"cannot read {path}: {(error.strerror or str(error)).lower()}")
