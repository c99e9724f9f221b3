"""Which benchmark calls which method, and how often per operation."""

from collections.abc import Sequence
from dataclasses import dataclass

from auditor.core.mutant import Kind, Refused, Variant
from auditor.core.outcome import NotBuilt
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.schedule import Schedule
from auditor.core.subject import Method
from auditor.core.suite import Benchmark
from auditor.studies import schedules
from auditor.studies.measure import measure
from auditor.studies.parts import Built, Parts
from auditor.studies.suite import Baseline


@dataclass(frozen=True, slots=True)
class ReachRuns:
    """The counting runs, and the methods that cannot be instrumented, with the reason."""

    runs: tuple[Run, ...]
    usage: tuple[Run, ...]
    invalid: tuple[tuple[Method, str], ...]


def map_reach(
    methods: Sequence[Method], baseline: Baseline, parts: Parts, *, with_unit_tests: bool
) -> ReachRuns:
    """Count the calls of `methods` in each usable benchmark (and in the unit tests)."""
    good, bad = _instrumentable(methods, baseline, parts)
    built = _counting(good, parts)
    if not good or isinstance(built, Refused):
        return ReachRuns((), (), bad)
    trials = [_trial(benchmark, built, baseline, parts) for benchmark in baseline.usable]
    usage: list[Run] = []
    if with_unit_tests:
        schedule = Schedule(arms=(), blocks=(), seconds=parts.request.plan.iteration_seconds)
        usage = measure("unit tests", [parts.trial(Purpose.USAGE, None, schedule, built)], parts)
    return ReachRuns(tuple(measure("reach", trials, parts)), tuple(usage), bad)


def _counting(methods: Sequence[Method], parts: Parts) -> Built | Refused:
    variant = Variant(Kind.COUNTING, tuple(methods))
    overlay = parts.mutator.overlay(parts.suite.sources, variant)
    return overlay if isinstance(overlay, Refused) else Built(variant, overlay)


def _trial(benchmark: Benchmark, built: Built, baseline: Baseline, parts: Parts) -> Trial:
    plan = schedules.fitted(parts.request.plan, benchmark)
    schedule = schedules.counting(plan, baseline.operations[benchmark.id])
    return parts.trial(Purpose.REACH, benchmark, schedule, built)


Parted = tuple[tuple[Method, ...], tuple[tuple[Method, str], ...]]


def _instrumentable(methods: Sequence[Method], baseline: Baseline, parts: Parts) -> Parted:
    """Part `methods` into those that can be built with counters and those that cannot.

    One method that does not compile would spoil the build of all, so a failing set is halved
    until the culprits stand alone.
    """
    if not methods or not baseline.usable:
        return tuple(methods), ()
    message = _build_failure(methods, baseline, parts)
    if message is None:
        return tuple(methods), ()
    if len(methods) == 1:
        return (), ((methods[0], message),)
    middle = len(methods) // 2
    left = _instrumentable(methods[:middle], baseline, parts)
    right = _instrumentable(methods[middle:], baseline, parts)
    return left[0] + right[0], left[1] + right[1]


def _build_failure(methods: Sequence[Method], baseline: Baseline, parts: Parts) -> str | None:
    built = _counting(methods, parts)
    if isinstance(built, Refused):
        return built.reason
    trial = _trial(baseline.usable[0], built, baseline, parts)
    for run in measure("counters", [trial], parts):
        if isinstance(run.outcome, NotBuilt):
            return run.outcome.message
    return None
