"""The JSON results of `abs` and `stability`: their types, and the way from text to them.

The names and the shape are promised to other programs (reports/schema/result.schema.json). Their
parts are the types of `auditor.abs.model` and `auditor.core`; a number that is not finite is null.
"""

from collections.abc import Iterable

import msgspec

from auditor.abs.model import (
    Allocations,
    BestChoice,
    Controls,
    Density,
    DetectionCurve,
    MethodVerdict,
    PairVerdict,
    RuleCount,
    Score,
)
from auditor.core.accepted import AcceptedMiss
from auditor.core.caveats import Caveat
from auditor.core.errors import UsageError
from auditor.core.request import DetectionRule
from auditor.core.stability import BenchmarkVerdict, BucketCount, Duration, Filter
from reports.results import Setting, schema_of


class Scores(msgspec.Struct, frozen=True):
    """With all benchmarks, without the worst 5 %, without those that spread over 50 %."""

    total: Score
    relative: Score
    absolute: Score


class CoverBound(msgspec.Struct, frozen=True):
    """No fewer than `minimum` benchmarks keep the score; `exact` if the cover has that many."""

    minimum: int
    exact: bool


class SuiteStability(msgspec.Struct, frozen=True, kw_only=True):
    """The suite as a whole: spreads in buckets, seconds of its complete runs."""

    runs: int
    buckets: tuple[BucketCount, ...]
    suite_seconds: tuple[float, ...]
    duration: Duration | None
    filter: Filter | None
    caveats: tuple[Caveat, ...]


class StabilityDocument(
    Setting, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/stability/1"
):
    """The answer to "how far apart are the runs of this suite?"."""

    stability: SuiteStability
    benchmarks: tuple[BenchmarkVerdict, ...]
    caveats: tuple[Caveat, ...]


class Document(Setting, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/abs/1"):
    """The answer to "if a method got slower, would this suite notice?"."""

    slowdown: float | None
    slowdown_source: str
    rule: DetectionRule
    scores: Scores
    whole_list: Score | None
    methods: tuple[MethodVerdict, ...]
    pairs: tuple[PairVerdict, ...]
    benchmarks: tuple[BenchmarkVerdict, ...]
    stability: SuiteStability
    minimal_cover: tuple[str, ...]
    cover_bound: CoverBound
    rules: tuple[RuleCount, ...]
    density: tuple[Density, ...]
    density_curve: tuple[BestChoice, ...] = ()
    curve: DetectionCurve | None = None
    controls: Controls | None = None
    allocations: Allocations | None = None
    accepted: tuple[AcceptedMiss, ...] = ()
    without_accepted: Score | None = None
    caveats: tuple[Caveat, ...]


AbsOrStability = Document | StabilityDocument


def read(written: str | bytes) -> AbsOrStability:
    """Return the document that `text` wrote; raises UsageError for anything else."""
    try:
        return msgspec.json.decode(written, type=Document | StabilityDocument)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"not a result of bench-audit that this version reads: {error}") from error


def schema() -> str:
    """Return the JSON Schema of both documents (checked in as result.schema.json)."""
    return schema_of(AbsOrStability, "A result of bench-audit")


def accepted_methods(accepted: Iterable[AcceptedMiss]) -> frozenset[str]:
    """Return the methods whose misses are accepted now: nothing is to be done about them."""
    return frozenset(miss.method for miss in accepted if miss.left_out)
