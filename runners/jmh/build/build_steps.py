"""What a build tool is doing, as it prints it."""

import re
from collections.abc import Callable, Iterator

_MODULE = re.compile(r"\[INFO\] Building (\S.*?\[\d+/\d+\])")
_GOAL = re.compile(r"\[INFO\] --- (?:maven-)?([\w-]+?)(?:-maven)?(?:-plugin)?:\S+:([\w-]+) \(")
_FETCH = re.compile(r"Downloading(?: from)? [^:\s]+: \S*/(\S+)")
_TASK = re.compile(r"(?:> Task )?(:[\w:.-]+)")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class BuildSteps:
    """Reads the output of Maven or Gradle and tells each step that it begins."""

    def __init__(self, tool: str, tell: Callable[[str], None]) -> None:
        """Take the tool's name as users know it, and who is told."""
        self._tool = tool
        self._tell = tell
        self._rest = b""
        self._module = ""

    def report_steps(self, data: bytes) -> tuple[()]:
        """Take what was printed; there are no iterations in it."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for step in self._parse_steps(lines):
            self._tell(f"{self._tool}: {step}")
        return ()

    def _parse_steps(self, lines: list[bytes]) -> Iterator[str]:
        for chunk in lines:
            line = _COLOURS.sub("", chunk.decode(errors="replace")).strip()
            if match := _MODULE.match(line):
                self._module = " ".join(match[1].split())
                yield self._module
            elif match := _GOAL.match(line):
                yield f"{self._module} {match[1]}:{match[2]}".strip()
            elif match := _FETCH.search(line):
                yield f"{self._module} fetches {match[1]}".strip()
            elif match := _TASK.fullmatch(line):
                yield match[1]
