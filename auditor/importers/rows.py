"""Rows of delimited text (RFC 4180), one at a time: a file may be larger than the memory."""

import csv
from collections.abc import Callable, Iterable, Iterator

from auditor.importers.checking import BrokenFile

_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
LONGEST = 1 << 16
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
        if len(line) >= LONGEST:
            raise BrokenFile(f"line {number} is longer than {LONGEST} bytes; is it the right file?")
        try:
            yield line.decode()
        except UnicodeDecodeError as error:
            raise BrokenFile(f"line {number} is not UTF-8; convert the file") from error
