"""Files that bench-audit itself has written, told by how they begin, and what takes them."""

import re
import shlex
from pathlib import Path

from auditor.core.files.foreign_files import open_regular

STORE = b"SQLite format 3\x00"
"""How a store begins."""


_START = 1 << 12


_RESULT = re.compile(rb'\{\s*"schema":\s*"bench-audit/([a-z]{1,20})/')


REPORTED = ("abs", "stability")
"""Commands whose results `bench-audit report --result` reads."""


def describe_file(path: Path) -> str:
    """Return what a file of ours is and which command takes it; empty for all other files."""
    try:
        with open_regular(path) as file:
            return describe_beginning(file.read(_START), path)
    except OSError:
        return ""


def describe_beginning(beginning: bytes, path: Path) -> str:
    """Return the same of a file that begins so."""
    name = shlex.quote(str(path))
    if beginning.startswith(STORE):
        return f"it is a store; bench-audit report SUBJECT --store {name} shows its last result"
    command = command_of(beginning)
    if not command:
        return ""
    if command in REPORTED:
        takes = f"bench-audit report --result {name} shows it"
    elif command == "compare":
        takes = "its page is compare.html beside it; bench-audit comment --result takes it"
    else:
        takes = f"its page is {command}.html beside it, jq reads its fields"
    return f"it is a result of bench-audit {command}; {takes}"


def command_of(beginning: bytes) -> str:
    """Return the command whose result begins so; empty for all other files."""
    result = _RESULT.match(beginning)
    return result[1].decode() if result else ""
