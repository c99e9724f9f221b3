"""The version of Go that a module is written for."""

from pathlib import Path

from auditor.core.files.paths import is_file
from runners.subjects.gomod import MODULE_FILE, go_version


def language_version(root: Path, folder: str) -> tuple[int, int] | None:
    """Return what the `go` line of the module around a folder (POSIX, below root) says.

    None where it has none: that is an old module, or there is no `go.mod`.
    """
    place = root / folder
    for each in (place, *place.parents):
        if is_file(each / MODULE_FILE):
            return go_version(each)
        if each == root:
            break
    return None
