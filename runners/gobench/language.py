"""The version of Go that a module is written for."""

import re
from pathlib import Path

_LINE = re.compile(r"^go\s+(\d+)\.(\d+)", re.MULTILINE)


def language_version(root: Path, folder: str) -> tuple[int, int] | None:
    """Return what the `go` line of the module around a folder (POSIX, below root) says.

    None where it has none: that is an old module, or there is no `go.mod`.
    """
    place = root / folder
    for each in (place, *place.parents):
        try:
            text = (each / "go.mod").read_text(encoding="utf-8", errors="replace")
        except OSError:
            text = None
        if text is not None:
            line = _LINE.search(text)
            return (int(line[1]), int(line[2])) if line else None
        if each == root:
            break
    return None
