"""Which modules of a tree are the library, and which files hold benchmarks; nothing is run."""

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from auditor.core.subject import SourceFile, SourceRole
from runners.subjects.look import PYTHON_BENCHMARK

_NO_LIBRARY = frozenset(
    {"test", "tests", "testing", "bench", "benches", "benchmark", "benchmarks", "asv_bench"}
    | {"doc", "docs", "example", "examples", "script", "scripts", "tools", "ci", "build", "dist"}
)
_NO_MODULE = frozenset({"setup", "conftest", "noxfile", "tasks"})
_LARGEST = 2_000_000


def benchmark_files(tree: Path) -> list[str]:
    """Return the files that have functions with the fixture, or the marker, `benchmark`."""
    return [
        path.relative_to(tree).as_posix()
        for path in _files(tree, frozenset())
        if PYTHON_BENCHMARK.search(_read(path))
    ]


def modules(tree: Path, benchmarks: list[str]) -> list[SourceFile]:
    """Return the modules of the packages below the tree, or below its folder `src`.

    A folder is a package where it has an `__init__.py`; below one, folders without are, too.
    """
    left_out, above = set(benchmarks), top(tree)
    found = []
    for path in sorted(_packages(above)):
        for file in [path] if path.is_file() else _files(path, frozenset({"tests", "test"})):
            shown = file.relative_to(tree).as_posix()
            if shown not in left_out:
                unit = _unit(PurePosixPath(file.relative_to(above).as_posix()))
                role = SourceRole.LIBRARY
                found.append(SourceFile(path=shown, unit=unit, role=role, text=_read(file)))
    return found


def top(tree: Path) -> Path:
    """Return the folder that the library's packages lie in."""
    return tree / "src" if (tree / "src").is_dir() else tree


def _packages(above: Path) -> Iterator[Path]:
    for path in above.iterdir():
        hidden = path.name.startswith((".", "_")) or path.is_symlink()
        if hidden or path.stem in _NO_LIBRARY | _NO_MODULE:
            continue
        if path.suffix == ".py" or (path / "__init__.py").is_file():
            yield path


def _unit(path: PurePosixPath) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _files(folder: Path, without: frozenset[str]) -> Iterator[Path]:
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(
            one
            for one in folders
            if not one.startswith(".") and one not in without and one not in ("venv", "build")
        )
        for name in sorted(files):
            path = Path(where) / name
            if name.endswith(".py") and path.is_file() and not path.is_symlink():
                yield path


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_LARGEST)
