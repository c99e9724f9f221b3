"""What a project tells pytest in its configuration, as far as it decides which tests run, and how.

pytest reads one file: the first that configures it, in the folder of the tests or above.
"""

import shlex
import tomllib
from collections.abc import Iterator
from configparser import ConfigParser, Error
from pathlib import Path
from typing import Any

from runners.pybench.library import read_file_head

_SELECTION = frozenset({"-m", "-k", "--ignore", "--ignore-glob", "--deselect"})
"""Options that choose tests; benchmarks are often excluded from a plain `pytest` by them."""
_FLAGS = frozenset({"--pyargs", "--doctest-modules", "--doctest-continue-on-failure"})
_PLUGINS = frozenset(
    {"-p", "--import-mode", "--asyncio-mode", "--anyio-mode", "--ds", "--confcutdir"}
)
_WITH_VALUE = _SELECTION | _PLUGINS | {"-W", "--doctest-glob", "--pythonwarnings"}
"""What decides that; the rest watches, reports, or runs tests elsewhere, often by plugins."""
_FILES = (
    ("pytest.ini", "pytest"),
    (".pytest.ini", "pytest"),
    ("pyproject.toml", ""),
    ("tox.ini", "pytest"),
    ("setup.cfg", "tool:pytest"),
)


def list_project_options(tree: Path, without: frozenset[str]) -> tuple[str, ...]:
    """Return the project's own options that a run of its tests needs; no plugin `without`."""
    return tuple(
        _select_options(_read_setting_words(tree, "addopts"), without, _WITH_VALUE, _FLAGS)
    )


def list_suite_options(folder: Path, without: frozenset[str]) -> tuple[str, ...]:
    """Return the options that benchmarks need: plugins and import modes, no choice of tests."""
    return tuple(
        _select_options(_read_setting_words(folder, "addopts"), without, _PLUGINS, frozenset())
    )


def function_prefixes(folder: Path) -> tuple[str, ...]:
    """Return what the names of test functions begin with; empty where pytest's default holds."""
    return tuple(
        word.rstrip("*")
        for word in _read_setting_words(folder, "python_functions")
        if word.strip("*")
    )


def configured_folder(tree: Path, place: Path) -> Path:
    """Return the folder at or above a file whose configuration pytest takes, else the tree."""
    for folder in place.parents:
        if folder == tree or not folder.is_relative_to(tree):
            break
        if _read_section(folder) is not None:
            return folder
    return tree


def _select_options(
    words: list[str], without: frozenset[str], valued: frozenset[str], flags: frozenset[str]
) -> Iterator[str]:
    remaining_words = iter(words)
    for word in remaining_words:
        name, sign, value = word.partition("=")
        if not word.startswith("--") and len(word) > 2:
            name, sign, value = word[:2], "=", word[2:]
        if name in flags:
            yield word
        elif name in _WITH_VALUE:
            value = value if sign else next(remaining_words, "")
            plugin = value.removeprefix("no:").removeprefix("pytest_")
            if name not in valued or (name == "-p" and plugin in without):
                continue
            yield from (name, value) if len(name) == 2 else (f"{name}={value}",)


def _read_setting_words(folder: Path, key: str) -> list[str]:
    """Return the words of a setting in the file that configures pytest."""
    value = (_read_section(folder) or {}).get(key, "")
    try:
        if isinstance(value, str):
            return shlex.split(value)
        return [str(word) for word in value] if isinstance(value, list) else []
    except ValueError:
        return []


def _read_section(folder: Path) -> dict[str, Any] | None:
    """Return the settings of the first file that configures pytest, None where none does."""
    for name, section in _FILES:
        section_values = (
            _read_ini_section(folder / name, section)
            if section
            else _read_toml_section(folder / name)
        )
        if section_values is not None:
            return section_values
    return None


def _read_toml_section(path: Path) -> dict[str, Any] | None:
    try:
        section = tomllib.loads(read_file_head(path).decode()).get("tool", {}).get("pytest", {})
        section = section.get("ini_options", section)
    except (ValueError, AttributeError, RecursionError):
        return None  # pytest itself says what is wrong with it
    return section if section and isinstance(section, dict) else None


def _read_ini_section(path: Path, section: str) -> dict[str, str] | None:
    parser = ConfigParser(interpolation=None)
    try:
        parser.read_string(read_file_head(path).decode())
    except (ValueError, Error):
        return None
    return dict(parser[section]) if section in parser else None
