"""The frameworks of Python benchmarks: where their suites are, and how the guest is called.

Where pytest may find benchmarks; which tests are some, pytest itself decides when it collects.

The sources only say whether there is a suite, and which files a plain `pytest` would not look into.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from auditor.core.benchmark_places import find_benchmark_place
from auditor.core.caveats import list_some
from auditor.core.subject import SourceFile
from runners.pybench import pytest_options
from runners.pybench.library import (
    is_folder,
    list_python_files,
    read_file_head,
    read_library_modules,
)
from runners.pybench.tool_needs import find_asv_configurations

_DEF = re.compile(rb"^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\(", re.MULTILINE)
_FIXTURE = re.compile(rb"[ \t]*@(?:pytest[.])?fixture\b")
_ASKS = re.compile(
    rb"\bmark\.(?:codspeed_)?benchmark\b"
    rb"|^[ \t]*(?:import[ \t]+(?:[^\n;#]*,[ \t]*)?|from[ \t]+)pytest_(?:benchmark|codspeed)\b"
    rb"|\bimportorskip\([ \t\n]*[\"']pytest_(?:benchmark|codspeed)[\"']"
    rb"|\bgetfixturevalue\([ \t\n]*[\"']benchmark[\"']",
    re.MULTILINE,
)
_PREFIXES = ("test", "bench")
_DECLARED = re.compile(rb"\bpytest[-_](?:benchmark|codspeed)\b", re.IGNORECASE)
_DECLARING = ("pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py")
_NO_TESTS = frozenset({"noxfile.py", "setup.py", "tasks.py", "dodo.py", "fabfile.py"})
"""Files whose functions are called by other tools, by whatever names."""
_NAME = re.compile(rb"\b[A-Za-z_]\w*")
_MARKS = (b"mark.benchmark", b"mark.codspeed_benchmark")


@dataclass(frozen=True, slots=True)
class FunctionSource:
    """A function as its text shows it."""

    name: bytes
    parameters: frozenset[bytes]  # the names in its parentheses, up to the first that closes
    is_fixture: bool
    is_marked: bool  # by one of _MARKS in the paragraph that ends in front of it


def _find_suite_files(tree: Path) -> list[str]:
    """Return the files of a tree that ask for the fixture or the marker of a benchmark."""
    return [path.relative_to(tree).as_posix() for path in _find_suite_paths(tree)]


def _declares_plugin(tree: Path) -> bool:
    """Tell whether the project declares one of the plugins, so that pytest has to be asked."""
    return any(_DECLARED.search(read_file_head(tree / name)) for name in _DECLARING)


def _plan_listing_calls(tree: Path) -> list[list[str]]:
    """Return what pytest is handed, one call after the other.

    First come the files that are benchmarks by their sources, whether or not a plain `pytest`
    collects them; then pytest looks by itself. A folder with its own configuration is apart.
    """
    by_folder: dict[Path, list[str]] = {tree: []}
    for path in _find_suite_paths(tree):
        folder = pytest_options.configured_folder(tree, path)
        by_folder.setdefault(folder, []).append(path.relative_to(tree).as_posix())
    calls = [
        [place for place in places if not place.endswith("conftest.py")]
        for places in by_folder.values()
    ]
    separate_folders = [
        separate_folder.relative_to(tree).as_posix()
        for separate_folder in by_folder
        if separate_folder != tree
    ]
    return [
        *filter(None, calls),
        [f"--ignore={separate_folder}" for separate_folder in separate_folders],
        *([separate_folder] for separate_folder in separate_folders),
    ]


def _count_benchmarks(tree: Path) -> int:
    """Return about how many benchmark functions the sources have, as pytest would name them."""
    paths = list(list_python_files(tree))
    fixtures, prefixes_in = _find_benchmark_fixtures(paths), _make_prefix_lookup(tree)
    number = 0
    for path in paths:
        prefixes = prefixes_in(path.parent)
        functions = _find_functions(read_file_head(path))
        number += sum(_is_benchmark(function, fixtures, prefixes) for function in functions)
    # Hooks and fixtures that run for all tests leave no trace in the tests.
    return number or len(list(_find_suite_paths(tree)))


def _suggest_setting(tree: Path) -> str:
    """Return the line that makes pytest collect functions such as `bench_x`, if any is left out."""
    for path in _find_suite_paths(tree):
        folder = pytest_options.configured_folder(tree, path)
        prefixes = pytest_options.function_prefixes(folder) or ("test",)
        for function in _find_functions(read_file_head(path)):
            name = function.name.decode()
            uses = b"benchmark" in function.parameters and not function.is_fixture
            if uses and name.startswith("bench") and not name.startswith(prefixes):
                line = pytest_options.format_setting(
                    folder, "python_functions", (*prefixes, "bench")
                )
                return f"pytest does not collect {name}; add {line}"
    return ""


def _find_suite_paths(tree: Path) -> Iterator[Path]:
    prefixes_in = _make_prefix_lookup(tree)
    for path in list_python_files(tree):
        text = b"" if path.name in _NO_TESTS else read_file_head(path)
        if b"benchmark" in text or b"pytest_codspeed" in text:
            prefixes = prefixes_in(path.parent)
            uses = (
                function
                for function in _find_functions(text)
                if b"benchmark" in function.parameters
            )
            named = any(use.is_fixture or use.name.decode().startswith(prefixes) for use in uses)
            if named or _ASKS.search(text):
                yield path


def _find_functions(text: bytes) -> Iterator[FunctionSource]:
    """Yield the functions of a text, in time proportional to its length."""
    definition, end = _DEF.search(text), 0
    while definition is not None:
        following = _DEF.search(text, definition.end())
        begin, next_begin = definition.start(), following.start() if following else len(text)
        closing = text.find(b")", definition.end(), next_begin)
        parameters = text[definition.end() : next_begin if closing < 0 else closing]
        before = text[max(end, text.rfind(b"\n\n", end, begin)) : begin]
        yield FunctionSource(
            name=definition[1],
            parameters=frozenset(_NAME.findall(parameters)),
            is_fixture=any(map(_FIXTURE.match, _list_decorators(before))),
            is_marked=any(mark in before for mark in _MARKS),
        )
        end = definition.end()
        definition = following


def _list_decorators(before: bytes) -> Iterator[bytes]:
    """Yield the lines of decorators that a text ends with."""
    for line in reversed(before.splitlines()):
        if not line.lstrip(b" \t").startswith(b"@"):
            return
        yield line


def _make_prefix_lookup(tree: Path) -> Callable[[Path], tuple[str, ...]]:
    """Return what tells the prefixes of the tests in a folder; it reads each folder once."""

    @cache
    def read_prefixes(folder: Path) -> tuple[str, ...]:
        return (*_PREFIXES, *pytest_options.function_prefixes(folder))

    return cache(lambda folder: read_prefixes(pytest_options.configured_folder(tree, folder / "_")))


def _find_benchmark_fixtures(paths: list[Path]) -> set[bytes]:
    """Return `benchmark` and the fixtures that use it, directly or by others."""
    users = defaultdict(set)  # the fixtures that have a name among their parameters
    for path in paths:
        text = read_file_head(path)
        for function in _find_functions(text) if b"fixture" in text else ():
            for name in function.parameters if function.is_fixture else ():
                users[name].add(function.name)
    fixtures, unfollowed = {b"benchmark"}, [b"benchmark"]
    while unfollowed:
        new = users[unfollowed.pop()] - fixtures
        fixtures |= new
        unfollowed += new
    return fixtures


def _is_benchmark(
    function: FunctionSource, fixtures: set[bytes], prefixes: tuple[str, ...]
) -> bool:
    if not function.name.decode().startswith(prefixes) or function.name in fixtures:
        return False
    return function.is_marked or not fixtures.isdisjoint(function.parameters)


# What would run tests in other processes or another order, watch them, or report elsewhere; and
# pytest-speed, whose options are those of pytest-benchmark.
_WITHOUT = (
    *("xdist", "randomly", "random_order"),
    *("codspeed", "cacheprovider", "cov", "timeout", "speed"),
)
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
    listing_exit_codes: frozenset[int] = frozenset({0})  # exit codes of a process that has listed
    suite: Callable[[Path], list[str]]  # files and folders that are a suite by their sources
    listings: Callable[[Path], list[list[str]]]  # what each process that lists is handed
    call: Callable[[Sequence[str], Path], tuple[str, ...]]  # the command line of the guest
    of_benchmark: Callable[[str, Path], list[str]]  # what runs a benchmark of this name
    place: Callable[[str], str]
    """Returns the file or module of a benchmark; those of one may share a process."""
    count: Callable[[Path], int]  # about how many benchmarks the sources have
    declared: Callable[[Path], bool] = lambda _: False  # a suite that no source shows is likely
    lacking: str = ""
    """What a project without benchmarks lacks; empty: nothing but what is looked for."""


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
    parts = [": ".join(filter(None, [f"{name} has no benchmarks", frontend.lacking]))]
    if frontend.name == "pytest" and (files := _find_suite_files(tree)):
        parts.append(f"files with the fixture or marker: {list_some(files)}")
        parts += filter(None, [_suggest_setting(tree)])
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
            # All was collected, some could not be, it was interrupted by that, or there is none.
            listing_exit_codes=frozenset({0, 1, 2, 5}),
            suite=_find_suite_files,
            listings=_plan_listing_calls,
            call=_make_pytest_call,
            of_benchmark=lambda name, _: [name.partition("::")[0]],
            place=lambda name: name.partition("::")[0],
            count=_count_benchmarks,
            declared=_declares_plugin,
        ),
        Frontend(
            name="asv",
            requirement="asv_runner",
            lacking="there is no asv.conf.json whose folder of benchmarks is there",
            suite=_asv_folders,
            listings=lambda tree: [_asv_folders(tree)],
            call=lambda folders, _: ("-m", "zz_bench_audit_asv", *folders),
            of_benchmark=lambda _, tree: _asv_folders(tree),
            place=find_benchmark_place,
            count=lambda tree: _count_matches(tree, _asv_folders(tree), _TIMED),
        ),
        Frontend(
            name="pyperf",
            requirement="pyperf",
            suite=_find_pyperf_scripts,
            listings=lambda tree: [[script] for script in _find_pyperf_scripts(tree)],
            call=lambda scripts, _: ("-m", "zz_bench_audit_pyperf", *scripts),
            of_benchmark=lambda name, _: [name.partition("::")[0]],
            place=lambda name: name.partition("::")[0],
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
