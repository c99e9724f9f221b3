"""Several benchmarks in one process: what it is given, and what it leaves.

The process finds two files by variables of its environment. BENCH_AUDIT_MEMBERS names one that has
a line for each benchmark, whose form is the guest's. To the file of BENCH_AUDIT_ENDS it
appends a line for each benchmark that has ended: [NUMBER, STATUS, SECONDS], where NUMBER is the
line of the benchmark, counted from 0, and STATUS the exit status, null if the limit ended it. A
benchmark without such a line did not run, or its run does not count.
"""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from auditor.core.jobs import CompletedProcess, Invocation

MEMBERS = "members.txt"
ENDS = "ends.jsonl"
_END_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkProcess:
    """What a process of one benchmark is given and leaves, beside what all processes have."""

    line: str
    """What the process is told of the benchmark, in the guest's words."""
    files: tuple[tuple[Path, bytes], ...]
    collects: tuple[Path, ...]
    timeout_seconds: float


def share_process(job: Invocation, folder: Path, members: Sequence[BenchmarkProcess]) -> Invocation:
    """Return the process that runs all members, given one that finds their benchmarks."""
    lines = [f"{member.line}\n" for member in members]
    ends = folder / ENDS
    variables = {
        **dict(job.environment),
        "BENCH_AUDIT_MEMBERS": str(folder / MEMBERS),
        "BENCH_AUDIT_ENDS": str(ends),
    }
    shared_files = ((folder / MEMBERS, "".join(lines).encode()), (ends, b""))
    return replace(
        job,
        environment=tuple(sorted(variables.items())),
        # Each may have to import something first, which takes as long.
        timeout_seconds=_END_SECONDS + 2 * sum(member.timeout_seconds for member in members),
        files=(*job.files, *shared_files, *(file for member in members for file in member.files)),
        collects=(ends, *(path for member in members for path in member.collects)),
        keeps_partial_results=True,
    )


def split_answer(
    answer: CompletedProcess, members: Sequence[BenchmarkProcess]
) -> list[CompletedProcess | None]:
    """Return how the process of each member ended; None for one that did not run."""
    ended: list[CompletedProcess | None] = [None] * len(members)
    for number, status, seconds in _read_ends(answer.find_file(ENDS), len(members)):
        collected = members[number].collects
        files = {path: answer.files[path] for path in collected if path in answer.files}
        ended[number] = CompletedProcess(
            exit_code=status, seconds=seconds, files=files, strain=answer.strain
        )
    return ended


def _read_ends(data: bytes, count: int) -> Iterator[tuple[int, int | None, float]]:
    """Yield what the file of ends says; the subject may have written to it."""
    for line in data.splitlines():
        try:
            number, status, seconds = json.loads(line)
            is_valid = 0 <= number < count and math.isfinite(seconds) and seconds >= 0
        except (ValueError, TypeError, OverflowError, RecursionError):
            continue
        if is_valid and isinstance(number, int) and isinstance(status, int | None):
            yield number, status, float(seconds)
