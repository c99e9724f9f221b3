"""Parts of Markdown texts that several commands write, for GitHub summaries and comments.

Text from a subject or a user is in code spans: a renderer sees no HTML, link or mention in it.
"""

import re
from collections.abc import Iterator, Sequence

from reports import names

MAX_COMMENT_BYTES = 65_536
"""What GitHub takes as a comment; counted here in bytes, so that it is kept in any unit."""
MAX_CAVEATS = 10
MAX_TEXT_LENGTH = 300
"""Letters of a caveat, or of another text that is not ours."""

# What no renderer makes anything of: no mention, reference, link, emphasis, HTML or cell.
_PLAIN_TEXT = re.compile(
    r"[A-Za-z0-9 ,;.()%'\"…±≥≤µ+?\N{EN DASH}\N{MINUS SIGN}\N{MULTIPLICATION SIGN}"
    r"\N{NO-BREAK SPACE}-]*"
)
_LINK_LIKE = re.compile(r"www\.|\bgh-\d", re.IGNORECASE)
_BACKTICKS = re.compile("`+")


def format_gates(gates: Sequence[str]) -> Iterator[str]:
    """Yield what gates say, in the lines of a list."""
    if gates:
        yield ""
    yield from (f"* {format_prose(gate)}" for gate in gates)


def format_code(name: str) -> str:
    """Return a name as a code span, shortened, that a cell of a table can hold."""
    return _make_code_span(names.format_label(name))


def format_prose(text: str) -> str:
    """Return a text as it is where no renderer makes anything of it, else as a code span."""
    line = names.escape_line(text)
    line = line if len(line) <= MAX_TEXT_LENGTH else f"{line[: MAX_TEXT_LENGTH - 1]}…"
    if _PLAIN_TEXT.fullmatch(line) and not _LINK_LIKE.search(line):
        return line
    return _make_code_span(line)


def _make_code_span(line: str) -> str:
    if not line.strip():
        return f"({'blank' if line else 'empty'})"
    fence = "`" * (1 + max((len(ticks) for ticks in _BACKTICKS.findall(line)), default=0))
    # One space at both ends is not shown, and keeps ticks apart from the fence.
    edge = " " if line[0] in "` " or line[-1] in "` " else ""
    return f"{fence}{edge}{line}{edge}{fence}".replace("|", "\\|")
