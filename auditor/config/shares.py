"""Changes and parts of a whole as people write them."""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from auditor.core.errors import UsageError

_NUMBER = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,3})?")
PATTERN = r"^[0-9.]+(%|x)$"
"""For editors: what may stand in a string; a bare number stands as one."""


def parse_change(place: str, value: str | float, *, largest_factor: float = 2.0) -> float:
    """Read "5%", .05 or "1.05x" as .05: how much more than before.

    A bare number from 1 up may mean several things and is refused, as is what is no change. Below
    `largest_factor` one of them is a factor. Raises UsageError; `place` is the flag or the place in
    a file.
    """
    text = str(value).strip()
    number = _parse_number(text[:-1] if text.endswith(("%", "x")) else text)
    if number is None or (text.endswith("x") and number < 1):
        raise UsageError(f"{_format_place(place, text)} is not a change: write 5%, 0.05 or 1.05x")
    if text.endswith("%"):
        return round(number / 100, 12)
    if text.endswith("x"):
        return round(number - 1, 12)
    if number >= 1:
        raise _make_ambiguity_error(place, text, number, may_be_factor=1 < number < largest_factor)
    return number


def parse_share(place: str, value: str | float) -> float:
    """Read "5%" or .05, from 0 up to, not including, 1; raises UsageError."""
    text = str(value).strip()
    number = _parse_number(text.removesuffix("%"))
    part = None if number is None else number / (100 if text.endswith("%") else 1)
    if part is None or part >= 1:
        raise UsageError(
            f"{_format_place(place, text)} is not a fraction below 100%: write 5% or 0.05"
        )
    return part


def parse_percent(place: str, value: str | float) -> float:
    """Read "80%" or 80, a score, as 80.0; raises UsageError.

    Up to 1 a bare number may be a part or a percentage, and is refused.
    """
    text = str(value).strip()
    number = _parse_number(text.removesuffix("%"))
    if number is None or number > 100:
        raise UsageError(
            f"{_format_place(place, text)} is not a percentage from 0 to 100: write 80%"
        )
    if not number:
        raise UsageError(f"{_format_place(place, text)}: a gate at 0% can never fail; leave it out")
    if number <= 1 and not text.endswith("%"):
        raise _make_ambiguity_error(place, text, number)
    return number


def as_percent(share: float) -> str:
    """Return .05 as "5%", with twelve digits."""
    return f"{100 * share:.12g}%"


READERS: dict[tuple[str, ...], Callable[[str, str | float], float]] = {
    ("slowdown",): parse_change,
    ("min_delta",): parse_change,
    ("compare", "min_delta"): parse_change,
    ("gates", "min_score"): parse_percent,
}
"""What reads a key of the configuration file."""


def as_numbers(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration file's words with each change and score as a number.

    What is of another kind (a word, a list) stays, for the schema to refuse. Raises UsageError.
    """
    changed = dict(document)
    for (*outer, key), reader in READERS.items():
        section = changed.get(outer[0]) if outer else changed
        if not isinstance(section, Mapping) or not _is_written(section.get(key)):
            continue
        read = {**section, key: reader(".".join((*outer, key)), section[key])}
        changed = {**changed, outer[0]: read} if outer else read
    return changed


def _is_written(value: object) -> bool:
    """Tell whether this is a number, or a text that begins as one."""
    if isinstance(value, str):
        return re.match(r"\s*[0-9.]", value) is not None
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and value >= 0
    )


def _make_ambiguity_error(
    place: str, text: str, number: float, *, may_be_factor: bool = False
) -> UsageError:
    factor = f"{number:g}x or " if may_be_factor else ""
    readings = f"{factor}{number:g}% or {100 * number:g}%"
    return UsageError(f"{_format_place(place, text)} is ambiguous: write {readings}")


def _format_place(place: str, text: str) -> str:
    return f"{place} {text}" if place.startswith("-") else f"{text} at {place}"


def _parse_number(text: str) -> float | None:
    """Return what is written, None if that is no number from 0 up."""
    return float(text) if _NUMBER.fullmatch(text) else None
