"""Which public methods have no benchmark? A judgement of counts; nothing is slowed down."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from auditor.core.caveats import Caveat
from auditor.core.result import ReachState
from auditor.core.subject import Method
from auditor.measure.reach_judge import Reach
from auditor.trace.model import BenchmarkUse, Caller, MethodUse, SuiteUse

_REACH_ORDER = (
    ReachState.NOT_AT_ALL,
    ReachState.SET_UP_ONLY,
    ReachState.UNKNOWN,
    ReachState.IN_LOOP,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCounts:
    """What was counted of the public methods."""

    methods: Sequence[Method]  # the public methods
    benchmarks: Sequence[str]  # ids of the benchmarks
    reach: Mapping[tuple[str, str], Reach]
    """By method id and benchmark id; a missing pair was not counted."""
    uncounted: Mapping[str, str] = field(default_factory=dict)
    """Why a method has no counter, by its id."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """Why a benchmark did not run, by its id."""
    tests: Mapping[str, int] | None = None
    """Calls by the unit tests, by method id; None: not counted."""


def judge_usage(counts: CallCounts, caveats: Sequence[Caveat] = ()) -> SuiteUse:
    """Return who calls what; a benchmark that failed may call anything, which is said once."""
    uses = [_judge_method(method, counts) for method in counts.methods]
    uses.sort(key=lambda use: (_REACH_ORDER.index(use.reach), -(use.tests or 0), use.method.id))
    method_counts = Counter(caller.benchmark for use in uses for caller in use.called_by)
    return SuiteUse(
        methods=tuple(uses),
        benchmarks=tuple(
            BenchmarkUse(id=name, methods=None, reason=counts.failed[name])
            if name in counts.failed
            else BenchmarkUse(id=name, methods=method_counts[name], reason=None)
            for name in counts.benchmarks
        ),
        caveats=(*_warn_of_failures(counts), *caveats),
    )


def _judge_method(method: Method, counts: CallCounts) -> MethodUse:
    tests = None if counts.tests is None else counts.tests.get(method.id, 0)
    if method.id in counts.uncounted:
        return MethodUse(
            method=method, reach=ReachState.UNKNOWN, reason=counts.uncounted[method.id]
        )
    reach_by_benchmark = {
        name: counts.reach[method.id, name]
        for name in counts.benchmarks
        if (method.id, name) in counts.reach
    }
    callers = [
        Caller(name, method_reach.calls_per_operation)
        for name, method_reach in reach_by_benchmark.items()
        if method_reach.state is ReachState.IN_LOOP
    ]
    unknown_reaches = [
        method_reach
        for method_reach in reach_by_benchmark.values()
        if method_reach.state is ReachState.UNKNOWN
    ]
    set_up_benchmarks = [
        name
        for name, method_reach in reach_by_benchmark.items()
        if method_reach.state is ReachState.SET_UP_ONLY
    ]
    if callers:
        reach = ReachState.IN_LOOP
    elif unknown_reaches:
        reach = ReachState.UNKNOWN
    else:
        reach = ReachState.SET_UP_ONLY if set_up_benchmarks else ReachState.NOT_AT_ALL
    reason = (
        unknown_reaches[0].caveats[0].text
        if reach is ReachState.UNKNOWN and unknown_reaches[0].caveats
        else None
    )
    return MethodUse(
        method=method,
        reach=reach,
        called_by=tuple(sorted(callers, key=lambda caller: -(caller.calls_per_operation or 0.0))),
        set_up_in=tuple(set_up_benchmarks),
        tests=tests,
        reason=reason,
    )


def _warn_of_failures(counts: CallCounts) -> list[Caveat]:
    if not counts.failed:
        return []
    names = ", ".join(list(counts.failed)[:5])
    text = (
        f"{len(counts.failed)} of {len(counts.benchmarks)} benchmarks did not run, so the map "
        f"lacks their calls: {names}"
    )
    return [Caveat("failed-benchmarks", text)]
