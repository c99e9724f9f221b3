"""What an audit with a budget does before its pairs: a plan made backwards from the end.

Pilots and counts come first, as they tell which benchmarks matter. A quarter of the time at most
goes to the unchanged suite; all that is left is for verdicts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest
from math import ceil
from statistics import fmean, median

import numpy as np

from auditor.core.benchmark_places import find_benchmark_place, find_sharing_place, gather_by_place
from auditor.core.caveats import Caveat
from auditor.core.errors import NoBenchmarks
from auditor.core.outcome import Measured, TimedOut
from auditor.core.plan import Run
from auditor.core.request import AbsRequest, Plan
from auditor.core.subject import Method
from auditor.core.suite import Benchmark
from auditor.core.units import format_duration
from auditor.measure.block_sizes import BlockSizes, bound_set_up_seconds
from auditor.measure.context import Deadline, StudyContext
from auditor.measure.reach_judge import count_method_calls
from auditor.measure.reach_study import (
    COMPLETING_PART,
    CountingLimits,
    ReachRuns,
    map_reach,
    needs_little_more,
)
from auditor.measure.suite_runs import (
    FEWEST_RUNS,
    SuiteBaseline,
    choose_benchmarks,
    find_unfinished,
    run_baseline,
    run_suite,
)
from auditor.measure.warmup_runs import make_suite_trials

LEAST_BLOCKS = 6
"""Measured blocks of a process below which its scatter is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessCost:
    """What a process of a benchmark takes."""

    benchmark: str
    """The benchmark's id."""
    reaches: bool
    """Whether it calls a chosen method."""
    start_seconds: float
    """The time of a process before its first block."""
    block_seconds: float
    """Of a block."""
    warmup: int
    """Blocks before the measured ones."""
    blocks: int
    """Measured blocks of a whole process; all that fewer runs and benchmarks leave are kept."""
    least_blocks: int = LEAST_BLOCKS
    """Measured blocks that a process needs."""
    processes: int = 1
    """Processes of a run."""
    known_runs: int = 0
    """Runs with whole processes that the store has, so that they cost nothing."""

    def estimate_run_seconds(self, blocks: int) -> float:
        """Return the time of a run with so many measured blocks."""
        return self.processes * (self.start_seconds + self.block_seconds * (self.warmup + blocks))


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteShare:
    """The runs of the unchanged suite that fit."""

    runs: int
    """Runs of each of the benchmarks; 0 where not even one fits."""
    blocks: Mapping[str, int]
    """Measured blocks of a process, by the id of each benchmark that is run."""


SUITE_PART = 1 / 4
"""Part of the time after building that the unchanged suite may take, pilots included."""
PILOT_PART = 0.2
"""Part of the time that pilots may take: what does not fit is not in the sample."""
PILOT_LIMIT_PART = 0.03
LEAST_PILOT_LIMIT_SECONDS = 10.0
"""Part of a budget, and time, after which a pilot is ended: what follows would take several times
as long, and other benchmarks would have to go."""
COUNTING_PART = 0.3
"""Part of the time in which calls are counted."""
TESTS_PART = 0.08
"""Part of the time for the subject's own unit tests, which only order the methods."""
SHORT_RUN = 0.3
"""Seconds of blocks below which a process of the suite is not shortened."""
LEAST_SUITE_PART = 0.05
"""Part of the time for the unchanged suite also where pilots took its quarter."""
LEAST_WARMUP = 2
"""Blocks that warm up where an operation is longer than a block should be."""
LONG = 2
"""Times as long as planned must a block be for its warm-up to be counted in seconds."""
PAIR_SECONDS = 0.4e-3
"""What judging, rendering and writing take for each pair of a method and a benchmark."""


@dataclass(frozen=True, slots=True)
class BudgetedSuite:
    """The unchanged suite as far as a budget allows."""

    baseline: SuiteBaseline
    """The sample of benchmarks with the runs that fit."""
    counted: ReachRuns
    """The calls of the methods in the sample."""
    caveats: tuple[Caveat, ...] = ()
    """How the runs and the sample differ from what was asked for."""


def is_budgeted(request: AbsRequest, parts: StudyContext) -> bool:
    """Tell whether an audit is planned backwards from its end.

    A fixed plan (`exact`, the paper's rule) and watched processes are carried out as they are.
    """
    deadline = parts.deadline
    if deadline is None or deadline.is_rehearsal or deadline.seconds < 0:
        return False
    return not request.is_fixed and parts.request.watched is None


def measure_suite(
    request: AbsRequest,
    methods: Sequence[Method],
    parts: StudyContext,
    *,
    judged: int,
    with_unit_tests: bool,
) -> BudgetedSuite:
    """Run pilots, count the calls of `methods`, then run the unchanged suite as far as it fits.

    Of the methods so many will be `judged`.
    Raises NoBenchmarks when nothing can be measured.
    """
    deadline = _require_deadline(parts)
    left = deadline.seconds_left
    benchmarks = choose_benchmarks(parts.suite, parts.request.benchmarks)
    piloted = _run_pilots(sampling_order(benchmarks, parts.request.seed), parts)
    counted, sample = _count_calls(methods, piloted, parts, with_unit_tests=with_unit_tests)
    deadline.reserve_seconds(PAIR_SECONDS * judged * len(sample.usable))
    spent = left - deadline.seconds_left
    pilots = min(spent, sum(run.seconds for run in piloted.pilots))
    share = fit_suite(
        _suite_costs(methods, counted, sample, parts),
        runs=parts.request.stability_runs,
        least_runs=1 if request.slowdown is not None else FEWEST_RUNS,
        seconds=max(LEAST_SUITE_PART * left, SUITE_PART * left - pilots),
    )
    if request.slowdown is None and share.runs < FEWEST_RUNS:
        deadline.prevented = True  # what would be measured hangs on the size of the slowdown
    suite_baseline = _run_suite(share, sample, parts)
    suite_baseline = _restore_order(suite_baseline, benchmarks)
    caveats = _describe_budget_effects(
        seconds=deadline.budget,
        runs=share.runs,
        wanted_runs=parts.request.stability_runs,
        blocks=tuple(share.blocks.values()),
        wanted_blocks=parts.request.plan.iterations,
        benchmarks=len(suite_baseline.benchmarks),
        unsampled=len(suite_baseline.unsampled),
    )
    return BudgetedSuite(suite_baseline, counted, caveats)


def _require_deadline(parts: StudyContext) -> Deadline:
    assert parts.deadline is not None  # noqa: S101 - narrows the type; `is_budgeted` tells
    return parts.deadline


def _run_pilots(order: Sequence[Benchmark], parts: StudyContext) -> SuiteBaseline:
    """Return the sample of benchmarks whose pilots fit, without runs of the suite.

    Where not one fits, all are in it: the end of the time then decides nothing.
    """
    timeout_seconds = parts.request.timeout_seconds
    limit_seconds = _limit_pilot(parts)
    try:
        suite_baseline = _measure_pilots(order, limit_seconds, parts)
    except NoBenchmarks:
        if limit_seconds == timeout_seconds:
            raise
        limit_seconds = timeout_seconds
        suite_baseline = _measure_pilots(order, limit_seconds, parts)
    if parts.fixed_operations:
        pilots = suite_baseline.pilots
        suite_baseline = _narrow_baseline(suite_baseline, {run.trial.benchmark for run in pilots})
        if limit_seconds < timeout_seconds:  # else a time-out is a failure
            suite_baseline = _leave_out_slow(suite_baseline)
    suite_baseline = _restore_order(
        suite_baseline, choose_benchmarks(parts.suite, parts.request.benchmarks)
    )
    plans = {
        benchmark.id: _patient_plan(suite_baseline, benchmark, parts)
        for benchmark in suite_baseline.benchmarks
    }
    suite_baseline = replace(suite_baseline, plans=plans)
    counts_briefly = _counts_briefly(suite_baseline, len(order), parts)
    return replace(suite_baseline, counts_briefly=counts_briefly)


def _limit_pilot(parts: StudyContext) -> float:
    """Return the seconds after which a pilot is ended."""
    budget_seconds = PILOT_LIMIT_PART * _require_deadline(parts).budget
    return min(parts.request.timeout_seconds, max(LEAST_PILOT_LIMIT_SECONDS, budget_seconds))


def _measure_pilots(
    order: Sequence[Benchmark], limit_seconds: float, parts: StudyContext
) -> SuiteBaseline:
    """Return the suite with the pilots that fit.

    Raises NoBenchmarks where each benchmark fails, or where the limit, if it is shorter than the
    time-out, has ended each pilot that was tried.
    """
    pilot_parts = replace(
        parts,
        suite=replace(parts.suite, benchmarks=tuple(order)),
        request=replace(parts.request, stability_runs=0, timeout_seconds=limit_seconds),
        are_pilots_rough=True,
    )
    deadline = _require_deadline(parts)
    left = deadline.seconds_left
    suite_baseline = run_baseline(pilot_parts.limit_stage(PILOT_PART))
    count, spent = len(suite_baseline.pilots), left - deadline.seconds_left
    if needs_little_more(count, len(order), spent, deadline.seconds_left):
        suite_baseline = run_baseline(pilot_parts.limit_stage(2 * COMPLETING_PART))
    is_short = limit_seconds < parts.request.timeout_seconds
    outcomes = [run.outcome for run in suite_baseline.pilots]
    if is_short and outcomes and all(isinstance(outcome, TimedOut) for outcome in outcomes):
        raise NoBenchmarks("no pilot ended within its limit")
    return suite_baseline


def _leave_out_slow(suite_baseline: SuiteBaseline) -> SuiteBaseline:
    """Return the sample without benchmarks whose pilot the budget has ended."""
    slow = {
        run.trial.benchmark for run in suite_baseline.pilots if isinstance(run.outcome, TimedOut)
    }
    benchmarks = tuple(
        benchmark for benchmark in suite_baseline.benchmarks if benchmark not in slow
    )
    return replace(suite_baseline, benchmarks=benchmarks)


def _patient_plan(suite_baseline: SuiteBaseline, benchmark: Benchmark, parts: StudyContext) -> Plan:
    """Return the plan of a benchmark, whose long blocks warm up as long as short ones would."""
    plan = suite_baseline.plans[benchmark.id]
    lasts = _block_seconds(suite_baseline, benchmark, plan, parts)
    if lasts <= LONG * plan.iteration_seconds:
        return plan
    warm = ceil(plan.warmup * plan.iteration_seconds / lasts)
    return replace(plan, warmup=min(plan.warmup, max(LEAST_WARMUP, warm)))


def _block_seconds(
    suite_baseline: SuiteBaseline, benchmark: Benchmark, plan: Plan, parts: StudyContext
) -> float:
    operations = suite_baseline.operations[benchmark.id]
    times = _require_deadline(parts).times
    return times.block_seconds(benchmark, plan.iteration_seconds, operations)


def _counts_briefly(suite_baseline: SuiteBaseline, benchmarks: int, parts: StudyContext) -> bool:
    """Tell whether counting in all blocks would take too long, in all of so many benchmarks."""
    times = _require_deadline(parts).times
    quickest_start = min(map(times.start_seconds, suite_baseline.usable))
    seconds = [
        quickest_start
        + suite_baseline.counting.get(benchmark.id, 2 * parts.request.plan.iterations)
        * (
            _block_seconds(suite_baseline, benchmark, suite_baseline.plans[benchmark.id], parts)
            + _set_up_seconds(suite_baseline, benchmark, quickest_start)
        )
        for benchmark in suite_baseline.usable
    ]
    return fmean(seconds) * benchmarks > COUNTING_PART * _require_deadline(parts).budget


def _set_up_seconds(
    suite_baseline: SuiteBaseline, benchmark: Benchmark, start_seconds: float
) -> float:
    """Return the most that the set-up in front of a block can take."""
    pilots = suite_baseline.list_pilots(benchmark)
    return max((bound_set_up_seconds(run, start_seconds) for run in pilots), default=0.0)


def _count_calls(
    methods: Sequence[Method], piloted: SuiteBaseline, parts: StudyContext, *, with_unit_tests: bool
) -> tuple[ReachRuns, SuiteBaseline]:
    """Return the counts, and the sample of benchmarks in which calls could be counted in time."""
    limits = CountingLimits(counting=COUNTING_PART, tests=TESTS_PART)
    counted = map_reach(methods, piloted, parts, with_unit_tests=with_unit_tests, limits=limits)
    benchmarks = {run.trial.benchmark for run in counted.runs}
    if benchmarks.issuperset(counted.counted_benchmarks):
        return counted, piloted
    benchmarks |= set(piloted.usable) - set(counted.counted_benchmarks)
    benchmarks |= set(piloted.benchmarks) - set(piloted.usable)
    return counted, _narrow_baseline(piloted, benchmarks)


def _blocks_in(seconds: float, block_seconds: float) -> int:
    return int(seconds / block_seconds) if block_seconds > 0 else 0


def _suite_costs(
    methods: Sequence[Method], counted: ReachRuns, sample: SuiteBaseline, parts: StudyContext
) -> list[ProcessCost]:
    """Return what a run of each benchmark takes, those that decide most in front."""
    times, plan = _require_deadline(parts).times, parts.request.plan
    reaching = _most_promising(methods, counted, sample, parts)
    reaching_benchmarks = set(reaching)
    sizes = BlockSizes(sample.plans, sample.operations, sample.pilots)
    trials = make_suite_trials(sample.usable, sizes, parts)
    costs = []
    for benchmark in (
        *reaching,
        *(candidate for candidate in sample.usable if candidate not in reaching_benchmarks),
    ):
        repeat_trials = (
            replace(trials[benchmark.id], repetition=repetition)
            for repetition in range(1, parts.request.stability_runs + 1)
        )
        block = _block_seconds(sample, benchmark, sample.plans[benchmark.id], parts)
        costs.append(
            ProcessCost(
                benchmark=benchmark.id,
                reaches=benchmark in reaching_benchmarks,
                start_seconds=times.start_seconds(benchmark),
                block_seconds=block,
                least_blocks=max(LEAST_BLOCKS, _blocks_in(SHORT_RUN, block)),
                warmup=sample.plans[benchmark.id].warmup,
                blocks=sample.plans[benchmark.id].iterations,
                processes=plan.forks,
                known_runs=sum(parts.store.find_run(trial) is not None for trial in repeat_trials),
            )
        )
    return costs


def _most_promising(
    methods: Sequence[Method], counted: ReachRuns, sample: SuiteBaseline, parts: StudyContext
) -> tuple[Benchmark, ...]:
    """Return the benchmarks that may call a method, the likeliest to detect one in front.

    Methods take turns, those called most first.
    """
    reach, calls, times = (
        counted.build_reach_map(methods),
        count_method_calls(counted.runs),
        _require_deadline(parts).times,
    )
    turns = []
    for method in sorted(methods, key=lambda candidate: -calls.get(candidate.id, 0)):
        rates = {}
        for benchmark in sample.usable:
            pair_reach = reach.get((method.id, benchmark.id))
            if pair_reach is None or pair_reach.may_be_in_loop:
                seconds = times.block_seconds(benchmark, 1.0, 1)
                many = None if pair_reach is None else pair_reach.calls_per_operation
                rates[benchmark] = (many or 0.0) / max(seconds, 1e-12)
        turns.append(sorted(rates, key=lambda rate: -rates[rate]))
    ordered_benchmarks = (
        candidate for turn in zip_longest(*turns) for candidate in turn if candidate is not None
    )
    return tuple(dict.fromkeys(ordered_benchmarks))


def _run_suite(share: SuiteShare, sample: SuiteBaseline, parts: StudyContext) -> SuiteBaseline:
    """Return the sample with the runs of the suite that fit."""
    plans = {
        benchmark.id: replace(sample.plans[benchmark.id], iterations=share.blocks[benchmark.id])
        for benchmark in sample.usable
        if benchmark.id in share.blocks
    }
    runnable = [benchmark for benchmark in sample.usable if benchmark.id in plans]
    request = replace(parts.request, stability_runs=share.runs)
    limited = replace(parts.limit_stage(SUITE_PART), request=request)
    suite = run_suite(runnable, BlockSizes(plans, sample.operations, sample.pilots), limited)
    runs = suite.runs
    failed = _failing_benchmarks(runs)
    usable = tuple(benchmark for benchmark in sample.usable if benchmark not in failed)
    ran = [benchmark for benchmark in usable if benchmark.id in plans]
    spread = share.runs >= FEWEST_RUNS
    required_runs = share.runs if spread else parts.request.stability_runs
    unfinished_benchmarks = find_unfinished(ran, runs, suite.forks, required_runs)
    return replace(
        sample,
        usable=usable,
        unfinished=(
            *unfinished_benchmarks,
            *(benchmark for benchmark in usable if benchmark.id not in plans),
        ),
        runs=runs,
        wanted_runs={
            benchmark.id: required_runs if benchmark.id in plans or not plans else 0
            for benchmark in sample.benchmarks
        },
    )


def _narrow_baseline(baseline: SuiteBaseline, sample: set[Benchmark | None]) -> SuiteBaseline:
    """Return a baseline of some of its benchmarks; of all where none of these is usable."""
    usable = tuple(benchmark for benchmark in baseline.usable if benchmark in sample)
    if not usable:
        return baseline
    benchmarks = tuple(benchmark for benchmark in baseline.benchmarks if benchmark in sample)
    return replace(baseline, benchmarks=benchmarks, usable=usable)


def _restore_order(baseline: SuiteBaseline, all_benchmarks: Sequence[Benchmark]) -> SuiteBaseline:
    """Return a baseline whose benchmarks have the order of the suite."""
    place: Mapping[Benchmark, int] = {
        benchmark: index for index, benchmark in enumerate(all_benchmarks)
    }
    sample = set(baseline.benchmarks)
    return replace(
        baseline,
        benchmarks=tuple(sorted(baseline.benchmarks, key=place.__getitem__)),
        usable=tuple(sorted(baseline.usable, key=place.__getitem__)),
        unfinished=tuple(sorted(baseline.unfinished, key=place.__getitem__)),
        unsampled=tuple(benchmark for benchmark in all_benchmarks if benchmark not in sample),
    )


def _failing_benchmarks(runs: Sequence[Run]) -> set[Benchmark | None]:
    """Return the benchmarks of which no run gave a measurement."""
    benchmarks = {run.trial.benchmark for run in runs if isinstance(run.outcome, Measured)}
    return {run.trial.benchmark for run in runs} - benchmarks


def sampling_order(benchmarks: Sequence[Benchmark], seed: int) -> tuple[Benchmark, ...]:
    """Return the benchmarks in an order of which every beginning is a stratified sample.

    The strata are the groups (a package, a class, a file); within a group the benchmark functions
    take turns, so that one with hundreds of cases fills no sample. Those that may share a process
    stand side by side, some of each place at a time.
    """
    rng = np.random.default_rng([seed, 11])
    groups: dict[str, dict[str, list[Benchmark]]] = {}
    for benchmark in benchmarks:
        group = benchmark.group or find_benchmark_place(benchmark.name)
        functions = groups.setdefault(group, {})
        functions.setdefault(_function_name(benchmark), []).append(benchmark)
    turns = [
        _take_turns([_shuffle_benchmarks(cases, rng) for cases in functions.values()], rng)
        for functions in groups.values()
    ]
    order = _take_turns(turns, rng)
    places = len(set(map(find_sharing_place, order)))
    first = FIRST_TURNS * places
    starts = [0, *range(first, len(order), max(1, SHARED_TURNS * places))]
    return tuple(
        benchmark
        for start, end in pairwise([*starts, len(order)])
        for benchmark in gather_by_place(order[start:end])
    )


FIRST_TURNS = 8
SHARED_TURNS = 64
"""Benchmarks of a place that follow each other in a sample, on average: at its beginning, so that
a short sample has some of each place, and later."""


def _function_name(benchmark: Benchmark) -> str:
    return benchmark.name.partition("/")[0].partition("[")[0]


def _shuffle_benchmarks(
    benchmarks: Sequence[Benchmark], rng: np.random.Generator
) -> list[Benchmark]:
    return [benchmarks[index] for index in rng.permutation(len(benchmarks))]


def _take_turns(strata: Sequence[Sequence[Benchmark]], rng: np.random.Generator) -> list[Benchmark]:
    """Return one benchmark of each stratum, then the next of each; the strata are shuffled."""
    order = [strata[index] for index in rng.permutation(len(strata))]
    return [
        benchmark for turn in zip_longest(*order) for benchmark in turn if benchmark is not None
    ]


def fit_suite(
    costs: Sequence[ProcessCost], *, runs: int, least_runs: int, seconds: float
) -> SuiteShare:
    """Return the runs that fit into `seconds`: first fewer runs, then fewer blocks.

    What does not fit even so is left to the benchmarks that reach a chosen method, again with
    fewer runs and blocks; in the end to as many of these as fit, in the order given.
    """
    reaching = [cost for cost in costs if cost.reaches]
    for candidate_costs in (costs, reaching) if reaching else (costs,):
        for share in _list_shares(candidate_costs, runs, min(runs, least_runs)):
            if _suite_seconds(candidate_costs, share) <= seconds:
                return share
    return _first_fitting(reaching or costs, min(runs, least_runs), seconds)


def _list_shares(costs: Sequence[ProcessCost], runs: int, least: int) -> Iterator[SuiteShare]:
    """Yield shares of these benchmarks, the largest first."""
    full_blocks = {cost.benchmark: cost.blocks for cost in costs}
    for count in range(runs, least - 1, -1):
        yield SuiteShare(runs=count, blocks=full_blocks)
    for part in (0.75, 0.5, 0.25, 0.0):
        blocks = {
            cost.benchmark: min(cost.blocks, max(cost.least_blocks, round(part * cost.blocks)))
            for cost in costs
        }
        yield SuiteShare(runs=least, blocks=blocks)


def _first_fitting(costs: Sequence[ProcessCost], runs: int, seconds: float) -> SuiteShare:
    """Return as many benchmarks as fit with the fewest runs and blocks, in the order given."""
    blocks: dict[str, int] = {}
    left = seconds
    for cost in costs:
        least = min(cost.least_blocks, cost.blocks)
        left -= max(0, runs - cost.known_runs) * cost.estimate_run_seconds(least)
        if left < 0:
            break
        blocks[cost.benchmark] = least
    return SuiteShare(runs=runs if blocks else 0, blocks=blocks)


def _suite_seconds(costs: Sequence[ProcessCost], share: SuiteShare) -> float:
    return sum(
        (share.runs - (min(share.runs, cost.known_runs) if blocks == cost.blocks else 0))
        * cost.estimate_run_seconds(blocks)
        for cost in costs
        for blocks in (share.blocks[cost.benchmark],)
    )


def _describe_budget_effects(  # noqa: PLR0913 - what was asked for beside what was done
    *,
    seconds: float,
    runs: int,
    wanted_runs: int,
    blocks: Sequence[int],
    wanted_blocks: int,
    benchmarks: int,
    unsampled: int,
) -> tuple[Caveat, ...]:
    """Return how the runs of the unchanged suite, and the benchmarks, differ from those wanted.

    `blocks` are the measured blocks of a process of each benchmark that was run.
    """
    budget_caveats = []
    if unsampled:
        text = (
            f"the budget of {format_duration(seconds)} has time for a sample of {benchmarks} of "
            f"{benchmarks + unsampled} benchmarks; methods that none of them detects are "
            "undecided where another may call them; give more --budget"
        )
        budget_caveats.append(Caveat("sampled", text))
    if differences := list(_list_differences(runs, wanted_runs, blocks, wanted_blocks, benchmarks)):
        text = (
            f"the budget of {format_duration(seconds)} shortens the runs of the unchanged suite: "
        )
        budget_caveats.append(Caveat("budget-plan", text + "; ".join(differences)))
    return tuple(budget_caveats)


def describe_fewer_runs(*, runs: int, usual_runs: int, seconds: float) -> Caveat:
    """Return that the suite was run `runs` times, as its first run took so many `seconds`."""
    text = (
        f"the unchanged suite was run {runs} times instead of {usual_runs}, as the first "
        f"took {format_duration(seconds)}, so spreads may be too small; for surer ones: "
        f"--stability-runs {usual_runs}"
    )
    return Caveat("suite-runs", text)


def _list_differences(
    runs: int, wanted_runs: int, blocks: Sequence[int], wanted_blocks: int, benchmarks: int
) -> Iterator[str]:
    if not runs and wanted_runs:
        yield "it was not run, so nothing is known of its stability"
        return
    if runs < wanted_runs:
        spread = ", which tells no spread" if runs == 1 else ", so spreads may be too small"
        yield f"{runs} of {wanted_runs} runs{spread}"
    fewer = [many for many in blocks if many < wanted_blocks]
    if fewer:
        yield f"{median(fewer):.0f} of {wanted_blocks} blocks in {len(fewer)} benchmarks"
    if len(blocks) < benchmarks:
        yield f"{len(blocks)} of {benchmarks} benchmarks, those that may call a chosen method"
