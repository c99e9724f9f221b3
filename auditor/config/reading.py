"""A JSON, YAML or TOML file as settings; what is wrong is said with its place."""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from auditor.config.explaining import explain_error
from auditor.config.settings import HARNESS_NAMES, Settings
from auditor.core.errors import UsageError
from auditor.core.files.own_files import describe_beginning

EXTENSIONS = (".json", ".yaml", ".yml", ".toml")


def read_document(path: Path, label: str) -> dict[str, Any]:
    """Return the object in a file, unchecked; raises UsageError that names it by its `label`."""
    try:
        content = path.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"{label} cannot be read: {reason}") from error
    return parse_document(content, path, label)


def list_names(lines: Iterable[str]) -> list[str]:
    """Return the names in a file that has one a line; # begins a comment, after a name too."""
    names = (re.sub(r"(^|\s)#.*", "", line).strip() for line in lines)
    return [name for name in names if name]


def parse_document(content: bytes, path: Path, label: str) -> dict[str, Any]:
    """Return the object in the file at `path`; raises UsageError as `read_document` does."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{label} is not UTF-8 text (byte {error.start}); save it as UTF-8") from (
            error
        )
    if description := describe_beginning(text.encode(), path):
        raise UsageError(f"{label} is not a configuration: {description}")
    try:
        values = _parse_text(text, path.suffix, label)
    except RecursionError as error:
        raise UsageError(f"{label} is nested too deeply; a configuration has two levels") from error
    except ValueError as error:  # Python reads no number of more than 4300 digits
        reason = str(error).partition(";")[0]
        raise UsageError(f"{label} cannot be read: {_lower_first(reason)}") from error
    if not isinstance(values, dict):
        raise UsageError(f"{label} must contain one object with keys such as subject and methods")
    return values


def _parse_text(text: str, suffix: str, label: str) -> Any:
    if suffix == ".json":
        return _parse_json(text, label)
    if suffix == ".toml":
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise UsageError(f"{label} is broken TOML: {_lower_first(str(error))}") from error
    return _parse_yaml(text, label)


def _parse_json(text: str, label: str) -> Any:
    def refuse_constant(word: str) -> NoReturn:
        raise UsageError(f"{label} contains {word}, which is not valid JSON; write a number")

    def refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        twice = {key for key in keys if keys.count(key) > 1}
        if twice:
            raise UsageError(f"{label} has the key {min(twice)!r} twice; remove one")
        return dict(pairs)

    try:
        return json.loads(text, parse_constant=refuse_constant, object_pairs_hook=refuse_duplicates)
    except json.JSONDecodeError as error:
        raise UsageError(
            f"{label} is broken JSON at line {error.lineno}, column {error.colno}: "
            f"{_lower_first(error.msg)}"
        ) from error


def _parse_yaml(text: str, label: str) -> Any:
    # Imported when needed: no other kind of file should pay for it.
    import yaml  # noqa: PLC0415 see above

    try:
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise UsageError(f"{label} is broken YAML{place}: {error.problem}") from error
    except (yaml.YAMLError, ValueError) as error:
        first = str(error).splitlines()[0]
        raise UsageError(f"{label} is broken YAML: {_lower_first(first)}") from error


def _normalise_harness(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a configuration with our name of the harness, whichever the user has for it."""
    harness = values.get("harness")
    if not isinstance(harness, str):
        return values
    name = harness.strip().lower()
    return {**values, "harness": HARNESS_NAMES.get(name, name)}


def parse_settings(values: Mapping[str, Any], source: str) -> Settings:
    """Check an object against the types; raises UsageError, `source` first, with the path."""
    try:
        return msgspec.convert(_normalise_harness(values), Settings)
    except msgspec.ValidationError as error:
        raise UsageError(source + explain_error(str(error), values)) from error


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
