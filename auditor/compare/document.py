"""The JSON result of `compare`: its types, and the conversion of a comparison.

The names are promised to other programs (reports/schema/compare.schema.json).
"""

import msgspec

from auditor.abs.document import accepted_methods
from auditor.abs.model import Score
from auditor.compare.model import (
    BenchmarkComparison,
    Comparison,
    Dimension,
    Patch,
    PerformanceChange,
)
from auditor.core.caveats import Caveat
from auditor.core.provenance import Context
from auditor.core.result import Verdict
from auditor.core.units import OWN_UNITS
from reports.results import (
    AuditSetting,
    NullableRange,
    PlainFields,
    build_document,
    copy_fields,
    decode_document,
)

Round = tuple[float, float, float]


class ComparedDimension(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark in time, allocations or bytes per operation."""

    dimension: Dimension  # time, allocations or bytes per operation
    change: PerformanceChange  # from base to head
    base: float | None  # trimmed geometric mean of the rounds that decided
    head: float | None  # likewise; see `paired`
    ratio: float | None  # head / base; null: the base is 0
    interval: NullableRange | None  # of the ratio
    confirmed: bool | None  # null: nothing was suspected
    control_ratio: float | None  # ratio of the base to itself, the A/A control
    visible: float | None  # minimum detectable growth: 0.1 for 1.1 times
    rounds: tuple[Round, ...]  # (base, base again, head) of the first rounds
    fresh: tuple[Round, ...]  # likewise, of the confirming rounds
    reason: str  # why it cannot be judged; empty: it is judged
    suspected: PerformanceChange | None = None
    """The change that the first rounds suggest and that nothing confirmed or refuted."""
    paired: bool = False
    """Whether `head` is `base` times the ratio within rounds, not the mean of head's own values."""


class ComparedBenchmark(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark of both revisions."""

    id: str  # the benchmark's id
    change: PerformanceChange  # the worst of its dimensions
    same: bool  # both revisions build the same code, so nothing was measured
    reason: str  # why nothing was measured; empty: it was, or the code is the same
    fails_in_head: bool = False  # head cannot list or run it, which base could
    dimensions: tuple[ComparedDimension, ...]  # those that were measured
    calls_changed: bool | None = None
    """Whether it calls a method that head has changed; null: not requested or not counted."""
    unit: str = ""
    """The unit in which its tool shows the time, such as ns/op or ops/s; empty: unknown."""


class PatchMethod(msgspec.Struct, frozen=True, kw_only=True):
    """A method that head has changed or added, and whether the suite detects its slowdown."""

    id: str  # the method's id
    new: bool  # whether only head has it
    outcome: Verdict | None  # null: it was not slowed
    detected_by: tuple[str, ...]  # ids of benchmarks
    reason: str | None  # why it has this outcome; null: the numbers tell
    accepted: bool = False  # its miss is accepted, so the score leaves it out


class PatchDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The methods that differ."""

    methods: tuple[PatchMethod, ...]  # those that head has changed or added
    removed: tuple[str, ...]  # ids of methods that only the base has
    unwatched: tuple[str, ...]  # new public methods that no benchmark calls
    refused: tuple[str, ...] = ()  # changed or new methods that cannot be slowed
    unknown: int = 0  # methods without a source here: whether they differ is unknown
    slowdown: float | None  # v, 0.6 for 60 %; null: no method was slowed
    score: Score | None  # without accepted misses; null: no method was slowed
    caveats: tuple[Caveat, ...]  # of the audit of the changed methods


class ComparisonDocument(
    AuditSetting, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/compare/1"
):
    """Which benchmarks got slower, and whether the suite detects slowdowns of changed methods."""

    base: str  # its revision
    min_delta: float  # smallest relative change that counts
    change: PerformanceChange  # the worst of the benchmarks
    benchmarks: tuple[ComparedBenchmark, ...]  # those of both revisions
    added: tuple[str, ...]  # ids of benchmarks that only head has
    removed: tuple[str, ...]  # ids of benchmarks that only the base has
    controls: int  # number of benchmarks compared with themselves (A/A control)
    suspected: tuple[str, ...]  # ids of `controls` that the first rounds suspect
    confirming_seconds: float | None = None
    """Estimated time to confirm the suspected changes; null: there are none."""
    patch: PatchDocument  # methods that differ, and whether the suite detects their slowdown
    caveats: tuple[Caveat, ...]  # of the comparison


def build_comparison_document(
    comparison: Comparison, context: Context, *, base: str
) -> ComparisonDocument:
    """Return the document of a comparison; `base` is the revision of the base."""
    own_unit = OWN_UNITS.get(context.harness, "")
    return build_document(
        ComparisonDocument,
        context,
        comparison,
        base=base,
        benchmarks=[
            _build_benchmark_fields(benchmark, own_unit) for benchmark in comparison.benchmarks
        ],
        patch=_build_patch_fields(comparison.patch),
    )


def _build_benchmark_fields(benchmark: BenchmarkComparison, own_unit: str) -> PlainFields:
    dimensions = [
        copy_fields(
            ComparedDimension,
            dimension,
            rounds=dimension.rounds.first,
            fresh=dimension.rounds.fresh,
        )
        for dimension in benchmark.dimensions
    ]
    return copy_fields(
        ComparedBenchmark, benchmark, dimensions=dimensions, unit=benchmark.unit or own_unit
    )


_INTENDED_LIMITS = frozenset({"few-runs", "score-mode"})
"""Caveats of what the audit of a patch always leaves out; no option of this command adds it."""


def _build_patch_fields(patch: Patch) -> PlainFields:
    verdict = patch.verdict
    verdict_by_id = {method.id: method for method in verdict.methods} if verdict else {}
    accepted = accepted_methods(verdict.accepted) if verdict else frozenset()
    methods = [
        {
            "id": method_id,
            "new": is_new,
            "outcome": method_verdict.outcome if method_verdict else None,
            "detected_by": method_verdict.detected_by if method_verdict else (),
            "reason": method_verdict.reason if method_verdict else None,
            "accepted": method_id in accepted,
        }
        for method_ids, is_new in ((patch.changed, False), (patch.added, True))
        for method_id, method_verdict in ((name, verdict_by_id.get(name)) for name in method_ids)
    ]
    return copy_fields(
        PatchDocument,
        patch,
        methods=methods,
        slowdown=verdict.slowdown if verdict else None,
        score=verdict.without_accepted or verdict.total if verdict else None,
        caveats=tuple(
            caveat
            for caveat in (verdict.caveats if verdict else ())
            if caveat.slug not in _INTENDED_LIMITS
        ),
    )


def parse_document(text: str | bytes) -> ComparisonDocument:
    """Return the document in a file; raises UsageError for anything else."""
    return decode_document(ComparisonDocument, "compare", text)
