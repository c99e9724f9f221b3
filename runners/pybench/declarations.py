"""What the files of a Python project declare; nothing is run."""

import re
import tomllib
from collections.abc import Iterator
from configparser import ConfigParser, Error
from pathlib import Path, PurePosixPath
from typing import Any

from auditor.core.files.foreign_files import read_beginning

_FOLDER_SETTINGS = (
    ("tool.setuptools.packages.find", "where"),
    ("tool.maturin", "python-source"),
    ("tool.pdm.build", "package-dir"),
    ("tool.uv.build-backend", "module-root"),
)
"""Where a build's table names the folder, or the folders, of the packages."""
_PACKAGE_SETTINGS = (
    ("tool.hatch.build", "packages"),
    ("tool.hatch.build.targets.wheel", "packages"),
    ("tool.scikit-build.wheel", "packages"),
)
"""Where a build's table names packages by their paths."""
_SCRIPT_FOLDER = re.compile(
    rb"package_dir\s*=\s*\{\s*[\"']{2}\s*:\s*[\"']([^\"'\n]+)[\"']"
    rb"|find_(?:namespace_)?packages\(\s*(?:where\s*=\s*)?[\"']([^\"'\n]+)[\"']"
)
"""What a setup.py says of it, where that is a text."""


def read_toml(path: Path) -> dict[str, Any]:
    """Return a TOML document; empty where it is none: who uses it says what is wrong with it."""
    try:
        return tomllib.loads(read_beginning(path).decode())
    except (ValueError, RecursionError):
        return {}


def find_table(document: Any, *keys: str) -> dict[str, Any]:
    """Return a table inside a document; empty where there is none."""
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else {}


def list_texts(value: Any) -> list[str]:
    """Return the texts of an array; none where the value is no array."""
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def read_ini(path: Path) -> ConfigParser:
    """Return an INI file; empty where it is none."""
    return parse_ini(read_beginning(path).decode(errors="replace"))


def parse_ini(text: str) -> ConfigParser:
    """Return an INI file of this text; empty where it is none."""
    parser = ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except (ValueError, Error):
        return ConfigParser(interpolation=None)
    return parser


def list_package_roots(tree: Path) -> Iterator[Path]:
    """Yield the folders of a tree in which its build looks for packages, as they are declared.

    They may not exist. Paths that lead out of the tree are passed over.
    """
    for name in _list_root_names(tree):
        parts = PurePosixPath(name).parts
        if ".." not in parts and not PurePosixPath(name).is_absolute():
            yield tree.joinpath(*parts)


def _list_root_names(tree: Path) -> Iterator[str]:
    document = read_toml(tree / "pyproject.toml")
    for path, key in _FOLDER_SETTINGS:
        yield from _list_one_or_more(find_table(document, *path.split(".")).get(key))
    yield from _list_one_or_more(find_table(document, "tool", "setuptools", "package-dir").get(""))
    for path, key in _PACKAGE_SETTINGS:
        for package in list_texts(find_table(document, *path.split(".")).get(key)):
            yield str(PurePosixPath(package).parent)
    packages = find_table(document, "tool", "poetry").get("packages")
    for entry in packages if isinstance(packages, list) else ():
        yield from _list_one_or_more(find_table(entry).get("from"))
    setup = read_ini(tree / "setup.cfg")
    for line in setup.get("options", "package_dir", fallback="").splitlines():
        package, _, folder = line.partition("=")
        if folder and not package.strip():
            yield folder.strip()
    yield from setup.get("options.packages.find", "where", fallback="").split()
    for match in _SCRIPT_FOLDER.finditer(read_beginning(tree / "setup.py")):
        yield (match[1] or match[2]).decode(errors="replace")


def _list_one_or_more(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list_texts(value)
