"""Copying a tree into a folder named after its content."""

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from auditor.core.errors import SubjectError
from auditor.core.files.paths import is_virtual_environment
from runners.disk import convert_write_errors
from runners.home import HomeFolder, mark_used
from runners.subjects.placed import Files, PlacedSubject

_EVERYWHERE = frozenset(
    (".git", ".hg", ".svn", ".gradle", ".idea", ".venv", "node_modules", "__pycache__")
)
# What a build tool makes, by the file whose presence tells that it is one.
_BUILT = (("target", "pom.xml"), ("build", "build.gradle"), ("build", "build.gradle.kts"))


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file to be copied: a path relative to the tree, and its content or a link's target.

    `content` is a path to be read, or the bytes themselves.
    """

    path: PurePosixPath
    content: Path | bytes = b""
    executable: bool = False
    link: str | None = None


def list_tree_files(top: Path, without: Path | None = None) -> Iterator[PurePosixPath]:
    """List the files of a folder that is under no version control, build outputs left out.

    `without` is a folder of ours that may lie inside.
    """
    for folder, folders, files in os.walk(top):
        current_folder = Path(folder)
        folders[:] = [
            name
            for name in folders
            if not is_build_output(current_folder, name) and current_folder / name != without
        ]
        links = [name for name in folders if (current_folder / name).is_symlink()]
        for name in [*files, *links]:
            yield PurePosixPath((current_folder / name).relative_to(top).as_posix())


def is_build_output(folder: Path, name: str) -> bool:
    """Tell whether a tool makes the folder `name` in a folder."""
    if name in _EVERYWHERE or is_virtual_environment(folder / name):
        return True
    return any(name == built and (folder / mark).is_file() for built, mark in _BUILT)


def make_entries(top: Path, path: PurePosixPath, within: Path | None = None) -> Iterator[TreeEntry]:
    """Make the entries of a path below `top`: none if it is gone or is no file.

    A link inside the tree stays a link. One that leaves the tree is followed once, and only to
    files below `within` (the repository; None means `top`), so that no subject can have private
    files of this machine, or the environment in /proc, copied into what it runs.
    """
    source = top / path
    within = (within or top).resolve()
    try:
        mode = source.lstat().st_mode
        if not source.parent.resolve().is_relative_to(within):
            return  # a folder above it has become a link that leads out
        if stat.S_ISREG(mode):
            yield TreeEntry(path, source, bool(mode & stat.S_IXUSR))
        elif stat.S_ISLNK(mode):
            yield from _make_link_entries(top, path, within)
    except FileNotFoundError:
        return  # tracked, but deleted in the work tree


def _make_link_entries(top: Path, path: PurePosixPath, within: Path) -> Iterator[TreeEntry]:
    target = (top / path).readlink()
    if stays_inside(path, target.as_posix()):
        yield TreeEntry(path, link=target.as_posix())
        return
    real = (top / path).resolve()
    if real.is_relative_to(top.resolve()) and real.exists():
        inside = os.path.relpath(real, (top / path).parent.resolve())
        yield TreeEntry(path, link=PurePosixPath(inside).as_posix())
    elif not _may_be_read(real, within):
        return
    elif real.is_file():
        yield TreeEntry(path, real, os.access(real, os.X_OK))
    elif real.is_dir() and not top.resolve().is_relative_to(real):
        for below in list_tree_files(real):
            if (real / below).is_file() and not (real / below).is_symlink():
                yield TreeEntry(path / below, real / below, os.access(real / below, os.X_OK))


def _may_be_read(real: Path, within: Path) -> bool:
    """Tell whether a resolved path is the repository's content: .git may hold credentials."""
    return real.is_relative_to(within) and ".git" not in real.relative_to(within).parts


def stays_inside(path: PurePosixPath, target: str) -> bool:
    """Tell whether a link at `path` can only lead to a place inside the tree."""
    if target.startswith("/"):
        return False
    depth = len(path.parent.parts)
    for part in PurePosixPath(target).parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return False
    return True


def place_entries(entries: Iterable[TreeEntry], home: HomeFolder) -> tuple[Path, str, Files]:
    """Copy into the folder of this content; return it, the content's digest, and that of each file.

    The folder appears whole or not at all. One that is there already is used if its files are
    still what they were (`publish_copy`): a benchmark may have written into its own tree.
    """
    with home.make_scratch_folder() as scratch:
        copy = scratch / "tree"
        digest, files = _copy_entries(entries, copy)
        target = home.make_subjects_folder() / digest[:24]
        publish_copy(copy, target, scratch)
    return target, digest, files


def publish_copy(copy: Path, target: Path, scratch: Path) -> None:
    """Have a copy in the folder of its content, unless that is there, and still what it was."""
    if not target.is_dir() or not _has_same_files(target, copy):
        with convert_write_errors(target):
            if target.exists():
                target.rename(scratch / "changed")
            try:
                copy.rename(target)
            except OSError:
                # Another auditor was faster: the name is the content's, so it has the same.
                if not target.is_dir():
                    raise
    mark_used(target)


def _copy_entries(entries: Iterable[TreeEntry], copy: Path) -> tuple[str, Files]:
    with convert_write_errors(copy):
        copy.mkdir()
    ordered = sorted(entries, key=lambda tree_entry: str(tree_entry.path))
    files = {item.path.as_posix(): _write_entry(item, copy) for item in ordered}
    if not files:
        raise SubjectError("the subject has no files; name a folder that holds a project")
    tree_hash = hashlib.sha256("\n".join(files.values()).encode(errors="surrogateescape"))
    return tree_hash.hexdigest(), files


_RESULTS = {
    ".json": re.compile(rb'^\{\s*"schema": ?"bench-audit/'),
    ".html": re.compile(rb'<meta name="generator" content="bench-audit">'),
}
"""How results and reports of ours begin, by their suffix."""
_BEGINNING = 400


_CONFIGURATION = re.compile(r"\.?bench-audit([.-].*)?\.(json|ya?ml|toml)")
"""Names of configurations, whichever of them is asked for."""


def is_audit_file(item: TreeEntry) -> bool:
    """Tell whether this is a result, a report or a configuration of ours: no part of a subject."""
    if _CONFIGURATION.fullmatch(item.path.name):
        return True
    begins = _RESULTS.get(item.path.suffix)
    if begins is None or item.link is not None:
        return False
    if isinstance(item.content, bytes):
        return begins.search(item.content[:_BEGINNING]) is not None
    try:
        with item.content.open("rb") as file:
            return begins.search(file.read(_BEGINNING)) is not None
    except OSError:
        return False  # reading the whole says why


def _write_entry(item: TreeEntry, copy: Path) -> str:
    """Write one entry; return its line in the digest."""
    target = copy / item.path
    _refuse_escape(item, copy)
    if item.link is not None:
        with convert_write_errors(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(item.link)
        return _make_link_line(item.path.as_posix(), item.link)
    content = _read_content(item)
    with convert_write_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o755 if item.executable else 0o644)
    return _make_file_line(item.path.as_posix(), content, executable=item.executable)


def _make_link_line(path: str, target: str) -> str:
    return f"link {path}\0{target}"


def _make_file_line(path: str, content: bytes, *, executable: bool) -> str:
    return f"{executable:d} {path}\0{hashlib.sha256(content).hexdigest()}"


def list_changed_files(placed: PlacedSubject) -> list[str]:
    """Return the copied files that are no longer what was copied, by their paths in the copy.

    What was written beside them is none: a suite may leave there what it likes.
    """
    return [
        path for path, line in placed.files.items() if _read_digest_line(placed.root, path) != line
    ]


def _read_digest_line(root: Path, path: str) -> str | None:
    """Return what tells the content of a file; None if it is gone or cannot be read."""
    full_path = root / path
    try:
        if full_path.is_symlink():
            return _make_link_line(path, full_path.readlink().as_posix())
        executable = bool(full_path.stat().st_mode & stat.S_IXUSR)
        return _make_file_line(path, full_path.read_bytes(), executable=executable)
    except OSError:
        return None


def _read_content(item: TreeEntry) -> bytes:
    if isinstance(item.content, bytes):
        return item.content
    try:
        return item.content.read_bytes()
    except OSError as error:
        raise SubjectError(
            f"cannot read {item.content}: {error.strerror}; make the file readable or remove it"
        ) from error


def _refuse_escape(item: TreeEntry, copy: Path) -> None:
    """Refuse a path that leaves the copy: by its parts, or through a link copied before."""
    parents = [copy.joinpath(*item.path.parts[:n]) for n in range(1, len(item.path.parts))]
    if item.path.is_absolute() or ".." in item.path.parts or any(p.is_symlink() for p in parents):
        raise SubjectError(
            f"the subject has a file outside of its folder: {item.path.as_posix()}; remove it"
        )


def _has_same_files(target: Path, copy: Path) -> bool:
    """Tell whether each file of `copy` is in `target`, unchanged."""
    for path in (file for file in copy.rglob("*") if not file.is_dir() or file.is_symlink()):
        target_file = target / path.relative_to(copy)
        if path.is_symlink() or target_file.is_symlink():
            if not target_file.is_symlink() or target_file.readlink() != path.readlink():
                return False
        elif not target_file.is_file() or target_file.read_bytes() != path.read_bytes():
            return False
    return True
