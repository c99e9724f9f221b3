"""All that is known of a pair when it is judged, and what follows from it before any test."""

from dataclasses import dataclass, field
from statistics import median

from auditor.audits import layout, readings
from auditor.audits.calibration import Calibration
from auditor.audits.reach import Reach
from auditor.core.caveats import Caveat
from auditor.core.plan import Run
from auditor.core.result import Result
from auditor.core.schedule import ArmName
from auditor.core.suite import Benchmark
from auditor.core.verdict import PairRun, Rule
from auditor.stats.compare import Ratio, ratio
from auditor.stats.components import Component

LEVEL = 0.99
"""Of all intervals (abs.md, "Detection")."""
QUIET = 4
"""How many of the least blocks of a calibration have to agree."""
CLOCK_DOUBT = 0.06
"""Share of the clock's own cost that may be wrong where it is subtracted. On the JVM the cost was
45 to 47 ns beside methods of 10 to 40 ns, up to 53 ns in some processes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairData:
    """A method and a benchmark.

    `plain` are the processes of the unchanged benchmark; `calibrating` and `runs` are those of the
    pair, of which `wanted` (runs times forks) were asked for; failed ones belong in here too.
    `reach` is None where nothing was counted, `refusal` says why there is no variant. `family` is
    the number of benchmarks any of which may detect the method, `min_delta` the limit of the rule
    GATE. With `estimate` the pair is not to be measured. A `control` waits for nothing, so what was
    achieved says nothing of the limit. `layout` is what all processes of a binary have in common,
    None where that is unknown, or nothing. `interleaved`: what the rule PAPER compares with are the
    plain processes among those of the pairs, not the runs of the suite.
    """

    method: str
    benchmark: Benchmark
    slowdown: float
    rule: Rule
    wanted: int
    family: int = 1
    min_delta: float | None = None
    estimate: bool = False
    control: bool = False
    layout: Component | None = None
    interleaved: bool = False
    reach: Reach | None = None
    calibration: Calibration | None = None
    refusal: str | None = None
    plain: tuple[Run, ...] = field(default=(), repr=False)
    calibrating: tuple[Run, ...] = field(default=(), repr=False)
    runs: tuple[Run, ...] = field(default=(), repr=False)

    @property
    def limit(self) -> float:
        """Return the effect that has to be exceeded: half of v, or where the user's gate fires."""
        return self.slowdown / 2 if self.min_delta is None else self.min_delta

    @property
    def level(self) -> float:
        """Return the level at which a pair is tested so that LEVEL holds for its method."""
        return 1 - (1 - LEVEL) / self.family

    @property
    def calls(self) -> float | None:
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
    def inside(self) -> float | None:
        """Return the seconds of an operation's reported time that are spent in the method."""
        if not self.calls or self.method_seconds is None:
            return None
        return self.calls * self.method_seconds / self.benchmark.concurrency

    @property
    def share(self) -> float | None:
        """Return what part of the plain operation is spent in the method."""
        inside = self.inside
        plain = readings.least(self.plain, ArmName.PLAIN) if inside is not None else ()
        return inside / median(plain) if inside is not None and plain else None

    @property
    def wait(self) -> str | None:
        """Return how the slowed blocks waited."""
        for run in self.runs:
            for arm in run.trial.schedule.arms:
                if arm.name is ArmName.SLOWED and arm.delay is not None:
                    return str(arm.delay.wait)
        return str(self.calibration.delay.wait) if self.calibration else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a rule says of the processes of a pair; `weakest` is the run that decides."""

    outcome: Result
    weakest: PairRun | None = None
    runs: tuple[PairRun, ...] = ()
    threshold: float | None = None
    achieved: float | None = None
    reason: str | None = None
    caveats: tuple[Caveat, ...] = ()


def undecided(slug: str, text: str) -> Judgement:
    """Return a judgement that cannot be made, and why."""
    return Judgement(outcome=Result.INCONCLUSIVE, reason=text, caveats=(Caveat(slug, text),))


def method_doubt(data: PairData) -> float:
    """Return by how many seconds t(k) may be wrong: by its processes and blocks, and the clock.

    t(k) is made of the least blocks, since a disturbance only adds; what is in doubt is whether
    those were quiet. QUIET blocks that agree were, since no disturbance adds the same to all; the
    others tell nothing. Processes may differ all the same.
    """
    seen = [times for run in data.calibrating if (times := readings.call_times(run))]
    if not seen:
        return CLOCK_DOUBT * data.clock_seconds
    least = [min(times) for times in seen]
    blocks = sorted(time for times in seen for time in times)
    agreed = blocks[min(QUIET, len(blocks)) - 1]
    scatter = max(agreed - blocks[0], (max(least) - min(least)) / 2)
    return scatter + CLOCK_DOUBT * data.clock_seconds


def probe_ratio(data: PairData) -> Ratio | None:
    """Return q, probe over plain, with its interval between processes.

    Calibrating processes have probe blocks of the same bytes, so they tell about q as well. All of
    them are of one layout: what that does to the time does not even out between them.
    """
    probe = readings.least((*data.calibrating, *data.runs), ArmName.PROBE)
    plain = readings.least(data.plain, ArmName.PLAIN)
    if not probe or not plain:
        return None
    return ratio(probe, plain, LEVEL, data.layout, layout.sizes(data.plain))


DRIFT = 1.25
"""How much slower the same code may be in another process at another time: sequential A/A ratios
were measured to reach 1.21. What the compiler has removed shows by far more."""


def is_dead_code(data: PairData, probed: Ratio) -> bool:
    """Tell whether the method alone takes longer than the plain operation that calls it.

    Then the compiler had removed the call. All that is uncertain speaks against it, and the probe
    must have made the operation slower: else the method runs beside it, in a thread of its own.
    """
    plain = readings.least(data.plain, ArmName.PLAIN)
    if data.benchmark.threads != 1 or data.inside is None or data.method_seconds is None:
        return False
    if data.reach is not None and data.reach.nested:
        return False  # t(k) holds the probes of the inner calls, which the plain operation has not
    surely = data.inside * (1 - method_doubt(data) / data.method_seconds)
    if surely <= 0 or probed.low <= 1:
        return False
    alone = ratio([surely], plain, LEVEL)
    return alone is not None and alone.low > DRIFT
