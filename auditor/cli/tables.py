"""Tables and lists of a result on a terminal."""

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
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


def and_more(table: Table, rows: int) -> RenderableType:
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
