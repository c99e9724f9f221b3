"""The guest's files, and a digest of them: they decide what is measured."""

import hashlib
from importlib import resources
from pathlib import Path

FOLDER = "guest"


def _read_guest_files() -> tuple[tuple[str, bytes], ...]:
    """Return the names and contents of the files that go with each process."""
    folder = resources.files("runners.pybench") / FOLDER
    parts = sorted(folder.iterdir(), key=lambda part: part.name)
    return tuple((part.name, part.read_bytes()) for part in parts if part.name.endswith(".py"))


def locate_guest_files(build_folder: Path) -> tuple[tuple[Path, bytes], ...]:
    """Return the files by where they are to be, in a folder of ours."""
    return tuple((build_folder / FOLDER / name, text) for name, text in _read_guest_files())


def digest_guest() -> str:
    """Return a digest of all of them, hexadecimal."""
    sha = hashlib.sha256()
    for name, text in _read_guest_files():
        sha.update(f"{name}\0{len(text)}\0".encode())
        sha.update(text)
    return sha.hexdigest()[:16]
