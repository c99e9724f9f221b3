"""A JSON, YAML or TOML file as settings; what is wrong is said with its place."""

import json
import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

import msgspec

from auditor.config.sections import Section
from auditor.config.settings import CHOICES, DURATIONS, HARNESS_NAMES, SECTIONS, Settings
from auditor.core.errors import UsageError
from auditor.core.files.own_files import describe_beginning

_ITEM = re.compile(r"\[\d+\]")
"""Where in a list a path leads: what may stand there is the same for all of it."""
EXTENSIONS = (".json", ".yaml", ".yml", ".toml")


def document(path: Path, shown: str) -> dict[str, Any]:
    """Return the object in a file, not looked at yet; raises UsageError that names it `shown`."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"{shown} cannot be read: {reason}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{shown} is not UTF-8 text (byte {error.start}); save it as UTF-8") from (
            error
        )
    if own := describe_beginning(text.encode(), path):
        raise UsageError(f"{shown} is no configuration: {own}")
    try:
        found = _parsed(text, path.suffix, shown)
    except RecursionError as error:
        raise UsageError(f"{shown} is nested too deeply; a configuration has two levels") from error
    except ValueError as error:  # Python reads no number of more than 4300 digits
        reason = str(error).partition(";")[0]
        raise UsageError(f"{shown} cannot be read: {_lower(reason)}") from error
    if not isinstance(found, dict):
        raise UsageError(f"{shown} must hold one object with keys such as subject and methods")
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
        raise UsageError(f"{shown} holds {word}, which JSON does not have; write a number")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        twice = {key for key in keys if keys.count(key) > 1}
        if twice:
            raise UsageError(f"{shown} has the key {min(twice)!r} twice; leave one out")
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


def explain(
    message: str,
    found: Mapping[str, Any],
    sections: Mapping[str, type[Section]] = MappingProxyType(SECTIONS),
) -> str:
    """Return what is wrong and how to write it, without any words of Python.

    `sections` are the types of the objects by their paths.
    """
    what, _, place = message.replace("`", "").partition(" - at ")
    place = place or "$"
    key = shown_place(place)
    general = _ITEM.sub("[...]", place)
    if place.startswith("key in "):
        return f"the keys at {shown_place(place.removeprefix('key in '))} must be texts in quotes"
    if unknown := re.search(r"unknown field (.*)", what):
        return _unknown(unknown[1], place, sections)
    if missing := re.search(r"missing required field (.*)", what):
        return f"{key} needs the key {missing[1]!r}"
    if general in DURATIONS:
        return f"{_shown(place, found)} at {key} must be {duration_hint(_value(place, found))}"
    if general in CHOICES:
        given = "" if general != place else f"{_shown(place, found)} at "
        return f"{given}{key} must be {CHOICES[general]}"
    return f"{_shown(place, found)} at {key} must be {_wanted(what)}"


def shown_place(place: str) -> str:
    """Return a path in a file as people write it: plan.forks."""
    return place.removeprefix("$").removeprefix(".") or "the top level"


def duration_hint(value: object) -> str:
    """Return how a duration is written; a bare number is taken for seconds."""
    seconds: float = 600
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        seconds = value
    whole = seconds % 60 == 0
    text = f"{seconds // 60:g}m" if whole else f"{seconds:g}s"
    return f'a number with a unit in quotes, such as "{text}"'


_KINDS = {
    "str": "a text in quotes",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list in brackets",
    "object": "a section with keys",
    "null": "null",
}


def _wanted(what: str) -> str:
    """Return what msgspec expects of a value, for people."""
    expected = re.search(r"expected (.*?)(?:, got .*)?$", what, re.IGNORECASE)
    kinds, *limit = (expected[1] if expected else what).split(" ", 1)
    if " | " in (expected[1] if expected else ""):
        kinds, limit = expected[1].replace(" | ", "|"), []  # type: ignore[index]
    words = " or ".join(_KINDS.get(kind, kind) for kind in kinds.split("|"))
    if not limit:
        return words
    for written, said in _LIMITS:
        if found := re.fullmatch(written, limit[0]):
            return f"{words} {said.format(*found.groups())}"
    return f"{words} ({limit[0]})"


_LIMITS = (
    (r">= (.*)", "of at least {}"),
    (r"<= (.*)", "of at most {}"),
    (r"> (.*)", "above {}"),
    (r"< (.*)", "below {}"),
    (r"of length >= 1", "that is not empty"),
    (r"matching regex (.*)", "of the form {}"),
    (r"of length <= (.*)", "of at most {} characters"),
)


def _unknown(key: str, place: str, sections: Mapping[str, type[Section]]) -> str:
    section = sections.get(_ITEM.sub("[...]", place), sections["$"])
    known = _keys(section)
    where = "" if place == "$" else f" in {shown_place(place)}"
    if close := get_close_matches(key, known, n=1):
        return f"unknown key {key!r}{where}; did you mean {close[0]!r}?"
    elsewhere = {
        name: shown_place(f"{section_place}.{name}")
        for section_place, other in reversed([*sections.items()])  # of two the first
        for name in _keys(other)
    }
    if close := get_close_matches(key, elsewhere, n=1):
        return f"unknown key {key!r}{where}; did you mean {elsewhere[close[0]]}?"
    return f"unknown key {key!r}{where}; the keys are: {', '.join(known)}"


def _keys(section: type[Section]) -> tuple[str, ...]:
    return section.__struct_encode_fields__


def _value(place: str, found: Mapping[str, Any]) -> object:
    value: Any = found
    for key in re.findall(r"[^.\[\]]+", place.removeprefix("$")):
        value = value[int(key)] if isinstance(value, list | tuple) else value.get(key)
    return value


def _shown(place: str, found: Mapping[str, Any]) -> str:
    return json.dumps(_value(place, found), default=str)[:60]
