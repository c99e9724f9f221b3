"""What a project tells pytest in its configuration, as far as it decides which tests run, and how.

pytest reads one file: the first that configures it, in the folder of the tests or above.
"""

import ast
import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from configparser import ConfigParser, Error
from pathlib import Path
from typing import Any

from runners.pybench.declarations import find_table, read_toml
from runners.pybench.library import is_folder, list_python_files, parse_python_file, read_file_head

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


def list_project_options(
    tree: Path, without: frozenset[str], places: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the project's own options that a run of its tests needs; no plugin `without`."""
    with_value, without_value = _find_declared_options(_find_first_conftests(tree, places))
    words = _read_setting_words(tree, "addopts")
    return tuple(_select_options(words, without, _WITH_VALUE | with_value, _FLAGS | without_value))


def list_suite_options(
    tree: Path, folder: Path, without: frozenset[str], places: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the options that benchmarks need: plugins, import modes, those of a conftest.py."""
    with_value, without_value = _find_declared_options(_find_first_conftests(tree, places))
    words = _read_setting_words(folder, "addopts")
    return tuple(_select_options(words, without, _PLUGINS | with_value, without_value))


def drop_unknown_options(text: str, tree: Path, places: Sequence[str]) -> str:
    """Return options without those that only a conftest.py declares that pytest loads too late."""
    conftests = [path for path in list_python_files(tree) if path.name == "conftest.py"]
    declared = frozenset[str]().union(*_find_declared_options(conftests))
    early = frozenset[str]().union(*_find_declared_options(_find_first_conftests(tree, places)))
    words = shlex.split(text)
    return shlex.join(word for word in words if word.partition("=")[0] not in declared - early)


def _find_first_conftests(tree: Path, places: Sequence[str]) -> list[Path]:
    """Return the files conftest.py that pytest loads before it reads its options."""
    starts = [tree / place.partition("::")[0] for place in places if not place.startswith("-")]
    paths = set()
    for start in (
        starts or [tree / word for word in _read_setting_words(tree, "testpaths")] or [tree]
    ):
        folder = start if is_folder(start) else start.parent
        above = [parent for parent in folder.parents if parent.is_relative_to(tree)]
        paths |= {parent / "conftest.py" for parent in (folder, *above)}
        paths |= set(start.glob("test*/conftest.py")) if is_folder(start) else set()
    return sorted(paths)


def _find_declared_options(conftests: Iterable[Path]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the options that files declare: those with a value, the others."""
    with_value: set[str] = set()
    without_value: set[str] = set()
    for path in conftests:
        if b"addoption" in read_file_head(path):
            for call in _list_declarations(parse_python_file(path)):
                options = with_value if _takes_value(call) else without_value
                options.update(
                    str(argument.value)
                    for argument in call.args
                    if isinstance(argument, ast.Constant)
                )
    return frozenset(with_value), frozenset(without_value)


def _list_declarations(tree: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls of a method `addoption`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "addoption":
            yield node


def _takes_value(declaration: ast.Call) -> bool:
    """Tell whether an option has a value: `action` is that of argparse."""
    actions = [key.value for key in declaration.keywords if key.arg == "action"]
    return all(getattr(action, "value", "") in ("store", "append") for action in actions)


def format_setting(folder: Path, key: str, words: Sequence[str]) -> str:
    """Return the line of a setting, and the file that it belongs into."""
    for name, section in _FILES:
        if section and _read_ini_section(folder / name, section) is not None:
            return f"{key} = {' '.join(words)} to [{section}] in {name}"
        if not section and _read_toml_section(folder / name) is not None:
            break
    return f"{key} = {json.dumps(words)} to the settings of pytest in pyproject.toml"


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
        elif name in _WITH_VALUE or name in valued:
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
    section = find_table(read_toml(path), "tool", "pytest")
    return (find_table(section, "ini_options") if "ini_options" in section else section) or None


def _read_ini_section(path: Path, section: str) -> dict[str, str] | None:
    parser = ConfigParser(interpolation=None)
    try:
        parser.read_string(read_file_head(path).decode())
    except (ValueError, Error):
        return None
    return dict(parser[section]) if section in parser else None
