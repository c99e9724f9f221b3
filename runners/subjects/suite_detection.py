"""What a folder says of its benchmarks before anything is built: for a first configuration."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from auditor.core.files.foreign_files import read_beginning
from runners.pybench.frontends import FRONTENDS, framework_of, frameworks_present
from runners.subjects.placed import detect

_GO_BENCHMARK = re.compile(rb"^func Benchmark\w*\(\s*\w+\s+\*testing\.B\s*\)", re.MULTILINE)
_GO_TAG = re.compile(rb"^//go:build\s+(\w+)\s*$", re.MULTILINE)
_JMH_BENCHMARK = re.compile(
    rb"^[ \t]*@(?:org\.openjdk\.jmh\.annotations\.)?Benchmark\b", re.MULTILINE
)
_PROFILE, _END_OF_PROFILE = b"<profile>", b"</profile>"
_ID = re.compile(rb"<id>\s*([\w.-]+)\s*</id>")
_JMH = b"jmh-core"
LEFT_OUT = {"vendor", "testdata", "node_modules", "target", "build"}
_SYSTEMS = frozenset(
    b"aix android arm arm64 amd64 cgo darwin dragonfly freebsd illumos ios js linux mips netbsd "
    b"openbsd plan9 race riscv64 s390x solaris unix wasm windows ignore".split()
)
"""Words of build constraints that nobody switches on by hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectedSuite:
    """What was seen: `benchmarks` are counted in the sources, with all that could be switched on.

    `harness` is None where the folder is none that can be audited. `tags` are Go's build tags and
    `profiles` Maven's that hold benchmarks back until they are asked for.
    """

    harness: str | None
    benchmarks: int = 0
    tags: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    others: tuple[str, ...] = ()  # further harnesses that the folder has suites of


def detect_suite(folder: Path) -> DetectedSuite:
    """Read the sources below a folder; links are not followed, and nothing is run."""
    return look_as(folder, detect(folder))


def look_as(folder: Path, kind: str | None) -> DetectedSuite:
    """Read the sources below a folder as those of one kind of project, as `detect` names it."""
    if kind == "go":
        return _go(folder)
    if kind == "jmh":
        return _java(folder)
    if kind == "python":
        return _python(folder)
    return DetectedSuite(harness=None)


def _go(folder: Path) -> DetectedSuite:
    count, tags = 0, set()
    for text in _texts(folder, ("_test.go",)):
        found = len(_GO_BENCHMARK.findall(text))
        count += found
        head = text.partition(b"\npackage ")[0]
        if found:
            tags |= {tag for tag in _GO_TAG.findall(head) if tag not in _SYSTEMS}
    return DetectedSuite(
        harness="go", benchmarks=count, tags=tuple(sorted(tag.decode() for tag in tags))
    )


def _java(folder: Path) -> DetectedSuite:
    sources = _texts(folder, (".java", ".kt", ".scala"))
    count = sum(len(_JMH_BENCHMARK.findall(text)) for text in sources)
    profiles = {name for text in _texts(folder, ("pom.xml",)) for name in _profiles_with_jmh(text)}
    return DetectedSuite(harness="jmh", benchmarks=count, profiles=tuple(sorted(profiles)))


def _profiles_with_jmh(pom: bytes) -> Iterator[str]:
    """Yield the profiles of a POM that have JMH, where nothing outside of them has it."""
    first, *others = pom.split(_PROFILE)
    profiles = [other.partition(_END_OF_PROFILE) for other in others]
    if _JMH in first or any(_JMH in after for _, _, after in profiles):
        return
    for profile, _, _ in profiles:
        if _JMH in profile and (name := _ID.search(profile)):
            yield name[1].decode()


def _python(folder: Path) -> DetectedSuite:
    name = framework_of(folder)
    others = tuple(one for one in frameworks_present(folder) if one != name)
    return DetectedSuite(harness=name, benchmarks=FRONTENDS[name].count(folder), others=others)


def _texts(folder: Path, endings: tuple[str, ...]) -> Iterator[bytes]:
    """Yield the files with these endings; another Go module below is a project of its own."""
    for where, folders, files in os.walk(folder):
        place = Path(where)
        folders[:] = sorted(
            one
            for one in folders
            if one not in LEFT_OUT
            and not one.startswith((".", "_"))
            and not (place / one / "go.mod").exists()
        )
        for name in sorted(files):
            path = place / name
            if name.endswith(endings) and not path.is_symlink():
                yield read_beginning(path)
