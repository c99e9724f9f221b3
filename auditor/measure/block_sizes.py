"""How long the blocks of each benchmark have to be, and how many operations they hold."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import mul
from statistics import median

from auditor.core.outcome import Measured, Outcome, TimedOut
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.request import Plan
from auditor.core.schedule import ArmName, Phase, Schedule, count_fewest_operations
from auditor.core.suite import Benchmark
from auditor.core.values import ALLOCATED, OPERATIONS, TIME, WALL
from auditor.measure import readings, schedules
from auditor.measure.context import StudyContext
from auditor.measure.trials import measure_trials


@dataclass(frozen=True)
class BlockSizes:
    """The plan and the operations of a block of each benchmark, by its id, and who told them."""

    plans: Mapping[str, Plan]
    operations: Mapping[str, int | None]
    pilots: tuple[Run, ...]
    keeps_all_blocks: bool = True
    """All blocks of the plan are run, however long they last."""

    @property
    def counting_blocks(self) -> dict[str, int]:
        """Return the blocks in which calls are counted, where the plan has too many."""
        if self.keeps_all_blocks:
            return {}
        blocks = {
            name: schedules.counted_blocks(
                self.plans[name], seconds + self._set_up_seconds.get(name, 0.0)
            )
            for name, seconds in self._block_seconds.items()
            if name in self.plans
        }
        return {
            name: many for name, many in blocks.items() if many < 2 * self.plans[name].iterations
        }

    def make_plain_schedule(self, benchmark: Benchmark) -> Schedule:
        """Return the blocks of a process of the unchanged benchmark."""
        plan, operations = self.plans[benchmark.id], self.operations[benchmark.id]
        if not self.keeps_all_blocks:
            block_seconds = self._block_seconds.get(benchmark.id, 0.0)
            set_up_seconds = self._set_up_seconds.get(benchmark.id, 0.0)
            plan = schedules.shorten_plan(plan, block_seconds, set_up_seconds)
        return schedules.make_plain_schedule(plan, operations)

    @cached_property
    def _block_seconds(self) -> dict[str, float]:
        return estimate_block_seconds(self.pilots, self.operations)

    @cached_property
    def _set_up_seconds(self) -> dict[str, float]:
        return estimate_set_up_seconds(self.pilots, self.operations)


START_SECONDS = 1.0
"""Time that a process may take beside its blocks, before set-up between blocks counts as slow."""
PROGRAM_SECONDS = 0.25
"""Time that a process may take beside its blocks longer than another of the same program, before
set-up between blocks counts as slow."""
PARALLEL_SECONDS = 1.0
"""Longest block that is made longer so that all processors have something to do."""
OUTLASTS = 2
"""An operation that lasts more than this many blocks is a block by itself."""


def measure_block_sizes(benchmarks: Sequence[Benchmark], parts: StudyContext) -> BlockSizes:
    """Find out how long blocks have to be, and how many operations they hold, by one process."""
    plan = parts.request.plan
    pilot_runs = run_pilots(benchmarks, plan, parts) if parts.fixed_operations else []
    plans = _fit_plans(benchmarks, pilot_runs, plan)
    least = 2 if parts.request.keeps_all_blocks else 1
    operations = fit_block_operations(benchmarks, pilot_runs, plans, least)
    return BlockSizes(plans, operations, tuple(pilot_runs), parts.request.keeps_all_blocks)


def run_pilots(benchmarks: Sequence[Benchmark], plan: Plan, parts: StudyContext) -> list[Run]:
    """Run a process of each benchmark that tells how long an operation is."""
    return measure_trials(
        "pilot", [_make_pilot_trial(benchmark, plan, parts) for benchmark in benchmarks], parts
    )


def _make_pilot_trial(benchmark: Benchmark, plan: Plan, parts: StudyContext) -> Trial:
    """Return the process that tells how long an operation is, beside others if time is short.

    What one beside others tells serves later audits, too, so that nothing is measured again; one
    that was alone tells it more surely.
    """
    schedule = schedules.make_pilot_schedule(schedules.fit_plan(plan, benchmark))
    trial = parts.make_trial(Purpose.PILOT, benchmark, schedule)
    if benchmark.concurrency > 1:
        return trial
    rough_trial = replace(trial, rough=True)
    stored_trial = next(filter(parts.store.has_run, (trial, rough_trial)), None)
    return stored_trial or (rough_trial if parts.are_pilots_rough else trial)


def _fit_plans(
    benchmarks: Sequence[Benchmark], tried: Sequence[Run], plan: Plan
) -> dict[str, Plan]:
    """Return the plan of each benchmark, by what its pilot allocated."""
    rates = {}
    for run in tried:
        if isinstance(run.outcome, Measured) and run.trial.benchmark is not None:
            allocated = run.outcome.find_series(ALLOCATED, ArmName.PLAIN)
            times = readings.list_block_times(run, ArmName.PLAIN)
            if allocated and allocated.values and times:
                rates[run.trial.benchmark.id] = median(allocated.values) / median(times)
    return {
        benchmark.id: schedules.fit_plan(plan, benchmark, rates.get(benchmark.id, 0.0))
        for benchmark in benchmarks
    }


def fit_block_operations(
    benchmarks: Sequence[Benchmark],
    tried: Sequence[Run],
    plans: Mapping[str, Plan],
    least: int = 2,
) -> dict[str, int | None]:
    """Return how many operations a block holds: two at least, `least` of those that outlast it.

    Go's testing runs one operation in front of each block, unless the block has one operation only.
    """
    operations: dict[str, int | None] = {benchmark.id: None for benchmark in benchmarks}
    for run in tried:
        pilot = _read_pilot(run.outcome)
        if pilot is not None and run.trial.benchmark is not None:
            block_seconds = plans[run.trial.benchmark.id].iteration_seconds
            fitting = block_seconds / pilot.seconds
            most = pilot.most_operations * block_seconds / run.trial.schedule.seconds
            fewest = least if fitting * OUTLASTS < 1 else 2
            if run.trial.benchmark.concurrency > 1:
                several = count_fewest_operations(run.trial.benchmark.concurrency)
                fewest = max(fewest, min(several, int(PARALLEL_SECONDS / pilot.seconds)))
            operations[run.trial.benchmark.id] = max(fewest, round(min(fitting, most)))
    return operations


@dataclass(frozen=True, slots=True)
class _PilotReading:
    """What the blocks of a pilot tell."""

    seconds: float  # of an operation, in the quickest block
    operations: float  # of that block
    most_operations: float  # of any block


def _read_pilot(outcome: Outcome) -> _PilotReading | None:
    """Return what a pilot tells, None where it tells nothing.

    Of its blocks the quickest counts, also the warm-up: what else the machine does only adds to a
    block, and one that holds too few operations is wrong in all that is measured with it.
    """
    if not isinstance(outcome, Measured):
        return None
    blocks = []
    for phase in Phase:
        time = outcome.find_series(TIME, ArmName.PLAIN, phase)
        operations = outcome.find_series(OPERATIONS, ArmName.PLAIN, phase)
        if time and operations and operations.values and median(time.values) > 0:
            blocks.append((median(time.values), max(operations.values)))
    if not blocks:
        return None
    return _PilotReading(*min(blocks), most_operations=max(count for _, count in blocks))


def read_quickest_seconds(run: Run) -> float | None:
    """Return the seconds of an operation in the quickest block of a pilot, None without one."""
    pilot = _read_pilot(run.outcome)
    return None if pilot is None else pilot.seconds * _find_busy_share(run, pilot)


def estimate_block_seconds(
    tried: Sequence[Run], operations: Mapping[str, int | None]
) -> dict[str, float]:
    """Return the seconds that a block of each benchmark lasts, by its id, as its pilot shows.

    If the harness does not fix the number of operations, a block lasts as long as one operation, or
    as its part of the whole pilot, set-up included, of the blocks that it made before it ended.
    A pilot that timed out gives a lower bound.
    """
    block_seconds = {}
    for run in tried:
        name = run.trial.benchmark.id if run.trial.benchmark else ""
        fixed, times = operations.get(name), readings.list_block_times(run, ArmName.PLAIN)
        pilot = _read_pilot(run.outcome)
        if times and fixed is not None:
            operation_seconds = pilot.seconds if pilot else median(times)
            block_seconds[name] = fixed * operation_seconds * _find_busy_share(run, pilot)
        elif fixed is None and (pilot or times):
            operation_seconds = median(times) if times else pilot.seconds if pilot else 0.0
            whole_seconds = max(run.seconds - START_SECONDS, _sum_block_seconds(run)[1])
            block_seconds[name] = max(operation_seconds, whole_seconds / run.block_count)
        elif isinstance(run.outcome, TimedOut) and fixed is None:
            block_seconds[name] = run.outcome.after_seconds / len(run.trial.schedule.blocks)
    return block_seconds


def estimate_set_up_seconds(
    tried: Sequence[Run], operations: Mapping[str, int | None]
) -> dict[str, float]:
    """Return the seconds of set-up in front of a block of each benchmark, by its id.

    Only where the harness fixes the number of operations; else set-up is a part of the block. Where
    no clock shows set-up, it is what a process takes longer than those of its group, which begin
    with the same program. Go's testing then sets up once more than there are blocks.
    """
    runs_by_group: dict[str, dict[str, Run]] = {}
    for run in tried:
        benchmark = run.trial.benchmark
        if benchmark is None or operations.get(benchmark.id) is None:
            continue
        if isinstance(run.outcome, Measured):
            runs_by_group.setdefault(benchmark.group, {})[benchmark.id] = run
    set_up_seconds = {}
    for runs in runs_by_group.values():
        start_seconds = _bound_start_seconds(runs.values())
        for name, run in runs.items():
            set_up_seconds[name] = bound_set_up_seconds(run, start_seconds)
    return set_up_seconds


def _bound_start_seconds(runs: Collection[Run]) -> float:
    """Return what the start of processes takes at most that begin with the same program."""
    if len(runs) == 1:
        return START_SECONDS
    return PROGRAM_SECONDS + min(run.seconds - _sum_block_seconds(run)[0] for run in runs)


def bound_set_up_seconds(run: Run, start_seconds: float) -> float:
    """Return the most that the set-up in front of a block can take, as a pilot shows.

    Where no clock shows it, all that the process took beside its operations and its start may be
    set-up.
    """
    timed_seconds, clock_seconds = _sum_block_seconds(run)
    blocks = len(run.trial.schedule.blocks)
    if clock_seconds:
        return max(0.0, clock_seconds - timed_seconds) / blocks
    return max(0.0, run.seconds - timed_seconds - start_seconds) / (blocks + 1)


def _sum_block_seconds(run: Run) -> tuple[float, float]:
    """Return how long the operations of a pilot took, and its blocks by the clock."""
    timed_seconds = clock_seconds = 0.0
    outcome = run.outcome
    if not isinstance(outcome, Measured):
        return timed_seconds, clock_seconds
    for phase in Phase:
        times = outcome.find_series(TIME, ArmName.PLAIN, phase)
        counts = outcome.find_series(OPERATIONS, ArmName.PLAIN, phase)
        walls = outcome.find_series(WALL, ArmName.PLAIN, phase)
        if times and counts:
            timed_seconds += sum(map(mul, times.values, counts.values))
        clock_seconds += sum(walls.values) if walls else 0.0
    return timed_seconds, clock_seconds


def _find_busy_share(run: Run, pilot: _PilotReading | None) -> float:
    """Return the part of the processors that a pilot's operations kept busy.

    Where it had fewer operations than a full block has in flight at once, its time per operation is
    larger by as much.
    """
    if pilot is None:
        return 1.0
    concurrency = run.trial.benchmark.concurrency if run.trial.benchmark else 1
    return min(concurrency, max(1.0, pilot.operations)) / concurrency
