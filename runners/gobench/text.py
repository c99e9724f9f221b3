"""Reading what a test binary prints with -test.v=test2json.

The framework's own lines (RUN, NAME, SKIP, FAIL, BENCH) begin with a control character wherever in
a line they are written; the program's output may be around them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from auditor.core.jobs import CompletedProcess
from auditor.core.suite import SKIPS_ITSELF
from auditor.core.units import seconds_per_operation
from runners.live import filter_iteration

_MARK = "\x16"
_RUN = re.compile(r"=== RUN   (.*)\n")
_ENDED = re.compile(r"--- (FAIL|SKIP): (.*)\n")
_HEADING = re.compile(r"(?:goos|goarch|pkg|cpu): |=== [A-Z]+ |Benchmark\S*$")
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

    def find_value(self, unit: str) -> float | None:
        """Return the value with a unit, if the line has one."""
        return dict(self.values).get(unit)


@dataclass(frozen=True, slots=True)
class BenchmarkLeaf:
    """A benchmark that was begun: its result at one operation, or why there is none."""

    name: str
    result: ResultLine | None
    reason: str


def format_tail(answer: CompletedProcess, lines: int = 12) -> str:
    """Return a process's last lines for a message: why it panicked first, without the marks.

    What the framework says of the machine, and of what it begins, is no cause of anything.
    """
    tail_lines = answer.format_tail(lines).replace(_MARK, "").splitlines()
    last = "\n".join(line for line in tail_lines if not _HEADING.match(line))
    output = answer.stdout + b"\n" + answer.stderr
    panic = _PANIC.search(output)
    first = panic.group().decode(errors="replace")[:300] if panic else ""
    return f"{first}\n…\n{last}" if first and first not in last else last


def _split_chunks(stdout: bytes) -> list[str]:
    """Cut the output at the framework's marks."""
    return stdout.decode(errors="replace").split(_MARK)


def parse_results(stdout: bytes, name: str) -> list[ResultLine]:
    """Return the results of one benchmark, in order: at most one between two marks."""
    pattern = _compile_result_pattern(name)
    iterations = (_parse_last_result(pattern, chunk) for chunk in _split_chunks(stdout))
    return [result for result in iterations if result is not None]


def cut_unfinished(stdout: bytes) -> bytes:
    """Return the output up to the last mark: what comes behind it was not finished."""
    return stdout[: stdout.rfind(_MARK.encode()) + 1]


class LiveResults:
    """Reads the results of one benchmark as they are printed: each once a mark is behind it."""

    def __init__(self, name: str) -> None:
        """Take the benchmark's name."""
        self._pattern = _compile_result_pattern(name)
        self._rest = b""

    def read_iterations(self, data: bytes) -> list[tuple[float, float]]:
        """Return seconds of an operation and of all of them for each result that is new."""
        *finished, rest = (self._rest + data).split(_MARK.encode())
        self._rest = rest[-_LONGEST:]
        iterations = (
            _parse_last_result(self._pattern, chunk.decode(errors="replace")) for chunk in finished
        )
        return [
            timing
            for result in iterations
            if result is not None
            for timing in _convert_result(result)
        ]


def _convert_result(result: ResultLine) -> list[tuple[float, float]]:
    seconds = seconds_per_operation(result.find_value("ns/op") or 0.0, "ns/op")
    return filter_iteration(seconds, seconds * result.operations)


def failure_or_skip(stdout: bytes, name: str) -> tuple[str, str] | None:
    """Return ("FAIL" or "SKIP", what was printed next) if the framework said so of a benchmark."""
    for chunk in _split_chunks(stdout):
        match = _ENDED.match(chunk)
        if match and re.fullmatch(re.escape(name) + r"(-\d+)?\s*", match.group(2)):
            return match.group(1), chunk[match.end() :].strip()
    return None


def find_failed_parent(stdout: bytes, name: str) -> str:
    """Return the name of the benchmark around one that the framework says fails, "" for none."""
    while "/" in name:
        name = name.rpartition("/")[0]
        report = failure_or_skip(stdout, name)
        if report and report[0] == "FAIL":
            return name
    return ""


def _compile_result_pattern(name: str) -> re.Pattern[str]:
    return re.compile(re.escape(name) + r"(?:-(\d+))? *\t *(\d+)((?:\t[^\n]*)?)\n")


def _parse_last_result(pattern: re.Pattern[str], text: str) -> ResultLine | None:
    """Return the last line of results; what the program printed may stand in front of it."""
    last = None
    for last in pattern.finditer(text):  # noqa: B007 - the last one is what is wanted
        pass
    if last is None:
        return None
    values = tuple(_parse_values(last.group(3)))
    return ResultLine(int(last.group(2)), values, int(last.group(1) or 1))


def _parse_values(fields: str) -> Iterator[tuple[str, float]]:
    for field in fields.split("\t"):
        number, _, unit = field.strip().partition(" ")
        if unit and _NUMBER.fullmatch(number):
            yield unit.strip(), float(number)


def has_ended(answer: CompletedProcess) -> bool:
    """Tell whether a process ran all benchmarks that it was to run.

    The framework says at its end how it went; a failing benchmark does not keep it from that.
    """
    return answer.exit_code == 0 or _OVER.search(answer.stdout) is not None


def has_panicked(answer: CompletedProcess) -> bool:
    """Tell whether the runtime has said why it ended the process."""
    return _PANIC.search(answer.stderr) is not None


def parse_leaves(stdout: bytes) -> list[BenchmarkLeaf]:
    """Return the benchmarks that ran as such, those that only hold others left out."""
    text = stdout.decode(errors="replace")
    starts = [(match.group(1), match.start()) for match in re.finditer(_MARK + _RUN.pattern, text)]
    spans = [
        (name, text[start:end]) for (name, start), (_, end) in pairwise([*starts, ("", len(text))])
    ]
    measured_leaves = []
    for index, (name, span) in enumerate(spans):
        result = _parse_last_result(_compile_result_pattern(name), span)
        follows = spans[index + 1][0] if index + 1 < len(spans) else ""
        if result is not None:
            measured_leaves.append(BenchmarkLeaf(name, result, ""))
        elif not follows.startswith(f"{name}/"):
            measured_leaves.append(BenchmarkLeaf(name, None, _explain_missing_result(span, name)))
    return measured_leaves


def _explain_missing_result(span: str, name: str) -> str:
    """Say how a benchmark ended without a result; its log was printed before the mark."""
    ended = failure_or_skip(span.encode(), name)
    if ended is None:
        return ""
    kind, after = ended
    word = SKIPS_ITSELF if kind == "SKIP" else "it fails"
    log = f"{span.split(_MARK)[1].partition(name)[2].partition(name)[2]}{after}".strip()
    return f"{word}: {log[-500:]}" if log else word
