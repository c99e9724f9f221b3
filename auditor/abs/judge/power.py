"""What a plan can see, from how the unchanged benchmark scatters (said before pairs are measured).

A method that is the whole operation has the effect v. Its interval reaches h to either side by the
blocks of a process, and v times the error of q by what lies between processes. It is detected if
what is left exceeds the limit: v - sqrt(h^2 + (v q)^2) > v / 2, or > the gate's own limit. Where
the processes have plain blocks themselves nothing is taken from between processes: q has no error.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, log, sqrt
from statistics import median
from types import MappingProxyType

from auditor.abs.judge import paired
from auditor.abs.model import PairVerdict, interval_ends
from auditor.core.busy import is_busy
from auditor.core.caveats import Caveat
from auditor.core.plan import Run
from auditor.core.request import AbsRequest, DetectionRule
from auditor.core.result import Verdict
from auditor.core.schedule import ArmName
from auditor.core.stability import Stability
from auditor.core.suite import Benchmark
from auditor.core.units import format_percent
from auditor.measure import readings
from auditor.stats.compare import estimate_ratio, t_half
from auditor.stats.sequential import LEAST_DEVIATION

NORMAL_DEVIATION = 1.4826
"""Standard deviation / median absolute deviation of a normal distribution."""
NAMED = 5
"""Benchmarks that the statement names before it says how many more there are."""


@dataclass(frozen=True, slots=True)
class BlockScatter:
    """How far apart the logarithms of what is alike lie, by `runs` processes.

    `pairs` is the standard deviation of the differences of neighbouring blocks, estimated robustly,
    `processes` half of the interval of the quotient of two such groups of processes.
    """

    pairs: float
    processes: float
    runs: int


def measure_block_scatter(runs: Sequence[Run], confidence: float) -> BlockScatter | None:
    """Return how plain processes of a benchmark scatter; None for fewer than two, or two blocks.

    `confidence` is the level of the interval between processes.
    """
    blocks = [values for run in runs if (values := readings.list_block_times(run, ArmName.PLAIN))]
    logs = [[log(value) for value in values] for values in blocks]
    differences = [
        b - a
        for process_logs in logs
        for a, b in zip(process_logs[::2], process_logs[1::2], strict=False)
    ]
    if len(blocks) < 2 or len(differences) < 2:
        return None
    middles = readings.list_block_minima(runs, ArmName.PLAIN)
    between = estimate_ratio(middles, middles, confidence)
    if between is None:
        return None
    return BlockScatter(
        max(LEAST_DEVIATION, _estimate_deviation(differences)), log(between.high), len(blocks)
    )


def _estimate_deviation(values: Sequence[float]) -> float:
    """Return the standard deviation of normal values with this median absolute deviation.

    A few disturbed blocks have no hold on it, as they have none on a verdict.
    """
    middle = median(values)
    return NORMAL_DEVIATION * median(abs(value - middle) for value in values)


def find_detectable_slowdown(
    scatter: BlockScatter, request: AbsRequest, *, has_plain_blocks: bool = False
) -> float:
    """Return the least slowdown of a whole operation that can be detected; inf if none can.

    `has_plain_blocks`: a process has plain blocks beside those of probe and delay.
    """
    plan = request.suite.plan
    pairs = plan.iterations if request.exact else paired.AT_MOST * plan.iterations
    if pairs < 2:
        return inf
    half = t_half(scatter.pairs / sqrt(pairs), pairs - 1, 1 - request.significance)
    probes, plain = request.runs * plan.forks + 1, scatter.runs + request.runs
    process_error = scatter.processes * sqrt((1 / probes + 1 / plain) / (2 / scatter.runs))
    q = 0.0 if has_plain_blocks else process_error
    if request.min_delta is None:
        return half / sqrt(0.25 - q**2) if q < 0.5 else inf
    if q >= 1:
        return inf
    d, rest = request.min_delta, 1 - q**2
    return (d + sqrt(d**2 - rest * (d**2 - half**2))) / rest


def add_detectable_slowdowns(
    stability: Stability,
    benchmarks: Sequence[Benchmark],
    runs: Sequence[Run],
    request: AbsRequest,
    plain_block_benchmarks: Container[str],
) -> Stability:
    """Return the stability with what the plan can see of each benchmark, by its suite `runs`.

    `plain_block_benchmarks` are the ids of those with plain blocks in their pairs. Runs that
    were made on a busy machine tell how that scatters, so they are left out.
    """
    by_id: dict[str, list[Run]] = {benchmark.id: [] for benchmark in benchmarks}
    for run in runs:
        if run.trial.benchmark is not None and not is_busy(run.strain):
            by_id[run.trial.benchmark.id].append(run)
    scatters = {
        name: measure_block_scatter(trial_runs, 1 - request.significance)
        for name, trial_runs in by_id.items()
    }
    visible = {
        name: find_detectable_slowdown(
            scatter, request, has_plain_blocks=name in plain_block_benchmarks
        )
        for name, scatter in scatters.items()
        if scatter is not None
    }
    is_shown = request.rule is not DetectionRule.PAPER
    return replace(
        stability,
        benchmarks=tuple(
            replace(benchmark, visible=visible.get(benchmark.id) if is_shown else None)
            for benchmark in stability.benchmarks
        ),
    )


def confirm_detectable_slowdowns(
    stability: Stability,
    pairs: Sequence[PairVerdict],
    slowdown: float | None,
    noticed: Mapping[str, float] = MappingProxyType({}),
) -> Stability:
    """Return the stability with what the verdicts show of what the plan can see.

    A benchmark sees `slowdown` where a pair was detected in it, and where the interval of a pair
    is so narrow that a method that is all of the operation would have been. `detected` are other
    slowdowns at which a pair was detected, the least by benchmark.
    """
    if slowdown is None:
        return stability
    seeing = dict(noticed)
    for pair in pairs:
        if _shows_slowdown(pair, slowdown):
            seeing[pair.benchmark] = min(slowdown, seeing.get(pair.benchmark, slowdown))
    return replace(
        stability,
        benchmarks=tuple(
            replace(benchmark, visible=min(benchmark.visible, seeing[benchmark.id]))
            if benchmark.visible is not None and benchmark.id in seeing
            else benchmark
            for benchmark in stability.benchmarks
        ),
    )


def _shows_slowdown(pair: PairVerdict, slowdown: float) -> bool:
    if pair.outcome is Verdict.DETECTED:
        return True
    if pair.interval is None or pair.threshold is None:
        return False
    low, high = interval_ends(pair.interval)
    return slowdown - (high - low) / 2 > pair.threshold


def warn_of_weak_plan(stability: Stability, slowdown: float | None) -> Caveat | None:
    """Return in which benchmarks a slowdown of this size may go unseen, None if in none.

    Before the pairs are measured it goes by the runs of the suite, afterwards (`confirmed`) by
    the verdicts as well.
    """
    visible_sizes = {
        benchmark.id: benchmark.visible
        for benchmark in stability.benchmarks
        if benchmark.visible is not None
    }
    blind = {name: least for name, least in visible_sizes.items() if slowdown and least > slowdown}
    if not blind or slowdown is None:
        return None
    worst = sorted(blind, key=lambda name: (-blind[name], name))
    named = ", ".join(f"{name} ({_describe_least(blind[name])})" for name in worst[:NAMED])
    more = f" and {len(worst) - NAMED} more" if len(worst) > NAMED else ""
    verb = "varies" if len(blind) == 1 else "vary"
    text = (
        f"{len(blind)} of {len(visible_sizes)} benchmarks {verb} too much to detect a slowdown of "
        f"{format_percent(slowdown)} even in a method that takes the whole operation: "
        f"{named}{more}; raise `plan.iterations`"
    )
    return Caveat("weak-plan", text)


def _describe_least(visible_from: float) -> str:
    return (
        "no size is sure to be seen"
        if visible_from == inf
        else f"seen from {format_percent(visible_from)} on"
    )
