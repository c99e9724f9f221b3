"""The JSON result of `steady`: its types, and the conversion of judgements.

The names are promised to other programs (reports/schema/steady.schema.json).
"""

import msgspec

from auditor.core.caveats import Caveat
from auditor.core.provenance import Context
from auditor.core.series.steady import NeededWarmup, SteadyLabel, SuiteSteadiness, WarmupEffect
from reports.results import (
    AuditSetting,
    build_document,
    copy_fields,
    decode_document,
)


class ProcessSteadiness(msgspec.Struct, frozen=True, kw_only=True):
    """When a process of a benchmark is steady; all numbers count from zero."""

    benchmark: str  # the benchmark's id
    run: int  # of the suite
    fork: int  # process of the benchmark in that run
    iterations: int  # number of iterations
    label: SteadyLabel  # whether it gets steady
    steady_from: int | None  # index of the first steady iteration, warm-up included
    changes: tuple[int, ...]  # last iteration of each segment that the detector separates
    warm_up: WarmupEffect | None  # null: the configured warm-up is not known, or there is none
    caveats: tuple[Caveat, ...]  # of the process


class SteadyBenchmark(msgspec.Struct, frozen=True, kw_only=True):
    """All processes of a benchmark together."""

    id: str
    label: SteadyLabel
    warm_iterations: int | None
    """Warm-up iterations that suffice for all steady processes; null also where a warm-up was run
    and not kept."""
    iteration_seconds: float | None
    needed: NeededWarmup | None
    """Null where no process gets warm, or the length of the iterations is not known."""


class SteadyDocument(
    AuditSetting, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/steady/1"
):
    """When each benchmark is warm."""

    detector: str
    benchmarks: tuple[SteadyBenchmark, ...]
    series: tuple[ProcessSteadiness, ...]
    caveats: tuple[Caveat, ...]


def steady_document(suite: SuiteSteadiness, context: Context) -> SteadyDocument:
    """Return the document of judged processes."""
    benchmarks = [
        copy_fields(SteadyBenchmark, benchmark, label=benchmark.steady_label)
        for benchmark in suite.benchmarks
    ]
    series = [
        copy_fields(ProcessSteadiness, process, benchmark=benchmark.id)
        for benchmark in suite.benchmarks
        for process in benchmark.series
    ]
    return build_document(SteadyDocument, context, suite, benchmarks=benchmarks, series=series)


def parse_document(content: str | bytes) -> SteadyDocument:
    """Return the document in a file; raises UsageError for anything else."""
    return decode_document(SteadyDocument, "steady", content)
