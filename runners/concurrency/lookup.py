"""The class under test in a version's class path: its name as Java has it, and its format."""

import re
import struct
import zipfile
from collections.abc import Iterator
from difflib import get_close_matches

from auditor.core.errors import SourceUnreadable, SubjectError, UsageError
from runners.concurrency.versions import CLASS, ReadyVersion, class_names
from runners.jmh.classes import open_jar

_MAGIC = 0xCAFEBABE
_FIRST = 44
"""The major version of a class file is this much above the number of the Java that it is for (The
Java Virtual Machine Specification, table 4.1-A)."""
_MAX_SUGGESTIONS = 3
# No user names these: anonymous classes, and files with a hyphen, which say what a module or
# package is.
_UNNAMED = re.compile(r"\$\d|-info$")


def require_class(version: ReadyVersion, name: str) -> str:
    """Return the binary name of a class that may be written as in Java or as in a class file.

    Raises UsageError, naming what is near, where the version has no such class.
    """
    all_names: set[str] = set()
    for place in version.class_path:
        place_names = set(class_names(place))
        for spelling in _list_spellings(name):
            if spelling in place_names:
                return spelling
        all_names |= place_names
    suggestions = _suggest_names(name, all_names)
    hint = f"did you mean {' or '.join(suggestions)}?" if suggestions else "give its package, too"
    raise UsageError(f"{version.name} has no class {name}; {hint}")


def require_readable(version: ReadyVersion, name: str, feature: int, compiler: int) -> None:
    """Raise SubjectError where a class is compiled for a newer Java than `feature`, such as 17.

    So it is where it is newer than `compiler`, by which its tests are compiled. `name` is binary.
    Raises SourceUnreadable where the file is no class.
    """
    header = _read_class_file(version, name)[:8]
    magic, _, major = struct.unpack(">IHH", header) if len(header) == 8 else (0, 0, 0)
    if magic != _MAGIC:
        raise SourceUnreadable(f"{name} of {version.name} is not a class file; build it again")
    if major - _FIRST > feature:
        raise SubjectError(
            f"{name} of {version.name} is compiled for Java {major - _FIRST}, but runs with Java "
            f"{feature}; name a newer JDK (--java-home, JAVA_HOME), or compile it for {feature}"
        )
    if major - _FIRST > compiler:
        raise SubjectError(
            f"{name} of {version.name} is compiled for Java {major - _FIRST}, but its tests are "
            f"compiled with Java {compiler}; set JAVA_HOME to a newer JDK, or compile it for "
            f"{compiler}"
        )


def _list_spellings(name: str) -> Iterator[str]:
    """Yield a name, then with its last dots as those of nested classes."""
    parts = name.replace("/", ".").split(".")
    for number in range(len(parts), 0, -1):
        yield ".".join(parts[:number]) + "".join(f"${part}" for part in parts[number:])


def _suggest_names(name: str, all_names: set[str]) -> list[str]:
    """Return names that are alike in their last part: a package is easily wrong."""
    simple: dict[str, list[str]] = {}
    for class_name in sorted(all_names):
        if not _UNNAMED.search(class_name):
            simple.setdefault(_read_simple_name(class_name), []).append(class_name)
    similar = get_close_matches(_read_simple_name(name), simple, n=_MAX_SUGGESTIONS)
    return [class_name for simple_name in similar for class_name in simple[simple_name]][
        :_MAX_SUGGESTIONS
    ]


def _read_simple_name(name: str) -> str:
    return re.split(r"[./$]", name)[-1]


def _read_class_file(version: ReadyVersion, name: str) -> bytes:
    entry = name.replace(".", "/") + CLASS
    for place in version.class_path:
        if place.is_dir():
            if (place / entry).is_file():
                return (place / entry).read_bytes()
        elif zipfile.is_zipfile(place):
            with open_jar(place) as jar:
                if entry in jar.namelist():
                    return jar.read(entry)
    raise SourceUnreadable(f"{version.name} has no class {name}")
