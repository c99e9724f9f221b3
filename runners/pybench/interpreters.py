"""Which Python a project needs, as it declares it, and where such a one may be found."""

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion

from runners.pybench.library import read_file_head

NAMES = tuple(f"python3.{minor}" for minor in range(25, 8, -1))
"""How interpreters are called on PATH, the newest first."""
_OF_SETUP_CFG = re.compile(rb"^python_requires[ \t]*=[ \t]*(\S.*)$", re.MULTILINE)

_POETRY_RANGE = re.compile(r"([~^])[ \t]*(\d{1,4})(?:\.(\d{1,4}))?(?:\.\d+)*")


def required_python(tree: Path) -> str:
    """Return the versions of Python that a project declares (`>=3.12`), empty where it does not."""
    try:
        document: Any = tomllib.loads(read_file_head(tree / "pyproject.toml").decode())
    except (ValueError, RecursionError):
        document = {}  # the installer says what is wrong with it
    project = document.get("project")
    declared = project.get("requires-python") if isinstance(project, dict) else None
    if isinstance(declared, str) or (declared := _read_poetry_python(document)):
        return declared
    if match := _OF_SETUP_CFG.search(read_file_head(tree / "setup.cfg")):
        return match[1].decode(errors="replace").strip()
    return _read_setup_script(tree / "setup.py")


def satisfies_requirement(version: str, required: str) -> bool:
    """Tell whether a version is among those required; what cannot be read is left to installers."""
    try:
        return SpecifierSet(required).contains(version.rpartition(" ")[2], prereleases=True)
    except (InvalidSpecifier, InvalidVersion):
        return True


def _read_poetry_python(document: Any) -> str:
    """Return the versions that poetry's table declares, in pip's notation; empty where it cannot.

    A caret allows what keeps the first number, a tilde what keeps the second one.
    """
    for key in ("tool", "poetry", "dependencies", "python"):
        document = document.get(key) if isinstance(document, dict) else None
    if not isinstance(document, str) or "|" in document:
        return ""
    return ",".join(filter(None, map(_convert_poetry_range, document.split(","))))


def _convert_poetry_range(text: str) -> str:
    text = text.strip()
    match = _POETRY_RANGE.fullmatch(text)
    if match is None:
        return "" if text == "*" else text
    major, minor = int(match[2]), match[3]
    keeps_minor = match[1] == "~" and minor is not None
    end = f"{major}.{int(minor) + 1}" if keeps_minor else f"{major + 1}"
    return f">={text[1:].strip()},<{end}"


def _read_setup_script(script: Path) -> str:
    try:
        nodes = ast.walk(ast.parse(read_file_head(script)))
        return next((requirement for node in nodes if (requirement := _read_declaration(node))), "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


def _read_declaration(node: ast.AST) -> str:
    if isinstance(node, ast.keyword) and node.arg == "python_requires":
        value = getattr(node.value, "value", None)
        return value if isinstance(value, str) else ""
    return ""
