"""Which modules of a tree are the library; nothing is run."""

import ast
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from auditor.core.files.foreign_files import read_beginning
from auditor.core.files.paths import is_virtual_environment
from auditor.core.subject import SourceFile, SourceRole

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
    """Return the modules of the packages below the tree, or below its folder `src` if it has any.

    `benchmarks` are files and folders that are left out. A folder is a package where it has an
    `__init__.py`; below one, folders without are, too. A folder without one is a namespace of the
    packages in it, if it lies in `src` or the project's name begins with its name.
    """
    left_out, above = set(benchmarks), find_package_root(tree)
    names = []
    for path in sorted(_find_packages(above)):
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
    """Return the folder that the library's packages lie in: `src` may hold another language."""
    inner = tree / "src"
    if not inner.is_dir():
        return tree
    return inner if any(_find_packages(inner)) or not any(_find_packages(tree)) else tree


def _find_packages(above: Path) -> Iterator[Path]:
    """Yield the modules and packages right in a folder, and those in its namespace packages."""
    in_source_folder = above.name == "src"
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


MISSING_FILE = (
    "the audited copy lacks the file of this module; check whether git ignores it or a build step "
    "makes it"
)
_DEEPEST = 3
"""Folders that a project of a workspace lies in: `libs/partners/x`."""
_NO_PROJECTS = frozenset({"node_modules", "dist", "vendor"})


def explain_local_module(name: str, tree: Path, top: Path | None = None) -> str:
    """Return what to do where a module that the tree has is missing; empty for other modules.

    `top` is the top of the copy that the tree is in, None for the tree itself.
    """
    parts = tuple(name.split("."))
    for root in dict.fromkeys((find_package_root(tree), tree)):
        if _has_beginning(root, parts):
            path = root.joinpath(*parts)
            if not (is_folder(path) or is_file(path.with_name(f"{path.name}.py"))):
                return MISSING_FILE
            place = path.relative_to(tree).as_posix()
            return (
                f"the project has it ({place}) and does not install it; add it to the packages of "
                "the build, or its folder to pytest's pythonpath"
            )
    if (folder := _find_project_with(parts, _list_projects(tree))) is not None:
        place = folder.relative_to(tree).as_posix()
        return f"it is of another project of this tree; audit that: bench-audit abs {place}"
    if top is None or top == tree:
        return ""
    if (folder := _find_project_with(parts, (top, *_list_projects(top)))) is not None:
        place = Path(os.path.relpath(folder, tree)).as_posix()
        return f"another project of its repository has it ({place}); add that to the dependencies"
    return ""


def _find_project_with(parts: tuple[str, ...], folders: Iterable[Path]) -> Path | None:
    """Return the first project that has the package that a module is of, None where none has."""
    return next(
        (
            folder
            for folder in folders
            if any(_has_beginning(root, parts) for root in {find_package_root(folder), folder})
        ),
        None,
    )


def _has_beginning(root: Path, parts: tuple[str, ...]) -> bool:
    """Tell whether a folder has the package that a module is of; a namespace alone is none."""
    path = root
    for part in parts:
        path /= part
        if is_file(path.with_name(f"{part}.py")) or (is_folder(path) and any(path.glob("*.py"))):
            return True
    return False


def _list_projects(tree: Path) -> Iterator[Path]:
    """Yield the folders below the tree that declare a project of their own."""
    for directory, folders, names in os.walk(tree):
        depth = len(Path(directory).relative_to(tree).parts)
        folders[:] = sorted(
            folder
            for folder in folders
            if depth < _DEEPEST
            and folder not in _NO_PROJECTS
            and may_have_sources(Path(directory) / folder)
        )
        if depth and not {*DECLARING}.isdisjoint(names):
            yield Path(directory)


_TOLD_BY = ("SETUPTOOLS_SCM_PRETEND_VERSION", "PDM_BUILD_SCM_VERSION", "PBR_VERSION")
"""How setuptools_scm (and hatch-vcs, which uses it), pdm and pbr are told."""
_MADE_UP = "9999.0"
"""No older than what others need of the project."""
_SUFFIX = r"[-._]?(?:a|b|c|rc|alpha|beta|pre|preview|post|dev)[-._]?\d*"
_TAG = re.compile(rf"(?:.*[-_/])?v?(\d+(?:\.\d+)+(?:{_SUFFIX})*)", re.IGNORECASE)


def make_version_variables(tree: Path, tag: str) -> dict[str, str]:
    """Return what tells a build its version; `tag` is the last one before the revision, or empty.

    A source distribution says its version itself. Of a tag it is that of the release, without the
    commits since: others may not want a newer one, and it stays the same from commit to commit.
    """
    if (tree / "PKG-INFO").is_file():
        return {}
    return dict.fromkeys(_TOLD_BY, parse_tag_version(tag) or _MADE_UP)


def is_placeholder_version(version_variables: Mapping[str, str]) -> bool:
    """Tell whether the version that a build is told is no release's."""
    return _MADE_UP in version_variables.values()


def project_without_version(tree: Path) -> str:
    """Return the name of a project whose build finds its version out; empty if it is written."""
    try:
        project = tomllib.loads(read_file_head(tree / "pyproject.toml").decode()).get("project")
    except (ValueError, RecursionError):
        return ""
    if not isinstance(project, dict) or "version" in project:
        return ""
    return str(project.get("name", ""))


def find_release(name: str, installed: Sequence[str]) -> str:
    """Return the version of a project among what is installed (`name==version`), or nothing."""
    releases = (distribution.partition("==") for distribution in installed)
    return next(
        (
            version
            for release_name, _, version in releases
            if _normalise_name(release_name) == _normalise_name(name)
        ),
        "",
    )


def parse_tag_version(tag: str) -> str:
    """Return the version that a tag names, empty if it names none: `v1.2`, `lib-1.2rc1`."""
    match = _TAG.fullmatch(tag)
    return match[1] if match else ""


def _normalise_name(name: str) -> str:
    """Return the name of a distribution as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()
