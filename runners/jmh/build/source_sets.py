"""What a build compiled, source set by source set, and how a project's parts follow from it."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from auditor.core.subject import Part, Role
from runners.jmh.classes import benchmark_classes, benchmark_list, split


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSet:
    """What was compiled together.

    `classes` are its own folders, which need not exist, `path` all that its code runs with, these
    included, in order. `test` tells that it is no part of the library.
    """

    classes: tuple[Path, ...]
    path: tuple[Path, ...]
    sources: tuple[Path, ...]
    test: bool

    @property
    def lists(self) -> list[Path]:
        """Return those of its folders that hold a benchmark list."""
        return [
            class_
            for class_ in self.classes
            if class_.is_dir() and benchmark_list(class_) is not None
        ]


def parts(
    sets: Sequence[SourceSet], *, top: Path, given: Container[str], scratch: Path
) -> tuple[Part, ...]:
    """Return the parts of a project below `top`, some of whose sets have benchmark lists.

    The library is what the benchmarks run with and was built here, but for tests. `given` are the
    files (POSIX, below `top`) that were there before: a jar among them is not the project's own.
    """
    chosen = [source_set for source_set in sets if source_set.lists]
    own = _folders(chosen)
    tests = set(_folders([source_set for source_set in sets if source_set.test]))
    path = list(dict.fromkeys(chain.from_iterable(source_set.path for source_set in chosen)))
    rest = [each for each in path if each not in own]
    paths = [each for each in rest if each.is_relative_to(top) and each not in tests]
    library = [each for each in paths if each.relative_to(top).as_posix() not in given]
    benchmarks = own
    if not library:
        # The benchmarks live among the classes that they measure.
        named = [benchmark_list(each) or "" for each in own]
        classes = frozenset().union(*map(benchmark_classes, named))
        parted = [split(each, scratch / f"split-{at}", classes) for at, each in enumerate(own)]
        benchmarks = [first for first, _ in parted]
        library = [second for _, second in parted]
    sources = [place for source_set in sets for place in source_set.sources if place.is_dir()]
    return (
        *(Part(Role.BENCHMARKS, benchmark) for benchmark in benchmarks),
        *(Part(Role.LIBRARY, each) for each in library),
        *(Part(Role.DEPENDENCY, each) for each in rest if each not in library),
        *(Part(Role.SOURCES, fromkey) for fromkey in dict.fromkeys(sources)),
    )


def _folders(sets: Sequence[SourceSet]) -> list[Path]:
    class_folders = dict.fromkeys(chain.from_iterable(source_set.classes for source_set in sets))
    return [path for path in class_folders if path.is_dir()]
