"""Comments in sources, in which users mark what they know of."""

from collections.abc import Iterator, Sequence


def comments_above(
    lines: Sequence[bytes], first: int, comment: bytes
) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of comment right above a line, the nearest first; numbers are one-based."""
    for number in range(first - 1, 0, -1):
        line = lines[number - 1]
        if not line.lstrip().startswith(comment):
            return
        yield number, line
