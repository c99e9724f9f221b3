"""Changing a source file by byte spans: bytes outside the edits are untouched."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the bytes from `start` up to `end` by `text`."""

    start: int
    end: int
    text: bytes

    @classmethod
    def make_insertion(cls, offset: int, text: bytes) -> "Edit":
        """Return an edit that puts `text` in front of byte `offset`."""
        return cls(offset, offset, text)


def apply_edits(source: bytes, edits: Iterable[Edit]) -> bytes:
    """Return `source` with `edits` made; raises ValueError where edits overlap."""
    pieces: list[bytes] = []
    offset = 0
    for edit in sorted(edits):
        if edit.start < offset or not edit.start <= edit.end <= len(source):
            raise ValueError(f"edit overlaps or leaves the file: {edit}")
        pieces += source[offset : edit.start], edit.text
        offset = edit.end
    return b"".join([*pieces, source[offset:]])
