"""What a reader must know to trust a number."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Caveat:
    """A slug that docs/messages.md explains, and one sentence with this case's figures."""

    slug: str
    text: str
