"""What an audit of a suite says. Here, and not beside the audits, because reports read them too."""

from dataclasses import dataclass, field
from enum import StrEnum

from auditor.core.accepted import Accepted
from auditor.core.allocation import Allocations
from auditor.core.caveats import Caveat
from auditor.core.controls import Controls
from auditor.core.result import Interval, ReachState, Result
from auditor.core.subject import Span

SIGNIFICANCE = 0.01
"""How often the test of a method may err, as in the paper (MSR 2018, Section 6.2)."""


class Rule(StrEnum):
    """How a detection is decided (abs.md, "Detection").

    GATE is OURS with a limit of the user's own in the place of half of v: that of a gate in CI.
    """

    OURS = "ours"
    PAPER = "paper"
    GATE = "gate"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRun:
    """The judgement of one run (process) of a pair.

    `effect` and `interval` are relative to the plain time per operation, (mutant - reference) /
    plain; `p` is that of the rule's test. `reference` and `slowed` are the values of the blocks
    or iterations, seconds per operation, in order. `trials` are the ids of the processes that gave
    them.
    """

    effect: float
    interval: Interval | None
    p: float
    significant: bool
    large: bool
    reference: tuple[float, ...] = field(repr=False)
    slowed: tuple[float, ...] = field(repr=False)
    trials: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PairVerdict:
    """A method, a benchmark, and whether the benchmark notices the method's slowdown.

    `effect`, `interval`, `p` and `threshold` are those of the run that decides (the weakest);
    `threshold` is the effect that has to be exceeded, half of v or of what was achieved.
    `method_seconds` is t(k), `calls_per_operation` counts outermost calls, `share` their product
    over the plain time per operation; where that is not known, `share_at_most` is what it is at
    most, if that is. Where CPU samples were taken, `share` is theirs; a pair that they decide has
    v times the share as its effect. `reach` is what counting the calls has told.
    """

    method: str
    benchmark: str
    outcome: Result
    reach: ReachState = ReachState.UNKNOWN
    effect: float | None = None
    interval: Interval | None = None
    p: float | None = None
    threshold: float | None = None
    achieved_slowdown: float | None = None
    method_seconds: float | None = None
    calls_per_operation: float | None = None
    share: float | None = None
    share_at_most: float | None = None
    wait: str | None = None
    decided_by: str | None = None
    """"injection" or "share": what the verdict detected or missed rests on; None where open."""
    share_interval: Interval | None = None
    """Interval of `share` where that is by CPU samples of the unchanged benchmark."""
    samples: int | None = None
    """Number of these samples."""
    runs: tuple[PairRun, ...] = ()
    reason: str | None = None
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodVerdict:
    """Whether some benchmark notices a slowdown of this method. `calls` is its usage count.

    `reached_by` are the benchmarks that are known to call it while they are measured, `set_up_in`
    those that call it in set-up only.
    """

    id: str
    outcome: Result
    detected_by: tuple[str, ...] = ()
    reached_by: tuple[str, ...] = ()
    set_up_in: tuple[str, ...] = ()
    calls: int | None = None
    span: Span | None = None
    reason: str | None = None
    caveats: tuple[Caveat, ...] = ()
    trivial: str | None = None
    """Why the method cannot get slower; None where it can."""


class Bucket(StrEnum):
    """The columns of Table 3 of the paper."""

    BELOW_5 = "[0, .05)"
    BELOW_10 = "[.05, .10)"
    BELOW_25 = "[.10, .25)"
    BELOW_50 = "[.25, .50]"
    ABOVE_50 = "(.50, inf)"


UNLISTED = "unlisted"


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkVerdict:
    """How stable a benchmark is, and which methods it watches.

    `max_spread` is None for an incomplete benchmark (not measured in all runs). `means` are the
    means of its complete runs, seconds per operation. `unique` are methods that it alone detects,
    `shared` those that others detect too. `ending` is the word for its last outcome, UNLISTED where
    the harness could not even list it. `visible` is the least slowdown of a method that is all of
    its operation that the plan can detect in it (inf: none), None where that is not known. `trials`
    are the ids of its processes in the runs of the suite.
    """

    id: str
    max_spread: float | None
    bucket: Bucket | None
    means: tuple[float, ...]
    runs: int
    seconds: float | None
    unique: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    ending: str = "measured"
    visible: float | None = None
    reason: str | None = None
    caveats: tuple[Caveat, ...] = ()
    trials: tuple[str, ...] = ()
    unit: str = ""
    """The unit in which its tool shows the time, such as ops/s; empty where that is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """An API benchmarking score (Equation 3) with what it might be once all is decided.

    `percent` and `bounds` are None when no method counts, and for a score that leaves out the least
    stable benchmarks when none has a spread: nobody knows which those are.
    """

    percent: float | None
    bounds: Interval | None
    covered: int
    counted: int
    excluded_benchmarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Filter:
    """A regular expression that left out some of `suite_size` benchmarks, and groups unlisted."""

    pattern: str
    suite_size: int
    groups_passed_over: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Duration:
    """How long a run of the whole suite takes (Table 2), in seconds, beside what CI has time for.

    `sd` is None for a single run.
    """

    mean: float
    sd: float | None
    limit: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Stability:
    """Section 5 of the paper: spreads, buckets, duration of the suite.

    `buckets` are (bucket, count, percent of those with a maxSpread). `suite_seconds` are the
    durations of the whole-suite runs that are complete, `duration` is made of them; `runs` is how
    many were asked for. `filter` is None where all benchmarks of the suite are in `benchmarks`.
    """

    benchmarks: tuple[BenchmarkVerdict, ...]
    buckets: tuple[tuple[Bucket, int, float], ...]
    suite_seconds: tuple[float, ...]
    runs: int
    duration: Duration | None = None
    filter: Filter | None = None
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True, slots=True)
class Density:
    """How many of the counted methods so many benchmarks detect (Figure 3)."""

    benchmarks: int
    methods: int
    percent: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """Benchmarks that keep the score; `minimum` is a lower bound on how many that takes."""

    benchmarks: tuple[str, ...]
    minimum: int
    exact: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """How many methods the best so many benchmarks detect; `benchmark` is the last of these.

    `percent` is of the counted methods, and no choice of so many detects more than `most` methods.
    """

    benchmarks: int
    benchmark: str
    methods: int
    percent: float
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A pair at one slowdown: a point of its curve. The numbers are as in `PairVerdict`."""

    slowdown: float
    outcome: Result
    effect: float | None = None
    interval: Interval | None = None
    threshold: float | None = None
    achieved_slowdown: float | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCurve:
    """How small a slowdown of a method a benchmark notices.

    `slowdown` is the least that it was seen to notice, None if none was; `unnoticed` is the largest
    below it that was tried and missed; None where none was, what is undecided says neither. `steps`
    go up.
    """

    method: str
    benchmark: str
    slowdown: float | None
    unnoticed: float | None
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """In how many of the counted methods the suite was seen to notice so large a slowdown."""

    slowdown: float
    covered: int
    counted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The curves of pairs, and of the suite: what notices a slowdown notices a larger one, too."""

    pairs: tuple[PairCurve, ...] = ()
    points: tuple[CurvePoint, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsVerdict:
    """The answer to "if a method got slower, would this suite notice?".

    `slowdown` is None where the time ended before it could be sized by the spreads.
    `slowdown_source` is "fixed" or "auto". `whole_list` is the total score over the list as given,
    invalid and refused methods included, where that differs. `curve` and `controls` are None
    where none were asked for. `rules` compares test only, effect
    only and both (Section 6.3): (name, covered methods). `density` goes up in benchmarks.
    `allocations` is None where nobody asked. `without_accepted` is the total score without the
    `accepted` misses, None where there are none.
    """

    slowdown: float | None
    slowdown_source: str
    rule: Rule
    total: Score
    relative: Score
    absolute: Score
    whole_list: Score | None
    methods: tuple[MethodVerdict, ...]
    pairs: tuple[PairVerdict, ...]
    stability: Stability
    cover: Cover
    rules: tuple[tuple[str, int], ...]
    density: tuple[Density, ...] = ()
    density_curve: tuple[Kept, ...] = ()
    curve: Curve | None = None
    controls: Controls | None = None
    allocations: Allocations | None = None
    accepted: tuple[Accepted, ...] = ()
    without_accepted: Score | None = None
    caveats: tuple[Caveat, ...]
