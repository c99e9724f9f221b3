"""A folder that is kept like its namesake on another machine: what differs is sent and fetched."""

import json
import os
import shutil
import stat
import tarfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from auditor.core.errors import FolderUnusable, SubjectError
from runners.disk import convert_write_errors
from runners.hosts.exchange import is_harmless_link

_LOCK = ".bench-audit-lock"
_CACHES = "cache"
_FOLDER = "folder"
_FAR = "far"
"""What only the other machine has: no file, or a link that must not be followed here."""
SKIPPED = ("cache/go", "cache/go-build", "cache/go-path")
"""What only processes read: it stays where they run."""
_SKIPPED = tuple(f"{name}/" for name in SKIPPED)
FileStatuses = dict[str, str]
"""Paths below the folder, and what tells that a file is another one: its status."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What is to be sent, paths relative to the folder: what there is now, and what is gone."""

    remote_files: FileStatuses
    removed_paths: tuple[str, ...]

    def __bool__(self) -> bool:
        """Tell whether there are any."""
        return bool(self.remote_files or self.removed_paths)


@dataclass(slots=True)
class Mirror:
    """Remembers what both sides have. `token` names the state of the other side that is meant."""

    root: Path
    memory: Path
    token: str = ""
    known_files: FileStatuses = field(default_factory=dict)

    @classmethod
    def load_mirror(cls, root: Path, memory: Path) -> "Mirror":
        """Return what was saved; without that, or where it is damaged, nothing is known."""
        with suppress(OSError, ValueError, KeyError):
            record = json.loads(memory.read_bytes())
            return cls(root, memory, str(record["token"]), dict(record["known"]))
        return cls(root, memory)

    def save_statuses(self) -> None:
        """Keep it for the next time."""
        new = self.memory.with_suffix(".new")
        with convert_write_errors(new):
            new.write_text(json.dumps({"token": self.token, "known": self.known_files}))
            new.replace(self.memory)

    def find_changes(self, *, caches: bool) -> Changes:
        """Return what has changed here since both sides were alike, in caches too if asked."""
        now = dict(self._walk_tree(caches=caches))
        present_files = {
            path: status for path, status in now.items() if self.known_files.get(path) != status
        }
        removed_paths = [
            path
            for path, status in self.known_files.items()
            if path not in now
            and (caches or path.partition("/")[0] != _CACHES)
            and (status != _FAR or not (self.root / path).parent.is_dir())
        ]
        return Changes(present_files, tuple(removed_paths))

    def mark_sent(self, changes: Changes) -> None:
        """Remember that the other side has these."""
        for path in changes.removed_paths:
            self.known_files.pop(path, None)
        self.known_files |= changes.remote_files

    def forget_sent(self, changes: Changes) -> list[str]:
        """Forget the files of changes that may have come in part; returns them."""
        files = [path for path, status in changes.remote_files.items() if status != _FOLDER]
        for path in files:
            self.known_files.pop(path, None)
        return files

    def pack_changes(self, changes: Changes, archive_file: IO[bytes]) -> None:
        """Write an archive of what is there now."""
        with tarfile.open(fileobj=archive_file, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for path in changes.remote_files:
                with suppress(FileNotFoundError):  # it is gone by now, as scratch files go
                    archive.add(self.root / path, path, recursive=False, filter=_anonymise_member)

    def reconcile_names(self, names: Iterable[str], changed: Iterable[str]) -> list[str]:
        """Take what the other side has after an auditor was killed; what is here counts.

        Returns what the other side has to drop.
        """
        for path in changed:
            self.known_files.pop(path, None)
        extra = [path for path in names if not os.path.lexists(self.root / path)]
        extra = [path for path in extra if self.known_files.get(path) != _FAR]
        for path in extra:
            self.known_files.pop(path, None)
        return extra

    def forget_missing(self, scope: Iterable[str], names: set[str]) -> bool:
        """Remove here what a process has removed in some folders of the other side.

        Tells whether a folder was among it, or was renamed.
        """
        folders = False
        below = tuple("" if name == "." else f"{name}/" for name in scope)
        missing_paths = [
            candidate
            for candidate in self.known_files
            if candidate.startswith(below) and candidate not in names
        ]
        for path in sorted(missing_paths, reverse=True):  # what is in a folder comes before it
            if path in SKIPPED or path.startswith(_SKIPPED):
                continue
            status = self.known_files.pop(path)
            place = self.root / path
            if status == _FOLDER:
                folders = True
                with suppress(OSError):  # what we have put into it meanwhile stays, and is sent
                    place.rmdir()
            elif status != _FAR and status == self._read_status(path):
                place.unlink()
        return folders

    def list_missed(
        self, names: Iterable[str], came: set[str], renamed: Iterable[str]
    ) -> tuple[str, ...]:
        """Return what the other side has and we have not, or may have with another content.

        `came` has been taken; what is in `renamed` folders is not told by its own status.
        """
        below = tuple(f"{name}/" for name in renamed)
        return tuple(
            path
            for path in names
            if path not in came and (path not in self.known_files or path.startswith(below))
        )

    def mark_remote_only(self, paths: Iterable[str]) -> None:
        """Remember what only the other machine has: it cannot be read."""
        self.known_files |= dict.fromkeys(paths, _FAR)

    def extract_member(self, archive: tarfile.TarFile, member: tarfile.TarInfo, path: str) -> None:
        """Put a file or a link of the other side here; raises SubjectError where it leads away."""
        place = self._locate_path(path)
        if member.isreg() or member.islnk():
            content = archive.extractfile(member)
            with convert_write_errors(place):
                self._clear_place(place)
                with place.open("wb") as to:
                    shutil.copyfileobj(content, to) if content else None
                place.chmod(member.mode & 0o777 | stat.S_IRUSR | stat.S_IWUSR)
                os.utime(place, (member.mtime, member.mtime))
        elif member.issym() and is_harmless_link(place, Path(member.linkname), self.root):
            with convert_write_errors(place):
                self._clear_place(place)
                place.symlink_to(member.linkname)
        else:
            self._clear_place(place)
            self.known_files[path] = _FAR
            return
        self.known_files[path] = _format_status(place.lstat(), place)

    def make_folders(self, folders: Iterable[str]) -> None:
        """Have the folders that the other side has."""
        for path in folders:
            place = self._locate_path(path)
            if place.is_symlink() or not place.is_dir():
                with convert_write_errors(place):
                    self._clear_place(place)
                    place.mkdir()
            self.known_files[path] = _FOLDER

    def _read_status(self, path: str) -> str:
        """Return the status of what is here, nothing where nothing is."""
        place = self.root / path
        try:
            return _format_status(place.lstat(), place)
        except OSError:
            return ""

    def _locate_path(self, path: str) -> Path:
        """Return where something belongs; the other side's word is not taken for it."""
        parts = PurePosixPath(path).parts
        place = self.root.joinpath(*parts)
        if not parts or ".." in parts or PurePosixPath(path).is_absolute():
            raise SubjectError(
                f"the other machine names {path!r}, which is outside of the folder; nothing was "
                "written"
            )
        with convert_write_errors(place):
            place.parent.mkdir(parents=True, exist_ok=True)
        if not place.parent.resolve().is_relative_to(self.root.resolve()):
            raise SubjectError(
                f"a link leads from {place.parent} to {place.parent.resolve()}; nothing was "
                "written through it"
            )
        return place

    def _clear_place(self, place: Path) -> None:
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)

    def _walk_tree(self, *, caches: bool) -> Iterator[tuple[str, str]]:
        ways = [("", self.root)]
        while ways:
            prefix, folder = ways.pop()
            try:
                entries = list(os.scandir(folder))
            except FileNotFoundError:
                continue
            except OSError as error:
                raise FolderUnusable(f"cannot read {folder}: {error.strerror}") from error
            for entry in entries:
                path = prefix + entry.name
                if entry.is_dir(follow_symlinks=False):
                    if caches or path != _CACHES:
                        yield path, _FOLDER
                        ways.append((f"{path}/", Path(entry.path)))
                elif entry.name != _LOCK:
                    with suppress(FileNotFoundError):
                        yield (
                            path,
                            _format_status(entry.stat(follow_symlinks=False), Path(entry.path)),
                        )


def _format_status(file_status: os.stat_result, place: Path) -> str:
    if stat.S_ISLNK(file_status.st_mode):
        return f"link {place.readlink()}"
    return (
        f"{file_status.st_size} {file_status.st_mtime_ns} {file_status.st_ino} "
        f"{file_status.st_mode & 0o777:o}"
    )


def _anonymise_member(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Send files, links and folders, and whose they are is nobody's business."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    is_supported = member.isreg() or member.islnk() or member.issym() or member.isdir()
    return member if is_supported else None


def split_names(names: bytes) -> list[str]:
    """Return the names that `find -print0` has written, relative to the folder."""
    paths = (os.fsdecode(line).removeprefix("./") for line in names.split(b"\0"))
    return [path for path in paths if path and path != "."]


def join_names(names: Iterable[str]) -> bytes:
    """Return names as xargs -0 reads them."""
    return b"".join(os.fsencode(f"./{name}") + b"\0" for name in names)
