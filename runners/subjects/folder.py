"""A folder as it is now, uncommitted changes included."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, dropwhile, takewhile
from pathlib import Path, PurePosixPath

from auditor.core.errors import SubjectError, UsageError
from auditor.core.files.foreign_files import read_beginning
from auditor.core.request import FolderSpec
from runners.home import HomeFolder
from runners.subjects.gomod import find_replacements
from runners.subjects.gopath import add_module_file
from runners.subjects.placed import (
    MARKS,
    PlacedSubject,
    detect_kind,
    find_marks,
    holds_home,
    is_gopath,
)
from runners.subjects.repository import Repository
from runners.subjects.survey import choose_kind, explain_unsupported
from runners.subjects.tree_entries import (
    TreeEntry,
    is_audit_file,
    list_tree_files,
    make_entries,
    place_entries,
)


def place_folder(spec: FolderSpec, home: HomeFolder) -> PlacedSubject:
    """Copy the folder, and those around it that its build looks at."""
    folder = require_project_folder(spec.path)
    repository = Repository.find_enclosing(folder)
    if repository and repository.ignores_folder(folder):
        repository, copied = None, [folder]
    else:
        copied = _list_copied_folders(folder, repository)
    top = Path(os.path.commonpath(copied))
    inside = PurePosixPath(folder.relative_to(top).as_posix())
    all_entries = chain.from_iterable(
        _list_folder_entries(top, path, repository, home) for path in copied
    )
    entries: Iterable[TreeEntry]
    entries = (
        tree_entry
        for tree_entry in all_entries
        if not _is_left_out(tree_entry, spec) and not is_audit_file(tree_entry)
    )
    if is_gopath(folder):
        origin = repository.read_origin() if repository else ""
        entries = add_module_file(entries, inside, origin or str(top))
    root, digest, files = place_entries(entries, home)
    tree = root / inside
    if detect_kind(tree) is None:
        raise SubjectError(
            f"git ignores the build files of {folder} (such as {MARKS}), so they are not in the "
            "copy; un-ignore them"
        )
    now = f"as it is, content {digest[:12]}"
    head = repository.find_head() if repository else None
    return PlacedSubject(
        root=root,
        tree=tree,
        name=folder.name or "subject",
        revision=f"{head[:12]} {now}" if head else now,
        digest_of_tree=f"{digest}:{inside}",
        files=files,
        tag=repository.find_nearest_tag(head) if repository and head else "",
    )


def _is_left_out(tree_entry: TreeEntry, spec: FolderSpec) -> bool:
    """Tell whether this is the configuration, or lies where results of this command go."""
    content = tree_entry.content
    if not isinstance(content, Path):
        return False
    return content == spec.configuration or any(map(content.is_relative_to, spec.outputs))


def require_project_folder(path: Path) -> Path:
    """Return the resolved path of a project; raises for what is none."""
    folder = path.expanduser().absolute()
    if not folder.exists():
        raise UsageError(f"no such folder: {path}; name the folder of a project")
    if not folder.is_dir():
        raise UsageError(f"not a folder: {path}; name the folder of a project")
    if detect_kind(folder) is None:
        raise SubjectError(explain_unsupported(folder, str(path)))
    return folder.resolve()


def _list_copied_folders(folder: Path, repository: Repository | None) -> list[Path]:
    """Return the folders that are copied: what the build of `folder` needs, none in another.

    Besides the tree around it these are folders that its go.mod takes modules from: within the
    repository, or, where there is none, beside the folder, below or above it. A stranger may have
    written the go.mod, so no other module of this machine is copied.
    """
    top = _find_outermost_folder(folder, repository)
    within = repository.top if repository else folder.parent
    targets = sorted(
        replacement.folder
        for replacement in find_replacements(folder)
        if replacement.folder.is_relative_to(within)
        or (repository is None and folder.is_relative_to(replacement.folder))
    )
    if repository is None:
        top = next((target for target in targets if top.is_relative_to(target)), top)
    folders = [top]
    for target in targets:
        if not any(target.is_relative_to(path) or path.is_relative_to(target) for path in folders):
            folders.append(target)
    return folders


def _list_folder_entries(
    top: Path, folder: Path, repository: Repository | None, home: HomeFolder
) -> Iterator[TreeEntry]:
    """Yield the entries of a folder by their paths below `top`."""
    prefix = PurePosixPath(folder.relative_to(top).as_posix())
    for tree_entry in (
        _list_tracked_entries(folder, repository, home)
        if repository
        else _list_all_entries(folder, home)
    ):
        yield replace(tree_entry, path=prefix / tree_entry.path)


def _find_outermost_folder(folder: Path, repository: Repository | None) -> Path:
    """Return the folder that the build of `folder` needs: up to the outermost project around it.

    Not simply the repository's top: a change of a file that no build sees must not make a new
    subject. Nor has a project of another language around it a part in its build. Where the project
    names its neighbours, their common ground is not known. A Go tree without go.mod is one module.
    """
    if is_gopath(folder):
        return repository.top if repository and not holds_home(repository.top) else folder
    kind = choose_kind(folder)
    if repository is None:
        parents = folder.parents if find_marks(folder) else _list_enclosing_folders(folder, kind)
        around = list(takewhile(lambda path: kind in find_marks(path), parents))
        return around[-1] if around else folder
    inside = [
        parent for parent in (folder, *folder.parents) if parent.is_relative_to(repository.top)
    ]
    if any(b"../" in read_beginning(folder / mark) for mark in ("go.mod", "go.work", "pom.xml")):
        return repository.top
    return [path for path in inside if path == folder or kind in find_marks(path)][-1]


def _list_enclosing_folders(folder: Path, kind: str | None) -> Iterator[Path]:
    """Yield the folders around a part of a project, from the project's own on."""
    return dropwhile(lambda path: kind not in find_marks(path), folder.parents)


def _list_all_entries(top: Path, home: HomeFolder) -> Iterator[TreeEntry]:
    for path in list_tree_files(top, without=home.root.resolve()):
        yield from make_entries(top, path)


def _list_tracked_entries(
    top: Path, repository: Repository, home: HomeFolder
) -> Iterator[TreeEntry]:
    """Yield the files that are tracked, and those that are new and not ignored."""
    home_root = home.root.resolve()
    for path in repository.list_files(top):
        full_path = top / path
        if full_path.is_relative_to(home_root):
            continue
        if full_path.is_dir() and not full_path.is_symlink():
            yield from _list_nested_entries(full_path, path, home)
        else:
            yield from make_entries(top, path, repository.top)


def _list_nested_entries(
    full_path: Path, path: PurePosixPath, home: HomeFolder
) -> Iterator[TreeEntry]:
    """Yield the files of a submodule, or of a repository that merely lies inside another."""
    inner = Repository.find_enclosing(full_path)
    if inner is None or inner.top != full_path.resolve():
        return  # a submodule that was never checked out is an empty folder
    for tree_entry in _list_tracked_entries(inner.top, inner, home):
        yield replace(tree_entry, path=path / tree_entry.path)
