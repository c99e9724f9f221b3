"""Tables and lists of a result on a terminal."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rich.align import AlignMethod
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from auditor.core.caveats import Caveat
from reports.html import CaveatView

MOST_ROWS = 25
"""Rows of a table before the rest is left to the report."""


def make_borderless_table(*columns: str) -> Table:
    """Return a table without lines; a > in front of a name puts its column to the right."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in columns:
        is_right_aligned = name.startswith(">")
        table.add_column(
            name.lstrip(">"),
            justify="right" if is_right_aligned else "left",
            no_wrap=is_right_aligned,
            overflow="fold",
        )
    return table


_COLUMN_GAP = Text("  ")
_MIN_WIDTH = 12
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
        filled_columns = {
            name: cells for name, cells in self.columns.items() if any(map(len, cells))
        }
        titles = [Text(name.lstrip(">"), style="dim") for name in filled_columns]
        widths = [
            max(cell.cell_len for cell in [title, *cells])
            for title, cells in zip(titles, filled_columns.values(), strict=True)
        ]
        excess_width = sum(widths) + len(_COLUMN_GAP) * (len(widths) - 1) - options.max_width
        widest_column = widths.index(max(widths))
        widths[widest_column] = max(_MIN_WIDTH, widths[widest_column] - max(0, excess_width))
        sides: list[AlignMethod] = [
            "right" if name.startswith(">") else "left" for name in filled_columns
        ]
        indent = " " * (len(_COLUMN_GAP) + widths[0])
        for cells, note in zip(
            [titles, *zip(*filled_columns.values(), strict=True)], ["", *self.notes], strict=True
        ):
            wrapped_cells = (
                cell.wrap(console, width, overflow="fold")
                for cell, width in zip(cells, widths, strict=True)
            )
            for parts in zip_longest(*wrapped_cells, fillvalue=Text()):
                line = _COLUMN_GAP.join(map(_align_cell, parts, sides, widths))
                line.rstrip()
                yield line
            for part in textwrap.wrap(note, max(_MIN_WIDTH, options.max_width - len(indent))):
                yield Text(indent + part, style="dim")


def _align_cell(cell: Text, side: AlignMethod, width: int) -> Text:
    copied_cell = cell.copy()
    copied_cell.align(side, width)
    return copied_cell


def add_omitted_count(table: RenderableType, rows: int) -> RenderableType:
    """Return a table, and below it how many of its rows were left out."""
    omitted_count = rows - MOST_ROWS
    return (
        Group(table, Text(f"and {omitted_count} more in the report", style="dim"))
        if omitted_count > 0
        else table
    )


def limit_lines(lines: Sequence[str], max_lines: int = 5) -> list[str]:
    """Return the first lines, and how many more the report has."""
    omitted_note = [f"and {len(lines) - max_lines} more in the report"]
    return [*lines[:max_lines], *(omitted_note if len(lines) > max_lines else [])]


def build_section(title: str, lines: Sequence[str]) -> list[RenderableType]:
    """Return lines as points below a title; nothing where there are none."""
    if not lines:
        return []
    points = Table.grid(padding=(0, 1))
    for line in lines:
        points.add_row("•", Text(line))
    return ["", Text(title, style="bold"), points]


def build_caveat_section(caveats: Iterable[Caveat | CaveatView]) -> list[RenderableType]:
    """Return caveats as points, each with its slug."""
    return build_section("To know", [f"{caveat.text} [{caveat.slug}]" for caveat in caveats])


def make_paragraphs(texts: Iterable[str], style: str = "") -> list[Text]:
    """Return a paragraph for each text that is not empty."""
    return [Text(text, style=style) for text in texts if text]


def shorten_text(text: str) -> str:
    """Return the first line of a text, cut where it is long."""
    first_line = text.strip().partition("\n")[0]
    return first_line if len(first_line) <= 80 else first_line[:79] + "…"
