"""The configuration that lies in a project, which nobody named on the command line."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auditor.config import reading
from auditor.core.errors import UsageError
from auditor.core.files.foreign_files import describe_os_error, read_regular
from auditor.core.files.paths import is_file

NAMES = ("bench-audit.toml", "bench-audit.yaml", "bench-audit.yml", "bench-audit.json")
_PROJECT = "pyproject.toml"
_LARGEST = 1 << 20
"""Bytes of a configuration that is read unasked."""
_TABLE = "[tool.bench-audit]"
UNNAMED = "in a configuration that the command line does not name"
"""Why a key that reaches out of the project is refused."""


@dataclass(frozen=True, slots=True)
class ProjectConfiguration:
    """A configuration that lies in the folder of a subject."""

    path: Path
    label: str
    """Its name for people, with the table where it is part of a file."""
    document: Mapping[str, Any]

    @property
    def is_whole_file(self) -> bool:
        """Tell whether the file is ours alone, and so no part of the project."""
        return self.path.name != _PROJECT


def find_configuration(folder: Path, argument: str) -> ProjectConfiguration | None:
    """Return the one configuration in a folder; raises UsageError for two, or a broken one.

    `argument` is how the command line names the folder.
    """
    configurations = [
        _whole_file(path, str(Path(argument) / name))
        for name in NAMES
        if is_file(path := folder / name)
    ]
    if (table := _read_table(folder / _PROJECT, str(Path(argument) / _PROJECT))) is not None:
        configurations.append(table)
    if len(configurations) > 1:
        first, second, *_ = configurations
        raise UsageError(
            f"{first.label} and {second.label} both configure this project; remove one, or "
            "name one on the command line"
        )
    return configurations[0] if configurations else None


def _whole_file(path: Path, label: str) -> ProjectConfiguration:
    """Read a file of ours; whoever wrote the project may have made it a link to another one."""
    try:
        content = read_regular(path, _LARGEST)
    except OSError as error:
        raise UsageError(f"{label} cannot be read: {describe_os_error(error)}") from error
    return ProjectConfiguration(path, label, reading.parse_document(content, path, label))


def _read_table(path: Path, label: str) -> ProjectConfiguration | None:
    """Return the table in a pyproject.toml; a file that cannot be read is not ours to judge."""
    if not is_file(path):
        return None
    try:
        project = tomllib.loads(read_regular(path, _LARGEST).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return None
    tools = project.get("tool")
    settings = tools.get("bench-audit") if isinstance(tools, dict) else None
    if settings is None:
        return None
    if not isinstance(settings, dict):
        raise UsageError(f"{label}: tool.bench-audit must be a table, {_TABLE}")
    return ProjectConfiguration(path, f"{label} {_TABLE}", settings)
