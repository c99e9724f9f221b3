"""What is wrong with a value in a configuration, in words that need no Python."""

import json
import re
from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

from auditor.config.sections import Section
from auditor.config.settings import CHOICES, DURATIONS, SECTIONS

_ITEM = re.compile(r"\[\d+\]")
"""Where in a list a path leads: what may stand there is the same for all of it."""


def explain_error(
    message: str,
    document: Mapping[str, Any],
    sections: Mapping[str, type[Section]] = MappingProxyType(SECTIONS),
) -> str:
    """Return what is wrong and how to write it, without any words of Python.

    `sections` are the types of the objects by their paths.
    """
    problem, _, place = message.replace("`", "").partition(" - at ")
    place = place or "$"
    key = _shown_place(place)
    general = _ITEM.sub("[...]", place)
    if place.startswith("key in "):
        return f"the keys at {_shown_place(place.removeprefix('key in '))} must be texts in quotes"
    if unknown_field := re.search(r"unknown field (.*)", problem):
        return _explain_unknown_key(unknown_field[1], place, sections)
    if missing_field := re.search(r"missing required field (.*)", problem):
        return f"{key} needs the key {missing_field[1]!r}"
    if general in DURATIONS:
        return (
            f"{_format_value(place, document)} at {key} must be "
            f"{_duration_hint(_find_value(place, document))}"
        )
    if general in CHOICES:
        prefix = "" if general != place else f"{_format_value(place, document)} at "
        return f"{prefix}{key} must be {CHOICES[general]}"
    return f"{_format_value(place, document)} at {key} must be {_describe_expected(problem)}"


def _shown_place(place: str) -> str:
    """Return a path in a file as people write it: plan.forks."""
    return place.removeprefix("$").removeprefix(".") or "the top level"


def _duration_hint(value: object) -> str:
    """Return how a duration is written; a bare number is taken for seconds."""
    seconds: float = 600
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        seconds = value
    is_minutes = seconds % 60 == 0
    text = f"{seconds // 60:g}m" if is_minutes else f"{seconds:g}s"
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


def _describe_expected(problem: str) -> str:
    """Return what msgspec expects of a value, for people."""
    expected = re.search(r"expected (.*?)(?:, got .*)?$", problem, re.IGNORECASE)
    kinds, *limit = (expected[1] if expected else problem).split(" ", 1)
    if " | " in (expected[1] if expected else ""):
        kinds, limit = expected[1].replace(" | ", "|"), []  # type: ignore[index]
    words = " or ".join(_KINDS.get(kind, kind) for kind in kinds.split("|"))
    if not limit:
        return words
    for pattern, phrase in _LIMITS:
        if match := re.fullmatch(pattern, limit[0]):
            return f"{words} {phrase.format(*match.groups())}"
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


def _explain_unknown_key(key: str, place: str, sections: Mapping[str, type[Section]]) -> str:
    section = sections.get(_ITEM.sub("[...]", place), sections["$"])
    keys = _list_keys(section)
    location = "" if place == "$" else f" in {_shown_place(place)}"
    if close_matches := get_close_matches(key, keys, n=1):
        return f"unknown key {key!r}{location}; did you mean {close_matches[0]!r}?"
    elsewhere = {
        name: _shown_place(f"{section_place}.{name}")
        for section_place, section_type in reversed([*sections.items()])  # of two the first
        for name in _list_keys(section_type)
    }
    if close_matches := get_close_matches(key, elsewhere, n=1):
        return f"unknown key {key!r}{location}; did you mean {elsewhere[close_matches[0]]}?"
    return f"unknown key {key!r}{location}; the keys are: {', '.join(keys)}"


def _list_keys(section: type[Section]) -> tuple[str, ...]:
    return section.__struct_encode_fields__


def _find_value(place: str, document: Mapping[str, Any]) -> object:
    value: Any = document
    for key in re.findall(r"[^.\[\]]+", place.removeprefix("$")):
        value = value[int(key)] if isinstance(value, list | tuple) else value.get(key)
    return value


def _format_value(place: str, document: Mapping[str, Any]) -> str:
    return json.dumps(_find_value(place, document), default=str)[:60]
