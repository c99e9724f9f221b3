"""Would what a benchmark reports of allocations show one more of them per call?

The allocation is there, in blocks that alternate with blocks without it, and its number is counted;
the question is whether the number that the harness reports rises with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from statistics import median

from auditor.abs.judge import outcomes
from auditor.abs.judge.abs_score import MethodData
from auditor.abs.model import AllocationMethod, AllocationPair, Allocations
from auditor.core.caveats import Caveat
from auditor.core.outcome import Measured, NeverCalled
from auditor.core.plan import Run
from auditor.core.result import ReachState, Verdict
from auditor.core.schedule import ArmName
from auditor.core.suite import Benchmark
from auditor.core.values import ALLOCATED, ALLOCATIONS, METHOD_CALLS, OPERATIONS, Series
from auditor.measure.failures import find_failure
from auditor.measure.reach_judge import Reach
from auditor.stats.proportions import median_interval

PAIRS = 12
"""Pairs of blocks in a process: the least that tolerate a disturbed one at LEVEL."""
LEVEL = 0.99
NEEDED = 0.5
"""Share of what the counted allocations should add that has to show. Whole numbers that are cut off
show one of them as none or as one, noise-free bytes show it as itself."""
_UNSLOWED = {Verdict.REFUSED, Verdict.INVALID}


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocationData:
    """A method, a benchmark that may call it in its loop, and their one process."""

    method: str  # the method's id
    benchmark: Benchmark  # the benchmark
    bytes: int  # size of an allocation
    reach: Reach  # how often the benchmark calls the method
    refusal: str | None = None  # why there is no variant; None: there is one
    run: Run | None = field(default=None, repr=False)
    """The process with allocating blocks; None: it was not run."""
    plain: tuple[Run, ...] = field(default=(), repr=False)  # runs of the unchanged benchmark


def judge_allocation_pair(data: AllocationData) -> AllocationPair:
    """Judge a pair: a failure is an outcome, never a miss."""
    if data.refusal is not None:
        return _make_unjudged_pair(data, Verdict.REFUSED, data.refusal)
    if data.run is None:
        return _make_unjudged_pair(data, Verdict.UNMEASURED, "not measured")
    if isinstance(data.run.outcome, NeverCalled):
        if data.reach.state is ReachState.IN_LOOP:
            text = "calls in the loop were counted, but not one of the changed method was seen"
            return _make_unjudged_pair(data, Verdict.INCONCLUSIVE, text)
        return _make_unjudged_pair(data, Verdict.UNREACHED, "run, and never called")
    if isinstance(data.run.outcome, Measured):
        return _judge_blocks(data, data.run.outcome)
    failed = find_failure([data.run])
    assert failed is not None  # noqa: S101 - narrows the type; all but a measurement fails
    return _make_unjudged_pair(data, *failed)


def _make_unjudged_pair(data: AllocationData, outcome: Verdict, reason: str) -> AllocationPair:
    return AllocationPair(
        method=data.method,
        benchmark=data.benchmark.id,
        outcome=outcome,
        unit=None,
        before=None,
        after=None,
        rise=None,
        interval=None,
        expected=None,
        calls_per_operation=None,
        plain=None,
        reason=reason,
    )


def _judge_blocks(data: AllocationData, outcome: Measured) -> AllocationPair:
    """Compare neighbouring blocks; the interval of the median has to clear half of the expected."""
    arm_series = _find_reported_series(outcome)
    calls = _count_calls_per_operation(outcome)
    if arm_series is None or calls is None:
        text = "the harness does not report in each block what it allocates"
        return _make_unjudged_pair(data, Verdict.INCONCLUSIVE, text)
    probe, allocating = arm_series
    before, after = probe.values, allocating.values
    rises = [late - early for early, late in zip(before, after, strict=True)]
    interval = median_interval(rises, LEVEL)
    expected = calls * (1 if probe.metric == ALLOCATIONS else data.bytes)
    result, reason = _judge_rise(interval, expected, probe.unit)
    return AllocationPair(
        method=data.method,
        benchmark=data.benchmark.id,
        outcome=result,
        unit=probe.unit,
        before=median(before),
        after=median(after),
        rise=median(rises),
        interval=interval,
        expected=expected,
        calls_per_operation=calls,
        plain=_find_plain_median(data.plain, probe.metric),
        reason=reason,
    )


def _judge_rise(
    interval: tuple[float, float] | None, expected: float, unit: str
) -> tuple[Verdict, str | None]:
    if expected == 0:
        return Verdict.INCONCLUSIVE, "the blocks are too short to hold a call of the method"
    if interval is None:
        return Verdict.INCONCLUSIVE, "too few pairs of blocks"
    low, high = interval
    if low > NEEDED * expected:
        return Verdict.DETECTED, None
    if high < NEEDED * expected:
        return (
            Verdict.MISSED,
            f"reached, but what is reported does not rise by {expected:.3g} {unit}",
        )
    return (
        Verdict.INCONCLUSIVE,
        f"what is reported rises by {low:.3g} to {high:.3g} {unit}, {expected:.3g} are expected",
    )


def _find_reported_series(outcome: Measured) -> tuple[Series, Series] | None:
    """Return the first of what can be reported that is there for all blocks of both arms."""
    for metric in (ALLOCATIONS, ALLOCATED):
        metric_series = [
            outcome.find_series(metric, arm) for arm in (ArmName.PROBE, ArmName.ALLOCATING)
        ]
        operation_counts = [
            outcome.find_series(OPERATIONS, arm) for arm in (ArmName.PROBE, ArmName.ALLOCATING)
        ]
        match metric_series:
            case [Series() as probe, Series() as more] if [
                series.block_positions for series in operation_counts if series
            ] == [
                probe.block_positions,
                more.block_positions,
            ] and all(map(isfinite, (*probe.values, *more.values))):
                return probe, more
    return None


def _count_calls_per_operation(outcome: Measured) -> float | None:
    calls = outcome.find_series(METHOD_CALLS, ArmName.ALLOCATING)
    operations = outcome.find_series(OPERATIONS, ArmName.ALLOCATING)
    if calls is None or operations is None or not sum(operations.values):
        return None
    return sum(calls.values) / sum(operations.values)


def _find_plain_median(runs: Sequence[Run], metric: str) -> float | None:
    """Return what plain processes report of the same metric."""
    values = [
        value
        for run in runs
        if isinstance(run.outcome, Measured)
        for series in [run.outcome.find_series(metric, ArmName.PLAIN)]
        if series
        for value in series.values
    ]
    return median(values) if values else None


def judge_allocations(
    size: int, methods: Sequence[MethodData], pairs: Sequence[AllocationPair]
) -> Allocations:
    """Return what pairs with allocations of `size` bytes say about each of `methods`."""
    of_method = {method.method.id: method for method in methods}
    allocation_methods = tuple(
        _judge_method(method, [pair for pair in pairs if pair.method == name])
        for name, method in of_method.items()
    )
    counted = [
        method for method in allocation_methods if method.outcome not in outcomes.NOT_COUNTED
    ]
    return Allocations(
        bytes=size,
        noticed=sum(method.outcome is Verdict.DETECTED for method in counted),
        undecided=sum(method.outcome in outcomes.UNDECIDED for method in counted),
        counted=len(counted),
        methods=allocation_methods,
        pairs=tuple(pairs),
    )


def _judge_method(method: MethodData, pairs: Sequence[AllocationPair]) -> AllocationMethod:
    outcome = outcomes.combine_outcomes(pair.outcome for pair in pairs)
    if (method.refusal or method.method.refusal) is not None:
        outcome = Verdict.REFUSED
    elif method.invalid is not None:
        outcome = Verdict.INVALID
    return AllocationMethod(
        id=method.method.id,
        outcome=outcome,
        noticed_by=tuple(pair.benchmark for pair in pairs if pair.outcome is Verdict.DETECTED),
        reached_by=tuple(pair.benchmark for pair in pairs if pair.calls_per_operation),
    )


def allocation_caveats(allocations: Allocations) -> tuple[Caveat, ...]:
    """Say where the probe itself changes what is reported."""
    shifted = [
        pair
        for pair in allocations.pairs
        if pair.plain is not None and pair.before is not None and abs(pair.before - pair.plain) >= 1
    ]
    if not shifted:
        return ()
    first = shifted[0]
    text = (
        f"the probe alone changes the allocations of {len(shifted)} of {len(allocations.pairs)} "
        f"pairs, such as {first.method} in {first.benchmark}: {first.plain:g} {first.unit} "
        f"without it, {first.before:g} with it; both sides of the comparison have the probe"
    )
    return (Caveat("probe-allocates", text),)
