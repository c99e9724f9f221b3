"""What the tests and benchmarks of a Python project need beside it, as the project declares it.

Looked into, in this order: dependency groups and extras, files of requirements, tox and nox, asv's
matrix. Of names of a kind (benchmarks, tests) the first place that has one counts. A project that
declares no dependencies has those of requirements.txt or the Pipfile.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from auditor.core.request import PythonSpec
from runners.pybench import tool_needs
from runners.pybench.library import list_python_files, read_file_head
from runners.pybench.tool_needs import RequirementGroup

_BENCHMARKS = frozenset(
    {"bench", "benches", "benchmark", "benchmarks", "benchmarking", "codspeed", "pytest-benchmark"}
    | {"asv", "perf", "performance", "pyperf"}
)
_TESTS = frozenset({"test", "tests", "testing", "pytest", "unit", "unittest", "unittests"})
_DEVELOPMENT = frozenset({"dev", "devel", "develop", "development"})
_NEUTRAL_WORDS = frozenset(
    {"deps", "dependencies", "requirements", "req", "reqs", "extra", "extras"}
)
_PYTEST = re.compile(r"(?<![\w-])pytest(?![\w-])", re.IGNORECASE)
_FOLDERS = ("", "requirements", "requirements.d", "reqs", "bench", "benchmarks", "tests")
PLUGINS = {
    "pytest_benchmark": "pytest-benchmark",
    "pytest_codspeed": "pytest-codspeed",
    "pytest_asyncio": "pytest-asyncio",
    "pyperf": "pyperf",
    "asv_runner": "asv_runner",
}
"""Modules that benchmarks import, and the distributions that have them."""
_IMPORT = re.compile(
    rb"^[ \t]*(?:import|from)[ \t]+(\w+)|\bimportorskip\([ \t\n]*[\"'](\w+)", re.MULTILINE
)
_ASYNCIO = re.compile(rb"\bmark\.asyncio\b")


@dataclass(frozen=True, slots=True)
class SuiteNeeds:
    """What is installed beside the project, and what a person is told of it."""

    spec: PythonSpec
    names: tuple[str, ...] = ()  # how people call what was found, with where it is declared


def find_suite_needs(python: PythonSpec, tree: Path) -> list[SuiteNeeds]:
    """Return what to install, the most first; each next one is for where that cannot be had.

    Extras and groups that are asked for are all; requirements are added to what is declared.
    """
    if python.interpreter or python.extras or python.groups:
        return [SuiteNeeds(python)]
    requirement_groups = [
        *tool_needs.list_groups_and_extras(tree),
        *_requirement_files(tree),
        *tool_needs.list_tool_environments(tree),
    ]
    benchmarks, tests = (
        _select_groups(requirement_groups, _BENCHMARKS),
        _select_groups(requirement_groups, _TESTS),
    )
    combined_groups = [*benchmarks, *(test for test in tests if test not in benchmarks)]
    development = _select_groups(requirement_groups, _DEVELOPMENT)
    if not any(_PYTEST.search(requirement_group.text) for requirement_group in combined_groups):
        combined_groups += [
            group for group in development if not combined_groups or _PYTEST.search(group.text)
        ]
    base_groups = _find_base_groups(tree, requirement_groups)
    group_choices = [
        *([*groups, *base_groups] for groups in (combined_groups, benchmarks, tests, [])),
        [],
    ]
    return [
        _make_needs(python, groups)
        for number, groups in enumerate(group_choices)
        if groups not in group_choices[:number]
    ]


def imported_plugins(tree: Path) -> tuple[str, ...]:
    """Return the modules of PLUGINS that files of tests and benchmarks import."""
    names: set[str] = set()
    for path in list_python_files(tree):
        text = read_file_head(path)
        if b"bench" in text or b"pyperf" in text or b"codspeed" in text:
            names |= {(match[1] or match[2]).decode() for match in _IMPORT.finditer(text)}
            names |= {"pytest_asyncio"} if _ASYNCIO.search(text) else set()
    return tuple(sorted(names & PLUGINS.keys()))


def has_unit_tests(tree: Path) -> bool:
    """Tell whether there are files that pytest takes for tests, whoever else runs them."""
    return any(
        path.name.startswith("test_") or path.name.endswith("_test.py")
        for path in list_python_files(tree)
    )


def _make_needs(python: PythonSpec, requirement_groups: Sequence[RequirementGroup]) -> SuiteNeeds:
    def collect_words(kind: str) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(word for group in requirement_groups for word in group.list_words(kind))
        )

    spec = replace(
        python,
        extras=collect_words("extra"),
        groups=collect_words("group"),
        requirements=tuple(dict.fromkeys((*collect_words("requirement"), *python.requirements))),
    )
    return SuiteNeeds(
        spec,
        tuple(dict.fromkeys(requirement_group.name for requirement_group in requirement_groups)),
    )


def _select_groups(
    groups: Sequence[RequirementGroup], words: frozenset[str]
) -> list[RequirementGroup]:
    """Return what the first place declares under a name of a kind, the plainest name first."""
    named = [
        (len(parts), group) for group in groups if (parts := _match_name_words(group.called, words))
    ]
    places = [requirement_group.place for _, requirement_group in named]
    place_groups = [
        numbered_group for numbered_group in named if numbered_group[1].place == places[0]
    ]
    fewest = min((number for number, _ in place_groups), default=0)
    return [group for number, group in place_groups if number == fewest][:1]


def _match_name_words(name: str, words: frozenset[str]) -> list[str]:
    """Return the words of a name if one is of the kind, and the others say nothing else."""
    lower = name.lower()
    if lower in words:
        return [lower]
    parts = [part for part in re.split(r"[-_. ]", lower) if part]
    kind = {part for part in parts if part in words}
    return parts if kind and set(parts) <= words | _NEUTRAL_WORDS | _BENCHMARKS | _TESTS else []


def _find_base_groups(
    tree: Path, requirement_groups: Sequence[RequirementGroup]
) -> list[RequirementGroup]:
    """Return requirements.txt, or else the Pipfile, of a project that declares no dependencies."""
    if tool_needs.declares_dependencies(tree):
        return []
    files = [group for group in requirement_groups if group.name == "requirements.txt"]
    return files or list(tool_needs.list_pipfile_groups(tree))


def _requirement_files(tree: Path) -> Iterator[RequirementGroup]:
    """Yield the files of requirements by the words of their names and folders."""
    for folder in _FOLDERS:
        for ending in (".txt", ".in"):
            for path in sorted((tree / folder).glob(f"*{ending}")):
                stem = PurePosixPath(path.name).stem
                if not path.is_file() or path.is_symlink() or (not folder and "req" not in stem):
                    continue
                relative_path = path.relative_to(tree).as_posix()
                called = (
                    folder if stem in _NEUTRAL_WORDS and folder in _BENCHMARKS | _TESTS else stem
                )
                text = read_file_head(path).decode(errors="replace")
                yield RequirementGroup(
                    "files",
                    called,
                    relative_path,
                    text,
                    (("requirement", f"--requirement={path}"),),
                )
