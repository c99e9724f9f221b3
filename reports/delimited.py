"""A long table as CSV (RFC 4180) that no spreadsheet takes for formulas."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from reports import names

Cell = str | float | int | None
Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class LongTable:
    """The columns and rows of a long table."""

    columns: tuple[str, ...]  # names
    rows: Iterator[Row]
    """A cell for each column, None: unknown or none. Only one pass: large audits have millions."""


_FORMULA_STARTS = ("=", "+", "-", "@", "\N{FULLWIDTH EQUALS SIGN}", "\N{FULLWIDTH PLUS SIGN}",
            "\N{FULLWIDTH HYPHEN-MINUS}", "\N{FULLWIDTH COMMERCIAL AT}", "\t", "\r")  # fmt: skip
"""What a spreadsheet takes for the beginning of a formula (OWASP, "CSV Injection")."""


def format_csv(table: LongTable) -> str:
    """Return a header and a row a line, ended by CR LF; unknown cells are empty.

    Numbers are written so that reading them gives the same double.
    """
    return "".join(format_csv_lines(table))


def format_csv_lines(table: LongTable) -> Iterator[str]:
    """Yield the lines of `format_csv`: a large table need never be in memory."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    for row in chain([table.columns], table.rows):
        writer.writerow([_format_cell(cell) for cell in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def _format_cell(value: Cell) -> str:
    if value is None:
        return ""
    return _format_text(value) if isinstance(value, str) else repr(value)


def _format_text(value: str) -> str:
    """Return text as one visible line; a quote before it where it would be a formula."""
    line = names.escape_line(value)
    return f"'{line}" if value.startswith(_FORMULA_STARTS) else line
