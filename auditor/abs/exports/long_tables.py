"""Long tables of a result of `abs` or `stability`: a row is an observation, a column a variable.

The CSV output and the data frames of `auditor.load` share their column names.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from types import MappingProxyType

from auditor.abs import model
from auditor.abs.document import AbsOrStability, Document
from auditor.abs.model import MethodVerdict, PairVerdict
from auditor.abs.text import detection_curve
from auditor.core.caveats import Caveat
from auditor.core.errors import UsageError
from auditor.core.stability import BenchmarkVerdict
from auditor.core.units import in_unit, is_operation_unit
from reports.delimited import LongTable, Row
from reports.results import NullableRange

PAIRS = (
    "method", "benchmark", "outcome", "reach", "effect", "interval_low", "interval_high", "p",
    "threshold", "achieved_slowdown", "method_seconds", "calls_per_operation", "share",
    "share_at_most", "share_low", "share_high", "samples", "decided_by", "wait", "runs", "reason",
    "caveats",
)  # fmt: skip
METHODS = (
    "method", "outcome", "accepted", "detected_by", "reached_by", "set_up_in", "calls",
    "detects_from", "file", "first_line", "last_line", "reason", "caveats",
)  # fmt: skip
BENCHMARKS = (
    "benchmark", "ending", "max_spread", "bucket", "runs", "mean_seconds", "suite_seconds",
    "visible", "unique", "shared", "in_minimal_cover", "reason", "caveats", "score",
    "unit",
)  # fmt: skip
RUNS = ("method", "benchmark", "run", "arm", "block", "seconds")
TEXTS = frozenset(
    [
        "method",
        "benchmark",
        "outcome",
        "reach",
        "wait",
        "decided_by",
        "reason",
        "caveats",
        "file",
        "ending",
        "bucket",
        "arm",
        "unit",
    ]
)
"""Columns of text; all others are numbers."""


def format_table(document: AbsOrStability, name: str) -> LongTable:
    """Return one of TABLES; raises UsageError where this kind of result has no such table."""
    return TABLES[name](document)


def _build_pair_table(document: AbsOrStability) -> LongTable:
    return LongTable(PAIRS, map(_make_pair_row, require_methods(document).pairs))


def _make_pair_row(pair: PairVerdict) -> Row:
    return (
        pair.method, pair.benchmark, pair.outcome.value, pair.reach.value, pair.effect,
        *_split_interval(pair.interval), pair.p, pair.threshold, pair.achieved_slowdown,
        pair.method_seconds, pair.calls_per_operation, pair.share, pair.share_at_most,
        *_split_interval(pair.share_interval), pair.samples, pair.decided_by, pair.wait,
        len(pair.runs), pair.reason, _join_slugs(pair.caveats),
    )  # fmt: skip


def _build_method_table(document: AbsOrStability) -> LongTable:
    abs_document = require_methods(document)
    least = detection_curve.most_sensitive_pairs(abs_document.curve)
    accepted = {miss.method: int(miss.left_out) for miss in abs_document.accepted}
    rows = (
        _make_method_row(method, least.get(method.id), accepted.get(method.id, 0))
        for method in abs_document.methods
    )
    return LongTable(METHODS, rows)


def _make_method_row(method: MethodVerdict, least: model.PairCurve | None, accepted: int) -> Row:
    span = method.span
    place = (span.file, span.first_line, span.last_line) if span else (None, None, None)
    return (
        method.id, method.outcome.value, accepted, len(method.detected_by), len(method.reached_by),
        len(method.set_up_in), method.calls, least.slowdown if least else None, *place,
        method.reason, _join_slugs(method.caveats),
    )  # fmt: skip


def _build_benchmark_table(document: AbsOrStability) -> LongTable:
    cover = set(document.minimal_cover) if isinstance(document, Document) else None
    return LongTable(
        BENCHMARKS, (_make_benchmark_row(benchmark, cover) for benchmark in document.benchmarks)
    )


def _make_benchmark_row(benchmark: BenchmarkVerdict, cover: set[str] | None) -> Row:
    mean = benchmark.mean_seconds
    return (
        benchmark.id,
        benchmark.ending,
        benchmark.max_spread,
        benchmark.bucket.value if benchmark.bucket else None,
        benchmark.runs,
        mean,
        benchmark.seconds,
        benchmark.visible,
        len(benchmark.unique),
        len(benchmark.shared),
        None if cover is None else int(benchmark.id in cover),
        benchmark.reason,
        _join_slugs(benchmark.caveats),
        in_unit(mean, benchmark.unit) if mean and is_operation_unit(benchmark.unit) else None,
        benchmark.unit,
    )


def _build_run_table(document: AbsOrStability) -> LongTable:
    pairs = document.pairs if isinstance(document, Document) else ()
    return LongTable(RUNS, chain(_list_suite_rows(document.benchmarks), _list_block_rows(pairs)))


def _list_suite_rows(benchmarks: Iterable[BenchmarkVerdict]) -> Iterator[Row]:
    """Yield the means of the complete runs of the unchanged suite; they are of no block."""
    for benchmark in benchmarks:
        for run, seconds in enumerate(benchmark.means, 1):
            yield None, benchmark.id, run, "plain", None, seconds


def _list_block_rows(pairs: Iterable[PairVerdict]) -> Iterator[Row]:
    for pair in pairs:
        for run, pair_run in enumerate(pair.runs, 1):
            for arm, values in (("reference", pair_run.reference), ("slowed", pair_run.slowed)):
                for block, seconds in enumerate(values, 1):
                    yield pair.method, pair.benchmark, run, arm, block, seconds


def require_methods(document: AbsOrStability) -> Document:
    """Return a result that tells of methods; raises UsageError for one of stability."""
    if isinstance(document, Document):
        return document
    raise UsageError(
        "this result has no methods; run bench-audit abs, or choose --rows benchmarks or --rows "
        "runs"
    )


def _split_interval(interval: NullableRange | None) -> NullableRange:
    return (None, None) if interval is None else interval


def _join_slugs(caveats: Iterable[Caveat]) -> str | None:
    return " ".join(sorted({caveat.slug for caveat in caveats})) or None


TABLES: Mapping[str, Callable[[AbsOrStability], LongTable]] = MappingProxyType(
    {
        "pairs": _build_pair_table,
        "methods": _build_method_table,
        "benchmarks": _build_benchmark_table,
        "runs": _build_run_table,
    }
)
"""By what a row is."""
