"""What is in class folders and jars: benchmark lists, benchmark classes, the rest."""

import hashlib
import re
import shutil
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from auditor.core.errors import SourceUnreadable
from runners.disk import convert_write_errors

BENCHMARK_LIST = "META-INF/BenchmarkList"
_HINTS = "META-INF/CompilerHints"
_ENTRY = re.compile(r"^JMH S (\d+) ", re.MULTILINE)


def benchmark_list(place: Path) -> str | None:
    """Return the text of the list in a folder or jar; None where there is none."""
    if place.is_dir():
        path = place / BENCHMARK_LIST
        return path.read_text(errors="replace") if path.is_file() else None
    with open_jar(place) as jar:
        if BENCHMARK_LIST not in jar.namelist():
            return None
        return jar.read(BENCHMARK_LIST).decode(errors="replace")


def benchmark_classes(list_text: str) -> frozenset[str]:
    """Return the names of the classes that a list speaks of."""
    names = (_read_class_name(list_text, entry) for entry in _ENTRY.finditer(list_text))
    return frozenset(names)


def _read_class_name(list_text: str, entry: re.Match[str]) -> str:
    return list_text[entry.end() : entry.end() + int(entry[1])]


def open_jar(path: Path) -> zipfile.ZipFile:
    """Open a jar; raises SourceUnreadable for what is none."""
    try:
        return zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile) as error:
        raise SourceUnreadable(
            f"{path} is not a readable jar: {error}; delete it, it will be fetched again"
        ) from error


def split_classes(
    place: Path, target_folder: Path, suite_classes: frozenset[str]
) -> tuple[Path, Path]:
    """Copy a folder or jar that holds library and benchmarks; return benchmarks, library.

    `own` are the benchmarks' classes.
    """
    benchmarks, library = target_folder / "benchmarks", target_folder / "library"
    with convert_write_errors(target_folder):
        for folder in (benchmarks, library):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        for name, content in read_files(place):
            target = (benchmarks if is_benchmark(name, suite_classes) else library) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    return benchmarks, library


def is_benchmark(name: str, suite_classes: frozenset[str]) -> bool:
    """Tell whether a file of a jar belongs to the suite; `own` are its classes."""
    if name in (BENCHMARK_LIST, _HINTS) or "jmh_generated" in PurePosixPath(name).parts:
        return True
    outermost = name.removesuffix(".class").partition("$")[0].replace("/", ".")
    return outermost in suite_classes


def read_files(place: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a folder or jar by their names, in the order of these."""
    if place.is_dir():
        for path in sorted(file for file in place.rglob("*") if file.is_file()):
            yield path.relative_to(place).as_posix(), path.read_bytes()
        return
    with open_jar(place) as jar:
        for name in sorted(jar.namelist()):
            safe = not name.startswith("/") and ".." not in PurePosixPath(name).parts
            if safe and not name.endswith("/"):
                yield name, jar.read(name)


def unpack_jar(jar: Path, target_folder: Path) -> None:
    """Write the files of a jar below a folder."""
    with convert_write_errors(target_folder):
        for name, content in read_files(jar):
            target = target_folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


def digest_class_path(places: Iterable[Path], *more: str) -> str:
    """Return a digest of the content of jars and class folders, in their order."""
    sha = hashlib.sha256("\0".join(more).encode())
    for place in places:
        if place.is_dir():
            for name, content in read_files(place):
                sha.update(f"{name}\0{len(content)}\0".encode())
                sha.update(content)
        else:
            with place.open("rb") as file:
                sha.update(hashlib.file_digest(file, "sha256").digest())
    return sha.hexdigest()[:32]
