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
from auditor.core.request import DetectionRule
from auditor.core.stability import BenchmarkVerdict, BucketCount, Duration, Filter
from reports.results import AuditSetting, decode_document

_SCORE_NAMES = ("total", "relative", "absolute")
_FULL = 100 + 1e-6
"""All of it in percent, with what rounding may add."""


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
    """The stability of the suite as a whole."""

    runs: int  # number of suite runs that were asked for
    buckets: tuple[BucketCount, ...]  # number of benchmarks by range of spread
    suite_seconds: tuple[float, ...]  # seconds of each complete suite run
    duration: Duration | None  # summary of `suite_seconds`; null: these are empty
    filter: Filter | None  # which benchmarks were chosen; null: the whole suite
    caveats: tuple[Caveat, ...]  # of the suite as a whole


class StabilityDocument(
    AuditSetting, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/stability/1"
):
    """The answer to "how far apart are the runs of this suite?"."""

    stability: SuiteStability
    benchmarks: tuple[BenchmarkVerdict, ...]
    caveats: tuple[Caveat, ...]


class Document(
    AuditSetting, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/abs/1"
):
    """The answer to "if a method got slower, would this suite detect it?"."""

    slowdown: float | None  # v, 0.6 for 60 %; null: the time ended before it was sized
    slowdown_source: str  # "fixed", or "auto": sized by the spreads
    rule: DetectionRule  # decides what counts as detected
    scores: Scores  # total, relative and absolute score
    whole_list: Score | None
    """Total score that counts invalid and refused methods too; null: equal to the total."""
    methods: tuple[MethodVerdict, ...]  # in the order of the request
    pairs: tuple[PairVerdict, ...]  # all pairs of a method and a benchmark
    benchmarks: tuple[BenchmarkVerdict, ...]  # all benchmarks that were chosen
    stability: SuiteStability  # spreads and durations of the unchanged suite
    minimal_cover: tuple[str, ...]  # ids of benchmarks that keep the score, the most useful first
    cover_bound: CoverBound  # how near `minimal_cover` is to the smallest choice
    rules: tuple[RuleCount, ...]  # methods covered by the test only, the effect only, and both
    density: tuple[Density, ...]  # methods by the number of benchmarks that detect them
    density_curve: tuple[BestChoice, ...] = ()  # best choice of one benchmark, of two, and so on
    curve: DetectionCurve | None = None  # detection of smaller slowdowns; null: not requested
    controls: Controls | None = None  # the A/A control; null: not requested
    allocations: Allocations | None = None  # detection of one more allocation; null: not requested
    accepted: tuple[AcceptedMiss, ...] = ()  # misses that the user accepts
    without_accepted: Score | None = None
    """Total score without `accepted`; null: nothing is accepted."""
    caveats: tuple[Caveat, ...]  # of the audit as a whole


AbsOrStability = Document | StabilityDocument


def parse_document(text: str | bytes) -> AbsOrStability:
    """Return the document that `text` wrote; raises UsageError for anything else."""
    return decode_document(AbsOrStability, "abs or stability", text, _refuse_contradictions)


def _refuse_contradictions(document: AbsOrStability) -> None:
    """Raise ValidationError where counts of a damaged file cannot be those of an audit."""
    suite = document.stability
    if suite.duration is not None and suite.duration.limit <= 0:
        raise msgspec.ValidationError("the time limit is not above 0 - at `$.stability.duration`")
    if isinstance(document, StabilityDocument):
        return
    scores = {f"scores.{name}": getattr(document.scores, name) for name in _SCORE_NAMES}
    scores |= {name: getattr(document, name) for name in ("whole_list", "without_accepted")}
    for name, score in scores.items():
        if score is not None and not _is_possible_score(score):
            raise msgspec.ValidationError(f"the numbers contradict each other - at `$.{name}`")
    if any(choice.methods < 1 for choice in document.density_curve):
        raise msgspec.ValidationError("a choice detects no method - at `$.density_curve`")


def _is_possible_score(score: Score) -> bool:
    """Tell whether the counts and percentages of a score can belong to one audit."""
    low, high = score.bounds or (0.0, 100.0)
    has_no_result = score.percent is None and score.bounds is None
    return (
        0 <= score.covered <= score.counted
        and 0 <= low <= high <= _FULL
        and 0 <= (score.percent or 0.0) <= _FULL
        and (has_no_result or score.counted > 0)
    )


def accepted_methods(accepted: Iterable[AcceptedMiss]) -> frozenset[str]:
    """Return the methods whose misses are accepted now: nothing is to be done about them."""
    return frozenset(miss.method for miss in accepted if miss.left_out)
