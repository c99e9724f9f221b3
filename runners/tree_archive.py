"""Folders on their way to another machine."""

import io
import tarfile
from collections.abc import Iterable
from pathlib import Path

from auditor.core.errors import MachineError
from runners.disk import writing
from runners.home import Home
from runners.subjects.tree_entries import settle


def pack_folders(places: Iterable[tuple[str, Path]]) -> bytes:
    """Return an archive of folders and files by their names in it."""
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w:gz", compresslevel=1) as archive:
        for name, place in places:
            archive.add(place, name)
    return into.getvalue()


def unpack_folders(archive: bytes, digest: str, home: Home) -> Path:
    """Return the folder of what was sent under a digest, with it as it was sent.

    Raises MachineError.
    """
    there = home.subjects() / f"sent-{digest[:24]}"
    with home.scratch() as scratch, writing(there):
        try:
            with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
                opened.extractall(scratch / "tree", filter="tar")
        except tarfile.TarError as error:
            raise MachineError(f"the received files cannot be unpacked: {error}") from error
        settle(scratch / "tree", there, scratch)
    return there
