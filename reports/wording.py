"""The words of tables and legends that several commands share."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A glyph (never colour alone), a word for tables, and what it means."""

    glyph: str
    word: str
    meaning: str


SET_UP_ONLY = LegendEntry(
    "s", "set-up only", "called in set-up only, so never while it is measured"
)
"""What an unreached pair or method is called where some call is known."""
