"""Rows as a research tool's result file."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from auditor.importers.research_tools.layout import (
    BASELINE,
    DELIMITER,
    JAVA_HEADER,
    ProcessValues,
    ResearchTool,
)

_NANO = 1e9


def format_table(rows: Sequence[ProcessValues], tool: ResearchTool) -> str:
    """Return the file: run by run, the unchanged suite first, the methods as they come in `rows`.

    Results are in ns/op, Java's too, with all digits. Go's have the column of invocations if they
    are known of all rows.
    """
    order = {
        method: index for index, method in enumerate(dict.fromkeys(row.method for row in rows))
    }
    order[None] = -1
    ordered = sorted(rows, key=lambda row: (row.run, order[row.method]))
    output = StringIO()
    writer = csv.writer(output, delimiter=DELIMITER, lineterminator="\n")
    writer.writerows(
        _list_go_rows(ordered) if tool is ResearchTool.GO else _list_java_rows(ordered)
    )
    return output.getvalue()


def _list_go_rows(rows: Sequence[ProcessValues]) -> Iterator[tuple[str, ...]]:
    has_operations = all(len(row.operations) == len(row.seconds) for row in rows)
    for row in rows:
        start = f"{row.run}-0-{row.part}", row.method or BASELINE, row.benchmark
        for index, seconds in enumerate(row.seconds):
            operation_cells = (str(row.operations[index]),) if has_operations else ()
            yield (*start, *operation_cells, _format_result(seconds))


def _list_java_rows(rows: Iterable[ProcessValues]) -> Iterator[tuple[str, ...]]:
    yield JAVA_HEADER
    for row in rows:
        for seconds in row.seconds:
            yield str(row.run), row.method or BASELINE, row.benchmark, _format_result(seconds)


def _format_result(seconds: float) -> str:
    return repr(seconds * _NANO)
