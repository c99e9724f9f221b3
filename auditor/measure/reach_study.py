"""Which benchmark calls which method, and how often per operation."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from statistics import median

from auditor.core.benchmark_places import find_sharing_place
from auditor.core.mutant import OverlayRefusal, Variant, VariantKind
from auditor.core.outcome import NotBuilt
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.result import ReachState
from auditor.core.schedule import Schedule
from auditor.core.subject import Language, Method
from auditor.core.suite import Benchmark
from auditor.measure import schedules
from auditor.measure.context import BuiltVariant, StudyContext
from auditor.measure.reach_judge import Reach, reach_map
from auditor.measure.suite_runs import SuiteBaseline
from auditor.measure.trial_times import TrialTimes
from auditor.measure.trials import measure_trials, prefer_stored

_UNLINKED = Reach(state=ReachState.NOT_AT_ALL, calls_per_operation=0.0)


SHUFFLED_TESTS_PART = 0.5
"""Part of the time-out after which unit tests end whose files run in a shuffled order: the first
ones are a fair sample."""
LEAST_COUNTED = 2
"""Times as long as the first counting process: so long is counted at least."""


COMPLETING_PART = 0.3
"""Part of the time left that the rest of a stage may take where it completes it: of a method that
none of a sample of benchmarks detects nothing is known."""


def needs_little_more(count: int, planned_count: int, spent: float, seconds_left: float) -> bool:
    """Tell whether a stage that `count` of its trials have been run of can be completed soon."""
    if not 0 < count < planned_count:
        return False
    return spent / count * (planned_count - count) <= COMPLETING_PART * seconds_left


@dataclass(frozen=True, slots=True)
class CountingLimits:
    """Parts of the time that is left when they begin."""

    counting: float
    tests: float
    """For the subject's own unit tests."""


@dataclass(frozen=True, slots=True)
class ReachRuns:
    """The counting runs."""

    runs: tuple[Run, ...]  # of the benchmarks
    usage: tuple[Run, ...]  # of the unit tests
    tests: int
    """Number of trials that the unit tests have, those included that there was no time for."""
    invalid: tuple[tuple[Method, str], ...]  # methods that cannot be instrumented, with the reason
    counted_benchmarks: tuple[Benchmark, ...] = ()  # benchmarks whose program holds some method
    unlinked: frozenset[tuple[str, str]] = frozenset()
    """Ids of method and benchmark, where the program does not hold the method: it is not called."""

    def build_reach_map(self, methods: Sequence[Method]) -> dict[tuple[str, str], Reach]:
        """Return the reach by (method id, benchmark id), as far as it is known."""
        return reach_map(self.runs, methods) | dict.fromkeys(self.unlinked, _UNLINKED)


def map_reach(
    methods: Sequence[Method],
    baseline: SuiteBaseline,
    parts: StudyContext,
    *,
    with_unit_tests: bool,
    limits: CountingLimits | None = None,
) -> ReachRuns:
    """Count the calls of `methods` in each usable benchmark (and in the unit tests).

    With `limits` only a part of the time is for counting, once what counts is built, and the unit
    tests come last.
    """
    benchmarks, unlinked = _split_linked(methods, baseline, parts)
    good, built = tuple(methods), _build_counting(methods, parts)
    bad: tuple[tuple[Method, str], ...] = ()
    trials = _make_trials(benchmarks, built, baseline, parts, with_unit_tests=with_unit_tests)
    everywhere = all(
        any((method.id, benchmark.id) not in unlinked for benchmark in benchmarks)
        for method in methods
    )
    if not (everywhere and _are_stored(trials, parts)) or _is_checked(built, baseline, parts):
        good, bad = _split_instrumentable(methods, baseline, parts)
        built = built if good == tuple(methods) else _build_counting(good, parts)
        trials = _make_trials(benchmarks, built, baseline, parts, with_unit_tests=with_unit_tests)
    # Together: nothing of them is timed, so some may run at the same time.
    runs = _run_counting(trials, parts, limits) if good else []
    usage = tuple(run for run in runs if run.trial.benchmark is None)
    counted = tuple(run for run in runs if run.trial.benchmark is not None)
    tests = sum(trial.benchmark is None for trial in trials)
    return ReachRuns(counted, usage, tests, bad, benchmarks, unlinked)


def _run_counting(
    trials: Sequence[Trial], parts: StudyContext, limits: CountingLimits | None
) -> list[Run]:
    """Return the runs of the counting processes."""
    deadline = parts.deadline
    if limits is None or deadline is None:
        return measure_trials("reach", trials, parts)
    counting = [trial for trial in trials if trial.benchmark is not None]
    counting = order_by_place(counting, deadline.times)
    first = max((deadline.times.estimate_seconds(trial) for trial in counting[:1]), default=0.0)
    stage = deadline.make_stage_deadline(
        max(limits.counting * deadline.seconds_left, LEAST_COUNTED * first)
    )
    left = deadline.seconds_left
    runs = measure_trials("reach", counting, replace(parts, deadline=stage))
    spent = left - deadline.seconds_left
    if needs_little_more(len(runs), len(counting), spent, deadline.seconds_left):
        runs = measure_trials("reach", counting, parts.limit_stage(2 * COMPLETING_PART))
    stage = deadline.make_stage_deadline(limits.tests * deadline.seconds_left)
    max_test_seconds = max(0.0, stage.seconds_left)
    tests = [
        replace(trial, timeout_seconds=min(trial.timeout_seconds, max_test_seconds))
        for trial in trials
        if trial.benchmark is None
    ]
    if tests:
        runs += measure_trials("unit tests", tests, replace(parts, deadline=stage))
    return runs


def order_by_place(trials: Sequence[Trial], times: TrialTimes) -> list[Trial]:
    """Return the trials so that the most benchmarks are counted in the time.

    Those that may share a process stay together, as the typical one of them would.
    """
    seconds = {trial.id: times.estimate_seconds(trial) for trial in trials}
    places = {trial.id: find_sharing_place(trial.benchmark) for trial in trials if trial.benchmark}
    by_place: dict[str, list[float]] = {}
    for name, place in places.items():
        by_place.setdefault(place, []).append(seconds[name])
    typical_seconds = {place: median(values) for place, values in by_place.items()}

    def rank_trial(trial: Trial) -> tuple[float, str, float]:
        place = places[trial.id]
        return typical_seconds[place], place, seconds[trial.id]

    return sorted(trials, key=rank_trial)


def _make_trials(
    benchmarks: Sequence[Benchmark],
    built: BuiltVariant | OverlayRefusal,
    baseline: SuiteBaseline,
    parts: StudyContext,
    *,
    with_unit_tests: bool,
) -> list[Trial]:
    """Return the counting processes, those of the unit tests in front: some take long."""
    if isinstance(built, OverlayRefusal):
        return []
    schedule = Schedule(arms=(), blocks=(), seconds=parts.request.plan.iteration_seconds)
    tests = [
        _limit_shuffled_tests(parts.make_trial(Purpose.USAGE, None, schedule, built, part), parts)
        for part in (parts.tested if with_unit_tests else ())
        if any(map(parts.project.find_group_inputs(part).may_contain, built.variant.methods))
    ]
    return tests + [
        _make_counting_trial(benchmark, built, baseline, parts) for benchmark in benchmarks
    ]


def _limit_shuffled_tests(trial: Trial, parts: StudyContext) -> Trial:
    """Return a process of unit tests that ends sooner where the files run in a shuffled order."""
    if parts.project.language is not Language.PYTHON:
        return trial
    return replace(trial, timeout_seconds=SHUFFLED_TESTS_PART * trial.timeout_seconds)


def _are_stored(trials: Sequence[Trial], parts: StudyContext) -> bool:
    """Tell whether the store has all counts, so that the methods are known to compile.

    It does not tell where nobody knows which methods a program holds: there the build of any of
    them may have failed, and that is looked into.
    """
    groups = {trial.benchmark.group if trial.benchmark else trial.tests for trial in trials}
    has_file_lists = all(
        parts.project.find_group_inputs(group).files is not None for group in groups
    )
    return has_file_lists and bool(trials) and all(parts.store.find_run(trial) for trial in trials)


def _split_linked(
    methods: Sequence[Method], baseline: SuiteBaseline, parts: StudyContext
) -> tuple[tuple[Benchmark, ...], frozenset[tuple[str, str]]]:
    """Return the benchmarks whose programs hold some method, and the pairs of the others."""
    unlinked: set[tuple[str, str]] = set()
    benchmarks = []
    for benchmark in baseline.usable:
        closure = parts.project.find_group_inputs(benchmark.group)
        without = {
            (method.id, benchmark.id) for method in methods if not closure.may_contain(method)
        }
        unlinked |= without
        if len(without) < len(methods):
            benchmarks.append(benchmark)
    return tuple(benchmarks), frozenset(unlinked)


def _is_checked(
    built: BuiltVariant | OverlayRefusal, baseline: SuiteBaseline, parts: StudyContext
) -> bool:
    """Tell whether the store has the check of just this code: an audit that is repeated has it."""
    if isinstance(built, OverlayRefusal):
        return False
    return parts.store.find_run(_make_build_check(built, baseline, parts)) is not None


def _make_build_check(built: BuiltVariant, baseline: SuiteBaseline, parts: StudyContext) -> Trial:
    """Return the process that tells whether all of the overlay compiles.

    All of the project decides that, also what this benchmark's own program has not.
    """
    cheapest = min(baseline.usable, key=lambda benchmark: baseline.first_seconds(benchmark) or inf)
    subject = parts.project.all_inputs.digest
    trials = _list_counting_trials(cheapest, built, baseline, parts)
    return prefer_stored(
        [replace(trial, subject=subject, built_overlay="") for trial in trials], parts.store
    )


def _build_counting(
    methods: Sequence[Method], parts: StudyContext
) -> BuiltVariant | OverlayRefusal:
    variant = Variant(VariantKind.COUNTING, tuple(methods))
    overlay = parts.mutator.build_overlay(parts.suite.sources, variant)
    return overlay if isinstance(overlay, OverlayRefusal) else BuiltVariant(variant, overlay)


def _make_counting_trial(
    benchmark: Benchmark, built: BuiltVariant, baseline: SuiteBaseline, parts: StudyContext
) -> Trial:
    return prefer_stored(_list_counting_trials(benchmark, built, baseline, parts), parts.store)


def _list_counting_trials(
    benchmark: Benchmark, built: BuiltVariant, baseline: SuiteBaseline, parts: StudyContext
) -> list[Trial]:
    """Return a brief process and a usual one: first what is run where none of them is stored."""
    plan = schedules.fit_plan(parts.request.plan, benchmark)
    operations = baseline.operations[benchmark.id]
    if operations is not None:  # nothing is timed, so what allocates needs no longer blocks either
        length = baseline.plans[benchmark.id].iteration_seconds
        fitting = operations * plan.iteration_seconds / length
        operations = schedules.fit_operations(operations, fitting, benchmark.concurrency)
    usual = baseline.counting.get(benchmark.id, 2 * plan.iterations)
    return [
        parts.make_trial(
            Purpose.REACH,
            benchmark,
            schedules.make_counting_schedule(
                plan, operations, usual, concurrency=benchmark.concurrency, is_brief=is_brief
            ),
            built,
        )
        for is_brief in (baseline.counts_briefly, not baseline.counts_briefly)
    ]


InstrumentationSplit = tuple[tuple[Method, ...], tuple[tuple[Method, str], ...]]


def _split_instrumentable(
    methods: Sequence[Method], baseline: SuiteBaseline, parts: StudyContext
) -> InstrumentationSplit:
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
    left = _split_instrumentable(methods[:middle], baseline, parts)
    right = _split_instrumentable(methods[middle:], baseline, parts)
    return left[0] + right[0], left[1] + right[1]


def _build_failure(
    methods: Sequence[Method], baseline: SuiteBaseline, parts: StudyContext
) -> str | None:
    built = _build_counting(methods, parts)
    if isinstance(built, OverlayRefusal):
        return built.reason
    trial = _make_build_check(built, baseline, parts)
    for run in measure_trials("counters", [trial], parts):
        if isinstance(run.outcome, NotBuilt):
            return run.outcome.message
    return None
