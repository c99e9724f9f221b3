"""The unchanged suite: which benchmarks there are, how long they take, how stable they are."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from statistics import median

import numpy as np
import regex

from auditor.core.benchmark_places import gather_by_place
from auditor.core.busy import is_busy
from auditor.core.errors import NoBenchmarks, NothingSelected
from auditor.core.jobs import HostInterference
from auditor.core.outcome import Measured, TimedOut
from auditor.core.plan import REPEAT_OFFSET, Run, Trial
from auditor.core.request import Plan, SuiteRequest
from auditor.core.schedule import ArmName
from auditor.core.suite import Benchmark, Suite
from auditor.measure import readings, schedules
from auditor.measure.block_sizes import BlockSizes, measure_block_sizes, read_quickest_seconds
from auditor.measure.context import StudyContext
from auditor.measure.failures import describe_failure
from auditor.measure.stability_judge import find_busy_runs
from auditor.measure.trials import measure_trials
from auditor.measure.warmup_results import measure_forks_width
from auditor.measure.warmup_runs import adapt_warmup, make_suite_trials

LONGEST_WAIT = 60.0
WAIT_PART, BUDGET_PART = 0.1, 0.05
"""Parts that waiting for a quiet machine may take: of the time of the runs, and of a budget."""
REPEATS_PART = 0.1
"""Part of what is left of a budget that the repeats may take."""

RunKey = tuple[str, int]
"""A benchmark, by its id, and the number of a run."""

Forks = Mapping[str, int]
"""How many processes a run of a benchmark has, by its id."""

_LOOKING_ON = ("(?=", "(?!", "(?<", "(?(", r"\B")
"""In a pattern: what takes the end of the beginning of a name for the end of the whole one."""
_INSIDE = "./:[("
"""What may stand between the name of a whole and what tells its parts apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteBaseline:
    """The runs of the unchanged suite."""

    benchmarks: tuple[Benchmark, ...]
    """Those that were asked for."""
    usable: tuple[Benchmark, ...]
    """Those that gave a measurement, or that the deadline kept from giving one."""
    unfinished: tuple[Benchmark, ...]
    """Those of `usable` that the deadline cost runs."""
    plans: Mapping[str, Plan]
    """The request's plan, with blocks as long as suits the benchmark, by its id."""
    operations: Mapping[str, int | None]
    """Exact number in such a block; None: the harness cannot fix it."""
    pilots: tuple[Run, ...]
    """Runs that found `operations`."""
    runs: tuple[Run, ...]
    """Of the stability study."""
    wanted_runs: Mapping[str, int] | None = None
    """Runs of each benchmark that were asked for, by its id; None: as many as the request says."""
    counting: Mapping[str, int] = field(default_factory=dict)
    """Blocks in which calls are counted, by benchmark id, where the plan has too many."""
    counts_briefly: bool = False
    """Whether calls are counted in few and short blocks where the store has no longer counts."""
    unsampled: tuple[Benchmark, ...] = ()
    """Benchmarks that were asked for, but that a budget leaves no time to look at."""
    _by_benchmark: Mapping[str, tuple[Run, ...]] = field(init=False, repr=False)
    """`runs` by benchmark id."""
    _pilots_by_benchmark: Mapping[str, tuple[Run, ...]] = field(init=False, repr=False)
    """`pilots` by benchmark id."""

    def __post_init__(self) -> None:
        """Sort the runs by benchmark: each pair asks for those of its own."""
        object.__setattr__(self, "_by_benchmark", group_by_benchmark(self.runs))
        object.__setattr__(self, "_pilots_by_benchmark", group_by_benchmark(self.pilots))

    def list_pilots(self, benchmark: Benchmark) -> tuple[Run, ...]:
        """Return the pilots of a benchmark."""
        return self._pilots_by_benchmark.get(benchmark.id, ())

    def list_runs(self, benchmark: Benchmark) -> tuple[Run, ...]:
        """Return the stability runs of a benchmark."""
        return self._by_benchmark.get(benchmark.id, ())

    def list_stored_failures(self, started: str) -> frozenset[str]:
        """Return the ids of benchmarks with a failure from before a time that may pass."""
        return frozenset(
            run.trial.benchmark.id
            for run in (*self.pilots, *self.runs)
            if run.is_transient and run.started < started and run.trial.benchmark is not None
        )

    def first_seconds(self, benchmark: Benchmark) -> float | None:
        """Return the time per operation that the pilot shows, or the first run that has one.

        Trials are planned with it, and those made already stay valid when runs are added: the
        pilot comes first, since a budget may have left no time for a run.
        """
        for run in self.list_pilots(benchmark):
            if (seconds := read_quickest_seconds(run)) is not None:
                return seconds
        for run in self.list_runs(benchmark):
            if times := readings.list_block_times(run, ArmName.PLAIN):
                return median(times)
        return None


@dataclass(frozen=True, slots=True)
class MeasuredSuite:
    """Runs of the unchanged suite."""

    runs: tuple[Run, ...]
    """In their order, those that a busy machine spoilt replaced by repeats."""
    forks: Forks
    repetitions: int
    """How often the suite was run."""


def group_by_benchmark(runs: Iterable[Run]) -> dict[str, tuple[Run, ...]]:
    """Return the runs of each benchmark, by its id, in their order."""
    runs_by_id: dict[str, list[Run]] = {}
    for run in runs:
        if run.trial.benchmark is not None:
            runs_by_id.setdefault(run.trial.benchmark.id, []).append(run)
    return {name: tuple(trial_runs) for name, trial_runs in runs_by_id.items()}


def choose_benchmarks(suite: Suite, pattern: str) -> tuple[Benchmark, ...]:
    """Return the benchmarks whose name or id holds a match; raises NoBenchmarks if none does."""
    search = re.compile(pattern).search
    benchmarks = tuple(
        benchmark
        for benchmark in suite.benchmarks
        if search(benchmark.name) or search(benchmark.id)
    )
    if not benchmarks and (failing := list_unlisted(suite, pattern)):
        name, explanation = failing[0]
        raise NoBenchmarks(
            f"no benchmark that matches {pattern!r} can be listed: {name}: {explanation}"
        )
    if not benchmarks and suite.benchmarks:
        examples = ", ".join(benchmark.id for benchmark in suite.benchmarks[:5])
        owner = "the packages that were listed have" if suite.passed_over else "the suite has"
        raise NothingSelected(
            f"no benchmark matches {pattern!r}; {owner} {len(suite.benchmarks)}, such as {examples}"
        )
    if not benchmarks:
        explanation = "".join(f"; {name}: {reason}" for name, reason in suite.unusable[:3])
        qualifier = f"that may match {pattern!r} " if suite.passed_over else ""
        hint = f"; {suite.hint}" if suite.hint else ""
        raise NoBenchmarks(
            f"the subject has no benchmark {qualifier}that could be listed{explanation}{hint}"
        )
    return benchmarks


def may_be_chosen(pattern: str, group: str, name: str) -> bool:
    """Tell whether a benchmark of a group may be chosen that is called so, or whose name begins so.

    Where it is not known, it may.
    """
    if any(part in pattern for part in _LOOKING_ON):
        return True
    try:
        search = regex.compile(pattern).search
    except regex.error:  # Python's own understands it, as it is no other's
        return True
    return any(search(text, partial=True) is not None for text in (name, f"{group}.{name}"))


def list_unlisted(suite: Suite, pattern: str) -> tuple[tuple[str, str], ...]:
    """Return id and reason of what matches as well, but could not be listed.

    Only its id is known: a name is what stands behind one of its dots.
    """
    search = re.compile(pattern).search
    return tuple(
        entry for entry in suite.unusable if any(map(search, _list_name_suffixes(entry[0])))
    )


def is_broken(suite: Suite, pattern: str) -> bool:
    """Tell whether a suite in which no benchmark matches may have some that could not be listed."""
    return bool(list_unlisted(suite, pattern) or (suite.unusable and not suite.benchmarks))


def find_listing_obstacle(benchmark: Benchmark, suite: Suite) -> str | None:
    """Return why a suite could not list a benchmark of another revision, None if it says nothing.

    What could not be listed is the benchmark, or what holds it: a group, a file, all its cases.
    """
    return next(
        (cause for name, cause in suite.unusable if _contains_benchmark(name, benchmark)), None
    )


def _contains_benchmark(name: str, benchmark: Benchmark) -> bool:
    if len(name) <= len(benchmark.group):
        return name == benchmark.group  # a Go package holds none of those in its subfolders
    rest = benchmark.id.removeprefix(name)
    return not rest or (rest != benchmark.id and rest[0] in _INSIDE)


def _list_name_suffixes(name: str) -> Iterator[str]:
    yield name
    yield from (name[dot.end() :] for dot in re.finditer(r"\.", name))


def run_baseline(parts: StudyContext, time_limit: float | None = None) -> SuiteBaseline:
    """Run the unchanged suite `stability_runs` times, in an order drawn anew for each run.

    With `time_limit`, in seconds, only as often as fits into it, but `FEWEST_RUNS` times at least.
    Raises NoBenchmarks when nothing could be measured.
    """
    benchmarks = choose_benchmarks(parts.suite, parts.request.benchmarks)
    size = measure_block_sizes(benchmarks, parts)
    pilots = size.pilots
    failed = {run.trial.benchmark for run in pilots if not isinstance(run.outcome, Measured)}
    runnable = [benchmark for benchmark in benchmarks if benchmark not in failed]
    if not parts.fixed_operations:
        size = _find_slow_operations(runnable, size, parts)
    suite = run_suite(runnable, size, parts, time_limit)
    runs = suite.runs
    measured = {run.trial.benchmark for run in runs if isinstance(run.outcome, Measured)}
    failed |= {run.trial.benchmark for run in runs} - measured
    usable = tuple(benchmark for benchmark in benchmarks if benchmark not in failed)
    if not usable:
        first = first_failure([*pilots, *runs])
        raise NoBenchmarks(f"every benchmark fails; the first: {first}")
    return SuiteBaseline(
        benchmarks=benchmarks,
        usable=usable,
        unfinished=find_unfinished(usable, runs, suite.forks, suite.repetitions),
        plans=adapt_warmup(size.plans, size.operations, runs)
        if parts.request.watched
        else size.plans,
        operations=size.operations,
        pilots=pilots,
        runs=runs,
        wanted_runs=dict.fromkeys((benchmark.id for benchmark in benchmarks), suite.repetitions)
        if suite.repetitions < parts.request.stability_runs
        else None,
        counting=size.counting_blocks,
    )


def _find_slow_operations(
    benchmarks: Sequence[Benchmark], size: BlockSizes, parts: StudyContext
) -> BlockSizes:
    """Return the sizes with the first process of each benchmark as its pilot.

    This is for a harness that does not fix the number of operations, and so has no other pilots. A
    benchmark with slow blocks gets shorter processes, and its first run is made again with one: so
    such a pilot ends as soon as it has shown that.
    """
    request = parts.request
    if request.watched is not None or not request.stability_runs:
        return size
    by_id = make_suite_trials(benchmarks, size, parts)
    order = _draw_order(benchmarks, request, repetition=1)
    limit = (lambda trial: trial) if size.keeps_all_blocks else _limit_slow_blocks
    trials = [replace(limit(by_id[benchmark.id]), repetition=1) for benchmark in order]
    runs = measure_trials(_name_suite_run(1, request.stability_runs), trials, parts)
    return replace(size, pilots=tuple(runs))


def _limit_slow_blocks(trial: Trial) -> Trial:
    schedule = trial.schedule
    seconds = schedules.LONG_BLOCK * len(schedule.blocks) * schedule.seconds
    return replace(trial, schedule=replace(schedule, slow_seconds=seconds))


def _lift_limit(trial: Trial) -> Trial:
    """Return the run of the suite that a pilot stands for which was not too slow."""
    return replace(trial, schedule=replace(trial.schedule, slow_seconds=0.0))


def _draw_order(
    benchmarks: Sequence[Benchmark], request: SuiteRequest, repetition: int
) -> list[Benchmark]:
    """Return the benchmarks in the order of a suite run, drawn anew for each, as are the files."""
    order = np.random.default_rng([request.seed, repetition]).permutation(len(benchmarks))
    return gather_by_place(benchmarks[index] for index in order)


def _name_suite_run(repetition: int, repetitions: int) -> str:
    return f"suite run {repetition} of {repetitions}"


def find_unfinished(
    benchmarks: Sequence[Benchmark], runs: Sequence[Run], forks: Forks, required_runs: int
) -> tuple[Benchmark, ...]:
    """Return the benchmarks that lack runs and have not failed in one: the time was up."""
    run_counts = Counter(run.trial.benchmark for run in runs)
    broken = {run.trial.benchmark for run in runs if not isinstance(run.outcome, Measured)}
    return tuple(
        benchmark
        for benchmark in benchmarks
        if run_counts[benchmark] < required_runs * forks[benchmark.id] and benchmark not in broken
    )


def run_suite(
    benchmarks: Sequence[Benchmark],
    size: BlockSizes,
    parts: StudyContext,
    time_limit: float | None = None,
) -> MeasuredSuite:
    """Run by run, so that a benchmark that hung in one run is not waited for in the next.

    The first run says how many forks of a benchmark are worth it; the others have as many. It says,
    too, how many runs fit into `time_limit`, in seconds.
    """
    request = parts.request
    runs: list[Run] = []
    hung: set[Benchmark | None] = set()
    forks: dict[str, int] = {benchmark.id: request.plan.forks for benchmark in benchmarks}
    trials_of = make_suite_trials(benchmarks, size, parts)
    pilots = {_lift_limit(run.trial): run.trial for run in size.pilots}
    repetition, repetitions = 0, request.stability_runs
    while repetition < repetitions:
        repetition += 1
        order = _draw_order(benchmarks, request, repetition)
        ready_benchmarks = [benchmark for benchmark in order if benchmark not in hung]
        name = _name_suite_run(repetition, repetitions)
        ended: list[Run] = []
        for turn in _split_forks(request, repetition):
            unlimited_trials = (
                replace(trials_of[benchmark.id], repetition=repetition, fork=fork)
                for benchmark in ready_benchmarks
                for fork in turn
                if fork <= forks[benchmark.id]
            )
            trials = [pilots.get(trial, trial) for trial in unlimited_trials]
            ended += measure_trials(name, trials, parts) if trials else []
            forks |= _find_enough_forks(forks, turn[-1], ended, request)
        hung |= {run.trial.benchmark for run in ended if isinstance(run.outcome, TimedOut)}
        runs += ended
        if repetition == 1 and time_limit is not None:
            repetitions = _count_affordable_runs(runs, time_limit, request)
            working = [trials_of[benchmark.id] for benchmark in benchmarks if benchmark not in hung]
            repetitions = max(repetitions, _count_stored_runs(working, pilots, parts))
    limited = replace(parts, request=replace(request, stability_runs=repetitions))
    return MeasuredSuite(tuple(_replace_busy_runs(runs, limited)), forks, repetitions)


FEWEST_RUNS = 2
"""Runs of the suite that tell a spread."""


def _count_affordable_runs(
    first_runs: Sequence[Run], time_limit: float, request: SuiteRequest
) -> int:
    """Return how many runs of the suite fit into a time, each as long as the first.

    A benchmark that hung is in no further run.
    """
    seconds = sum(run.seconds for run in first_runs if not isinstance(run.outcome, TimedOut))
    fitting = int(time_limit / seconds) if seconds > 0 else request.stability_runs
    return min(request.stability_runs, max(FEWEST_RUNS, fitting))


def _count_stored_runs(
    trials: Sequence[Trial], pilots: Mapping[Trial, Trial], parts: StudyContext
) -> int:
    """Return how many of the first runs of the suite an earlier command has made."""
    if parts.deadline is not None and parts.deadline.is_rehearsal:
        return 0  # what a rehearsal looks up counts as planned
    wanted_runs = parts.request.stability_runs
    for repetition in range(1, wanted_runs + 1):
        numbered_trials = (replace(trial, repetition=repetition) for trial in trials)
        if not all(parts.store.has_run(pilots.get(trial, trial)) for trial in numbered_trials):
            return repetition - 1
    return wanted_runs


def _split_forks(request: SuiteRequest, repetition: int) -> list[range]:
    """Return the forks that run before anybody looks whether more are worth it."""
    forks = range(1, request.plan.forks + 1)
    looks = request.watched is not None and request.watched.watch.width is not None
    return [range(fork, fork + 1) for fork in forks] if looks and repetition == 1 else [forks]


def _find_enough_forks(
    forks: Forks, fork_count: int, runs: Sequence[Run], request: SuiteRequest
) -> dict[str, int]:
    """Return how many forks those benchmarks have for which as many as were made are enough."""
    if request.watched is None or request.watched.watch.width is None:
        return {}
    width = request.watched.watch.width
    return {
        name: fork_count
        for name, trial_runs in group_by_benchmark(runs).items()
        if forks[name] > fork_count and measure_forks_width(trial_runs) <= width
    }


def first_failure(runs: Sequence[Run]) -> str:
    """Say of the first that failed which benchmark it is, and why."""
    run = next(run for run in runs if not isinstance(run.outcome, Measured))
    name = run.trial.benchmark.id if run.trial.benchmark else "the unit tests"
    return f"{name}: {describe_failure(run.outcome)}"[:600]


def _replace_busy_runs(runs: Sequence[Run], parts: StudyContext) -> list[Run]:
    """Return the runs, those of a busy machine replaced by repeats on a quiet one where possible.

    A repeat has a number of its own, so that the store has both.
    """
    spoilt = dict(_group_busy_runs(runs, parts.request.stability_runs))
    if not spoilt:
        return list(runs)
    quiet: dict[RunKey, Sequence[Run]] = {}
    missing: dict[RunKey, Sequence[Trial]] = {}
    for key, processes in spoilt.items():
        earlier, trials = _next_repeat([run.trial for run in processes], parts)
        if earlier:
            quiet[key] = earlier
        else:
            missing[key] = trials
    repeats = _choose_affordable(missing, parts)
    if repeats and _becomes_quiet(_choose_wait_limit(runs, parts), parts):
        for key, trials in repeats.items():
            trial_runs = measure_trials(
                "runs of the suite again, as the machine was busy", trials, parts
            )
            if _is_quiet(trial_runs, len(trials)):
                quiet[key] = trial_runs
            elif trial_runs:
                break  # the machine is busy again
    return [
        trial_run
        for run in runs
        for trial_run in quiet.get(_make_run_key(run), (run,))
        if _is_same_fork(trial_run, run)
    ]


def _becomes_quiet(seconds: float, parts: StudyContext) -> bool:
    parts.observer.phase_started("waiting for a quiet machine", 0, seconds)
    return parts.becomes_quiet(seconds)


def _group_busy_runs(runs: Sequence[Run], run_count: int) -> Iterator[tuple[RunKey, Sequence[Run]]]:
    by_benchmark: dict[str, list[Run]] = {}
    for run in runs:
        by_benchmark.setdefault(_make_run_key(run)[0], []).append(run)
    for name, benchmark_runs in by_benchmark.items():
        for number in find_busy_runs(benchmark_runs, run_count):
            yield (name, number), [run for run in benchmark_runs if run.trial.repetition == number]


def _next_repeat(
    trials: Sequence[Trial], parts: StudyContext
) -> tuple[Sequence[Run], Sequence[Trial]]:
    """Return the processes of an earlier repeat that was quiet, else the trials of the next one."""
    for times in count(1):
        later = [
            replace(trial, repetition=trial.repetition + times * REPEAT_OFFSET) for trial in trials
        ]
        stored_trials = [trial for trial in later if parts.store.find_run(trial) is not None]
        runs = (
            measure_trials("runs of the suite again", stored_trials, parts) if stored_trials else []
        )
        if _is_quiet(runs, len(later)):
            return runs, ()
        if len(runs) < len(later):
            return (), later
    raise AssertionError  # the store has no end of runs


def _choose_affordable(
    trials: Mapping[RunKey, Sequence[Trial]], parts: StudyContext
) -> dict[RunKey, Sequence[Trial]]:
    """Return what may be run again: all without a budget, nothing in a rehearsal."""
    deadline = parts.deadline
    if deadline is None:
        return dict(trials)
    left, affordable = REPEATS_PART * deadline.seconds_left, {}
    for key, repeat_trials in trials.items():
        left -= sum(map(deadline.times.estimate_seconds, repeat_trials))
        if left < 0 or deadline.prevented:
            break
        affordable[key] = repeat_trials
    return affordable


def _choose_wait_limit(runs: Iterable[Run], parts: StudyContext) -> float:
    """Return how many seconds to wait for a quiet machine at most."""
    limits = [LONGEST_WAIT, WAIT_PART * sum(run.seconds for run in runs)]
    if parts.deadline is not None:
        limits.append(BUDGET_PART * parts.deadline.seconds_left)
    return min(limits)


def _is_quiet(runs: Sequence[Run], processes: int) -> bool:
    strain = HostInterference.combine_processes((run.seconds, run.strain) for run in runs)
    is_measured = all(isinstance(run.outcome, Measured) for run in runs)
    return len(runs) == processes and is_measured and not is_busy(strain)


def _make_run_key(run: Run) -> RunKey:
    return (run.trial.benchmark.id if run.trial.benchmark else "", run.trial.repetition)


def _is_same_fork(repeat: Run, run: Run) -> bool:
    """Tell whether a process of the repeat of a run replaces this process: they are one fork."""
    return repeat.trial.fork == run.trial.fork
