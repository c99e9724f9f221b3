"""The answer of an audit of a suite, with the verdicts on its methods and pairs."""

from dataclasses import dataclass, field
from math import inf
from typing import Literal

from auditor.core.accepted import AcceptedMiss
from auditor.core.caveats import Caveat
from auditor.core.request import DetectionRule
from auditor.core.result import Interval, ReachState, ReportedInterval, Verdict
from auditor.core.stability import Stability
from auditor.core.subject import Span

Evidence = Literal["injection", "share"]
"""What a verdict rests on: an injected delay, or CPU samples of the unchanged benchmark."""
INJECTION: Evidence = "injection"
SHARE: Evidence = "share"


def interval_ends(interval: ReportedInterval | None) -> Interval:
    """Return the ends of an interval; infinite where it has none."""
    low, high = interval or (None, None)
    return -inf if low is None else low, inf if high is None else high


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRun:
    """The judgement of one run (process) of a pair."""

    effect: float
    """(mutant - reference) / plain, of times per operation."""
    interval: ReportedInterval | None
    """Confidence interval of `effect`; None where the rule has none."""
    p: float
    """p-value of the rule's test."""
    significant: bool
    """Whether the rule's test rejects that the slowdown has no effect."""
    large: bool
    """The effect exceeds the threshold."""
    reference: tuple[float, ...] = field(repr=False)
    """Seconds per operation of the blocks or iterations that were compared with, in order."""
    slowed: tuple[float, ...] = field(repr=False)
    """Seconds per operation of the slowed blocks or iterations, in order."""
    trials: tuple[str, ...] = ()
    """Ids of the trials that the values come from."""

    @property
    def effect_bounds(self) -> Interval:
        """Return the ends of `interval`; infinite where it has none."""
        return interval_ends(self.interval)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairVerdict:
    """Whether a benchmark detects the slowdown of a method."""

    method: str
    """The method's id."""
    benchmark: str
    """The benchmark's id."""
    outcome: Verdict
    """The verdict."""
    reach: ReachState
    """Result of counting the calls."""
    effect: float | None
    """Effect in the run that decides (the weakest), or v times the share where CPU samples
    decide; None: nothing was measured."""
    interval: ReportedInterval | None
    """Confidence interval of `effect`; None: nothing was measured, or the rule has none."""
    p: float | None
    """P-value in the run that decides; None: nothing was measured."""
    threshold: float | None
    """Effect that has to be exceeded: half of v or of the achieved slowdown."""
    achieved_slowdown: float | None
    """Slowdown of the method that the delay caused, relative; None: not verified."""
    method_seconds: float | None
    """Time of a call of the method, t(k); None: unknown."""
    calls_per_operation: float | None
    """Outermost calls; None: not counted."""
    share: float | None
    """Part of the plain time per operation that the method takes; None: unknown.

    By CPU samples where these were taken, else calls times time of a call.
    """
    wait: str | None
    """How the delay passes its time (`Wait`); None where there was none."""
    runs: tuple[PairRun, ...]
    """Every judged run."""
    reason: str | None
    """Why the pair has this outcome, for people; None where its numbers say it."""
    caveats: tuple[Caveat, ...]
    """Of this pair."""
    share_at_most: float | None = None
    """Upper bound of `share` where that is unknown; None: no bound is known either."""
    decided_by: Evidence | None = None
    """"injection" or "share": what the verdict detected or missed rests on; None where open."""
    share_interval: ReportedInterval | None = None
    """Interval of `share` where that is by CPU samples of the unchanged benchmark."""
    samples: int | None = None
    """Number of these samples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodVerdict:
    """Whether some benchmark detects a slowdown of this method."""

    id: str
    """The method's id."""
    outcome: Verdict
    """The best verdict of its pairs, or why it has none."""
    detected_by: tuple[str, ...]
    """Ids of the benchmarks that detect it."""
    reached_by: tuple[str, ...]
    """Ids of the benchmarks that are known to call it while they are measured."""
    set_up_in: tuple[str, ...]
    """Ids of the benchmarks that call it in set-up only."""
    calls: int | None
    """Calls by code outside the library; None: not counted."""
    span: Span | None
    """Place in the source; None: unknown."""
    reason: str | None
    """Why the method has this outcome, for people; None where its pairs say it."""
    caveats: tuple[Caveat, ...]
    """Of the method."""
    trivial: str | None = None
    """Why the method cannot get slower; None where it can."""
    generic: bool = False
    """Whether it has type parameters (Go), so no benchmark can be generated for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """An API benchmarking score (Equation 3)."""

    percent: float | None
    """None when no method counts.

    Also None for a score without the least stable benchmarks when none has a spread.
    """
    bounds: Interval | None
    """Least and largest `percent` that it may have once all is decided; None as `percent`."""
    covered: int
    """Number of methods that are detected."""
    counted: int
    """Number of methods that count."""
    excluded_benchmarks: tuple[str, ...]
    """Ids of the least stable benchmarks, which this score leaves out."""


@dataclass(frozen=True, slots=True)
class Density:
    """How many of the counted methods so many benchmarks detect (Figure 3)."""

    benchmarks: int
    methods: int
    percent: float
    """`methods` as a percentage of the counted methods."""


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How many methods one rule of detection covers."""

    name: str
    covered: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """Benchmarks that keep the score."""

    benchmarks: tuple[str, ...]
    minimum: int
    """Lower bound of the number of benchmarks that keep it."""
    exact: bool
    """No smaller set of benchmarks keeps it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BestChoice:
    """How many methods the best choice of so many benchmarks detects."""

    benchmarks: int
    benchmark: str
    """Id of the last benchmark of the choice."""
    methods: int
    percent: float
    """`methods` as a percentage of the counted methods."""
    most: int
    """Upper bound of the methods that any choice of so many benchmarks detects."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveStep:
    """A pair at one slowdown: a point of its curve."""

    slowdown: float  # relative, 0.6 for 60 %
    outcome: Verdict  # the verdict at this slowdown
    effect: float | None  # effect in the run that decides; None: nothing was measured
    interval: ReportedInterval | None  # confidence interval of `effect`; None as in `PairVerdict`
    threshold: float | None  # effect that has to be exceeded; None: nothing was measured
    achieved_slowdown: float | None  # measured slowdown of the method, relative; None: not verified
    reason: str | None  # why the step has this outcome, for people; None: its numbers tell


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCurve:
    """How small a slowdown of a method a benchmark detects."""

    method: str
    benchmark: str
    slowdown: float | None
    """Smallest slowdown that was detected; None: none was."""
    unnoticed: float | None
    """Largest slowdown below `slowdown` that was tried and missed; None: none was."""
    steps: tuple[CurveStep, ...]
    """By ascending slowdown."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """In how many of the counted methods the suite detected so large a slowdown."""

    slowdown: float
    covered: int
    counted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectionCurve:
    """The curves of pairs, and of the suite: what detects a slowdown detects a larger one, too."""

    pairs: tuple[PairCurve, ...]
    points: tuple[CurvePoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Controls:
    """The A/A control: how often a delay of nothing was "detected" by the limits of the audit."""

    judged: int
    """Number of pairs with a delay of nothing that have a verdict."""
    alarms: tuple[tuple[str, str], ...]
    """(Method, benchmark) of the pairs that were "detected"."""
    bound: float
    """One-sided 95 % upper bound of the false-positive rate."""
    effects: tuple[float, ...]
    """Relative effects that were measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocationPair:
    """A method, a benchmark that calls it, and whether its report shows the allocation."""

    method: str
    """The method's id."""
    benchmark: str
    """The benchmark's id."""
    outcome: Verdict
    """The verdict."""
    unit: str | None
    """Unit of the numbers below per operation; None where nothing was measured."""
    before: float | None
    """Median of what the harness reports of probe blocks."""
    after: float | None
    """Median of what the harness reports of allocating blocks."""
    rise: float | None
    """Median of the differences of neighbouring blocks."""
    interval: ReportedInterval | None
    """99 % confidence interval of `rise`."""
    expected: float | None
    """What the calls that were counted should add."""
    calls_per_operation: float | None
    """Counted calls; None: not counted."""
    plain: float | None
    """What the unchanged benchmark reports; None where its harness is not asked for it."""
    reason: str | None
    """Why the pair has this outcome, for people; None: its numbers tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocationMethod:
    """Whether some benchmark would show that this method allocates more."""

    id: str
    outcome: Verdict
    noticed_by: tuple[str, ...]
    """Ids of the benchmarks that show it."""
    reached_by: tuple[str, ...]
    """Ids of the benchmarks that are known to call it while they are measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocations:
    """In how many methods one more allocation per call would show."""

    bytes: int
    """Size of the allocation."""
    noticed: int
    """Number of methods in which it shows."""
    undecided: int
    """Number of methods in which it may show."""
    counted: int
    """Number of methods that can be changed."""
    methods: tuple[AllocationMethod, ...]
    """In the order of the request."""
    pairs: tuple[AllocationPair, ...]
    """Only pairs whose benchmark may call the method in its loop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsVerdict:
    """The answer to "if a method got slower, would this suite detect it?"."""

    slowdown: float | None
    """v; None where the time ended before it could be sized by the spreads."""
    slowdown_source: str
    """"fixed" or "auto"."""
    rule: DetectionRule
    """Decides what counts as detected."""
    total: Score
    """Score with all benchmarks."""
    relative: Score
    """Score without the 5 % of the benchmarks that spread most."""
    absolute: Score
    """Score without the benchmarks that spread over 50 %."""
    whole_list: Score | None
    """Total score with invalid and refused methods counted; None where that is the same."""
    methods: tuple[MethodVerdict, ...]
    """In the order of the request."""
    pairs: tuple[PairVerdict, ...]
    """All pairs of a method and a benchmark."""
    stability: Stability
    """Spreads and durations of the unchanged suite."""
    cover: Cover
    """Benchmarks that keep the score."""
    rules: tuple[RuleCount, ...]
    """Test only, effect only and both (Section 6.3)."""
    density: tuple[Density, ...] = ()
    """By ascending number of benchmarks."""
    density_curve: tuple[BestChoice, ...] = ()
    """Best choice of one benchmark, of two, and so on."""
    curve: DetectionCurve | None = None
    """None: not asked for."""
    controls: Controls | None = None
    """None: not asked for."""
    allocations: Allocations | None = None
    """None: not asked for."""
    accepted: tuple[AcceptedMiss, ...] = ()
    """Misses that the user accepts."""
    without_accepted: Score | None = None
    """Total score without the `accepted` misses; None where there are none."""
    caveats: tuple[Caveat, ...]
    """Of the audit as a whole."""
