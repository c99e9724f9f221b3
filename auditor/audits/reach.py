"""Which benchmark calls which method in its loop, and how often per operation."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from auditor.core.caveats import Caveat
from auditor.core.outcome import Counted, Outcome, Window
from auditor.core.plan import Run
from auditor.core.subject import Method


class State(StrEnum):
    """Where a benchmark calls a method."""

    IN_LOOP = "in the loop"
    SET_UP_ONLY = "in set-up only"
    NOT_AT_ALL = "not at all"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How a benchmark reaches a method.

    `calls_per_operation` counts outermost calls, None where the counts do not tell. `nested`:
    some call ran inside another call of the same method.
    """

    state: State
    calls_per_operation: float | None = None
    nested: bool = False
    caveats: tuple[Caveat, ...] = ()

    @property
    def may_be_in_loop(self) -> bool:
        """Tell whether the pair has to be measured."""
        return self.state in (State.IN_LOOP, State.UNKNOWN)


def reach_of(outcome: Outcome, method: str) -> Reach:
    """Judge one method by the windows of one benchmark (abs.md, "The injected slowdown").

    Set-up runs once in each window, so the difference of two windows with different numbers of
    operations holds none of it; where set-up was counted apart, so does each window.
    """
    if not isinstance(outcome, Counted):
        why = Caveat("no-reach", "the counting run failed, so the pair is measured to be sure")
        return Reach(state=State.UNKNOWN, caveats=(why,))
    counts = [(window.operations, dict(window.calls).get(method, 0)) for window in outcome.windows]
    nested = any(method in window.nested for window in outcome.windows)
    outside = dict(outcome.outside).get(method, 0)
    if not any(calls for _, calls in counts):
        state = State.SET_UP_ONLY if outside else State.NOT_AT_ALL
        return Reach(state=state, calls_per_operation=0.0, nested=nested)
    if outcome.set_up_apart:
        operations, calls = max(counts)
        return _in_loop(calls / operations if operations else None, nested=nested)
    return _by_difference(counts, nested=nested)


def _by_difference(counts: Sequence[tuple[int, int]], *, nested: bool) -> Reach:
    (few, calls_few), (many, calls_many) = min(counts), max(counts)
    if many == few:
        return _in_loop(None, nested=nested)
    if calls_many == calls_few:
        return Reach(state=State.SET_UP_ONLY, calls_per_operation=0.0, nested=nested)
    return _in_loop((calls_many - calls_few) / (many - few), nested=nested)


def _in_loop(calls: float | None, *, nested: bool) -> Reach:
    if calls is not None and calls > 0:
        return Reach(state=State.IN_LOOP, calls_per_operation=calls, nested=nested)
    why = Caveat(
        "set-up-varies",
        "more calls were counted in fewer operations: the set-up calls it a varying number of "
        "times, so the calls per operation are unknown",
    )
    return Reach(state=State.UNKNOWN, nested=nested, caveats=(why,))


def reach_map(runs: Iterable[Run], methods: Sequence[Method]) -> Mapping[tuple[str, str], Reach]:
    """Return the reach by (method id, benchmark id), for the benchmarks that were counted."""
    return {
        (method.id, run.trial.benchmark.id): reach_of(run.outcome, method.id)
        for run in runs
        if run.trial.benchmark is not None
        for method in methods
    }


def usage(runs: Iterable[Run]) -> dict[str, int]:
    """Return the calls of each method: in each benchmark's full window, and in the unit tests."""
    total: dict[str, int] = {}
    for run in runs:
        if isinstance(run.outcome, Counted) and run.outcome.windows:
            for method, calls in _fullest(run.outcome.windows).calls:
                total[method] = total.get(method, 0) + calls
    return total


def _fullest(windows: Sequence[Window]) -> Window:
    return max(windows, key=lambda window: window.operations)


def most_called(calls: Mapping[str, int], most: int) -> tuple[tuple[str, ...], Caveat]:
    """Return the `most` most called methods, ties by name, and how the choice was made."""
    called = sorted((name for name in calls if calls[name] > 0), key=lambda n: (-calls[n], n))
    taken = called[:most]
    tied = [name for name in called[most:] if taken and calls[name] == calls[taken[-1]]]
    text = (
        f"the {len(taken)} public methods called most while the subject's own benchmarks (for Go, "
        f"also its unit tests) ran, of {len(called)} that were called and {len(calls)} that could "
        "be counted; what a suite calls most it watches best, so the score is flattered: name the "
        "methods that your users call"
    )
    if tied:
        text += f"; {len(tied)} more were called as often as the last one, the cut is by name"
    return tuple(taken), Caveat("methods-auto", text)
