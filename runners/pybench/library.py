"""Which modules of a tree are the library; nothing is run."""

import ast
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from auditor.core.files.foreign_files import read_beginning
from auditor.core.files.paths import is_virtual_environment
from auditor.core.subject import SourceFile, SourceRole
from runners.pybench.declarations import list_package_roots

_NO_PART = frozenset(
    {"test", "tests", "testsuite", "benchmark", "benchmarks", "benches", "asv_bench"}
)
_NO_LIBRARY = frozenset(
    {*_NO_PART, "testing", "bench"}
    | {"doc", "docs", "example", "examples", "script", "scripts", "tools", "ci", "build", "dist"}
)
_NO_MODULE = frozenset({"setup", "conftest", "noxfile", "tasks"})
_BENCH = frozenset({"bench", "benches", "benchmark", "benchmarks"})
_MOST_NESTED = 3
"""Folders of a namespace, one in the other: `google/cloud/…`."""
DECLARING = ("pyproject.toml", "setup.cfg", "setup.py")
_DISTRIBUTION = re.compile(rb"^[ \t]*(?:setup\()?name[ \t]*=[ \t]*[\"']?(\w[\w.-]*)", re.MULTILINE)


def read_library_modules(tree: Path, benchmarks: Sequence[str]) -> list[SourceFile]:
    """Return the modules of the packages below the folder that they lie in.

    `benchmarks` are files and folders that are left out. A folder is a package where it has an
    `__init__.py`; below one, folders without are, too. A folder without one is a namespace of the
    packages in it, if it lies in a folder of sources or the project's name begins with its name.
    """
    left_out, above = set(benchmarks), find_package_root(tree)
    names = []
    for path in sorted(_find_packages(above, tree)):
        for file in [path] if path.is_file() else list_python_files(path, _NO_PART):
            relative_path = file.relative_to(tree).as_posix()
            outside = left_out & {relative_path, *map(str, PurePosixPath(relative_path).parents)}
            if not outside and not _is_test(file.stem):
                unit = _make_module_name(PurePosixPath(file.relative_to(above).as_posix()))
                role = SourceRole.LIBRARY
                names.append(
                    SourceFile(path=relative_path, unit=unit, role=role, text=file.read_bytes())
                )
    return names


def find_package_root(tree: Path) -> Path:
    """Return the folder that the library's packages lie in, as the build is told or by custom.

    That is `src` or the tree itself: `src` may hold another language.
    """
    usual = tree / "src"
    for folder in (*list_package_roots(tree), usual):
        if is_folder(folder) and any(_find_packages(folder, tree)):
            return folder
    return usual if usual.is_dir() and not any(_find_packages(tree, tree)) else tree


def _find_packages(above: Path, tree: Path) -> Iterator[Path]:
    """Yield the modules and packages right in a folder, and those in its namespace packages."""
    in_source_folder = above != tree or above.name == "src"
    names = [] if in_source_folder else _read_distribution_names(above)
    spaces = {name.partition("_")[0] for name in names}
    for path in above.iterdir():
        if _is_no_library(path) or not (in_source_folder or _may_be_library(path.stem, names)):
            continue
        if path.suffix == ".py" or (path / "__init__.py").is_file():
            yield path
        elif (in_source_folder or path.name in spaces) and path.name.isidentifier():
            yield from _in_namespace(path, _MOST_NESTED)


def _in_namespace(space: Path, depth: int) -> Iterator[Path]:
    """Yield the packages in a folder that is none itself: `interface` in `zope`."""
    for path in space.iterdir() if is_folder(space) else ():
        if _is_no_library(path) or not path.name.isidentifier():
            continue
        if (path / "__init__.py").is_file():
            yield path
        elif depth > 1:
            yield from _in_namespace(path, depth - 1)


def _is_no_library(path: Path) -> bool:
    hidden = path.name.startswith((".", "_")) or path.is_symlink()
    return hidden or path.stem in _NO_LIBRARY | _NO_MODULE


def _may_be_library(stem: str, names: Sequence[str]) -> bool:
    """Tell whether a name is not one of benchmarks, as `benchmarks_old` is, or is the project's."""
    return not _BENCH.intersection(stem.lower().split("_")) or stem.lower() in names


def _read_distribution_names(tree: Path) -> list[str]:
    """Return the names that a project gives itself, with underscores: `google_cloud_storage`."""
    names = (_DISTRIBUTION.search(read_file_head(tree / file)) for file in DECLARING)
    return [re.sub(r"[-.]", "_", name[1].decode()).lower() for name in names if name]


def _is_test(name: str) -> bool:
    """Tell whether a module is a file of tests by its name, as pytest finds them by default."""
    return name == "conftest" or name.startswith("test_") or name.endswith("_test")


def _make_module_name(path: PurePosixPath) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def list_python_files(folder: Path, without: frozenset[str] = frozenset()) -> Iterator[Path]:
    """Yield the Python files below a folder, without links and what is hidden."""
    for path in list_project_files(folder, without):
        if path.name.endswith(".py") and path.is_file() and not path.is_symlink():
            yield path


def list_project_files(folder: Path, without: frozenset[str] = frozenset()) -> Iterator[Path]:
    """Yield what is no folder below a folder, without folders that are none of the project's."""
    for directory, folders, names in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if name not in without and may_have_sources(Path(directory) / name)
        )
        yield from (Path(directory) / name for name in sorted(names))


def may_have_sources(folder: Path) -> bool:
    """Tell whether a folder may have files of the project: not built, hidden or an environment."""
    is_left_out = folder.name.startswith(".") or folder.name in ("venv", "build")
    return not is_left_out and not is_virtual_environment(folder)


def is_folder(path: Path) -> bool:
    """Tell whether there is a folder of any name that a project may write down."""
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises where a name is too long


def is_file(path: Path) -> bool:
    """Tell whether there is a file of any name that a project may write down."""
    return os.path.isfile(path)  # noqa: PTH113 - Path.is_file raises where a name is too long


def read_file_head(path: Path) -> bytes:
    """Return the beginning of a file: enough to see what it is; empty where there is no file."""
    return read_beginning(path)


def parse_python_file(path: Path) -> ast.AST:
    """Return the syntax tree of a file; without statements where it is no Python."""
    try:
        return ast.parse(read_file_head(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])
