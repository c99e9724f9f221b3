"""A folder as it is now, uncommitted changes included."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, dropwhile, takewhile
from pathlib import Path, PurePosixPath

from auditor.core.errors import SubjectError, UsageError
from auditor.core.files.foreign_files import read_beginning
from auditor.core.request import FolderSpec
from runners.home import Home
from runners.subjects.gomod import replacements
from runners.subjects.gopath import with_module_file
from runners.subjects.other_builds import advice
from runners.subjects.placed import MARKS, Placed, detect, holds_home, is_gopath, marks_of
from runners.subjects.repository import Repository
from runners.subjects.survey import candidates
from runners.subjects.tree_entries import TreeEntry, entry, is_ours, place_entries, walk


def place_folder(spec: FolderSpec, home: Home) -> Placed:
    """Copy the folder, and those around it that its build looks at."""
    folder = project_folder(spec.path)
    repository = Repository.around(folder)
    copied = _copied(folder, repository)
    top = Path(os.path.commonpath(copied))
    inside = PurePosixPath(folder.relative_to(top).as_posix())
    every = chain.from_iterable(_below(top, path, repository, home) for path in copied)
    entries: Iterable[TreeEntry]
    entries = (
        tree_entry
        for tree_entry in every
        if not _is_left_out(tree_entry, spec) and not is_ours(tree_entry)
    )
    if is_gopath(folder):
        origin = repository.origin() if repository else ""
        entries = with_module_file(entries, inside, origin or str(top))
    root, digest, files = place_entries(entries, home)
    tree = root / inside
    if detect(tree) is None:
        raise SubjectError(f"{folder} is ignored by its repository, so it cannot be copied")
    now = f"as it is, content {digest[:12]}"
    head = repository.head() if repository else None
    return Placed(
        root=root,
        tree=tree,
        name=folder.name or "subject",
        revision=f"{head[:12]} {now}" if head else now,
        digest_of_tree=f"{digest}:{inside}",
        files=files,
        tag=repository.tag(head) if repository and head else "",
    )


def _is_left_out(tree_entry: TreeEntry, spec: FolderSpec) -> bool:
    """Tell whether this is the configuration, or lies where results of this command go."""
    content = tree_entry.content
    if not isinstance(content, Path):
        return False
    return content == spec.configuration or any(map(content.is_relative_to, spec.outputs))


def project_folder(path: Path) -> Path:
    """Return the resolved path of a project; raises for what is none."""
    folder = path.expanduser().absolute()
    if not folder.exists():
        raise UsageError(f"no such folder: {path}; name the folder of a project")
    if not folder.is_dir():
        raise UsageError(f"not a folder: {path}; name the folder of a project")
    if detect(folder) is None:
        if other := advice(folder):
            raise SubjectError(f"{path} cannot be built here: {other}")
        raise SubjectError(
            f"{path} is not a project that can be audited: it has no {MARKS} and no Go files "
            f"of its own; {candidates(folder, str(path))}"
        )
    return folder.resolve()


def _copied(folder: Path, repository: Repository | None) -> list[Path]:
    """Return the folders that are copied: what the build of `folder` needs, none in another.

    Besides the tree around it these are folders that its go.mod takes modules from: within the
    repository, or, where there is none, beside the folder, below or above it. A stranger may have
    written the go.mod, so no other module of this machine is copied.
    """
    top = _outermost(folder, repository)
    within = repository.top if repository else folder.parent
    targets = sorted(
        replacement.folder
        for replacement in replacements(folder)
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


def _below(
    top: Path, folder: Path, repository: Repository | None, home: Home
) -> Iterator[TreeEntry]:
    """Yield the entries of a folder by their paths below `top`."""
    prefix = PurePosixPath(folder.relative_to(top).as_posix())
    for tree_entry in _tracked(folder, repository, home) if repository else _all(folder, home):
        yield replace(tree_entry, path=prefix / tree_entry.path)


def _outermost(folder: Path, repository: Repository | None) -> Path:
    """Return the folder that the build of `folder` needs: up to the outermost project around it.

    Not simply the repository's top: a change of a file that no build sees must not make a new
    subject. Nor has a project of another language around it a part in its build. Where the project
    names its neighbours, their common ground is not known. A Go tree without go.mod is one module.
    """
    if is_gopath(folder):
        return repository.top if repository and not holds_home(repository.top) else folder
    kind = detect(folder)
    if repository is None:
        parents = folder.parents if marks_of(folder) else _from_mark(folder, kind)
        around = list(takewhile(lambda path: kind in marks_of(path), parents))
        return around[-1] if around else folder
    inside = [
        parent for parent in (folder, *folder.parents) if parent.is_relative_to(repository.top)
    ]
    if any(b"../" in read_beginning(folder / mark) for mark in ("go.mod", "go.work", "pom.xml")):
        return repository.top
    return [path for path in inside if path == folder or kind in marks_of(path)][-1]


def _from_mark(folder: Path, kind: str | None) -> Iterator[Path]:
    """Yield the folders around a part of a project, from the project's own on."""
    return dropwhile(lambda path: kind not in marks_of(path), folder.parents)


def _all(top: Path, home: Home) -> Iterator[TreeEntry]:
    for path in walk(top, without=home.root.resolve()):
        yield from entry(top, path)


def _tracked(top: Path, repository: Repository, home: Home) -> Iterator[TreeEntry]:
    """Yield the files that are tracked, and those that are new and not ignored."""
    ours = home.root.resolve()
    for path in repository.files(top):
        here = top / path
        if here.is_relative_to(ours):
            continue
        if here.is_dir() and not here.is_symlink():
            yield from _nested(here, path, home)
        else:
            yield from entry(top, path, repository.top)


def _nested(here: Path, path: PurePosixPath, home: Home) -> Iterator[TreeEntry]:
    """Yield the files of a submodule, or of a repository that merely lies inside another."""
    inner = Repository.around(here)
    if inner is None or inner.top != here.resolve():
        return  # a submodule that was never checked out is an empty folder
    for tree_entry in _tracked(inner.top, inner, home):
        yield replace(tree_entry, path=path / tree_entry.path)
