"""Where pytest may find benchmarks; which tests are some, pytest itself decides when it collects.

The sources only say whether there is a suite, and which files a plain `pytest` would not look into.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from runners.pybench import pytest_options
from runners.pybench.library import list_python_files, read_file_head

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


def find_suite_files(tree: Path) -> list[str]:
    """Return the files of a tree that ask for the fixture or the marker of a benchmark."""
    return [path.relative_to(tree).as_posix() for path in _find_suite_paths(tree)]


def declares_plugin(tree: Path) -> bool:
    """Tell whether the project declares one of the plugins, so that pytest has to be asked."""
    return any(_DECLARED.search(read_file_head(tree / name)) for name in _DECLARING)


def plan_listing_calls(tree: Path) -> list[list[str]]:
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


def count_benchmarks(tree: Path) -> int:
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


def suggest_setting(tree: Path) -> str:
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
