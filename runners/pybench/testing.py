"""What the tests of a Python project need beside it: extras, groups and files for them."""

import tomllib
from collections.abc import Iterable
from configparser import ConfigParser, Error
from dataclasses import replace
from pathlib import Path
from typing import Any

from auditor.core.request import PythonSpec
from runners.pybench.library import read

_NAMES = ("test", "tests", "testing", "dev", "develop", "development")
"""What people call them, the narrowest first."""
_FILES = tuple(
    form.format(name) for name in _NAMES for form in (
        "requirements-{}.txt", "{}-requirements.txt", "requirements_{}.txt", "{}_requirements.txt",
        "requirements/{}.txt", "requirements/requirements-{}.txt", "requirements/{}.in",
    )
)  # fmt: skip


def with_test_needs(python: PythonSpec, tree: Path) -> PythonSpec:
    """Return what is asked of an environment, with what the project's tests need.

    Where something is asked for, that is it; else an extra, a dependency group or a file of
    requirements that has a usual name, the first of each kind.
    """
    if python.interpreter or python.extras or python.groups or python.requirements:
        return python
    document = _toml(tree / "pyproject.toml")
    extras = [*_table(document, "project", "optional-dependencies"), *_of_setup_cfg(tree)]
    groups = _table(document, "dependency-groups")
    files = [f"--requirement={tree / name}" for name in _FILES if (tree / name).is_file()]
    return replace(
        python, extras=_first(extras), groups=_first(groups), requirements=tuple(files[:1])
    )


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read(path).decode())
    except (OSError, ValueError, RecursionError):
        return {}  # the installer says what is wrong with it


def _table(document: Any, *keys: str) -> list[str]:
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return list(document) if isinstance(document, dict) else []


def _of_setup_cfg(tree: Path) -> list[str]:
    parser = ConfigParser(interpolation=None)
    try:
        parser.read_string(read(tree / "setup.cfg").decode())
    except (OSError, ValueError, Error):
        return []
    return list(parser["options.extras_require"]) if "options.extras_require" in parser else []


def _first(found: Iterable[str]) -> tuple[str, ...]:
    known = {one.lower(): one for one in found}
    return tuple(known[name] for name in _NAMES if name in known)[:1]
