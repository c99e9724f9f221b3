"""What is at a path that a user wrote; a name that cannot be one, as it is too long, is nothing."""

import stat
from pathlib import Path


def is_file(path: Path) -> bool:
    """Tell whether there is a regular file."""
    return stat.S_ISREG(_read_mode(path))


def is_dir(path: Path) -> bool:
    """Tell whether there is a folder."""
    return stat.S_ISDIR(_read_mode(path))


def path_exists(path: Path) -> bool:
    """Tell whether there is anything."""
    return _read_mode(path) != 0


def is_virtual_environment(folder: Path) -> bool:
    """Tell whether a folder is a virtual environment of Python, whatever its name is."""
    return is_file(folder / "pyvenv.cfg")


def _read_mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return 0
