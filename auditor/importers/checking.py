"""Values of a file that anybody may have written: each is what it has to be, or refused."""

import csv
import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime

from auditor.core.outcome import Unreadable
from auditor.core.series.stored import StoredProcess

SHORTEST, LONGEST = 1e-15, 1e9
"""Seconds: what is below is no time of an operation, and nobody has waited for what is above."""
_MAX_QUOTE_LENGTH = 80


class BrokenFile(Exception):
    """What is wrong with a file, and what to do about it."""


def require_mapping(value: object, label: str) -> dict[str, object]:
    """Return an object of JSON; raises BrokenFile."""
    if not isinstance(value, dict):
        raise BrokenFile(f"{label} is {_describe_kind(value)}, but must be an object; {_REMEDY}")
    return value


def require_list(value: object, label: str) -> list[object]:
    """Return a list of JSON; raises BrokenFile."""
    if not isinstance(value, list):
        raise BrokenFile(f"{label} is {_describe_kind(value)}, but must be a list; {_REMEDY}")
    return value


def require_text(value: object, label: str) -> str:
    """Return a text as `escape_text` does, for any file and terminal. Raises BrokenFile."""
    if not isinstance(value, str) or not value:
        raise BrokenFile(f"{label} is {_describe_kind(value)}, but must be a text; {_REMEDY}")
    return escape_text(value)


def escape_text(value: str) -> str:
    """Return a text with escapes in the place of half characters and of what cannot be seen."""
    return "".join(letter if letter.isprintable() else _escape_letter(letter) for letter in value)


def _escape_letter(letter: str) -> str:
    return letter.encode("unicode_escape").decode()


def format_fact(value: object) -> str:
    """Return what is said of a machine, "unknown" where that is nothing."""
    is_usable = isinstance(value, str | int) and not isinstance(value, bool)
    return (escape_text(str(value)).strip() if is_usable else "")[:200] or "unknown"


def require_seconds(value: object, label: str) -> float:
    """Return a number of seconds, 0 included; raises BrokenFile."""
    number = math.nan
    if isinstance(value, int | float) and not isinstance(value, bool):
        number = float(value) if abs(value) <= LONGEST else math.inf
    if not 0 <= number <= LONGEST:
        raise BrokenFile(f"{label}: {_shorten_value(value)} is not a time in seconds; {_REMEDY}")
    return number


def require_number(value: object, label: str) -> float:
    """Return a number whatever it is: `build_process` makes a failure of what is no time.

    Raises BrokenFile for what is no number.
    """
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise BrokenFile(f"{label} is {_describe_kind(value)}, but must be a number; {_REMEDY}")
    is_huge = isinstance(value, int) and abs(value) > _GREATEST
    return math.inf if is_huge else float(value)


_GREATEST = 1e300


def build_process(
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
    wrong = [value for value in values if not SHORTEST <= value <= LONGEST]
    if wrong or not SHORTEST <= middle <= LONGEST:
        reason = (
            f"{len(wrong)} of {len(values)} values cannot be times: {wrong[0]}"
            if wrong
            else f"its mean or median cannot be a time: {middle}"
        )
        return StoredProcess(failure=Unreadable(reason, ""), version=version)
    has_valid_warmups = all(SHORTEST <= warmup <= LONGEST for warmup in warmups)
    return StoredProcess(
        seconds=array("d", values),
        middle=middle,
        version=version,
        warmups=array("d", warmups if has_valid_warmups else ()),
        is_warmup_kept=has_valid_warmups if warmups else None,
        iteration_seconds=iteration_seconds,
    )


def build_failed_process(reason: str) -> StoredProcess:
    """Return a process that left nothing to go by."""
    return StoredProcess(failure=Unreadable(reason, ""))


def make_duplicate_error(name: str) -> BrokenFile:
    """Return what is wrong with a file that has a benchmark two times."""
    return BrokenFile(
        f"{quoted_name(name)} is there twice, and nothing tells one from the other; "
        "give the file of one run"
    )


def number_duplicates(names: Sequence[str]) -> list[str]:
    """Return names of which those that occur several times have a number, `parse #2`."""
    often, counts = Counter(names), Counter[str]()
    numbered_names = []
    for name in names:
        counts[name] += 1
        numbered_names.append(f"{name} #{counts[name]}" if often[name] > 1 else name)
    return numbered_names


def parse_timestamp(value: object) -> float:
    """Return a time in ISO 8601 as seconds, 0 where it is none."""
    try:
        return datetime.fromisoformat(value).timestamp() if isinstance(value, str) else 0.0
    except (ValueError, OverflowError, OSError):
        return 0.0


def quoted_name(name: str) -> str:
    """Return a name for a message, quoted and not too long."""
    return _shorten_value(escape_text(name))


_REMEDY = "let the tool write the file again, or leave it out"
_KINDS = {str: "a text", bool: "a truth value", int: "a number", float: "a number", list: "a list"}


def _describe_kind(value: object) -> str:
    return "missing" if value in (None, "") else _KINDS.get(type(value), "an object")


def _shorten_value(value: object) -> str:
    # Python refuses to write out integers of more than some thousand digits.
    huge = isinstance(value, int) and abs(value) > LONGEST
    value_text = "a huge number" if huge else ascii(value)
    return (
        value_text if len(value_text) <= _MAX_QUOTE_LENGTH else f"{value_text[:_MAX_QUOTE_LENGTH]}…"
    )


_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
LONGEST_LINE = 1 << 16
"""Bytes of a line."""


def rows_of(
    lines: Iterable[bytes], delimiter_of: Callable[[str], str]
) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of a line and its cells, those of the header first; raises BrokenFile.

    `delimiter_of` tells it by the header. Empty lines are left out.
    """
    texts = _decode_lines(lines)
    header = next(texts, "").removeprefix(_MARK)
    delimiter = delimiter_of(header)
    if not delimiter:
        raise BrokenFile("the header lacks required columns; is it the right file?")
    yield 1, next(csv.reader([header], delimiter=delimiter))
    reader = csv.reader(texts, delimiter=delimiter, strict=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num + 1, row
    except csv.Error as error:
        raise BrokenFile(
            f"line {reader.line_num + 1}: {error}; repair it, or let it be written again"
        ) from error


def _decode_lines(lines: Iterable[bytes]) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if len(line) >= LONGEST_LINE:
            raise BrokenFile(
                f"line {number} is longer than {LONGEST_LINE} bytes; is it the right file?"
            )
        try:
            yield line.decode()
        except UnicodeDecodeError as error:
            raise BrokenFile(f"line {number} is not UTF-8; convert the file") from error
