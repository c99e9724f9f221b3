"""What the processes of a JMH suite run and may read: a digest that a mere rebuild leaves alone.

One for the whole suite: with reflection, services and configuration files nobody can tell which
classes a benchmark will load.
"""

import hashlib
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from auditor.core.subject import Part, Role
from runners.jmh.classes import read_files
from runners.subjects.placed import Files
from runners.subjects.texts import for_people

_WITH_CODE = (Role.BENCHMARKS, Role.LIBRARY, Role.DEPENDENCY)
_LISTS = ("META-INF/BenchmarkList", "META-INF/CompilerHints")
_DATED = re.compile(r"META-INF/maven/.*/pom\.properties")
_SOURCE_FOLDERS = (b"src/main", b"src/test", b"\x01\x00\x03src")
_STARTING = (b"java/lang/ProcessBuilder", b"\1\0\4exec")
_FILES = (b"java/nio/file/Files", b"java/io/File")
_LISTING = (b"newDirectoryStream", b"walkFileTree", b"listFiles", b"\1\0\4walk", b"\1\0\4list")
"""Constants of a class: tag 1, two bytes of length, text (The Java Virtual Machine Specification,
section 4.4.7)."""


def digest_content(parts: Iterable[Part], copied: Files, *more: str) -> str:
    """Return a digest of what is on the class path and of the files that may be read.

    Of jars the names and contents of their entries count, not dates and order. `copied` are the
    files that the project was built of; its Java sources and texts for people count only where
    some class of the project names them, or can list folders.
    """
    sha = hashlib.sha256("\0".join(more).encode())
    classes = []
    for part in parts:
        if part.role in _WITH_CODE:
            sha.update(f"\n{part.role}\n".encode())
            for name, entry_bytes in _read_entries(part.path):
                entry = _without_dates(name, entry_bytes)
                sha.update(f"{name}\0{len(entry)}\0".encode())
                sha.update(entry)
                if name.endswith(".class") and part.role is not Role.DEPENDENCY:
                    classes.append(entry_bytes)
    for path in list_readable_files(copied, classes):
        sha.update(f"{path}\0{copied[path]}\n".encode(errors="surrogateescape"))
    return sha.hexdigest()[:32]


def _read_entries(place: Path) -> Iterator[tuple[str, bytes]]:
    """Yield what a part of a class path holds, which may be no classes, or not there."""
    if place.is_dir() or zipfile.is_zipfile(place):
        yield from read_files(place)
    elif place.is_file():
        yield place.name, place.read_bytes()


def list_readable_files(copied: Files, classes: Sequence[bytes]) -> Iterator[str]:
    """Yield the files of a project that the code of its classes may read, in order."""
    may_read_all = any(map(_may_list_files, classes))
    sources = any(word in data for data in classes for word in _SOURCE_FOLDERS)
    for path in sorted(copied):
        name = PurePosixPath(path).name
        if may_read_all or not (name.endswith(".java") or for_people(path)):
            yield path
        elif name.endswith(".java"):
            # Each class names its own source file, but without a folder.
            if sources or any(f"/{name}".encode() in data for data in classes):
                yield path
        elif any(name.encode() in data for data in classes):
            yield path


def _may_list_files(data: bytes) -> bool:
    listing = any(word in data for word in _FILES) and any(word in data for word in _LISTING)
    return listing or any(word in data for word in _STARTING)


def _without_dates(name: str, data: bytes) -> bytes:
    """Return the content of an entry as another build of the same classes has it."""
    if name in _LISTS:
        return b"\n".join(sorted(data.splitlines()))
    if _DATED.fullmatch(name):
        lines = data.splitlines()
        return b"\n".join(line for line in lines if not line.startswith(b"#"))
    return data
