"""The JSON result of `backtest`: its types, and the conversion of a backtest.

The names are promised to other programs (reports/schema/backtest.schema.json).
"""

import msgspec

from auditor.backtest.model import (
    Agreement,
    Backtest,
    BenchmarkShift,
    CommitDetection,
    CommitKind,
    CommitResult,
)
from reports.results import copy_fields


class TriedCommit(msgspec.Struct, frozen=True, kw_only=True):
    """A commit compared with its parent."""

    commit: str  # its id
    parent: str  # id of its parent
    day: str  # of the commit, YYYY-MM-DD
    title: str  # first line of its message
    kind: CommitKind  # whether it made the code faster or slower
    found_by: str  # how it was found; empty: the user named it
    noticed: CommitDetection  # whether the suite detects it
    reason: str  # why it could not be tried or decided; empty: it is decided
    detected_by: tuple[BenchmarkShift, ...]  # benchmarks that detect it
    against: tuple[BenchmarkShift, ...]  # benchmarks that moved the other way
    benchmarks: int  # number of compared benchmarks
    visible: float | None  # minimum detectable change of any benchmark: 0.1 for 1.1 times
    methods: tuple[str, ...]  # those that it changes or adds
    watched: tuple[str, ...]  # of these: a benchmark of both revisions detects a slowdown
    unwatched: tuple[str, ...]  # of these: none does; the rest is not known
    added: tuple[str, ...]  # benchmarks that came with it
    seconds: float  # that the comparison took


class BacktestDocument(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/backtest/1"
):
    """Which past commits the suite would have detected."""

    bench_audit: str
    config: str  # the configuration as JSON
    commits: tuple[TriedCommit, ...]
    agreement: Agreement


def backtest_document(backtest: Backtest, config: str, version: str) -> BacktestDocument:
    """Return the document of a backtest."""
    return BacktestDocument(
        bench_audit=version,
        config=config,
        commits=tuple(_convert_commit(result) for result in backtest.tried),
        agreement=backtest.agreement,
    )


def _convert_commit(result: CommitResult) -> TriedCommit:
    commit = result.change.commit
    fields = copy_fields(
        TriedCommit,
        result,
        commit=commit.id,
        parent=commit.parent,
        day=commit.day,
        title=commit.title,
        kind=result.change.kind,
        found_by=result.change.found_by,
    )
    return TriedCommit(**fields)
