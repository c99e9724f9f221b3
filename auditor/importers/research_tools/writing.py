"""Rows as a research tool's result file."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from auditor.importers.research_tools.layout import BASELINE, DELIMITER, JAVA_HEADER, Tool
from auditor.importers.research_tools.rows import Rows

_NANO = 1e9


def text(rows: Sequence[Rows], tool: Tool) -> str:
    """Return the file: run by run, the unchanged suite first, the methods as they come in `rows`.

    Results are in ns/op, Java's too, with all digits. Go's have the column of invocations if they
    are known of all rows.
    """
    order = {method: at for at, method in enumerate(dict.fromkeys(one.method for one in rows))}
    order[None] = -1
    ordered = sorted(rows, key=lambda one: (one.run, order[one.method]))
    written = StringIO()
    writer = csv.writer(written, delimiter=DELIMITER, lineterminator="\n")
    writer.writerows(_go(ordered) if tool is Tool.GO else _java(ordered))
    return written.getvalue()


def _go(rows: Sequence[Rows]) -> Iterator[tuple[str, ...]]:
    known = all(len(one.operations) == len(one.seconds) for one in rows)
    for one in rows:
        start = f"{one.run}-0-{one.part}", one.method or BASELINE, one.benchmark
        for at, seconds in enumerate(one.seconds):
            done = (str(one.operations[at]),) if known else ()
            yield (*start, *done, _result(seconds))


def _java(rows: Iterable[Rows]) -> Iterator[tuple[str, ...]]:
    yield JAVA_HEADER
    for one in rows:
        for seconds in one.seconds:
            yield str(one.run), one.method or BASELINE, one.benchmark, _result(seconds)


def _result(seconds: float) -> str:
    return repr(seconds * _NANO)
