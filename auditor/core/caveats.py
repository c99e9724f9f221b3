"""What a reader must know to trust a number."""

from collections.abc import Sequence
from dataclasses import dataclass

BUDGET, SO_FAR = "budget", "so-far"
"""Slugs of audits that have not measured all: the time was up, or nothing was to be measured."""
_NAMED = 3
_LONGEST = 60


@dataclass(frozen=True, slots=True, order=True)
class Caveat:
    """A slug that docs/messages.md explains, and one sentence with this case's figures."""

    slug: str
    text: str


def list_some(names: Sequence[str]) -> str:
    """Name the first of many in a sentence, shortened, and say how many more there are."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(name[:_LONGEST] for name in names[:_NAMED]) + more
