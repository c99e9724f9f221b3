"""What a command would measure, said before anything is measured.

A study without any time is a rehearsal (`rehearsal`).
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from auditor.core.benchmark_places import find_benchmark_place
from auditor.core.caveats import Caveat
from auditor.core.plan import Purpose, Trial
from auditor.core.schedule import Schedule
from auditor.core.suite import Benchmark
from auditor.measure.context import Deadline, StudyContext
from auditor.measure.planning.expected_time import ExpectedTime
from auditor.measure.planning.rehearsal import PreviewPhase, RehearsalStore
from auditor.measure.trial_times import AuditFigures, schedule_seconds

_FUNCTION = re.compile(r"[^/\[(:]+(?:::[^/\[(:]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedMethod:
    """A method that may be slowed."""

    id: str
    calls: int | None = None
    """Calls in benchmarks and unit tests; None: not counted."""
    benchmarks: int | None = None
    """Benchmarks that call it; None: not counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """What a command is about, before anything is measured."""

    benchmarks: tuple[tuple[str, int], ...] = ()
    """How many there are in each place: a package, class or file; a function if all are in one."""
    methods: tuple[CountedMethod, ...] = ()
    reason: str = ""
    """Why there is nothing to measure; empty where there is something."""
    unusable: tuple[tuple[str, str], ...] = ()
    """Benchmarks, or groups of them, that could not be listed, with the reason."""
    hints: tuple[str, ...] = ()
    """What fits into the budget, and what to leave out."""


NOTHING = Inventory()


@dataclass(frozen=True, slots=True)
class Preview:
    """What a command would measure."""

    phases: tuple[PreviewPhase, ...]
    """The phases in their order; those behind the reach map are upper limits."""
    caveats: tuple[Caveat, ...]
    expected: ExpectedTime
    """The time that it is likely to take; the phases tell the most that it may."""
    inventory: Inventory = NOTHING


def suite_phases(
    parts: StudyContext, lookups: RehearsalStore, *, is_limited: bool = False
) -> tuple[PreviewPhase, ...]:
    """Return the runs of the unchanged suite, with the pilots where there are some.

    They may be fewer where their time `is_limited`.
    """
    name = "suite runs (at most)" if is_limited else "suite runs"
    runs = lookups.build_phase(name, Purpose.SUITE)
    return (
        (lookups.build_phase("pilot", Purpose.PILOT), runs) if parts.fixed_operations else (runs,)
    )


def planned_phase(name: str, times: int, schedule_of_each: Sequence[Schedule]) -> PreviewPhase:
    """Return a phase of `times` processes of each schedule, none of them known."""
    return PreviewPhase(
        name=name,
        trials=times * len(schedule_of_each),
        stored_count=0,
        seconds=times * sum(map(schedule_seconds, schedule_of_each)),
    )


def expected_of_suite(parts: StudyContext, lookups: RehearsalStore) -> ExpectedTime:
    """Return the time of runs of the unchanged suite."""
    figures = parts.figures
    seconds = missing_seconds(lookups.missing_of(Purpose.PILOT, Purpose.SUITE), lookups, figures)
    return _make_time_range(seconds, figures, parts)


def expected_of_phases(parts: StudyContext, phases: Iterable[PreviewPhase]) -> ExpectedTime:
    """Return the time of phases that are carried out as they are."""
    return _make_time_range(sum(phase.seconds for phase in phases), parts.figures, parts)


def planned_seconds(schedule: Schedule) -> float:
    """Return how long the blocks of a process last, as they are planned."""
    return len(schedule.blocks) * schedule.seconds


def missing_seconds(
    trials: Sequence[Trial], lookups: RehearsalStore, figures: AuditFigures
) -> float:
    """Return the time of trials, by what the store has seen, else by the figures."""
    if lookups.times.is_empty:
        return sum(figures.start_seconds + planned_seconds(trial.schedule) for trial in trials)
    return sum(map(lookups.times.estimate_seconds, trials))


def _make_time_range(seconds: float, figures: AuditFigures, parts: StudyContext) -> ExpectedTime:
    limit = budget_limit(parts)
    low, high = figures.low * seconds, figures.high * seconds
    most = high if limit is None else limit
    return ExpectedTime(min(low, most), min(high, most), limit)


def budget_limit(parts: StudyContext) -> float | None:
    """Return the seconds that a command has; None: as many as it takes."""
    deadline: Deadline | None = parts.deadline
    return parts.request.budget_seconds if deadline is None else deadline.seconds or None


def places_of(benchmarks: Sequence[Benchmark]) -> tuple[tuple[str, int], ...]:
    """Count benchmarks by place, or by function where all are in one place; most first."""
    groups = Counter(_find_place(benchmark) for benchmark in benchmarks)
    if len(groups) == 1:
        groups = Counter(_find_function_name(benchmark) for benchmark in benchmarks)
    return tuple(sorted(groups.items(), key=lambda item: (-item[1], item[0])))


def _find_place(benchmark: Benchmark) -> str:
    """Return the package or class of a benchmark, or the file of one in Python."""
    return benchmark.group or find_benchmark_place(benchmark.name)


def _find_function_name(benchmark: Benchmark) -> str:
    name = benchmark.name.partition("::")[2] or benchmark.name
    match = _FUNCTION.match(name)
    return match[0].strip() if match else name
