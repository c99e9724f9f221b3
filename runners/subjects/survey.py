"""The suites below a folder: projects of any language whose sources hold benchmarks."""

import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from runners.subjects.gomod import MODULE_FILE
from runners.subjects.look import LEFT_OUT, Found, look_as
from runners.subjects.placed import KINDS, has_go_files, marks_of

MOST_FOLDERS = 20_000
"""Folders that are looked into: a stranger's tree may be a home directory."""
MOST_NAMED = 5
LOOKED_FOR = {
    "go": "functions BenchmarkX(b *testing.B) in files _test.go",
    "jmh": "methods with @Benchmark",
    "pytest": "tests with the fixture or marker benchmark",
    "asv": "functions and methods time_x in the folder of asv.conf.json",
    "pyperf": "scripts that make a pyperf.Runner",
}
"""What a benchmark is, by harness."""


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


def suites(top: Path, *kinds: str) -> tuple[SuiteFolder, ...]:
    """Return the projects at and below a folder that have benchmarks, those with most first.

    Modules of one Maven, Gradle or Python project count as part of the outermost one; each Go
    module is a project of its own. `kinds` are those that are looked for (KINDS); none: all.
    """
    found = [
        SuiteFolder(folder.relative_to(top).as_posix(), seen)
        for folder, kind in _projects(top)
        if kind in (kinds or KINDS) and (seen := look_as(folder, kind)).benchmarks
    ]
    return tuple(sorted(found, key=lambda one: (one.path != ".", -one.seen.benchmarks, one.path)))


def candidates(folder: Path, said: str, revision: str = "") -> str:
    """Return where suites are below a folder, and the command for the first one.

    `said` and `revision` are the folder as people write it on a command line.
    """
    found = suites(folder)
    if not found:
        return "there are no benchmarks of Go, JMH or Python below it"
    first = found[0]
    path = said if first.path == "." else f"{said.rstrip('/')}/{first.path}"
    how = f" --harness {first.seen.harness}" if first.path == "." else ""
    call = f"bench-audit abs {shlex.quote(path + revision)}{how}"
    return f"there are some in {named(found)}: {call}"


def instead(folder: Path, said: str, harness: str) -> str:
    """Return what was looked for in a suite without benchmarks, and where there are some."""
    wanted = LOOKED_FOR.get(harness, f"benchmarks of {harness}")
    at, _, after = said.rpartition("@") if said.startswith("git:") else (said, "", "")
    return f"looked for {wanted}; {candidates(folder, at, f'@{after}' if after else '')}"


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
        if here == top and not marks and has_go_files(top):
            marks = frozenset(("go",))
        for kind in KINDS:
            if kind in marks and (kind not in around or (here / MODULE_FILE).is_file()):
                yield here, kind
        inside[here] = around | marks
