"""What to do about a missing module: those of the tree itself are no packages of an index."""

import os
from collections.abc import Iterator
from pathlib import Path

from runners.pybench.library import (
    DECLARING,
    find_package_root,
    is_file,
    is_folder,
    may_have_sources,
)

MISSING_FILE = (
    "the audited copy lacks the file of this module; check whether git ignores it or a build step "
    "makes it"
)
_DEEPEST = 3
"""Folders that a project of a workspace lies in: `libs/partners/x`."""
_NO_PROJECTS = frozenset({"node_modules", "dist", "vendor"})


def explain_local_module(name: str, tree: Path) -> str:
    """Return what to do where a module that the tree has is missing; empty for other modules."""
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
    for folder in _list_projects(tree):
        if any(_has_beginning(root, parts) for root in {find_package_root(folder), folder}):
            place = folder.relative_to(tree).as_posix()
            return f"it is of another project of this tree; audit that: bench-audit abs {place}"
    return ""


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
