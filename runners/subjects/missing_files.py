"""What the copy of a subject lacks: ignored files, and modules from outside of the repository."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from auditor.core.caveats import list_some
from auditor.core.errors import (
    AuditError,
    BuildFailed,
    NoBenchmarks,
    NothingSelected,
    ResolveFailed,
)
from auditor.core.request import FolderSpec, GitSpec, SubjectSpec
from runners.subjects.gomod import find_replacements
from runners.subjects.repository import Repository
from runners.subjects.tree_entries import is_build_output

_OUTPUT_FOLDERS = frozenset(("build", "htmlcov", "site-packages", "venv"))
"""Folders that tools fill: no build of the subject reads them."""
_OUTPUT_SUFFIXES = {
    *(".a", ".class", ".cover", ".egg-info", ".iml", ".lock", ".log", ".o", ".out", ".prof"),
    *(".pyc", ".pyd", ".so", ".swp", ".test", ".tmp"),
}
_SOURCES = {
    *(".c", ".cc", ".cpp", ".go", ".groovy", ".h", ".java", ".kt", ".proto", ".py", ".pyi"),
    *(".pyx", ".s", ".scala", ".toml"),
}
_LONGEST_NAME = 59


@contextmanager
def name_missing_files(find_subject: Callable[[], SubjectSpec | None]) -> Iterator[None]:
    """Add what the copy lacks to the message of a subject that does not build or run."""
    try:
        yield
    except (BuildFailed, NoBenchmarks, ResolveFailed) as error:
        subject = None if isinstance(error, NothingSelected) else find_subject()
        if subject is not None and (text := describe_missing_files(subject)):
            error.args = (f"{error}; {text}",)
        raise


def describe_missing_files(subject: SubjectSpec) -> str:
    """Return which files that a build may need are not in the copy; empty where there are none."""
    match subject:
        case FolderSpec(path):
            folder, remedy = path.expanduser(), "un-ignore"
        case GitSpec(address):
            folder, remedy = Path(address).expanduser(), "commit"
        case _:
            return ""
    try:
        repository = Repository.find_enclosing(folder.resolve()) if folder.is_dir() else None
        if repository is None or repository.ignores_folder(folder):
            return ""  # all of the folder is copied
        ignored = _describe_ignored_files(repository, folder, remedy)
        outside = _describe_outside_modules(repository, folder.resolve())
    except AuditError:
        return ""  # the error that this would be added to is what counts
    return "; ".join(filter(None, (ignored, outside)))


def _describe_ignored_files(repository: Repository, folder: Path, remedy: str) -> str:
    paths = sorted(
        (path for path in repository.list_ignored_files(folder) if not _is_output(folder, path)),
        key=lambda path: (path.suffix not in _SOURCES, str(path)),
    )
    if not paths:
        return ""
    names = [_shorten_path(str(path)) for path in paths]
    noun, pronoun = ("file is", "it") if len(paths) == 1 else ("files are", "them")
    return (
        f"{len(paths)} git-ignored {noun} not in the copy ({list_some(names)}): "
        f"{remedy} {pronoun}, or generate {pronoun} in the build"
    )


def _shorten_path(path: str) -> str:
    return path if len(path) <= _LONGEST_NAME else f"…{path[-_LONGEST_NAME:]}"


def _describe_outside_modules(repository: Repository, folder: Path) -> str:
    """Say which modules a go.mod takes from folders outside of the repository."""
    folders = [
        os.path.relpath(replacement.folder, folder)
        for replacement in find_replacements(folder)
        if not replacement.folder.is_relative_to(repository.top)
    ]
    if not folders:
        return ""
    return (
        f"go.mod replaces a module by a folder outside of the repository, which is not in the "
        f"copy ({list_some(folders)}): move it into the repository, or require a published version"
    )


def _is_output(folder: Path, path: PurePosixPath) -> bool:
    """Tell whether a tool makes a file: build outputs, caches and settings of an editor."""
    if any(part.startswith(".") or PurePosixPath(part).suffix in _OUTPUT_SUFFIXES
           for part in path.parts):  # fmt: skip
        return True
    parents = [parent for parent in path.parents if parent.name]
    return any(
        parent.name in _OUTPUT_FOLDERS or is_build_output(folder / parent.parent, parent.name)
        for parent in parents
    )
