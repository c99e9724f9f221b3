"""The type of long tables: a row is one observation, a column one variable."""

from collections.abc import Iterator
from dataclasses import dataclass

Cell = str | float | int | None
Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class LongTable:
    """The columns and rows of a long table."""

    columns: tuple[str, ...]  # names
    rows: Iterator[Row]
    """A cell for each column, None: unknown or none. Only one pass: large audits have millions."""
