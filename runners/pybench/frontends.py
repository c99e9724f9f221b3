"""The frameworks of Python benchmarks: where their suites are, and how the guest is called."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from auditor.core.subject import SourceFile
from runners.pybench import pytest_options, pytest_suites
from runners.pybench.library import files, is_folder, modules, read
from runners.pybench.tool_needs import asv_configurations

# What would run tests in other processes or another order, watch them, or report elsewhere.
_WITHOUT = ("xdist", "randomly", "random_order", "codspeed", "cacheprovider", "cov", "timeout")
_TIMED = re.compile(rb"^[ \t]*def\s+time_\w+\s*\(", re.MULTILINE)
_BENCHED = re.compile(rb"\.(?:bench_\w+|timeit)\(")
_PYPERF = re.compile(rb"^[ \t]*(?:import pyperf|from pyperf import)\b", re.MULTILINE)
_RUNNER = re.compile(rb"\bRunner\(")
_FOLDER = re.compile(r"^(?:[^/\n]*[{,])?[ \t]*\"benchmark_dir\"\s*:\s*\"([^\"]+)\"", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontend:
    """A framework of benchmarks, and how the guest is called for it."""

    name: str  # of the framework
    requirement: str  # what the environment needs beside the project
    lacking: str  # what a project without benchmarks lacks
    listed: frozenset[int] = frozenset({0})  # exit codes of a process that has listed
    suite: Callable[[Path], list[str]]  # files and folders that are a suite by their sources
    listings: Callable[[Path], list[list[str]]]  # what each process that lists is handed
    call: Callable[[Sequence[str], Path], tuple[str, ...]]  # the command line of the guest
    of_benchmark: Callable[[str, Path], list[str]]  # what runs a benchmark of this name
    count: Callable[[Path], int]  # about how many benchmarks the sources have
    declared: Callable[[Path], bool] = lambda _: False  # a suite that no source shows is likely


def _scripts(tree: Path) -> list[str]:
    return _holding(
        tree, lambda text: _PYPERF.search(text) is not None and _RUNNER.search(text) is not None
    )


def _holding(tree: Path, wanted: Callable[[bytes], bool]) -> list[str]:
    return [path.relative_to(tree).as_posix() for path in files(tree) if wanted(read(path))]


def _asv_folders(tree: Path) -> list[str]:
    """Return the folder of benchmarks that the configuration of asv names, if there is one."""
    for file in asv_configurations(tree):
        named = _FOLDER.search(read(file).decode(errors="replace"))
        folder = file.parent / (named[1] if named else "benchmarks")
        if is_folder(folder) and folder.resolve().is_relative_to(tree.resolve()):
            return [folder.relative_to(tree).as_posix()]
    return []


def _count(tree: Path, places: list[str], counted: re.Pattern[bytes]) -> int:
    paths = [tree / place for place in places]
    texts = (read(file) for path in paths for file in ([path] if path.is_file() else files(path)))
    return sum(len(counted.findall(text)) for text in texts)


def unit_tests(tree: Path, places: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the command line that runs the unit tests of a project, where pytest finds them.

    `places` are files, folders and tests as pytest names them; none: where it looks by itself.
    """
    own = pytest_options.project_options(tree, frozenset(_WITHOUT))
    return _called("zz_bench_audit_tests", "--continue-on-collection-errors", *own, *places)


def _pytest(chosen: Sequence[str], tree: Path) -> tuple[str, ...]:
    first = tree / (chosen[0] if chosen else "").partition("::")[0]
    folder = first if is_folder(first) else pytest_options.configured_folder(tree, first)
    own = pytest_options.kept_by_suites(folder, frozenset(_WITHOUT))
    return _called("zz_bench_audit_pytest", "--codspeed", *own, *chosen)


def _called(plugin: str, *more: str) -> tuple[str, ...]:
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
            listed=frozenset({0, 1, 2, 5}),
            suite=pytest_suites.suite,
            listings=pytest_suites.listings,
            call=_pytest,
            of_benchmark=lambda name, _: [name.partition("::")[0]],
            count=pytest_suites.count,
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
            count=lambda tree: _count(tree, _asv_folders(tree), _TIMED),
        ),
        Frontend(
            name="pyperf",
            requirement="pyperf",
            lacking="no script has a Runner of pyperf",
            suite=_scripts,
            listings=lambda tree: [[script] for script in _scripts(tree)],
            call=lambda chosen, _: ("-m", "zz_bench_audit_pyperf", *chosen),
            of_benchmark=lambda name, _: [name.partition("::")[0]],
            count=lambda tree: _count(tree, _scripts(tree), _BENCHED),
        ),
    )
}


def frameworks_present(tree: Path) -> list[str]:
    """Return the names of the frameworks that a tree has a suite of, that of `chosen` first."""
    return [name for name, frontend in FRONTENDS.items() if frontend.suite(tree)]


def framework_of(tree: Path) -> str:
    """Return the name of the framework that a tree uses: the first one that it has a suite of."""
    return next(iter(frameworks_present(tree)), "pytest")


def sources(tree: Path) -> list[SourceFile]:
    """Return the modules of the library; files of suites of any framework are none."""
    return modules(
        tree, [place for frontend in FRONTENDS.values() for place in frontend.suite(tree)]
    )
