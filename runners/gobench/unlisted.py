"""Why benchmarks of a Go package cannot be listed, or not be run again by their names."""

import re
from collections.abc import Sequence

from auditor.core.jobs import CompletedProcess

MOVING = (
    "its name differs from process to process (it holds a time, an address or a random number), so "
    "it cannot be run alone; give it a constant name"
)
_NO_FLAGS = re.compile(rb"flag provided but not defined: -test\.\w+")
_CHANGING = re.compile(
    r"\d{6,}|0x[0-9a-f]{4,}|\d+:\d\d|\d\.\d+(?:ns|[uµ]s|ms|s)\b|[0-9a-f]{8}-[0-9a-f]{4}-",
    re.IGNORECASE,
)
"""What times, dates, addresses and random numbers look like."""


def no_list_reason(answer: CompletedProcess, functions: int, end: str) -> str:
    """Say why a test program lists none of its benchmark functions; `end` is how it ended."""
    count = f"{functions} benchmark function{'' if functions == 1 else 's'}"
    if match := _NO_FLAGS.search(answer.stdout + answer.stderr):
        return (
            f"its test program lists none of {count}: {match[0].decode()}; flag.Parse() runs "
            "before the flags of package testing are there (in init, or for a variable): call it "
            "in TestMain"
        )
    if answer.exit_code == 0 and not answer.timed_out:
        return (
            f"its test program lists none of {count}: it ends with exit code 0 without m.Run(), "
            f"as TestMain decides; {end}"
        )
    return f"its test program lists none of {count}: {end}"


def may_move(name: str, sources: Sequence[bytes]) -> bool:
    """Tell whether a name has a part that its sources do not have and that may change."""
    parts = _CHANGING.findall(name)
    return any(not any(part.encode() in text for text in sources) for part in parts)
