"""The sources of a subject as text, for what only reads them."""

import errno
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from auditor.core.errors import SubjectError, UsageError
from auditor.core.files.foreign_files import open_regular
from auditor.core.ports import Host
from auditor.core.request import FolderSpec, JarSpec, MavenSpec, SubjectSpec
from auditor.core.subject import SourceFile, SourceRole
from runners.home import HomeFolder
from runners.subjects.place import place_subject
from runners.subjects.repository import Repository
from runners.subjects.tree_entries import list_tree_files

_OF_OTHERS = frozenset(("vendor", "node_modules", "site-packages", "third_party"))
"""Folders of code that others maintain."""
_LARGEST = 2_000_000
_MOST = 50_000_000
"""Bytes that are read of a file at most."""


@dataclass(frozen=True, slots=True)
class SubjectSources:
    """The files of a subject that have one of the endings asked for; `name` is the subject's.

    `large` are those of more than 2 MB.
    """

    name: str
    revision: str
    files: tuple[SourceFile, ...]
    large: tuple[SourceFile, ...]


def read_subject_sources(
    spec: SubjectSpec,
    endings: tuple[str, ...],
    *,
    home: HomeFolder,
    host: Host,
    environment: tuple[tuple[str, str], ...],
) -> SubjectSources:
    """Read the sources of a subject; nothing of it is run or built.

    A folder is read where it is, whatever project it belongs to; what its repository ignores is
    left out, and so are links and vendored code. Raises UsageError and SubjectError.
    """
    if isinstance(spec, JarSpec | MavenSpec):
        raise UsageError("an artifact has no benchmark sources; name a folder or a revision")
    if isinstance(spec, FolderSpec):
        folder = _require_folder(spec.path)
        repository = Repository.find_enclosing(folder)
        paths = repository.list_files(folder) if repository else list_tree_files(folder)
        head = repository.find_head() if repository else None
        return _make_sources(
            folder.name, head[:12] if head else "", _read_source_files(folder, paths, endings)
        )
    placed_subject = place_subject(spec, home=home, host=host, environment=environment)
    inside = placed_subject.tree.relative_to(placed_subject.root)
    below = [PurePosixPath(file) for file in placed_subject.files]
    paths = (path.relative_to(inside) for path in below if path.is_relative_to(inside))
    return _make_sources(
        placed_subject.name,
        placed_subject.revision,
        _read_source_files(placed_subject.tree, paths, endings),
    )


def _make_sources(name: str, revision: str, files: Iterable[SourceFile]) -> SubjectSources:
    by_size: tuple[list[SourceFile], list[SourceFile]] = ([], [])
    for file in files:
        by_size[len(file.text) > _LARGEST].append(file)
    files, large = map(tuple, by_size)
    return SubjectSources(name, revision, files, large)


def _require_folder(path: Path) -> Path:
    folder = path.expanduser().absolute()
    if not folder.is_dir():
        raise UsageError(f"no such folder: {path}; name the folder of a project")
    return folder.resolve()


def _read_source_files(
    folder: Path, paths: Iterable[PurePosixPath], endings: tuple[str, ...]
) -> Iterator[SourceFile]:
    for path in sorted(paths):
        if path.name.endswith(endings) and not _OF_OTHERS.intersection(path.parts):
            text = _read_text(folder, path)
            if text is not None:
                name = os.fsencode(path).decode(errors="replace")
                yield SourceFile(
                    path=name,
                    unit=str(PurePosixPath(name).parent),
                    role=SourceRole.BENCHMARKS,
                    text=text,
                )


def _read_text(folder: Path, path: PurePosixPath) -> bytes | None:
    """Return what a file holds, its first part of more than _MOST; None for what is no file.

    What is no file of this folder, but of another, is none.
    """
    try:
        # A link may lead anywhere, and so may a folder on the way.
        if os.path.realpath(folder / path) != str(folder / path):
            return None
        with open_regular(folder / path) as file:
            return file.read(_MOST)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EINVAL):  # a link to itself, a pipe
            return None
        raise SubjectError(f"cannot read {path}: {(error.strerror or '').lower()}") from error
