"""A JSON, YAML or TOML file as settings; what is wrong is said with its place."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from auditor.config.explaining import explain
from auditor.config.settings import HARNESS_NAMES, Settings
from auditor.core.errors import UsageError
from auditor.core.files.own_files import describe_beginning

EXTENSIONS = (".json", ".yaml", ".yml", ".toml")


def document(path: Path, shown: str) -> dict[str, Any]:
    """Return the object in a file, not looked at yet; raises UsageError that names it `shown`."""
    try:
        content = path.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"{shown} cannot be read: {reason}") from error
    return parse_document(content, path, shown)


def parse_document(content: bytes, path: Path, shown: str) -> dict[str, Any]:
    """Return the object that the file at `path` holds; raises UsageError as `document` does."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{shown} is not UTF-8 text (byte {error.start}); save it as UTF-8") from (
            error
        )
    if own := describe_beginning(text.encode(), path):
        raise UsageError(f"{shown} is not a configuration: {own}")
    try:
        found = _parsed(text, path.suffix, shown)
    except RecursionError as error:
        raise UsageError(f"{shown} is nested too deeply; a configuration has two levels") from error
    except ValueError as error:  # Python reads no number of more than 4300 digits
        reason = str(error).partition(";")[0]
        raise UsageError(f"{shown} cannot be read: {_lower(reason)}") from error
    if not isinstance(found, dict):
        raise UsageError(f"{shown} must contain one object with keys such as subject and methods")
    return found


def _parsed(text: str, suffix: str, shown: str) -> Any:
    if suffix == ".json":
        return _json(text, shown)
    if suffix == ".toml":
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise UsageError(f"{shown} is broken TOML: {_lower(str(error))}") from error
    return _yaml(text, shown)


def _json(text: str, shown: str) -> Any:
    def refuse(word: str) -> NoReturn:
        raise UsageError(f"{shown} contains {word}, which is not valid JSON; write a number")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        twice = {key for key in keys if keys.count(key) > 1}
        if twice:
            raise UsageError(f"{shown} has the key {min(twice)!r} twice; remove one")
        return dict(pairs)

    try:
        return json.loads(text, parse_constant=refuse, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise UsageError(
            f"{shown} is broken JSON at line {error.lineno}, column {error.colno}: "
            f"{_lower(error.msg)}"
        ) from error


def _yaml(text: str, shown: str) -> Any:
    # Imported when needed: no other kind of file should pay for it.
    import yaml  # noqa: PLC0415 see above

    try:
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise UsageError(f"{shown} is broken YAML{place}: {error.problem}") from error
    except (yaml.YAMLError, ValueError) as error:
        first = str(error).splitlines()[0]
        raise UsageError(f"{shown} is broken YAML: {_lower(first)}") from error


def with_harness(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a configuration with our name of the harness, whichever the user has for it."""
    harness = found.get("harness")
    if not isinstance(harness, str):
        return found
    name = harness.strip().lower()
    return {**found, "harness": HARNESS_NAMES.get(name, name)}


def settings(found: Mapping[str, Any], source: str) -> Settings:
    """Check an object against the types; raises UsageError, `source` first, with the path."""
    try:
        return msgspec.convert(with_harness(found), Settings)
    except msgspec.ValidationError as error:
        raise UsageError(source + explain(str(error), found)) from error


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
