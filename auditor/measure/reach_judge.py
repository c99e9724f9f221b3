"""Which benchmark calls which method in its loop, and how often per operation."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from auditor.core.caveats import Caveat
from auditor.core.outcome import Counted, MethodClock, Outcome, Skipped, Window
from auditor.core.plan import Run
from auditor.core.result import ReachState
from auditor.core.subject import Method
from auditor.measure.failures import describe_failure, extract_complaint


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How a benchmark reaches a method."""

    state: ReachState
    """Where it calls the method."""
    calls_per_operation: float | None = None
    """Outermost calls; None: the counts do not tell."""
    nested: bool = False
    """Whether some call ran inside another call of the same method."""
    caveats: tuple[Caveat, ...] = ()
    """What limits the statement."""
    clocked: MethodClock | None = None
    """How long the calls took while they were counted; None: that was not seen."""
    is_sampled: bool = False
    """Whether CPU samples are in the method although no call was counted."""

    @property
    def may_be_in_loop(self) -> bool:
        """Tell whether the pair has to be measured."""
        return self.state in (ReachState.IN_LOOP, ReachState.UNKNOWN)


_NOT_COUNTED = Reach(
    state=ReachState.UNKNOWN,
    caveats=(
        Caveat(
            "no-reach",
            "calls of the method were not counted, as the counting run failed; the pair is "
            "measured",
        ),
    ),
)


_IN_SET_UP = Reach(state=ReachState.SET_UP_ONLY, calls_per_operation=0.0)
_NOT_CALLED = Reach(state=ReachState.NOT_AT_ALL, calls_per_operation=0.0)


def judge_reach(outcome: Outcome, methods: Iterable[str]) -> dict[str, Reach]:
    """Judge methods by the windows of one benchmark, by their ids (slowdown-injection.md).

    Set-up runs equally often in each window, so the difference of two windows with different
    numbers of operations holds none of it; where set-up was counted apart, so does each window.
    """
    if not isinstance(outcome, Counted):
        return dict.fromkeys(methods, _NOT_COUNTED)
    windows = [(window.operations, dict(window.calls)) for window in outcome.windows]
    nested = {method for window in outcome.windows for method in window.nested}
    outside = dict(outcome.outside)
    clocks = {method_clock.method: method_clock for method_clock in reversed(outcome.clocked)}
    reaches = {}
    for method in methods:
        counts = [(operations, calls.get(method, 0)) for operations, calls in windows]
        reach = _judge_counts(counts, nested=method in nested, set_up_apart=outcome.set_up_apart)
        if reach is not None:
            reaches[method] = replace(reach, clocked=clocks.get(method))
        else:
            reach = _IN_SET_UP if outside.get(method) else _NOT_CALLED
            reaches[method] = replace(reach, nested=True) if method in nested else reach
    return reaches


def _judge_counts(
    counts: Sequence[tuple[int, int]], *, nested: bool, set_up_apart: bool
) -> Reach | None:
    """Judge a method by (operations, calls) of each window; None: they have no call."""
    if not any(calls for _, calls in counts):
        return None
    if not set_up_apart:
        return _by_difference(counts, nested=nested)
    operations, calls = (sum(numbers) for numbers in zip(*counts, strict=True))
    return _in_loop(calls / operations if operations else None, nested=nested)


def _by_difference(counts: Sequence[tuple[int, int]], *, nested: bool) -> Reach:
    (few, calls_few), (many, calls_many) = min(counts), max(counts)
    if many == few:
        return _in_loop(None, nested=nested)
    if calls_many == calls_few:
        return Reach(state=ReachState.SET_UP_ONLY, calls_per_operation=0.0, nested=nested)
    return _in_loop((calls_many - calls_few) / (many - few), nested=nested)


def _in_loop(calls: float | None, *, nested: bool) -> Reach:
    if calls is not None and calls > 0:
        return Reach(state=ReachState.IN_LOOP, calls_per_operation=calls, nested=nested)
    caveat = Caveat(
        "set-up-varies",
        "the set-up of the benchmark calls the method a varying number of times, so calls per "
        "operation are unknown",
    )
    return Reach(state=ReachState.UNKNOWN, nested=nested, caveats=(caveat,))


def reach_map(runs: Iterable[Run], methods: Sequence[Method]) -> dict[tuple[str, str], Reach]:
    """Return the reach by (method id, benchmark id), for the benchmarks that were counted."""
    method_ids = [method.id for method in methods]
    return {
        (method, run.trial.benchmark.id): reach
        for run in runs
        if run.trial.benchmark is not None
        for method, reach in judge_reach(run.outcome, method_ids).items()
    }


def find_single_call_benchmarks(runs: Iterable[Run]) -> frozenset[str]:
    """Return the ids of the benchmarks of which one call of the harness's held all blocks."""
    return frozenset(
        run.trial.benchmark.id
        for run in runs
        if run.trial.benchmark and isinstance(run.outcome, Counted) and run.outcome.in_one_call
    )


def count_method_calls(runs: Iterable[Run]) -> dict[str, int]:
    """Return the calls of each method: in each benchmark's blocks, and in the unit tests.

    Those that the library makes itself are left out as far as callers were sampled: they say less
    of what users call. Where the library makes all calls, all of them count.
    """
    total, by_others = _sum_calls(runs)
    counts = by_others if any(by_others.values()) else total
    return {method: math.ceil(calls) for method, calls in counts.items()}


def _sum_calls(runs: Iterable[Run]) -> tuple[dict[str, float], dict[str, float]]:
    """Return the calls of each method, and those of them that the library does not make itself."""
    total: dict[str, float] = {}
    by_others: dict[str, float] = {}
    for run in runs:
        if isinstance(run.outcome, Counted) and run.outcome.windows:
            library_shares = dict(run.outcome.library_shares)
            for window in _select_windows(run.outcome):
                for method, calls in window.calls:
                    total[method] = total.get(method, 0) + calls
                    by_others[method] = by_others.get(method, 0.0) + calls * (
                        1 - library_shares.get(method, 0.0)
                    )
    return total, by_others


def _select_windows(outcome: Counted) -> Sequence[Window]:
    """Return the windows of the blocks, without those that only help to tell set-up apart."""
    if outcome.set_up_apart:
        return outcome.windows
    return [max(outcome.windows, key=lambda window: window.operations)]


def describe_counting(
    runs: Sequence[Run], tests: Sequence[Run], benchmarks: int, planned_tests: int
) -> str:
    """Say whose calls were counted in `runs` of so many benchmarks, and what is missing.

    `tests` are the runs of unit tests, of `planned_tests`.
    """
    total, by_others = _sum_calls((*runs, *tests))
    caller = (
        "code outside the library calls most"
        if any(by_others.values()) or not any(total.values())
        else "the library itself calls most (no code outside of it calls any)"
    )
    has_counts = any(isinstance(run.outcome, Counted) for run in tests)
    none = bool(tests) and all(isinstance(run.outcome, Skipped) for run in tests)
    gaps = _list_gaps(tests, planned_tests)
    failed = benchmarks - sum(isinstance(run.outcome, Counted) for run in runs)
    if failed:
        gaps.append(f"{failed} of {benchmarks} benchmarks")
    ran = "the subject's own benchmarks" + (
        " ran" if none or not has_counts else " and unit tests ran"
    )
    missing = f" (part of the counts is missing: {'; '.join(gaps)})" if gaps else ""
    return f"{caller} while {ran}{missing}"


def incomplete_order(tests: Sequence[Run], planned_tests: int) -> tuple[Caveat, ...]:
    """Say what is missing of the unit tests where their calls are what methods are ordered by."""
    skipped = [run.outcome.reason for run in tests if isinstance(run.outcome, Skipped)]
    gaps = [
        *_list_gaps(tests, planned_tests),
        *(f"the unit tests ({skip_reason})" for skip_reason in skipped),
    ]
    if not gaps:
        return ()
    text = (
        "the order of the methods is incomplete, as it counts calls of the library's own unit "
        f"tests: {'; '.join(gaps)}"
    )
    return (Caveat("unit-tests", text),)


_NAMED = 5
"""Packages that are named; a large project may have hundreds."""


def _list_gaps(tests: Sequence[Run], planned_tests: int) -> list[str]:
    """Return what is missing of the unit tests; those that are not there are no gap."""
    if planned_tests and not tests:
        return ["the unit tests, for which no time was left"]
    gaps = [gap for run in tests if not run.trial.tests and (gap := _describe_missing(run.outcome))]
    parts = [run.trial.tests for run in tests if run.trial.tests and _describe_missing(run.outcome)]
    if parts:
        more = f" and {len(parts) - _NAMED} more" if len(parts) > _NAMED else ""
        named = ", ".join(sorted(parts)[:_NAMED])
        gaps.append(
            f"unit tests fail, do not end or do not build in {len(parts)} of {planned_tests} "
            f"packages: {named}{more}"
        )
    if left := planned_tests - len(tests):
        gaps.append(
            f"the unit tests of {left} of {planned_tests} packages, for which no time was left"
        )
    return gaps


def _describe_missing(outcome: Outcome) -> str:
    if isinstance(outcome, Counted):
        return outcome.missing
    return (
        ""
        if isinstance(outcome, Skipped)
        else f"the unit tests ({extract_complaint(describe_failure(outcome))})"
    )


def _without_choice(
    calls: Mapping[str, int], called: Sequence[str], countable: Collection[str]
) -> str:
    """Say why none of the methods called most could be chosen."""
    if not countable:
        return "no method was chosen, as no public method can be slowed"
    if not calls:
        return "no method was chosen yet, as no calls were counted"
    cause = "none of those called can be slowed" if called else "none was called"
    return f"no method was chosen, as {cause}; name the methods"


ALL_SLUG = "methods-all"
"""Says that no method was left out, so that the choice cannot favour the suite."""


def most_called(
    calls: Mapping[str, int],
    most: int,
    left_out: Mapping[str, str],
    count_description: str,
    countable: Collection[str],
) -> tuple[tuple[str, ...], tuple[Caveat, ...]]:
    """Return the `most` most called methods, ties by name, and how the choice was made.

    `left_out` are methods that cannot be slowed, with the reason: the next ones take their places.
    `count_description` is what `describe_counting` returned, `countable` are all methods whose
    calls were counted: a guest may tell only of those that were called.
    """
    called = sorted((name for name in calls if calls[name] > 0), key=lambda n: (-calls[n], n))
    slowable_names = [name for name in called if name not in left_out]
    top_names = slowable_names[:most]
    tied = [
        name for name in slowable_names[most:] if top_names and calls[name] == calls[top_names[-1]]
    ]
    if top_names and {*top_names} >= {*countable}:
        methods = f"all {len(top_names)} public methods"
        count = methods if len(top_names) > 1 else "the only public method"
        return tuple(top_names), (Caveat(ALL_SLUG, f"{count} that can be slowed down"),)
    text = (
        f"the {len(top_names)} public methods that {count_description}, of {len(called)} called "
        f"and {len(countable)} countable ones; a suite covers best what it calls most, and users "
        "may call others: trace the tests of client projects (bench-audit trace), or name the "
        "methods"
    )
    if not top_names:
        text = _without_choice(calls, called, countable)
    if tied:
        text += f"; {len(tied)} more tie with the last one, the cut is by name"
    caveats = [Caveat("methods-auto", text)]
    if left_out:
        refusal_text = "; ".join(
            f"{name}: {extract_complaint(refusal)}" for name, refusal in left_out.items()
        )
        text = f"often called methods were left out, as they cannot be slowed: {refusal_text}"
        caveats.append(Caveat("methods-left-out", text))
    return tuple(top_names), tuple(caveats)
