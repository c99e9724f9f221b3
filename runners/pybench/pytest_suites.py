"""Where pytest may find benchmarks; which tests are some, pytest itself decides when it collects.

The sources only say whether there is a suite, and which files a plain `pytest` would not look into.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from runners.pybench import pytest_options
from runners.pybench.library import files, read

_FUNCTION = re.compile(
    rb"^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\([^)]*\bbenchmark\b", re.MULTILINE
)
_ASKS = re.compile(
    rb"\bmark\.(?:codspeed_)?benchmark\b"
    rb"|^[ \t]*(?:import|from)[ \t]+pytest_(?:benchmark|codspeed)\b"
    rb"|\bimportorskip\([ \t\n]*[\"']pytest_(?:benchmark|codspeed)[\"']"
    rb"|\bgetfixturevalue\([ \t\n]*[\"']benchmark[\"']",
    re.MULTILINE,
)
_PREFIXES = ("test", "bench")
_DECLARED = re.compile(rb"\bpytest[-_](?:benchmark|codspeed)\b", re.IGNORECASE)
_DECLARING = ("pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py")
_DEF = re.compile(rb"^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\(([^)]*)\)", re.MULTILINE)
_FIXTURE = re.compile(
    rb"^[ \t]*@(?:pytest[.])?fixture\b[^\n]*(?:\n[ \t]*@[^\n]*)*\n[ \t]*(?:async[ \t]+)?"
    rb"def[ \t]+(\w+)[ \t]*\(([^)]*)\)",
    re.MULTILINE,
)
_NO_TESTS = frozenset({"noxfile.py", "setup.py", "tasks.py", "dodo.py", "fabfile.py"})
"""Files whose functions are called by other tools, by whatever names."""
_NAME = re.compile(rb"\b[A-Za-z_]\w*")


def suite(tree: Path) -> list[str]:
    """Return the files of a tree that ask for the fixture or the marker of a benchmark."""
    return [path.relative_to(tree).as_posix() for path in _holding(tree)]


def declared(tree: Path) -> bool:
    """Tell whether the project declares one of the plugins, so that pytest has to be asked."""
    return any(
        _DECLARED.search(read(tree / name)) for name in _DECLARING if (tree / name).is_file()
    )


def listings(tree: Path) -> list[list[str]]:
    """Return what pytest is handed, one call after the other.

    First come the files that are benchmarks by their sources, whether or not a plain `pytest`
    collects them; then pytest looks by itself. A folder with its own configuration is apart.
    """
    by_folder: dict[Path, list[str]] = {tree: []}
    for path in _holding(tree):
        folder = pytest_options.configured_folder(tree, path)
        by_folder.setdefault(folder, []).append(path.relative_to(tree).as_posix())
    calls = [
        [place for place in places if not place.endswith("conftest.py")]
        for places in by_folder.values()
    ]
    apart = [one.relative_to(tree).as_posix() for one in by_folder if one != tree]
    return [*filter(None, calls), [f"--ignore={one}" for one in apart], *([one] for one in apart)]


def count(tree: Path) -> int:
    """Return about how many benchmark functions the sources have, as pytest would name them."""
    paths = list(files(tree))
    fixtures = _fixtures(paths)
    return sum(
        _is_benchmark(found, text, fixtures, _prefixes(tree, path))
        for path in paths
        for text in [read(path)]
        for found in _DEF.finditer(text)
    )


def _holding(tree: Path) -> Iterator[Path]:
    for path in files(tree):
        text = b"" if path.name in _NO_TESTS else read(path)
        if b"benchmark" in text or b"pytest_codspeed" in text:
            prefixes = _prefixes(tree, path)
            named = any(one[1].decode().startswith(prefixes) for one in _FUNCTION.finditer(text))
            wrapped = any(_FUNCTION.search(one[0]) for one in _FIXTURE.finditer(text))
            if named or wrapped or _ASKS.search(text):
                yield path


def _prefixes(tree: Path, path: Path) -> tuple[str, ...]:
    folder = pytest_options.configured_folder(tree, path)
    return (*_PREFIXES, *pytest_options.function_prefixes(folder))


def _fixtures(paths: list[Path]) -> set[bytes]:
    """Return `benchmark` and the fixtures that use it, directly or by others."""
    uses = {
        found[1]: set(_NAME.findall(found[2]))
        for path in paths
        for text in [read(path)]
        if b"fixture" in text
        for found in _FIXTURE.finditer(text)
    }
    names, before = {b"benchmark"}, 0
    while len(names) > before:
        before = len(names)
        names |= {name for name, used in uses.items() if used & names}
    return names


def _is_benchmark(
    found: re.Match[bytes], text: bytes, fixtures: set[bytes], prefixes: tuple[str, ...]
) -> bool:
    if not found[1].decode().startswith(prefixes) or found[1] in fixtures:
        return False
    before = text[: found.start()].rpartition(b"\n\n")[2]
    marked = b"mark.benchmark" in before or b"mark.codspeed_benchmark" in before
    return marked or not fixtures.isdisjoint(_NAME.findall(found[2]))
