"""Folders on their way to another machine."""

import io
import tarfile
from collections.abc import Iterable
from pathlib import Path

from auditor.core.errors import MachineError
from runners.disk import convert_write_errors
from runners.home import HomeFolder
from runners.subjects.tree_entries import publish_copy


def pack_folders(places: Iterable[tuple[str, Path]]) -> bytes:
    """Return an archive of folders and files by their names in it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as archive:
        for name, place in places:
            archive.add(place, name)
    return buffer.getvalue()


def unpack_folders(archive: bytes, digest: str, home: HomeFolder) -> Path:
    """Return the folder of what was sent under a digest, with it as it was sent.

    Raises MachineError.
    """
    sent_folder = home.make_subjects_folder() / f"sent-{digest[:24]}"
    with home.make_scratch_folder() as scratch, convert_write_errors(sent_folder):
        try:
            with tarfile.open(fileobj=io.BytesIO(archive)) as tar_file:
                tar_file.extractall(scratch / "tree", filter="tar")
        except tarfile.TarError as error:
            raise MachineError(f"the received files cannot be unpacked: {error}") from error
        publish_copy(scratch / "tree", sent_folder, scratch)
    return sent_folder
