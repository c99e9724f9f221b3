"""A client of beads."""

import beads


def polished(value):
    """Is called by the library, and calls it."""
    return beads.double(value)
