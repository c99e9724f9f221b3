"""The frameworks of Python benchmarks: where their suites are, and how the guest is called."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from auditor.core.caveats import list_some
from auditor.core.subject import SourceFile
from runners.pybench import pytest_options, pytest_suites
from runners.pybench.library import (
    is_folder,
    list_python_files,
    read_file_head,
    read_library_modules,
)
from runners.pybench.tool_needs import find_asv_configurations

# What would run tests in other processes or another order, watch them, or report elsewhere.
_WITHOUT = ("xdist", "randomly", "random_order", "codspeed", "cacheprovider", "cov", "timeout")
_TIMED = re.compile(rb"^[ \t]*def\s+time_\w+\s*\(", re.MULTILINE)
_BENCHED = re.compile(rb"\.(?:bench_\w+|timeit)\(")
_PYPERF = re.compile(
    rb"^[ \t]*(?:import[ \t]+(?:[^\n;#]*,[ \t]*)?pyperf|from[ \t]+pyperf[ \t]+import)\b",
    re.MULTILINE,
)
_RUNNER = re.compile(rb"\bRunner\(")
_FOLDER = re.compile(r"^(?:[^/\n]*[{,])?[ \t]*\"benchmark_dir\"\s*:\s*\"([^\"]+)\"", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontend:
    """A framework of benchmarks, and how the guest is called for it."""

    name: str  # of the framework
    requirement: str  # what the environment needs beside the project
    lacking: str  # what a project without benchmarks lacks
    listing_exit_codes: frozenset[int] = frozenset({0})  # exit codes of a process that has listed
    suite: Callable[[Path], list[str]]  # files and folders that are a suite by their sources
    listings: Callable[[Path], list[list[str]]]  # what each process that lists is handed
    call: Callable[[Sequence[str], Path], tuple[str, ...]]  # the command line of the guest
    of_benchmark: Callable[[str, Path], list[str]]  # what runs a benchmark of this name
    count: Callable[[Path], int]  # about how many benchmarks the sources have
    declared: Callable[[Path], bool] = lambda _: False  # a suite that no source shows is likely


def _find_pyperf_scripts(tree: Path) -> list[str]:
    return _list_matching_files(
        tree, lambda text: _PYPERF.search(text) is not None and _RUNNER.search(text) is not None
    )


def _list_matching_files(tree: Path, is_match: Callable[[bytes], bool]) -> list[str]:
    return [
        path.relative_to(tree).as_posix()
        for path in list_python_files(tree)
        if is_match(read_file_head(path))
    ]


def _asv_folders(tree: Path) -> list[str]:
    """Return the folder of benchmarks that the configuration of asv names, if there is one."""
    for _, folder in _list_named_folders(tree):
        if is_folder(folder) and folder.resolve().is_relative_to(tree.resolve()):
            return [folder.relative_to(tree).as_posix()]
    return []


def _list_named_folders(tree: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the configurations of asv, each with the folder of benchmarks that it names."""
    for file in find_asv_configurations(tree):
        named = _FOLDER.search(read_file_head(file).decode(errors="replace"))
        yield file, file.parent / (named[1] if named else "benchmarks")


def explain_lack(name: str, tree: Path, frontend: Frontend) -> str:
    """Say that a project has no benchmarks of a framework, and what its sources show of some."""
    parts = [f"{name} has no benchmarks: {frontend.lacking}"]
    if frontend.name == "pytest" and (files := pytest_suites.find_suite_files(tree)):
        parts.append(f"files that use one: {list_some(files)}")
        parts += filter(None, [pytest_suites.suggest_setting(tree)])
    parts += [
        f"{file.relative_to(tree).as_posix()} names the folder {folder.name}, which is not there"
        for file, folder in _list_named_folders(tree)
        if not is_folder(folder)
    ]
    return "; ".join(parts)


def _count_matches(tree: Path, places: list[str], pattern: re.Pattern[bytes]) -> int:
    paths = [tree / place for place in places]
    texts = (
        read_file_head(file)
        for path in paths
        for file in ([path] if path.is_file() else list_python_files(path))
    )
    return sum(len(pattern.findall(text)) for text in texts)


def make_test_call(tree: Path, places: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the command line that runs the unit tests of a project, where pytest finds them.

    `places` are files, folders and tests as pytest names them; none: where it looks by itself.
    """
    kept_options = pytest_options.list_project_options(tree, frozenset(_WITHOUT), places)
    return _make_guest_call(
        "zz_bench_audit_tests", "--continue-on-collection-errors", *kept_options, *places
    )


def _make_pytest_call(suite_arguments: Sequence[str], tree: Path) -> tuple[str, ...]:
    first = tree / (suite_arguments[0] if suite_arguments else "").partition("::")[0]
    folder = first if is_folder(first) else pytest_options.configured_folder(tree, first)
    # A project leaves the plugin out of its unit tests, and loads it for its benchmarks.
    without = frozenset((*_WITHOUT, "benchmark"))
    kept_options = pytest_options.list_suite_options(tree, folder, without, suite_arguments)
    return _make_guest_call("zz_bench_audit_pytest", "--codspeed", *kept_options, *suite_arguments)


def _make_guest_call(plugin: str, *more: str) -> tuple[str, ...]:
    without = (word for name in _WITHOUT for word in ("-p", f"no:{name}"))
    return (
        *("-m", "pytest", "-p", plugin, *without, "-o", "addopts="),
        # Ids are paths from here, whichever file configures the suite.
        "--rootdir=.",
        # Options and marks of the plugins that we leave out, where the project makes errors of
        # all warnings.
        *("-W", "ignore::pytest.PytestConfigWarning"),
        *("-W", "ignore::pytest.PytestUnknownMarkWarning"),
        *("--quiet", "--no-header", "--tb=short", *more),
    )


FRONTENDS = {
    folder.name: folder
    for folder in (
        Frontend(
            name="pytest",
            requirement="pytest-benchmark>=4",
            lacking="pytest finds no test that uses the fixture `benchmark` of pytest-benchmark or "
            "pytest-codspeed, or has their marker",
            # All was collected, some could not be, it was interrupted by that, or there is none.
            listing_exit_codes=frozenset({0, 1, 2, 5}),
            suite=pytest_suites.find_suite_files,
            listings=pytest_suites.plan_listing_calls,
            call=_make_pytest_call,
            of_benchmark=lambda name, _: [name.partition("::")[0]],
            count=pytest_suites.count_benchmarks,
            declared=pytest_suites.declares_plugin,
        ),
        Frontend(
            name="asv",
            requirement="asv_runner",
            lacking="there is no asv.conf.json whose folder of benchmarks is there",
            suite=_asv_folders,
            listings=lambda tree: [_asv_folders(tree)],
            call=lambda chosen, _: ("-m", "zz_bench_audit_asv", *chosen),
            of_benchmark=lambda _, tree: _asv_folders(tree),
            count=lambda tree: _count_matches(tree, _asv_folders(tree), _TIMED),
        ),
        Frontend(
            name="pyperf",
            requirement="pyperf",
            lacking="no script has a Runner of pyperf",
            suite=_find_pyperf_scripts,
            listings=lambda tree: [[script] for script in _find_pyperf_scripts(tree)],
            call=lambda chosen, _: ("-m", "zz_bench_audit_pyperf", *chosen),
            of_benchmark=lambda name, _: [name.partition("::")[0]],
            count=lambda tree: _count_matches(tree, _find_pyperf_scripts(tree), _BENCHED),
        ),
    )
}


def frameworks_present(tree: Path) -> list[str]:
    """Return the names of the frameworks that a tree has a suite of, that of `chosen` first."""
    return [name for name, frontend in FRONTENDS.items() if frontend.suite(tree)]


def framework_of(tree: Path) -> str:
    """Return the name of the framework that a tree uses: the first one that it has a suite of."""
    return next(iter(frameworks_present(tree)), "pytest")


def read_library_sources(tree: Path) -> list[SourceFile]:
    """Return the modules of the library; files of suites of any framework are none."""
    return read_library_modules(
        tree, [place for frontend in FRONTENDS.values() for place in frontend.suite(tree)]
    )
