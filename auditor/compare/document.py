"""The JSON result of `compare`: its types, and the way from a comparison to them.

The names are promised to other programs (reports/schema/compare.schema.json).
"""

import msgspec

from auditor.abs.model import Score
from auditor.compare.model import BenchmarkComparison, Change, Comparison, Dimension, Patch
from auditor.core.caveats import Caveat
from auditor.core.provenance import Context
from auditor.core.result import Result
from auditor.core.units import OWN_UNITS
from reports.results import Plain, Range, Setting, read_as, schema_of, setting, strict

Round = tuple[float, float, float]


class InDimension(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a benchmark in time, allocations or bytes per operation.

    `base` and `head` are trimmed geometric means of the rounds that decided, and `ratio` is
    head / base (null where the base is 0); `itself` that of the base to itself; `visible` the least
    growth (0.1 for 1.1 times) that would have been seen. `suspected` is a change that the first
    rounds saw and that nothing confirmed or refuted. `rounds` are (base, base again, head), of the
    first rounds and of those that were to confirm (`fresh`).
    """

    dimension: Dimension
    change: Change
    base: float | None
    head: float | None
    ratio: float | None
    interval: Range | None
    confirmed: bool | None
    itself: float | None
    visible: float | None
    rounds: tuple[Round, ...]
    fresh: tuple[Round, ...]
    reason: str
    suspected: Change | None = None
    paired: bool = False
    """Whether `head` is not the mean of head's own values, since `ratio` is that within rounds."""


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a benchmark; `same`: built of the same code, so it was not measured."""

    id: str
    change: Change
    same: bool
    reason: str
    dimensions: tuple[InDimension, ...]
    calls_changed: bool | None = None
    """Whether it calls a method that head has changed; null where that was not asked or counted."""
    unit: str = ""
    """The unit in which its tool shows the time, such as ns/op or ops/s; empty where unknown."""


class PatchMethod(msgspec.Struct, frozen=True, kw_only=True):
    """A method that head has changed or added, and whether its slowdown would be noticed.

    `outcome` is null where it was not slowed down.
    """

    id: str
    new: bool
    outcome: Result | None
    detected_by: tuple[str, ...]
    reason: str | None


class PatchDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The methods that differ; `score` is null where none was slowed down."""

    methods: tuple[PatchMethod, ...]
    removed: tuple[str, ...]
    unwatched: tuple[str, ...]
    slowdown: float | None
    score: Score | None
    caveats: tuple[Caveat, ...]


class ComparisonDocument(
    Setting, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/compare/1"
):
    """The answer to "did a benchmark get slower, and would the suite have noticed?"."""

    base: str
    min_delta: float
    change: Change
    benchmarks: tuple[Compared, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    controls: int
    suspected: tuple[str, ...]
    confirming_seconds: float | None = None
    """About how long it takes to confirm what is suspected still; null where nothing is."""
    patch: PatchDocument
    caveats: tuple[Caveat, ...]


def comparison_document(found: Comparison, context: Context, *, base: str) -> ComparisonDocument:
    """Return the result of a comparison; `base` is the revision of the base."""
    own = OWN_UNITS.get(context.harness, "")
    made = {
        **setting(context),
        "schema": "bench-audit/compare/1",
        "base": base,
        "min_delta": found.min_delta,
        "change": found.change,
        "benchmarks": [_compared(benchmark, own) for benchmark in found.benchmarks],
        "added": found.added,
        "removed": found.removed,
        "controls": found.controls,
        "suspected": found.suspected,
        "confirming_seconds": found.confirming_seconds,
        "patch": _patch(found.patch),
        "caveats": (*found.caveats, *context.caveats),
    }
    return msgspec.convert(strict(msgspec.to_builtins(made)), ComparisonDocument)


def _compared(one: BenchmarkComparison, own: str) -> Plain:
    dimensions = [
        {
            **{name: getattr(dimension, name) for name in _SHARED},
            "rounds": dimension.rounds.first,
            "fresh": dimension.rounds.fresh,
        }
        for dimension in one.dimensions
    ]
    return {
        "id": one.id,
        "change": one.change,
        "same": one.same,
        "reason": one.reason,
        "dimensions": dimensions,
        "calls_changed": one.calls_changed,
        "unit": one.unit or own,
    }


_SHARED = (
    "dimension", "change", "base", "head", "ratio", "interval", "confirmed", "itself", "visible",
    "reason", "suspected", "paired",
)  # fmt: skip


def _patch(patch: Patch) -> Plain:
    verdict = patch.verdict
    known = {method.id: method for method in verdict.methods} if verdict else {}
    methods = [
        {
            "id": name,
            "new": new,
            "outcome": known[name].outcome if name in known else None,
            "detected_by": known[name].detected_by if name in known else (),
            "reason": known[name].reason if name in known else None,
        }
        for names, new in ((patch.changed, False), (patch.added, True))
        for name in names
    ]
    return {
        "methods": methods,
        "removed": patch.removed,
        "unwatched": patch.unwatched,
        "slowdown": verdict.slowdown if verdict else None,
        "score": verdict.total if verdict else None,
        "caveats": verdict.caveats if verdict else (),
    }


def read(written: str | bytes) -> ComparisonDocument:
    """Return the document in a file; raises UsageError for anything else."""
    return read_as(ComparisonDocument, "compare", written)


def schema() -> str:
    """Return the JSON Schema of the document, as text."""
    return schema_of(ComparisonDocument, "bench-audit comparison of two revisions")
