"""The JSON results of `abs` and `stability`: their types, and the way from text to them.

These are not the verdicts of `auditor.core`: the names and the shape here are promised to other
programs (reports/schema/result.schema.json), and every number may be null, because JSON has
neither NaN nor infinity.
"""

from typing import Literal

import msgspec

from auditor.abs.result_parts.accepted import Accepted
from auditor.abs.result_parts.allocations import Allocations
from auditor.abs.result_parts.controls import Controls
from auditor.abs.result_parts.curve import Curve
from auditor.abs.result_parts.redundancy import CoverBound, Density, Kept
from auditor.core.caveats import Caveat
from auditor.core.errors import UsageError
from auditor.core.request import Rule
from auditor.core.result import ReachState, Result
from auditor.core.stability import Bucket
from auditor.core.subject import Span
from auditor.core.units import mean_time
from reports.results import Range, Setting, schema_of

Numbers = tuple[float | None, ...]


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """Percent of the counted methods that are covered, and what it may be once all is decided.

    Both are null where nobody can tell: no method counts, or no benchmark has a spread.
    """

    percent: float | None
    bounds: tuple[float, float] | None
    covered: int
    counted: int
    excluded_benchmarks: tuple[str, ...]


class Scores(msgspec.Struct, frozen=True):
    """With all benchmarks, without the worst 5 %, without those that spread over 50 %."""

    total: Score
    relative: Score
    absolute: Score


class Method(msgspec.Struct, frozen=True, kw_only=True):
    """Whether some benchmark notices a slowdown of this method.

    `reached_by` call it while they are measured, `set_up_in` in set-up only.
    """

    id: str
    outcome: Result
    detected_by: tuple[str, ...]
    reached_by: tuple[str, ...]
    set_up_in: tuple[str, ...]
    calls: int | None
    span: Span | None
    reason: str | None
    caveats: tuple[Caveat, ...]
    trivial: str | None = None
    """Why the method cannot get slower, so that it needs no benchmark; null where it can."""


class PairRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a pair; `reference` and `slowed` are its blocks, seconds per operation.

    `trials` are the ids of its processes in the store.
    """

    effect: float | None
    interval: Range | None
    p: float | None
    significant: bool
    large: bool
    reference: Numbers
    slowed: Numbers
    trials: tuple[str, ...] = ()


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Whether this benchmark notices a slowdown of this method, and by what numbers."""

    method: str
    benchmark: str
    outcome: Result
    reach: ReachState
    effect: float | None
    interval: Range | None
    p: float | None
    threshold: float | None
    achieved_slowdown: float | None
    method_seconds: float | None
    calls_per_operation: float | None
    share: float | None
    wait: str | None
    runs: tuple[PairRun, ...]
    reason: str | None
    caveats: tuple[Caveat, ...]
    share_at_most: float | None = None
    decided_by: Literal["injection", "share"] | None = None
    """What the verdict rests on: an injected delay, or CPU samples of the unchanged benchmark."""
    share_interval: Range | None = None
    """Interval of `share` where that is by samples; null: it is not."""
    samples: int | None = None
    """Number of these samples."""


class Benchmark(msgspec.Struct, frozen=True, kw_only=True):
    """How stable a benchmark is, and which methods it watches alone and with others.

    `ending` is "measured", or how it failed; "unlisted" where it could not even be listed.
    `visible`: the least slowdown of a whole operation that the plan can detect; null: not known, or
    none. `trials` are the ids of its processes in the store.
    """

    id: str
    max_spread: float | None
    bucket: Bucket | None
    means: Numbers
    runs: int
    seconds: float | None
    visible: float | None = None
    unique: tuple[str, ...]
    shared: tuple[str, ...]
    ending: str
    reason: str | None
    caveats: tuple[Caveat, ...]
    trials: tuple[str, ...] = ()
    unit: str = ""
    """The unit in which its tool shows the time, such as ns/op or ops/s; empty where unknown."""

    @property
    def mean_seconds(self) -> float | None:
        """Return seconds per operation over the runs that have a mean; None where none has."""
        means = [mean for mean in self.means if mean is not None]
        return mean_time(means, self.unit) if means else None


class BucketCount(msgspec.Struct, frozen=True):
    """How many benchmarks have a spread in `range`, and the percent of those with a spread."""

    range: Bucket
    count: int
    percent: float | None


class Duration(msgspec.Struct, frozen=True):
    """Seconds of a run of the whole suite, beside what the paper takes for a CI limit."""

    mean: float | None
    sd: float | None
    limit: float


class Filter(msgspec.Struct, frozen=True):
    """The regular expression that left benchmarks out, and how many the suite has.

    That is without those of the groups that were not even listed, as nothing in them can match.
    """

    pattern: str
    suite_size: int
    groups_passed_over: int = 0


class Stability(msgspec.Struct, frozen=True, kw_only=True):
    """The suite as a whole: spreads in buckets, seconds of its complete runs."""

    runs: int
    buckets: tuple[BucketCount, ...]
    suite_seconds: Numbers
    duration: Duration | None
    filter: Filter | None
    caveats: tuple[Caveat, ...]


class RuleCount(msgspec.Struct, frozen=True):
    """How many methods one way of deciding a detection covers."""

    name: str
    covered: int


class StabilityDocument(
    Setting, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/stability/1"
):
    """The answer to "how far apart are the runs of this suite?"."""

    stability: Stability
    benchmarks: tuple[Benchmark, ...]
    caveats: tuple[Caveat, ...]


class Document(Setting, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/abs/1"):
    """The answer to "if a method got slower, would this suite notice?"."""

    slowdown: float | None
    slowdown_source: str
    rule: Rule
    scores: Scores
    whole_list: Score | None
    methods: tuple[Method, ...]
    pairs: tuple[Pair, ...]
    benchmarks: tuple[Benchmark, ...]
    stability: Stability
    minimal_cover: tuple[str, ...]
    cover_bound: CoverBound
    rules: tuple[RuleCount, ...]
    density: tuple[Density, ...]
    density_curve: tuple[Kept, ...] = ()
    curve: Curve | None = None
    controls: Controls | None = None
    allocations: Allocations | None = None
    accepted: tuple[Accepted, ...] = ()
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
