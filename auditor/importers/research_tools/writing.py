"""Rows as a research tool's result file."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from auditor.importers.research_tools.layout import BASELINE, DELIMITER, JAVA_HEADER, ResearchTool
from auditor.importers.research_tools.rows import Rows

_NANO = 1e9


def text(rows: Sequence[Rows], tool: ResearchTool) -> str:
    """Return the file: run by run, the unchanged suite first, the methods as they come in `rows`.

    Results are in ns/op, Java's too, with all digits. Go's have the column of invocations if they
    are known of all rows.
    """
    order = {
        method: index for index, method in enumerate(dict.fromkeys(row.method for row in rows))
    }
    order[None] = -1
    ordered = sorted(rows, key=lambda row: (row.run, order[row.method]))
    written = StringIO()
    writer = csv.writer(written, delimiter=DELIMITER, lineterminator="\n")
    writer.writerows(_go(ordered) if tool is ResearchTool.GO else _java(ordered))
    return written.getvalue()


def _go(rows: Sequence[Rows]) -> Iterator[tuple[str, ...]]:
    known = all(len(row.operations) == len(row.seconds) for row in rows)
    for row in rows:
        start = f"{row.run}-0-{row.part}", row.method or BASELINE, row.benchmark
        for index, seconds in enumerate(row.seconds):
            done = (str(row.operations[index]),) if known else ()
            yield (*start, *done, _result(seconds))


def _java(rows: Iterable[Rows]) -> Iterator[tuple[str, ...]]:
    yield JAVA_HEADER
    for row in rows:
        for seconds in row.seconds:
            yield str(row.run), row.method or BASELINE, row.benchmark, _result(seconds)


def _result(seconds: float) -> str:
    return repr(seconds * _NANO)
