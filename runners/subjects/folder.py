"""A folder as it is now, uncommitted changes included."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from pathlib import Path, PurePosixPath

from auditor.core.errors import SubjectError, UsageError
from auditor.core.request import FolderSpec
from runners.home import Home
from runners.subjects.files import Entry, entry, is_ours, place_entries, walk
from runners.subjects.other_builds import advice
from runners.subjects.placed import MARKS, Placed, detect
from runners.subjects.repository import Repository


def place_folder(spec: FolderSpec, home: Home) -> Placed:
    """Copy the folder, and those around it that its build looks at."""
    folder = project_folder(spec.path)
    repository = Repository.around(folder)
    top = _outermost(folder, repository)
    inside = PurePosixPath(folder.relative_to(top).as_posix())
    every = _tracked(top, repository, home) if repository else _all(top, home)
    entries = (one for one in every if one.content != spec.configuration and not is_ours(one))
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
            f"{path} is not a project that can be audited: it has no {MARKS}; name the folder that "
            "has one"
        )
    return folder.resolve()


def _outermost(folder: Path, repository: Repository | None) -> Path:
    """Return the folder that the build of `folder` needs: up to the outermost project around it.

    Not simply the repository's top: a change of a file that no build sees must not make a new
    subject. Nor has a project of another language around it a part in its build. Where the project
    names its neighbours, their common ground is not known.
    """
    kind = detect(folder)
    if repository is None:
        around = list(takewhile(lambda each: detect(each) == kind, folder.parents))
        return around[-1] if around else folder
    inside = [folder, *folder.parents]
    inside = inside[: inside.index(repository.top) + 1]
    if any("../" in _text(folder / mark) for mark in ("go.mod", "go.work", "pom.xml")):
        return repository.top
    return [each for each in inside if detect(each) == kind][-1]


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.is_file() else ""


def _all(top: Path, home: Home) -> Iterator[Entry]:
    for path in walk(top, without=home.root.resolve()):
        yield from entry(top, path)


def _tracked(top: Path, repository: Repository, home: Home) -> Iterator[Entry]:
    """Yield the files that are tracked, and those that are new and not ignored."""
    ours = home.root.resolve()
    for path in repository.files(top):
        here = top / path
        if here.is_relative_to(ours):
            continue
        if here.is_dir() and not here.is_symlink():
            yield from _nested(here, path, home)
        else:
            yield from entry(top, path)


def _nested(here: Path, path: PurePosixPath, home: Home) -> Iterator[Entry]:
    """Yield the files of a submodule, or of a repository that merely lies inside another."""
    inner = Repository.around(here)
    if inner is None or inner.top != here.resolve():
        return  # a submodule that was never checked out is an empty folder
    for each in _tracked(inner.top, inner, home):
        yield replace(each, path=path / each.path)
