"""The frameworks of Python benchmarks: where their suites are, and how the guest is called."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from runners.pybench import pytest_options
from runners.pybench.library import files, read

# What would run tests in other processes or another order, watch them, or report elsewhere.
_WITHOUT = ("xdist", "randomly", "random_order", "codspeed", "cacheprovider", "cov", "timeout")
_TEST = re.compile(
    rb"^\s*(?:async\s+)?def\s+test\w*\s*\([^)]*\bbenchmark\b|\bmark\.benchmark\b", re.MULTILINE
)
"""A test with the fixture of pytest-benchmark, or with its marker, which is CodSpeed's too."""
_TIMED = re.compile(rb"^\s*def\s+time_\w+\s*\(", re.MULTILINE)
_BENCHED = re.compile(rb"\.(?:bench_\w+|timeit)\(")
_PYPERF = re.compile(rb"^\s*(?:import pyperf|from pyperf import)\b", re.MULTILINE)
_RUNNER = re.compile(rb"\bRunner\(")
_ASV = "asv.conf.json"
_FOLDER = re.compile(r"^(?:[^/\n]*[{,])?\s*\"benchmark_dir\"\s*:\s*\"([^\"]+)\"", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontend:
    """A framework: `suite` finds what to hand to the guest, `call` is the guest's command line.

    `at_once` tells that one call lists all of the suite, `listed` how one may end that has done so.
    `requirement` is what the environment needs beside the project, `lacking` what a project has
    not that has no benchmarks. `counted` matches each benchmark in a source, roughly.
    """

    name: str
    requirement: str
    lacking: str
    at_once: bool = True
    listed: frozenset[int] = frozenset({0})
    counted: re.Pattern[bytes]
    suite: Callable[[Path], list[str]]
    call: Callable[[Sequence[str]], tuple[str, ...]]
    of_benchmark: Callable[[str, Path], list[str]]


def _tests(tree: Path) -> list[str]:
    return _holding(tree, lambda text: _TEST.search(text) is not None)


def _scripts(tree: Path) -> list[str]:
    return _holding(
        tree, lambda text: _PYPERF.search(text) is not None and _RUNNER.search(text) is not None
    )


def _holding(tree: Path, wanted: Callable[[bytes], bool]) -> list[str]:
    return [path.relative_to(tree).as_posix() for path in files(tree) if wanted(read(path))]


def _asv_folders(tree: Path) -> list[str]:
    """Return the folder of benchmarks that the configuration of asv names, if there is one."""
    for file in sorted((*tree.glob(_ASV), *tree.glob(f"*/{_ASV}"))):
        named = _FOLDER.search(file.read_text(errors="replace"))
        folder = file.parent / (named[1] if named else "benchmarks")
        if folder.is_dir() and folder.resolve().is_relative_to(tree.resolve()):
            return [folder.relative_to(tree).as_posix()]
    return []


def unit_tests(tree: Path, places: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the command line that runs the unit tests of a project, where pytest finds them.

    `places` are files, folders and tests as pytest names them; none: where it looks by itself.
    """
    own = pytest_options.kept(tree, frozenset(_WITHOUT))
    return _called("zz_bench_audit_tests", "--continue-on-collection-errors", *own, *places)


def _pytest(chosen: Sequence[str]) -> tuple[str, ...]:
    return _called("zz_bench_audit_pytest", *chosen)


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
    each.name: each
    for each in (
        Frontend(
            name="pytest",
            requirement="pytest-benchmark>=4",
            lacking="no test has the fixture `benchmark` of pytest-benchmark, or the marker",
            # All was collected, some could not be, it was interrupted by that, or there is none.
            listed=frozenset({0, 1, 2, 5}),
            counted=_TEST,
            suite=_tests,
            call=_pytest,
            of_benchmark=lambda name, _: [name.partition("::")[0]],
        ),
        Frontend(
            name="asv",
            requirement="asv_runner",
            lacking="there is no asv.conf.json whose folder of benchmarks is there",
            counted=_TIMED,
            suite=_asv_folders,
            call=lambda chosen: ("-m", "zz_bench_audit_asv", *chosen),
            of_benchmark=lambda _, tree: _asv_folders(tree),
        ),
        Frontend(
            name="pyperf",
            at_once=False,
            requirement="pyperf",
            lacking="no script has a Runner of pyperf",
            counted=_BENCHED,
            suite=_scripts,
            call=lambda chosen: ("-m", "zz_bench_audit_pyperf", *chosen),
            of_benchmark=lambda name, _: [name.partition("::")[0]],
        ),
    )
}


def chosen(tree: Path) -> str:
    """Return the name of the framework that a tree uses: the first one that it has a suite of."""
    return next((name for name, one in FRONTENDS.items() if one.suite(tree)), "pytest")


def count(tree: Path, frontend: Frontend) -> int:
    """Return about how many benchmarks the sources of a suite have."""
    places = [tree / one for one in frontend.suite(tree)]
    found = [file for one in places for file in ([one] if one.is_file() else files(one))]
    return sum(len(frontend.counted.findall(read(file))) for file in found)
