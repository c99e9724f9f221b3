"""What to do about a missing module: those of the tree itself are no packages of an index."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from runners.pybench.library import (
    DECLARING,
    find_package_root,
    is_file,
    is_folder,
    may_have_sources,
)

MISSING_FILE = (
    "the audited copy lacks the file of this module; check whether git ignores it, a build step "
    "makes it, or the benchmarks are of another version"
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
