"""What a build compiled, source set by source set, and how a project's parts follow from it."""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from auditor.core.subject import Part, Role
from runners.jmh.classes import benchmark_classes, benchmark_list, split_classes

_FOR_BENCHMARKS = re.compile(r"bench|jmh", re.IGNORECASE)
"""What the folder of a module is called that has nothing but benchmarks and their helpers."""


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
    def folders_with_list(self) -> list[Path]:
        """Return those of its folders that hold a benchmark list."""
        return [
            class_
            for class_ in self.classes
            if class_.is_dir() and benchmark_list(class_) is not None
        ]


def list_parts(
    sets: Sequence[SourceSet], *, top: Path, existing_files: Container[str], scratch: Path
) -> tuple[Part, ...]:
    """Return the parts of a project below `top`, some of whose sets have benchmark lists.

    The library is what the benchmarks run with and was built here, but for tests and for what else
    a module of benchmarks has. `existing_files` (POSIX, below `top`) were there before: a jar among
    them is not the project's own.
    """
    benchmark_sets = [source_set for source_set in sets if source_set.folders_with_list]
    benchmark_folders = _list_class_folders(benchmark_sets)
    tests = set(_list_class_folders([source_set for source_set in sets if source_set.test]))
    path = list(
        dict.fromkeys(chain.from_iterable(source_set.path for source_set in benchmark_sets))
    )
    rest = [entry for entry in path if entry not in benchmark_folders]
    paths = [entry for entry in rest if entry.is_relative_to(top) and entry not in tests]
    library = [entry for entry in paths if entry.relative_to(top).as_posix() not in existing_files]
    benchmarks = benchmark_folders
    helpers = set(_find_helpers(library, benchmark_folders, top))
    if len(helpers) < len(library):
        library = [entry for entry in library if entry not in helpers]
    if not library:
        # The benchmarks live among the classes that they measure.
        named = [benchmark_list(entry) or "" for entry in benchmark_folders]
        classes = frozenset().union(*map(benchmark_classes, named))
        parted = [
            split_classes(entry, scratch / f"split-{index}", classes)
            for index, entry in enumerate(benchmark_folders)
        ]
        benchmarks = [first for first, _ in parted]
        library = [second for _, second in parted]
    sources = [place for source_set in sets for place in source_set.sources if place.is_dir()]
    return (
        *(Part(Role.BENCHMARKS, benchmark) for benchmark in benchmarks),
        *(Part(Role.LIBRARY, entry) for entry in library),
        *(Part(Role.DEPENDENCY, entry) for entry in rest if entry not in library),
        *(Part(Role.SOURCES, fromkey) for fromkey in dict.fromkeys(sources)),
    )


def _list_class_folders(sets: Sequence[SourceSet]) -> list[Path]:
    class_folders = dict.fromkeys(chain.from_iterable(source_set.classes for source_set in sets))
    return [path for path in class_folders if path.is_dir()]


def _find_helpers(
    library: Sequence[Path], benchmark_folders: Sequence[Path], top: Path
) -> Iterator[Path]:
    """Yield the folders that lie in a module of benchmarks, by its name, beside these."""
    for entry in library:
        parts = entry.relative_to(top).parts
        modules = (
            top.joinpath(*parts[: depth + 1])
            for depth, part in enumerate(parts)
            if _FOR_BENCHMARKS.search(part)
        )
        if any(folder.is_relative_to(module) for module in modules for folder in benchmark_folders):
            yield entry
