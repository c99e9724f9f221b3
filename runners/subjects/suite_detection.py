"""What a folder says of its benchmarks before anything is built: for a first configuration."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from auditor.core.files.foreign_files import read_beginning
from runners.pybench.frontends import FRONTENDS, framework_of, frameworks_present
from runners.subjects.placed import detect_kind

_GO_BENCHMARK = re.compile(rb"^func Benchmark\w*\(\s*\w+\s+\*testing\.B\s*\)", re.MULTILINE)
_CONSTRAINT = re.compile(rb"^//(?:go:build| ?\+build)[ \t]([^\n]*)", re.MULTILINE)
_GO_TAG = re.compile(rb"(?<![\w.!])[A-Za-z_]\w*(?![\w.])")
_NEGATED = re.compile(rb"![ \t]*(?:\([^()]*\)|[\w.]+)")
_JMH_BENCHMARK = re.compile(
    rb"^[ \t]*@(?:org\.openjdk\.jmh\.annotations\.)?Benchmark\b", re.MULTILINE
)
_PROFILE, _END_OF_PROFILE = b"<profile>", b"</profile>"
_ID = re.compile(rb"<id>\s*([\w.-]+)\s*</id>")
_JMH = b"jmh-core"
LEFT_OUT = frozenset({"vendor", "testdata", "node_modules", "target", "build"})
_SYSTEMS = frozenset(
    b"aix android arm arm64 amd64 asan cgo darwin dragonfly freebsd gc gccgo illumos ios js linux "
    b"loong64 mips mips64 mips64le mipsle msan netbsd openbsd plan9 ppc64 ppc64le race riscv64 "
    b"s390x solaris unix wasip1 wasm windows ignore".split()
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
    other_harnesses: tuple[str, ...] = ()  # further harnesses that the folder has suites of


def detect_suite(folder: Path) -> DetectedSuite:
    """Read the sources below a folder; links are not followed, and nothing is run."""
    return detect_suite_of_kind(folder, detect_kind(folder))


def detect_suite_of_kind(folder: Path, kind: str | None) -> DetectedSuite:
    """Read the sources below a folder as those of one kind of project (see `detect_kind`)."""
    if kind == "go":
        return _detect_go_suite(folder)
    if kind == "jmh":
        return _detect_jmh_suite(folder)
    if kind == "python":
        return _detect_python_suite(folder)
    return DetectedSuite(harness=None)


def _detect_go_suite(folder: Path) -> DetectedSuite:
    count, tags = 0, set()
    for text in _read_texts(folder, ("_test.go",)):
        benchmark_count = len(_GO_BENCHMARK.findall(text))
        count += benchmark_count
        head = text.partition(b"\npackage ")[0]
        if benchmark_count:
            tags |= set(_list_tags(head))
    return DetectedSuite(
        harness="go", benchmarks=count, tags=tuple(sorted(tag.decode() for tag in tags))
    )


def _list_tags(head: bytes) -> Iterator[bytes]:
    """Yield the build tags that a file asks for, of what stands in front of its package clause."""
    for constraint in _CONSTRAINT.findall(head):
        words = _GO_TAG.findall(_NEGATED.sub(b"", constraint.partition(b"//")[0]))
        yield from (tag for tag in words if tag not in _SYSTEMS)


def _detect_jmh_suite(folder: Path) -> DetectedSuite:
    sources = _read_texts(folder, (".java", ".kt", ".scala"))
    count = sum(len(_JMH_BENCHMARK.findall(text)) for text in sources)
    profiles = {
        name for text in _read_texts(folder, ("pom.xml",)) for name in _list_jmh_profiles(text)
    }
    return DetectedSuite(harness="jmh", benchmarks=count, profiles=tuple(sorted(profiles)))


def _list_jmh_profiles(pom: bytes) -> Iterator[str]:
    """Yield the profiles of a POM that have JMH, where nothing outside of them has it."""
    first, *profile_texts = pom.split(_PROFILE)
    profiles = [profile_text.partition(_END_OF_PROFILE) for profile_text in profile_texts]
    if _JMH in first or any(_JMH in after for _, _, after in profiles):
        return
    for profile, _, _ in profiles:
        if _JMH in profile and (name := _ID.search(profile)):
            yield name[1].decode()


def _detect_python_suite(folder: Path) -> DetectedSuite:
    name = framework_of(folder)
    other_frameworks = tuple(
        framework for framework in frameworks_present(folder) if framework != name
    )
    return DetectedSuite(
        harness=name, benchmarks=FRONTENDS[name].count(folder), other_harnesses=other_frameworks
    )


def _read_texts(folder: Path, endings: tuple[str, ...]) -> Iterator[bytes]:
    """Yield the beginnings of the files with these endings."""
    return map(read_beginning, _list_files(folder, endings))


def _list_files(folder: Path, endings: tuple[str, ...]) -> Iterator[Path]:
    """Yield the files with these endings; another Go module below is a project of its own."""
    for directory, folders, files in os.walk(folder):
        place = Path(directory)
        folders[:] = sorted(
            folder_name
            for folder_name in folders
            if folder_name not in LEFT_OUT
            and not folder_name.startswith((".", "_"))
            and not (place / folder_name / "go.mod").exists()
        )
        for name in sorted(files):
            path = place / name
            if name.endswith(endings) and not path.is_symlink():
                yield path


def list_scripts_without_harness(folder: Path) -> list[str]:
    """Return the Python files that measure by their names, relative to the folder (POSIX)."""
    paths = _list_files(folder, (".py",))
    return [path.relative_to(folder).as_posix() for path in paths if "bench" in path.stem.lower()]
