"""Folders on their way to another machine."""

import io
import os
import tarfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from auditor.core.errors import MachineError
from runners.home import Home
from runners.hosts.disk import writing
from runners.subjects.files import remove, settle

_SENT = "sent-"
_UNUSED_SECONDS = 30 * 86_400


def packed(places: Iterable[tuple[str, Path]]) -> bytes:
    """Return an archive of folders and files by their names in it."""
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w:gz", compresslevel=1) as archive:
        for name, place in places:
            archive.add(place, name)
    return into.getvalue()


def unpacked(archive: bytes, digest: str, home: Home) -> Path:
    """Return the folder of what was sent under a digest, with it as it was sent.

    What was sent before, and nobody has used for long, is removed. Raises MachineError.
    """
    there = home.subjects() / f"{_SENT}{digest[:24]}"
    with home.scratch() as scratch, writing(there):
        try:
            with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
                opened.extractall(scratch / "tree", filter="tar")
        except tarfile.TarError as error:
            raise MachineError(f"what was sent cannot be unpacked: {error}") from error
        settle(scratch / "tree", there, scratch)
        os.utime(there)
    _forget(there)
    return there


def _forget(used: Path) -> None:
    """Remove what was sent and last used long before this: nobody comes to a worker to clean up."""
    now = used.stat().st_mtime
    for other in used.parent.glob(f"{_SENT}*"):
        with suppress(FileNotFoundError):  # another worker is at it, too
            if other.stat().st_mtime < now - _UNUSED_SECONDS:
                remove(other)
