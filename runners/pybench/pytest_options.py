"""What a project tells pytest by `addopts`, as far as it decides which tests run, and how."""

import shlex
import tomllib
from collections.abc import Iterator
from configparser import ConfigParser, Error
from pathlib import Path
from typing import Any

from runners.pybench.library import read

_FLAGS = frozenset({"--pyargs", "--doctest-modules", "--doctest-continue-on-failure"})
_WITH_VALUE = frozenset(
    {"-p", "-m", "-k", "-W", "--ignore", "--ignore-glob", "--deselect", "--import-mode"}
    | {"--doctest-glob", "--pythonwarnings", "--asyncio-mode", "--anyio-mode", "--ds"}
)
"""What decides that; the rest watches, reports, or runs tests elsewhere, often by plugins."""


def kept(tree: Path, without: frozenset[str]) -> tuple[str, ...]:
    """Return the project's own options that a run of its tests needs; no plugin `without`."""
    return tuple(_chosen(_options(tree), without))


def _chosen(words: list[str], without: frozenset[str]) -> Iterator[str]:
    given = iter(words)
    for word in given:
        name, sign, value = word.partition("=")
        if not word.startswith("--") and len(word) > 2:
            name, sign, value = word[:2], "=", word[2:]
        if name in _FLAGS:
            yield word
        elif name in _WITH_VALUE:
            value = value if sign else next(given, "")
            if name == "-p" and value.removeprefix("no:").removeprefix("pytest_") in without:
                continue
            yield from (name, value) if len(name) == 2 else (f"{name}={value}",)


def _options(tree: Path) -> list[str]:
    """Return the words of the first file that pytest would take (its "rootdir and ini-file")."""
    for name, section in (
        ("pytest.ini", "pytest"),
        (".pytest.ini", "pytest"),
        ("pyproject.toml", ""),
        ("tox.ini", "pytest"),
        ("setup.cfg", "tool:pytest"),
    ):
        found = _toml(tree / name) if not section else _ini(tree / name, section)
        if found is not None:
            try:
                if isinstance(found, str):
                    return shlex.split(found)
                return [str(one) for one in found] if isinstance(found, list) else []
            except ValueError:
                return []
    return []


def _toml(path: Path) -> Any:
    try:
        tools = tomllib.loads(read(path).decode()).get("tool", {})
        section = tools.get("pytest", {})
        return section.get("ini_options", section).get("addopts", []) if section else None
    except (OSError, ValueError, AttributeError, RecursionError):
        return None  # pytest itself says what is wrong with it


def _ini(path: Path, section: str) -> str | None:
    parser = ConfigParser(interpolation=None)
    try:
        parser.read_string(read(path).decode())
    except (OSError, ValueError, Error):
        return None
    return parser.get(section, "addopts", fallback="") if section in parser else None
