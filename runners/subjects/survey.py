"""The suites below a folder: projects of any language whose sources hold benchmarks."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from runners.subjects.gomod import MODULE_FILE
from runners.subjects.look import LEFT_OUT, Found, look_as
from runners.subjects.placed import KINDS, is_gopath, marks_of

MOST_FOLDERS = 20_000
"""Folders that are looked into: a stranger's tree may be a home directory."""
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class SuiteFolder:
    """A project below a folder, with what its sources show.

    `path` is relative to that folder (POSIX), "." for the folder itself.
    """

    path: str
    seen: Found

    @property
    def text(self) -> str:
        """Return the folder, its harness and how many benchmarks its sources have."""
        count = self.seen.benchmarks
        return f"{self.path} ({self.seen.harness}, {count} benchmark{'' if count == 1 else 's'})"


def suites(top: Path, harness: str | None = None) -> tuple[SuiteFolder, ...]:
    """Return the projects at and below a folder that have benchmarks, those with most first.

    Modules of one Maven, Gradle or Python project count as part of the outermost one; each Go
    module is a project of its own. `harness` restricts them to one mark ("go", "jmh", "python").
    """
    found = [
        SuiteFolder(folder.relative_to(top).as_posix(), seen)
        for folder, kind in _projects(top)
        if harness in (None, kind) and (seen := look_as(folder, kind)).benchmarks
    ]
    return tuple(sorted(found, key=lambda one: (one.path != ".", -one.seen.benchmarks, one.path)))


def named(found: Sequence[SuiteFolder]) -> str:
    """Return the first of these folders in words, and how many more there are."""
    more = len(found) - MOST_NAMED
    texts = ", ".join(one.text for one in found[:MOST_NAMED])
    return texts + (f" and {more} more" if more > 0 else "")


def _projects(top: Path) -> Iterator[tuple[Path, str]]:
    """Yield folders with the mark of a project, and whose mark it is."""
    inside: dict[Path, frozenset[str]] = {}
    for number, (where, folders, _) in enumerate(os.walk(top)):
        if number >= MOST_FOLDERS:
            return
        here = Path(where)
        folders[:] = sorted(
            one
            for one in folders
            if one not in LEFT_OUT
            and not one.startswith((".", "_"))
            and not (here / one).is_symlink()
        )
        around = inside.get(here.parent, frozenset[str]())
        marks = marks_of(here)
        if here == top and not marks and is_gopath(top):
            marks = frozenset(("go",))
        for kind in KINDS:
            if kind in marks and (kind not in around or (here / MODULE_FILE).is_file()):
                yield here, kind
        inside[here] = around | marks
