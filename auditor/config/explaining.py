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
