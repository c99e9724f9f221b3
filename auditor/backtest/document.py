"""Past commits and whether the suite would have noticed them, as a document.

The names are promised to other programs (reports/schema/backtest.schema.json).
"""

import msgspec

from auditor.backtest.model import (
    Backtest,
    BenchmarkShift,
    CommitDetection,
    CommitKind,
    CommitResult,
)
from auditor.compare.model import Dimension
from reports.results import schema_of


class NoticedBy(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark that moved; `ratio` is the commit's time (or allocations) by its parent's."""

    benchmark: str
    dimension: Dimension
    ratio: float | None


class TriedCommit(msgspec.Struct, frozen=True, kw_only=True):
    """A commit beside its parent.

    `why` says how it was found, empty where it was named. `by` noticed it, `against` moved the
    other way; `visible` is the least change that any benchmark would have shown (0.1 for 1.1
    times). `methods` are those that it changes or adds; of these the slowdown of `watched` is
    noticed by a benchmark that both have, that of `unwatched` is not, and of the rest it is not
    known.
    `added` are benchmarks that came with it.
    """

    commit: str
    parent: str
    day: str
    title: str
    kind: CommitKind
    why: str
    noticed: CommitDetection
    reason: str
    by: tuple[NoticedBy, ...]
    against: tuple[NoticedBy, ...]
    benchmarks: int
    visible: float | None
    methods: tuple[str, ...]
    watched: tuple[str, ...]
    unwatched: tuple[str, ...]
    added: tuple[str, ...]
    seconds: float


class AgreementDocument(msgspec.Struct, frozen=True, kw_only=True):
    """Commits of which both is known; `phi` is the correlation of being watched and noticed."""

    both: int
    watched_only: int
    noticed_only: int
    neither: int
    phi: float | None


class BacktestDocument(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/backtest/1"
):
    """The answer to "would the suite have noticed?"; `config` is the configuration as JSON."""

    bench_audit: str
    config: str
    commits: tuple[TriedCommit, ...]
    agreement: AgreementDocument


def backtest_document(found: Backtest, config: str, version: str) -> BacktestDocument:
    """Return the result of trying commits."""
    agreed = found.agreement
    return BacktestDocument(
        bench_audit=version,
        config=config,
        commits=tuple(_commit(one) for one in found.tried),
        agreement=AgreementDocument(
            both=agreed.both,
            watched_only=agreed.watched_only,
            noticed_only=agreed.noticed_only,
            neither=agreed.neither,
            phi=agreed.phi,
        ),
    )


def _commit(one: CommitResult) -> TriedCommit:
    commit = one.change.commit
    return TriedCommit(
        commit=commit.id,
        parent=commit.parent,
        day=commit.day,
        title=commit.title,
        kind=one.change.kind,
        why=one.change.why,
        noticed=one.noticed,
        reason=one.reason,
        by=tuple(map(_by, one.by)),
        against=tuple(map(_by, one.against)),
        benchmarks=one.benchmarks,
        visible=one.visible,
        methods=one.methods,
        watched=one.watched,
        unwatched=one.unwatched,
        added=one.added,
        seconds=one.seconds,
    )


def _by(one: BenchmarkShift) -> NoticedBy:
    return NoticedBy(benchmark=one.benchmark, dimension=one.dimension, ratio=one.ratio)


def schema() -> str:
    """Return the JSON Schema of the document, as text."""
    return schema_of(BacktestDocument, "Whether a suite would have noticed past commits")
