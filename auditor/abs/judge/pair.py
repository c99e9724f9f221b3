"""All that is known of a pair when it is judged, and what follows from it before any test."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, inf, log, sqrt
from statistics import median

from auditor.abs.judge import binary_layout as layout
from auditor.abs.model import PairRun
from auditor.core.caveats import Caveat
from auditor.core.plan import Run
from auditor.core.request import SIGNIFICANCE, DetectionRule
from auditor.core.result import Verdict
from auditor.core.schedule import ArmName
from auditor.core.suite import Benchmark
from auditor.measure import readings
from auditor.measure.calibration import Calibration
from auditor.measure.profiles.cpu_shares import CpuShare
from auditor.measure.reach_judge import Reach
from auditor.stats.compare import Ratio, estimate_ratio, t_half
from auditor.stats.components import VarianceComponent
from auditor.stats.signed_rank import estimate_shift

QUIET = 4
"""How many of the least blocks of a calibration have to agree."""
CLOCK_DOUBT = 0.06
"""Share of the clock's own cost that may be wrong where it is subtracted. On the JVM the cost was
45 to 47 ns beside methods of 10 to 40 ns, up to 53 ns in some processes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairData:
    """All that the judgement of a method and a benchmark is made from."""

    method: str
    """The method's id."""
    benchmark: Benchmark
    """The benchmark."""
    slowdown: float
    """v, 0.6 for 60 %; 0 where it was never sized."""
    rule: DetectionRule
    """Decides what counts as detected."""
    process_count: int
    """Number of processes that were asked for: runs times `forks`."""
    forks: int = 1
    """Processes of a run."""
    family: int = 1
    """Number of benchmarks any of which may detect the method."""
    min_delta: float | None = None
    """Limit in the place of v / 2; None: v / 2."""
    significance: float = SIGNIFICANCE
    """False-positive rate that is allowed for the method."""
    estimate: bool = False
    """Whether the pair is predicted, not measured."""
    control: bool = False
    """Whether the delay is zero (A/A control), so the achieved slowdown sets no limit."""
    layout: VarianceComponent | None = None
    """Variation common to all processes of one binary; None: unknown, or there is none."""
    has_plain_blocks: bool = False
    """Whether the processes of the pair have plain blocks too."""
    inlined: bool = False
    """Whether plain blocks call the method where the unchanged program may inline it."""
    interleaved: bool = False
    """Whether the rule PAPER compares with plain processes run among those of the pairs, not
    with the suite runs."""
    reach: Reach | None = None
    """How often the benchmark calls the method; None: not counted."""
    sampled: CpuShare | None = None
    """Share by CPU samples of the unchanged benchmark; None where none were taken."""
    removed: str = ""
    """Where the compiler has removed the call, as "at FILE:LINE"; empty where it has not surely."""
    pairs: int = 60
    """Pairs of blocks that one process of the plan may have."""
    calibration: Calibration | None = None
    """Of the delay; None: not calibrated."""
    refusal: str | None = None
    """Why there is no variant; None: there is one."""
    plain: tuple[Run, ...] = field(default=(), repr=False)
    """Runs of the unchanged benchmark, failed ones included."""
    pilots: tuple[Run, ...] = field(default=(), repr=False)
    """Short runs of the unchanged benchmark that planned its blocks, failed ones included."""
    calibrating: tuple[Run, ...] = field(default=(), repr=False)
    """Calibration runs of the pair, failed ones included."""
    runs: tuple[Run, ...] = field(default=(), repr=False)
    """Runs that decide the pair, failed ones included."""

    @property
    def nominal_threshold(self) -> float:
        """Return the effect that has to be exceeded: half of v, or where the user's gate fires."""
        return self.slowdown / 2 if self.min_delta is None else self.min_delta

    @property
    def confidence(self) -> float:
        """Return the level of the intervals of a pair (detection.md)."""
        return 1 - self.significance

    @property
    def test_level(self) -> float:
        """Return the level at which a pair is tested so that `confidence` holds for its method."""
        return 1 - self.significance / self.family

    @property
    def calls_per_operation(self) -> float | None:
        """Return the outermost calls per operation."""
        return self.reach.calls_per_operation if self.reach else None

    @property
    def method_seconds(self) -> float | None:
        """Return t(k)."""
        return self.calibration.method_seconds if self.calibration else None

    @property
    def clock_seconds(self) -> float:
        """Return what reading the clock adds to a call, 0 where that is not known."""
        return self.calibration.clock_seconds if self.calibration else 0.0

    @property
    def seconds_in_method(self) -> float | None:
        """Return the seconds of an operation's reported time that are spent in the method."""
        if not self.calls_per_operation or self.method_seconds is None:
            return None
        return self.calls_per_operation * self.method_seconds / self.benchmark.concurrency

    @property
    def method_share(self) -> float | None:
        """Return what part of the plain operation is spent in the method."""
        inside = self.seconds_in_method
        plain = self.plain_seconds if inside is not None else ()
        return inside / median(plain) if inside is not None and plain else None

    @property
    def plain_seconds(self) -> tuple[float, ...]:
        """Return the least time of an operation in each plain process, or beside the slowed."""
        if self.has_plain_blocks:
            plain_block_seconds = readings.list_block_minima(
                (*self.calibrating, *self.runs), ArmName.PLAIN
            )
            return plain_block_seconds or readings.list_block_minima(self.plain, ArmName.PLAIN)
        return readings.list_block_minima(self.plain, ArmName.PLAIN)

    @property
    def wait_kind(self) -> str | None:
        """Return how the slowed blocks waited."""
        for run in self.runs:
            for arm in run.trial.schedule.arms:
                if arm.name is ArmName.SLOWED and arm.delay is not None:
                    return str(arm.delay.wait)
        return str(self.calibration.delay.wait) if self.calibration else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a rule concludes from the processes of a pair."""

    outcome: Verdict  # the verdict
    weakest: PairRun | None = None  # the run that decides; None: no run was judged
    runs: tuple[PairRun, ...] = ()  # every judged run
    threshold: float | None = None  # effect that has to be exceeded; None: not determined
    achieved: float | None = None  # measured slowdown of the method, relative; None: not verified
    reason: str | None = None  # why the pair has this outcome, for people; None: its numbers tell
    caveats: tuple[Caveat, ...] = ()  # of this judgement


def undecided_judgement(slug: str, text: str) -> Judgement:
    """Return a judgement that cannot be made, and why."""
    return Judgement(outcome=Verdict.INCONCLUSIVE, reason=text, caveats=(Caveat(slug, text),))


def method_doubt(data: PairData) -> float:
    """Return by how many seconds t(k) may be wrong: by its processes and blocks, and the clock.

    t(k) is made of the least blocks, since a disturbance only adds; what is in doubt is whether
    those were quiet. QUIET blocks that agree were, since no disturbance adds the same to all; the
    others tell nothing. Processes may differ all the same.
    """
    process_times = [times for run in data.calibrating if (times := readings.call_times(run))]
    if not process_times:
        return CLOCK_DOUBT * data.clock_seconds
    least = [min(times) for times in process_times]
    blocks = sorted(time for times in process_times for time in times)
    agreed = blocks[min(QUIET, len(blocks)) - 1]
    scatter = max(agreed - blocks[0], (max(least) - min(least)) / 2)
    return scatter + CLOCK_DOUBT * data.clock_seconds


AS_IT_IS = Ratio(1.0, 1.0, 1.0)
"""Of what was measured beside plain blocks: nothing is to be turned into anything."""


def reference_ratio(data: PairData) -> Ratio | None:
    """Return what the reference of the pairs is to the plain time, with its interval.

    That is q, unless the processes have plain blocks themselves. Those are the plain time, but
    where calls are inlined elsewhere: to call takes longer, so it may be up to so much more.
    """
    if not data.has_plain_blocks:
        return probe_ratio(data)
    if not data.inlined:
        return AS_IT_IS
    plain_block_seconds = readings.list_block_minima((*data.calibrating, *data.runs), ArmName.PLAIN)
    called = _compare_with_plain(plain_block_seconds, data)
    return None if called is None else Ratio(1.0, 1.0, max(1.0, called.high))


def probe_ratio(data: PairData) -> Ratio | None:
    """Return q, probe over plain, with its interval between processes.

    Calibrating processes have probe blocks of the same bytes, so they tell about q as well. All of
    them are of one layout: what that does to the time does not even out between them. Where they
    have plain blocks, too, neighbouring ones tell it: the interval is that of their quotients.
    """
    if data.has_plain_blocks:
        return _compare_neighbours((*data.calibrating, *data.runs), data.confidence)
    return _compare_with_plain(
        readings.list_block_minima((*data.calibrating, *data.runs), ArmName.PROBE), data
    )


def _compare_with_plain(pair_seconds: Sequence[float], data: PairData) -> Ratio | None:
    """Return what processes of the pair took over what those of the unchanged program took."""
    plain = readings.list_block_minima(data.plain, ArmName.PLAIN)
    if not pair_seconds or not plain:
        return None
    return estimate_ratio(
        pair_seconds, plain, data.confidence, data.layout, layout.count_layouts(data.plain)
    )


def _compare_neighbours(runs: Sequence[Run], confidence: float) -> Ratio | None:
    logs = [log(quotient) for run in runs for quotient in readings.list_probe_ratios(run)]
    if not logs:
        return None
    shift_estimate = estimate_shift(logs, confidence)
    if shift_estimate.interval is None:  # of a few quotients only the middle is known
        return Ratio(exp(shift_estimate.estimate), 0.0, inf)
    low, high = shift_estimate.interval
    return Ratio(exp(shift_estimate.estimate), exp(low), exp(high))


NORMAL_MEDIAN = 0.6745
"""Median of the size of a normal variate, in standard deviations."""


def estimate_half_interval(data: PairData) -> float:
    """Return half of the interval of an effect that the plan's pairs of plain blocks would have.

    The quietest process counts: what else the machine does only adds scatter, and is no property
    of the benchmark. Without two processes' blocks nothing is added.
    """
    least = min(filter(None, map(_estimate_deviation, data.plain)), default=0.0)
    pairs = max(2, data.pairs)
    return t_half(least / sqrt(pairs), pairs - 1, data.confidence)


def _estimate_deviation(run: Run) -> float:
    """Return the standard deviation of log ratios of neighbouring blocks, by their median size."""
    times = readings.list_block_times(run, ArmName.PLAIN)
    differences = [abs(log(b / a)) for a, b in zip(times[::2], times[1::2], strict=False)]
    return median(differences) / NORMAL_MEDIAN if len(differences) > 1 else 0.0
