"""Values of a file that anybody may have written: each is what it has to be, or refused."""

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from itertools import chain

from auditor.core.outcome import Unreadable
from auditor.core.series.stored import StoredProcess

SHORTEST, LONGEST = 1e-15, 1e9
"""Seconds: what is below is no time of an operation, and nobody has waited for what is above."""
_SHOWN = 80


class Broken(Exception):
    """What is wrong with a file, and what to do about it."""


def mapping(value: object, what: str) -> dict[str, object]:
    """Return an object of JSON; raises Broken."""
    if not isinstance(value, dict):
        raise Broken(f"{what} is {_kind(value)}, but must be an object; {_REMEDY}")
    return value


def items(value: object, what: str) -> list[object]:
    """Return a list of JSON; raises Broken."""
    if not isinstance(value, list):
        raise Broken(f"{what} is {_kind(value)}, but must be a list; {_REMEDY}")
    return value


def text(value: object, what: str) -> str:
    """Return a text that any file and any terminal can hold, as `clean` does. Raises Broken."""
    if not isinstance(value, str) or not value:
        raise Broken(f"{what} is {_kind(value)}, but must be a text; {_REMEDY}")
    return clean(value)


def clean(value: str) -> str:
    """Return a text with escapes in the place of half characters and of what cannot be seen."""
    return "".join(one if one.isprintable() else _escaped(one) for one in value)


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode()


def fact(value: object) -> str:
    """Return what is said of a machine, "unknown" where that is nothing."""
    known = isinstance(value, str | int) and not isinstance(value, bool)
    return (clean(str(value)).strip() if known else "")[:200] or "unknown"


def seconds(value: object, what: str) -> float:
    """Return a number of seconds, 0 included; raises Broken."""
    number = math.nan
    if isinstance(value, int | float) and not isinstance(value, bool):
        number = float(value) if abs(value) <= LONGEST else math.inf
    if not 0 <= number <= LONGEST:
        raise Broken(f"{what}: {_short(value)} is not a time in seconds; {_REMEDY}")
    return number


def number(value: object, what: str) -> float:
    """Return a number whatever it is: `process` makes a failure of what is no time.

    Raises Broken for what is no number.
    """
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise Broken(f"{what} is {_kind(value)}, but must be a number; {_REMEDY}")
    is_huge = isinstance(value, int) and abs(value) > _GREATEST
    return math.inf if is_huge else float(value)


_GREATEST = 1e300


def process(
    values: Sequence[float],
    middle: float,
    version: str = "",
    *,
    warmups: Sequence[float] = (),
    iteration_seconds: float | None = None,
) -> StoredProcess:
    """Return a process; one with a value that is no time has failed: clocks round to nothing.

    Warm-ups decide nothing, so all of them are left out where one is no time.
    """
    wrong = [value for value in chain(values, (middle,)) if not SHORTEST <= value <= LONGEST]
    if wrong:
        reason = f"{len(wrong)} of its values are not times: {wrong[0]}"
        return StoredProcess(failure=Unreadable(reason, ""), version=version)
    kept = all(SHORTEST <= warmup <= LONGEST for warmup in warmups)
    return StoredProcess(
        seconds=array("d", values),
        middle=middle,
        version=version,
        warmups=array("d", warmups if kept else ()),
        iteration_seconds=iteration_seconds,
    )


def failed(reason: str) -> StoredProcess:
    """Return a process that left nothing to go by."""
    return StoredProcess(failure=Unreadable(reason, ""))


def duplicate_message(name: str) -> Broken:
    """Return what is wrong with a file that has a benchmark two times."""
    return Broken(
        f"{quoted_name(name)} is there twice, and nothing tells one from the other; "
        "give the file of one run"
    )


def numbers(names: Sequence[str]) -> list[str]:
    """Return names of which those that occur several times have a number, `parse #2`."""
    often, seen = Counter(names), Counter[str]()
    found = []
    for name in names:
        seen[name] += 1
        found.append(f"{name} #{seen[name]}" if often[name] > 1 else name)
    return found


def moment(value: object) -> float:
    """Return a time in ISO 8601 as seconds, 0 where it is none."""
    try:
        return datetime.fromisoformat(value).timestamp() if isinstance(value, str) else 0.0
    except (ValueError, OverflowError, OSError):
        return 0.0


def quoted_name(name: str) -> str:
    """Return a name for a message, quoted and not too long."""
    return _short(clean(name))


_REMEDY = "let the tool write the file again, or leave it out"
_KINDS = {str: "a text", bool: "a truth value", int: "a number", float: "a number", list: "a list"}


def _kind(value: object) -> str:
    return "missing" if value in (None, "") else _KINDS.get(type(value), "an object")


def _short(value: object) -> str:
    # Python refuses to write out integers of more than some thousand digits.
    huge = isinstance(value, int) and abs(value) > LONGEST
    written = "a huge number" if huge else ascii(value)
    return written if len(written) <= _SHOWN else f"{written[:_SHOWN]}…"
