"""The JSON result of `steady`: its types, and the way from judgements to them.

The names are promised to other programs (reports/schema/steady.schema.json).
"""

import msgspec

from auditor.core.caveats import Caveat
from auditor.core.provenance import Context
from auditor.core.series.steady import SteadyLabel, SuiteSteadiness
from reports.results import Setting, read_as, schema_of, setting, strict


class WarmUp(msgspec.Struct, frozen=True, kw_only=True):
    """What the configured warm-up of so many `iterations` does.

    `early` measured iterations were not warm, and the mean of what was measured is `off` (0.05 for
    5 %) above that of the steady part; `late` steady ones were spent on warming up, which took
    `wasted_seconds` (null: nobody knows).
    """

    iterations: int
    early: int
    off: float | None
    late: int
    wasted_seconds: float | None


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """A process of a benchmark; `run` and `fork` count from zero.

    `steady_from` is the 0-based index of the first steady iteration, warm-up included, null where
    there is none. `changes` are the last iterations of segments that the detector tells apart.
    """

    benchmark: str
    run: int
    fork: int
    iterations: int
    label: SteadyLabel
    steady_from: int | None
    changes: tuple[int, ...]
    warm_up: WarmUp | None
    caveats: tuple[Caveat, ...]


class Needed(msgspec.Struct, frozen=True, kw_only=True):
    """What it takes until all processes that get warm are warm, and what that would save.

    `seconds` and `operations` pass until then. A warm-up of `iterations` of `iteration_seconds`
    each (null: of one call) is long enough, and makes a run of the suite `saved_seconds` shorter
    than the configured one does (longer, if below zero; null: nobody knows). `measured_seconds` is
    the shortest time whose mean from a cold start is within 1 % of the steady one, null without.
    """

    seconds: float
    operations: int
    iterations: int
    iteration_seconds: float | None
    saved_seconds: float | None
    measured_seconds: float | None


class Benchmark(msgspec.Struct, frozen=True, kw_only=True):
    """All processes of a benchmark together; `warm_iterations` are enough for the steady ones.

    `needed` is null where no process gets warm, and where nobody knows how long iterations are.
    """

    id: str
    label: SteadyLabel
    warm_iterations: int | None
    iteration_seconds: float | None
    needed: Needed | None


class SteadyDocument(
    Setting, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/steady/1"
):
    """The answer to "when are the benchmarks warm?"."""

    detector: str
    benchmarks: tuple[Benchmark, ...]
    series: tuple[Series, ...]
    caveats: tuple[Caveat, ...]


def steady_document(found: SuiteSteadiness, context: Context) -> SteadyDocument:
    """Return the result of judging series."""
    benchmarks = [
        {
            "id": benchmark.id,
            "label": benchmark.label,
            "warm_iterations": benchmark.warm_iterations,
            "iteration_seconds": benchmark.iteration_seconds,
            "needed": benchmark.needed,
        }
        for benchmark in found.benchmarks
    ]
    series = [
        {"benchmark": benchmark.id, **msgspec.to_builtins(each)}
        for benchmark in found.benchmarks
        for each in benchmark.series
    ]
    made = {
        **setting(context),
        "schema": "bench-audit/steady/1",
        "detector": found.detector,
        "benchmarks": benchmarks,
        "series": series,
        "caveats": (*found.caveats, *context.caveats),
    }
    return msgspec.convert(strict(msgspec.to_builtins(made)), SteadyDocument)


def read(written: str | bytes) -> SteadyDocument:
    """Return the document in a file; raises UsageError for anything else."""
    return read_as(SteadyDocument, "steady", written)


def schema() -> str:
    """Return the JSON Schema of the document, as text."""
    return schema_of(SteadyDocument, "When benchmarks are warm")
