"""Reading what a test binary prints with -test.v=test2json.

The framework's own lines (RUN, NAME, SKIP, FAIL, BENCH) begin with a control character wherever in
a line they are written; the program's output may be around them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from auditor.core.jobs import Completed
from auditor.core.suite import SKIPS_ITSELF
from auditor.core.units import seconds_per_operation
from runners.live import iteration

_MARK = "\x16"
_RUN = re.compile(r"=== RUN   (.*)\n")
_ENDED = re.compile(r"--- (FAIL|SKIP): (.*)\n")
_OVER = re.compile(_MARK.encode() + rb"(?:PASS|FAIL)\n")
_PANIC = re.compile(rb"^(?:panic|fatal error|signal): .*", re.MULTILINE)
_LONGEST = 1 << 16
"""Bytes kept of what may still become a line of results: a program may print without end."""
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|Inf|NaN)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ResultLine:
    """A line of results: values by their unit, the operations, and the processors it names."""

    operations: int
    values: tuple[tuple[str, float], ...]
    processors: int

    def value(self, unit: str) -> float | None:
        """Return the value with a unit, if the line has one."""
        return dict(self.values).get(unit)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A benchmark that was begun: its result at one operation, or why there is none."""

    name: str
    result: ResultLine | None
    reason: str


def tail(answer: Completed, lines: int = 12) -> str:
    """Return a process's last lines for a message: why it panicked first, without the marks."""
    last = answer.tail(lines).replace(_MARK, "")
    both = answer.stdout + b"\n" + answer.stderr
    panic = _PANIC.search(both)
    first = panic.group().decode(errors="replace")[:300] if panic else ""
    return f"{first}\n…\n{last}" if first and first not in last else last


def chunks(stdout: bytes) -> list[str]:
    """Cut the output at the framework's marks."""
    return stdout.decode(errors="replace").split(_MARK)


def results(stdout: bytes, name: str) -> list[ResultLine]:
    """Return the results of one benchmark, in order: at most one between two marks."""
    pattern = _pattern(name)
    iterations = (_last(pattern, chunk) for chunk in chunks(stdout))
    return [result for result in iterations if result is not None]


def whole(stdout: bytes) -> bytes:
    """Return the output up to the last mark: what comes behind it was not finished."""
    return stdout[: stdout.rfind(_MARK.encode()) + 1]


class LiveResults:
    """Reads the results of one benchmark as they are printed: each once a mark is behind it."""

    def __init__(self, name: str) -> None:
        """Take the benchmark's name."""
        self._pattern = _pattern(name)
        self._rest = b""

    def read(self, data: bytes) -> list[tuple[float, float]]:
        """Return seconds of an operation and of all of them for each result that is new."""
        *finished, rest = (self._rest + data).split(_MARK.encode())
        self._rest = rest[-_LONGEST:]
        iterations = (_last(self._pattern, chunk.decode(errors="replace")) for chunk in finished)
        return [one for result in iterations if result is not None for one in _iteration(result)]


def _iteration(result: ResultLine) -> list[tuple[float, float]]:
    seconds = seconds_per_operation(result.value("ns/op") or 0.0, "ns/op")
    return iteration(seconds, seconds * result.operations)


def failure_or_skip(stdout: bytes, name: str) -> tuple[str, str] | None:
    """Return ("FAIL" or "SKIP", what was printed next) if the framework said so of a benchmark."""
    for chunk in chunks(stdout):
        match = _ENDED.match(chunk)
        if match and re.fullmatch(re.escape(name) + r"(-\d+)?\s*", match.group(2)):
            return match.group(1), chunk[match.end() :].strip()
    return None


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(re.escape(name) + r"(?:-(\d+))? *\t *(\d+)((?:\t[^\n]*)?)\n")


def _last(pattern: re.Pattern[str], text: str) -> ResultLine | None:
    """Return the last line of results; what the program printed may stand in front of it."""
    last = None
    for last in pattern.finditer(text):  # noqa: B007 - the last one is what is wanted
        pass
    if last is None:
        return None
    values = tuple(_values(last.group(3)))
    return ResultLine(int(last.group(2)), values, int(last.group(1) or 1))


def _values(fields: str) -> Iterator[tuple[str, float]]:
    for field in fields.split("\t"):
        number, _, unit = field.strip().partition(" ")
        if unit and _NUMBER.fullmatch(number):
            yield unit.strip(), float(number)


def has_ended(answer: Completed) -> bool:
    """Tell whether a process ran all benchmarks that it was to run.

    The framework says at its end how it went; a failing benchmark does not keep it from that.
    """
    return answer.exit_code == 0 or _OVER.search(answer.stdout) is not None


def has_panicked(answer: Completed) -> bool:
    """Tell whether the runtime has said why it ended the process."""
    return _PANIC.search(answer.stderr) is not None


def leaves(stdout: bytes) -> list[Leaf]:
    """Return the benchmarks that ran as such, those that only hold others left out."""
    text = stdout.decode(errors="replace")
    begun = [(match.group(1), match.start()) for match in _begun(text)]
    spans = [(name, text[at:end]) for (name, at), (_, end) in pairwise([*begun, ("", len(text))])]
    measured_leaves = []
    for index, (name, span) in enumerate(spans):
        result = _last(_pattern(name), span)
        follows = spans[index + 1][0] if index + 1 < len(spans) else ""
        if result is not None:
            measured_leaves.append(Leaf(name, result, ""))
        elif not follows.startswith(f"{name}/"):
            measured_leaves.append(Leaf(name, None, _why(span, name)))
    return measured_leaves


def _begun(text: str) -> Iterator[re.Match[str]]:
    return re.finditer(_MARK + _RUN.pattern, text)


def _why(span: str, name: str) -> str:
    """Say how a benchmark ended without a result; its log was printed before the mark."""
    ended = failure_or_skip(span.encode(), name)
    if ended is None:
        return ""
    kind, after = ended
    word = SKIPS_ITSELF if kind == "SKIP" else "it fails"
    log = f"{span.split(_MARK)[1].partition(name)[2].partition(name)[2]}{after}".strip()
    return f"{word}: {log[-500:]}" if log else word
