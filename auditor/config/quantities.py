"""Durations and amounts of memory as people write them."""

import re

DURATION = r"^([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+$"
"""A number and a unit, one or more times: "50ms", "1h30m"."""

_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_LONGEST = 366 * 24 * 3600.0

SIZE = r"^[0-9]+(\.[0-9]+)?[kmgKMG]$"
"""A number and a unit: "512m", "1.5g"."""
_BYTES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_LEAST = 6 << 20


def parse_duration(text: str) -> float:
    """Read "50ms", "1.5s" or "1h30m"; raises ValueError, also for nothing and for a year."""
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", text) and float(text) > 0:
        number = float(text)
        meant = f"{number / 60:g}m" if number % 60 == 0 else f"{number:g}s"
        raise ValueError(f"{text!r} has no unit; write {meant}")
    if not re.fullmatch(DURATION, text):
        raise ValueError(
            f"{text!r} is not a duration; write a number and a unit, such as 50ms or 10m"
        )
    parts = re.findall(r"([0-9.]+)(ns|us|ms|s|m|h)", text)
    total = sum(float(number) * _SECONDS[unit] for number, unit in parts)
    if not 0 < total < _LONGEST:
        raise ValueError(f"{text!r} must be more than 0 and less than a year")
    return total


def parse_size(text: str) -> int:
    """Read "512m" or "1.5g" as bytes; raises ValueError, also for less than anything needs."""
    if not re.fullmatch(SIZE, text):
        raise ValueError(f"{text!r} is not a size; write a number and a unit, such as 512m or 4g")
    number = int(float(text[:-1]) * _BYTES[text[-1].lower()])
    if number < _LEAST:
        raise ValueError(f"{text!r} is less than the minimum, {_LEAST >> 20}m")
    return number
