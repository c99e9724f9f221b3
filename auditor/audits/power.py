"""What a plan can see, from how the unchanged benchmark scatters (said before pairs are measured).

A method that is the whole operation has the effect v. Its interval reaches h to either side by the
blocks of a process, and v times the error of q by what lies between processes. It is detected if
what is left exceeds the limit: v - sqrt(h^2 + (v q)^2) > v / 2, or > the gate's own limit. Where
the processes have plain blocks themselves nothing is taken from between processes: q has no error.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from math import inf, log, sqrt
from statistics import stdev

from auditor.audits import paired, readings
from auditor.core.caveats import Caveat
from auditor.core.plan import Run
from auditor.core.request import AbsRequest
from auditor.core.schedule import ArmName
from auditor.core.suite import Benchmark
from auditor.core.units import percent
from auditor.core.verdict import Rule, Stability
from auditor.stats.compare import ratio, t_half
from auditor.stats.sequential import LEAST_DEVIATION

NAMED = 5
"""Benchmarks that the statement names before it says how many more there are."""


@dataclass(frozen=True, slots=True)
class Scatter:
    """How far apart the logarithms of what is alike lie, by `runs` processes.

    `pairs` is the standard deviation of the differences of neighbouring blocks, `processes` half of
    the interval of the quotient of two such groups of processes.
    """

    pairs: float
    processes: float
    runs: int


def scatter(runs: Sequence[Run], confidence: float) -> Scatter | None:
    """Return how plain processes of a benchmark scatter; None for fewer than two, or two blocks.

    `confidence` is the level of the interval between processes.
    """
    blocks = [values for run in runs if (values := readings.times(run, ArmName.PLAIN))]
    logs = [[log(value) for value in values] for values in blocks]
    apart = [b - a for each in logs for a, b in zip(each[::2], each[1::2], strict=False)]
    if len(blocks) < 2 or len(apart) < 2:
        return None
    middles = readings.least(runs, ArmName.PLAIN)
    between = ratio(middles, middles, confidence)
    if between is None:
        return None
    return Scatter(max(LEAST_DEVIATION, stdev(apart)), log(between.high), len(blocks))


def visible(found: Scatter, request: AbsRequest, *, beside: bool = False) -> float:
    """Return the least slowdown of a whole operation that can be detected; inf if none can.

    `beside`: plain blocks lie beside those of probe and delay.
    """
    plan = request.suite.plan
    pairs = plan.iterations if request.exact else paired.AT_MOST * plan.iterations
    if pairs < 2:
        return inf
    half = t_half(found.pairs / sqrt(pairs), pairs - 1, 1 - request.significance)
    probes, plain = request.runs * plan.forks + 1, found.runs + request.runs
    apart = found.processes * sqrt((1 / probes + 1 / plain) / (2 / found.runs))
    q = 0.0 if beside else apart
    if request.min_delta is None:
        return half / sqrt(0.25 - q**2) if q < 0.5 else inf
    if q >= 1:
        return inf
    d, rest = request.min_delta, 1 - q**2
    return (d + sqrt(d**2 - rest * (d**2 - half**2))) / rest


def stated(
    stability: Stability,
    benchmarks: Sequence[Benchmark],
    runs: Sequence[Run],
    request: AbsRequest,
    beside: Container[str],
) -> Stability:
    """Return the stability with what the plan can see of each benchmark, by its suite `runs`.

    `beside` are the ids of those in which some method is measured beside plain blocks.
    """
    by_id: dict[str, list[Run]] = {one.id: [] for one in benchmarks}
    for run in runs:
        if run.trial.benchmark is not None:
            by_id[run.trial.benchmark.id].append(run)
    found = {name: scatter(mine, 1 - request.significance) for name, mine in by_id.items()}
    seen = {
        name: visible(one, request, beside=name in beside)
        for name, one in found.items()
        if one is not None
    }
    told = request.rule is not Rule.PAPER
    return replace(
        stability,
        benchmarks=tuple(
            replace(one, visible=seen.get(one.id) if told else None) for one in stability.benchmarks
        ),
    )


def statement(stability: Stability, slowdown: float | None) -> Caveat | None:
    """Return what must be said before the time is spent: in which benchmarks v cannot be seen."""
    known = {one.id: one.visible for one in stability.benchmarks if one.visible is not None}
    blind = {name: least for name, least in known.items() if slowdown and least > slowdown}
    if not blind or slowdown is None:
        return None
    worst = sorted(blind, key=lambda name: (-blind[name], name))
    named = ", ".join(f"{name} ({_least(blind[name])})" for name in worst[:NAMED])
    more = f" and {len(worst) - NAMED} more" if len(worst) > NAMED else ""
    text = (
        f"with this plan a slowdown of {percent(slowdown)} cannot be seen in {len(blind)} of "
        f"{len(known)} benchmarks, even of a method that is all they do: {named}{more}"
    )
    return Caveat("weak-plan", text)


def _least(visible_from: float) -> str:
    return "no slowdown can" if visible_from == inf else f"from {percent(visible_from)} on"
