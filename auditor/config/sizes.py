"""Amounts of memory as people write them."""

import re

PATTERN = r"^[0-9]+(\.[0-9]+)?[kmgKMG]$"
"""A number and a unit: "512m", "1.5g"."""
_BYTES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_LEAST = 6 << 20


def size(text: str) -> int:
    """Read "512m" or "1.5g" as bytes; raises ValueError, also for less than anything needs."""
    if not re.fullmatch(PATTERN, text):
        raise ValueError(f"{text!r} is no size; write a number and a unit, such as 512m or 4g")
    found = int(float(text[:-1]) * _BYTES[text[-1].lower()])
    if found < _LEAST:
        raise ValueError(f"{text!r} is less than {_LEAST >> 20}m, with which nothing starts")
    return found
