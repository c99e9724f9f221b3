"""Tables and lists of a result on a terminal."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rich.align import AlignMethod
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

MOST_ROWS = 25
"""Rows of a table before the rest is left to the report."""


def lineless(*columns: str) -> Table:
    """Return a table without lines; a > in front of a name puts its column to the right."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in columns:
        right = name.startswith(">")
        table.add_column(
            name.lstrip(">"),
            justify="right" if right else "left",
            no_wrap=right,
            overflow="fold",
        )
    return table


_GAP = Text("  ")
_NARROWEST = 12
"""Columns that a cell or a note gets on the narrowest terminal."""


@dataclass(frozen=True, slots=True)
class NotedTable:
    """A table without lines whose rows may have a note below them, as wide as the terminal."""

    columns: Mapping[str, Sequence[Text]]
    """Cells by the name of their column; a > in front of it puts the column to the right.

    A column of empty cells is left out.
    """
    notes: Sequence[str]
    """The note of each row; empty where it has none."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the header, then each row with its note."""
        filled = {name: cells for name, cells in self.columns.items() if any(map(len, cells))}
        titles = [Text(name.lstrip(">"), style="dim") for name in filled]
        widths = [
            max(cell.cell_len for cell in [title, *cells])
            for title, cells in zip(titles, filled.values(), strict=True)
        ]
        over = sum(widths) + len(_GAP) * (len(widths) - 1) - options.max_width
        widest = widths.index(max(widths))
        widths[widest] = max(_NARROWEST, widths[widest] - max(0, over))
        sides: list[AlignMethod] = ["right" if name.startswith(">") else "left" for name in filled]
        indent = " " * (len(_GAP) + widths[0])
        for cells, note in zip(
            [titles, *zip(*filled.values(), strict=True)], ["", *self.notes], strict=True
        ):
            folded = (
                cell.wrap(console, width, overflow="fold")
                for cell, width in zip(cells, widths, strict=True)
            )
            for parts in zip_longest(*folded, fillvalue=Text()):
                line = _GAP.join(map(_aligned, parts, sides, widths))
                line.rstrip()
                yield line
            for part in textwrap.wrap(note, max(_NARROWEST, options.max_width - len(indent))):
                yield Text(indent + part, style="dim")


def _aligned(cell: Text, side: AlignMethod, width: int) -> Text:
    aligned = cell.copy()
    aligned.align(side, width)
    return aligned


def and_more(table: RenderableType, rows: int) -> RenderableType:
    """Return a table, and below it how many of its rows were left out."""
    more = rows - MOST_ROWS
    return Group(table, Text(f"and {more} more in the report", style="dim")) if more > 0 else table


def first_lines(lines: Sequence[str], most: int = 5) -> list[str]:
    """Return the first lines, and how many more the report has."""
    more = [f"and {len(lines) - most} more in the report"]
    return [*lines[:most], *(more if len(lines) > most else [])]


def section(title: str, lines: Sequence[str]) -> list[RenderableType]:
    """Return lines as points below a title; nothing where there are none."""
    if not lines:
        return []
    points = Table.grid(padding=(0, 1))
    for line in lines:
        points.add_row("•", Text(line))
    return ["", Text(title, style="bold"), points]


def lines(texts: Iterable[str], style: str = "") -> list[Text]:
    """Return a paragraph for each text that is not empty."""
    return [Text(text, style=style) for text in texts if text]


def short(text: str) -> str:
    """Return the first line of a text, cut where it is long."""
    first = text.strip().partition("\n")[0]
    return first if len(first) <= 80 else first[:79] + "…"
