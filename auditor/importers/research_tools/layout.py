"""How the research tools lay out their result files; both count runs from zero.

GoABS: `run-suite-bench;function;benchmark;invocations;ns`, no header. Older versions have no
invocations, and a run without its parts; with `bench_mem` bytes and allocations per operation
follow. All sub-benchmarks of a function go under its name, and warm-up iterations (`wi`) are in.
JavaABS: `Run;Method altered;Microbenchmark;Result`; the script itself writes no header. The result
is in the benchmark's own unit, which is not in the file, and of the first fork only.
Go's writer quotes what needs it, JavaABS nothing.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessValues:
    """The values of one benchmark in one process, in the order measured."""

    run: int  # of the suite, from zero
    part: int = 0  # process of that run, from zero
    method: str | None  # the slowed method; None: the unchanged suite
    benchmark: str  # the benchmark's id
    seconds: tuple[float, ...] = field(repr=False)  # per operation
    operations: tuple[int, ...] = field(default=(), repr=False)  # of each value; empty: unknown


BASELINE = "Baseline"
"""What stands for the name of the method in rows of the unchanged suite."""
DELIMITER = ";"
JAVA_HEADER = ("Run", "Method altered", "Microbenchmark", "Result")
NANOSECONDS = "ns/op"
"""The unit of all Go results, and of the Java files that we write."""


class ResearchTool(StrEnum):
    """Whose file it is, by the language that the tool is for."""

    GO = "go"
    JAVA = "java"


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """A tool, the number of columns, and the index of the one with the result."""

    tool: ResearchTool
    columns: int
    result: int


RUN = re.compile(r"([0-9]{1,9})((?:-[0-9]{1,9}){0,2})")
"""A run, and for Go the executions of the suite and of the benchmark in it."""
_GO_RESULT = {4: 3, 5: 4, 6: 3, 7: 4}
"""Where the result is, by the number of columns: 6 and 7 are 4 and 5 with `bench_mem`."""
_GO_FILE = re.compile(r"_test\.go/Benchmark")


def layout_of(record: list[str], tool: ResearchTool | None) -> ColumnLayout | None:
    """Tell the layout by the first row of results; None where it is none of these.

    A row of four columns with nothing but a number for a run is of JavaABS, unless its benchmark
    is in a Go file.
    """
    run = RUN.fullmatch(record[0].strip())
    if run is None:
        return None
    if tool is None:
        go = len(record) != 4 or run[2] or _GO_FILE.search(record[2])
        tool = ResearchTool.GO if go else ResearchTool.JAVA
    results = _GO_RESULT if tool is ResearchTool.GO else {4: 3}
    if len(record) not in results or (tool is ResearchTool.JAVA and run[2]):
        return None
    return ColumnLayout(tool, len(record), results[len(record)])
