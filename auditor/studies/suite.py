"""The unchanged suite: which benchmarks there are, how long they take, how stable they are."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

import numpy as np

from auditor.audits import readings
from auditor.audits.failures import reason
from auditor.audits.steady.validity import trusted
from auditor.audits.watched import forks_width
from auditor.core.errors import NoBenchmarks
from auditor.core.measure import ALLOCATED, OPERATIONS, TIME
from auditor.core.outcome import Measured, TimedOut
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.request import Plan, SuiteRequest, WatchRequest
from auditor.core.schedule import ArmName, Schedule
from auditor.core.suite import Benchmark, Suite
from auditor.studies import schedules
from auditor.studies.measure import measure
from auditor.studies.parts import Parts
from auditor.studies.warming import warmed

_PATIENCE = 10
"""Times as long as planned may the block last in which a watched process comes to its limit."""


Forks = Mapping[str, int]
"""How many processes a run of a benchmark has, by its id."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """The plan and the operations of a block of each benchmark, by its id, and who told them."""

    plans: Mapping[str, Plan]
    operations: Mapping[str, int | None]
    pilots: tuple[Run, ...]

    def plain(self, benchmark: Benchmark) -> Schedule:
        """Return the blocks of a process of the unchanged benchmark."""
        return schedules.plain(self.plans[benchmark.id], self.operations[benchmark.id])


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What is known of the unchanged suite.

    `plans` are the request's, with blocks as long as suits the benchmark of that id; `operations`
    is the number that such a block holds, None where the harness cannot fix it. `pilots` are the
    runs that found it, `runs` those of the stability study. `usable` are the benchmarks that gave
    a measurement, or were kept from giving one by the deadline; of the latter, `unfinished` lack
    runs.
    """

    benchmarks: tuple[Benchmark, ...]
    usable: tuple[Benchmark, ...]
    unfinished: tuple[Benchmark, ...]
    plans: Mapping[str, Plan]
    operations: Mapping[str, int | None]
    pilots: tuple[Run, ...]
    runs: tuple[Run, ...]
    _by_benchmark: Mapping[str, tuple[Run, ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Sort the runs by benchmark: each pair asks for those of its own."""
        object.__setattr__(self, "_by_benchmark", by_benchmark(self.runs))

    def of(self, benchmark: Benchmark) -> tuple[Run, ...]:
        """Return the stability runs of a benchmark."""
        return self._by_benchmark.get(benchmark.id, ())

    def first_seconds(self, benchmark: Benchmark) -> float | None:
        """Return the median time per operation of the first run that has one.

        Trials are planned with it, and those made already stay valid when runs are added.
        """
        for run in self.of(benchmark):
            if times := readings.times(run, ArmName.PLAIN):
                return median(times)
        return None


def by_benchmark(runs: Iterable[Run]) -> dict[str, tuple[Run, ...]]:
    """Return the runs of each benchmark, by its id, in their order."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        if run.trial.benchmark is not None:
            found.setdefault(run.trial.benchmark.id, []).append(run)
    return {name: tuple(mine) for name, mine in found.items()}


def chosen(suite: Suite, pattern: str) -> tuple[Benchmark, ...]:
    """Return the benchmarks whose name or id holds a match; raises NoBenchmarks if none does."""
    search = re.compile(pattern).search
    found = tuple(one for one in suite.benchmarks if search(one.name) or search(one.id))
    if not found and (failing := unlisted(suite, pattern)):
        name, why = failing[0]
        raise NoBenchmarks(f"no benchmark that matches {pattern!r} can be listed: {name}: {why}")
    if not found and suite.benchmarks:
        some = ", ".join(benchmark.id for benchmark in suite.benchmarks[:5])
        raise NoBenchmarks(
            f"no benchmark matches {pattern!r}; the suite has {len(suite.benchmarks)}, such as "
            f"{some}"
        )
    if not found:
        why = "".join(f"; {name}: {reason}" for name, reason in suite.unusable[:3])
        raise NoBenchmarks(f"the subject has no benchmark that could be listed{why}")
    return found


def unlisted(suite: Suite, pattern: str) -> tuple[tuple[str, str], ...]:
    """Return id and reason of what matches as well, but could not be listed.

    Only its id is known: a name is what stands behind one of its dots.
    """
    search = re.compile(pattern).search
    return tuple(one for one in suite.unusable if any(map(search, _names(one[0]))))


def _names(name: str) -> Iterator[str]:
    yield name
    yield from (name[dot.end() :] for dot in re.finditer(r"\.", name))


def baseline(parts: Parts) -> Baseline:
    """Run the unchanged suite `stability_runs` times, in an order drawn anew for each run.

    Raises NoBenchmarks when nothing could be measured.
    """
    benchmarks = chosen(parts.suite, parts.request.benchmarks)
    size = sized(benchmarks, parts)
    failed = {run.trial.benchmark for run in size.pilots if not isinstance(run.outcome, Measured)}
    runnable = [benchmark for benchmark in benchmarks if benchmark not in failed]
    runs, forks = _suite_runs(runnable, size, parts)
    measured = {run.trial.benchmark for run in runs if isinstance(run.outcome, Measured)}
    failed |= {run.trial.benchmark for run in runs} - measured
    usable = tuple(benchmark for benchmark in benchmarks if benchmark not in failed)
    if not usable:
        first = first_failure([*size.pilots, *runs])
        raise NoBenchmarks(f"every benchmark fails; the first: {first}")
    return Baseline(
        benchmarks=benchmarks,
        usable=usable,
        unfinished=_unfinished(usable, runs, forks, parts),
        plans=warmed(size.plans, runs) if parts.request.watched else size.plans,
        operations=size.operations,
        pilots=size.pilots,
        runs=tuple(runs),
    )


def sized(benchmarks: Sequence[Benchmark], parts: Parts) -> Sizes:
    """Find out how long blocks have to be, and how many operations they hold, by one process."""
    plan = parts.request.plan
    tried = pilots(benchmarks, plan, parts) if parts.fixed_operations else []
    plans = _plans(benchmarks, tried, plan)
    return Sizes(plans, operations_in(benchmarks, tried, plans), tuple(tried))


def _unfinished(
    benchmarks: Sequence[Benchmark], runs: Sequence[Run], forks: Forks, parts: Parts
) -> tuple[Benchmark, ...]:
    """Return the benchmarks that lack runs and have not failed in one: the time was up."""
    wanted = parts.request.stability_runs
    made = Counter(run.trial.benchmark for run in runs)
    broken = {run.trial.benchmark for run in runs if not isinstance(run.outcome, Measured)}
    return tuple(
        one for one in benchmarks if made[one] < wanted * forks[one.id] and one not in broken
    )


def pilots(benchmarks: Sequence[Benchmark], plan: Plan, parts: Parts) -> list[Run]:
    """Run a process of each benchmark that tells how long an operation is."""
    trials = [
        parts.trial(Purpose.PILOT, one, schedules.pilot(schedules.fitted(plan, one)))
        for one in benchmarks
    ]
    return measure("pilot", trials, parts)


def _plans(benchmarks: Sequence[Benchmark], tried: Sequence[Run], plan: Plan) -> dict[str, Plan]:
    """Return the plan of each benchmark, by what its pilot allocated."""
    rates = {}
    for run in tried:
        if isinstance(run.outcome, Measured) and run.trial.benchmark is not None:
            allocated = run.outcome.of(ALLOCATED, ArmName.PLAIN)
            times = readings.times(run, ArmName.PLAIN)
            if allocated and allocated.values and times:
                rates[run.trial.benchmark.id] = median(allocated.values) / median(times)
    return {one.id: schedules.fitted(plan, one, rates.get(one.id, 0.0)) for one in benchmarks}


def operations_in(
    benchmarks: Sequence[Benchmark], tried: Sequence[Run], plans: Mapping[str, Plan]
) -> dict[str, int | None]:
    """Return how many operations last about a block; at least 2, as Go's counting needs."""
    found: dict[str, int | None] = {benchmark.id: None for benchmark in benchmarks}
    for run in tried:
        if isinstance(run.outcome, Measured) and run.trial.benchmark is not None:
            done = run.outcome.of(OPERATIONS, ArmName.PLAIN)
            time = run.outcome.of(TIME, ArmName.PLAIN)
            if done and time and done.values and median(time.values) > 0:
                wanted = plans[run.trial.benchmark.id].iteration_seconds
                fitting = wanted / median(time.values)
                most = max(done.values) * wanted / run.trial.schedule.seconds
                found[run.trial.benchmark.id] = max(2, round(min(fitting, most)))
    return found


def _suite_runs(
    benchmarks: Sequence[Benchmark], size: Sizes, parts: Parts
) -> tuple[list[Run], Forks]:
    """Run by run, so that a benchmark that hung in one run is not waited for in the next.

    The first run says how many forks of a benchmark are worth it; the others have as many.
    """
    request = parts.request
    runs: list[Run] = []
    hung: set[Benchmark | None] = set()
    forks: dict[str, int] = {one.id: request.plan.forks for one in benchmarks}
    trials_of = suite_trials(benchmarks, size, parts)
    for repetition in range(1, request.stability_runs + 1):
        order = np.random.default_rng([request.seed, repetition]).permutation(len(benchmarks))
        wanted = [benchmarks[index] for index in order if benchmarks[index] not in hung]
        name = f"suite run {repetition} of {request.stability_runs}"
        ended: list[Run] = []
        for turn in _turns(request, repetition):
            trials = [
                replace(trials_of[one.id], repetition=repetition, fork=fork)
                for one in wanted
                for fork in turn
                if fork <= forks[one.id]
            ]
            ended += measure(name, trials, parts) if trials else []
            forks |= _enough(forks, turn[-1], ended, request)
        hung |= {run.trial.benchmark for run in ended if isinstance(run.outcome, TimedOut)}
        runs += ended
    return runs, forks


def _turns(request: SuiteRequest, repetition: int) -> list[range]:
    """Return the forks that run before anybody looks whether more are worth it."""
    forks = range(1, request.plan.forks + 1)
    looks = request.watched is not None and request.watched.watch.width is not None
    return [range(one, one + 1) for one in forks] if looks and repetition == 1 else [forks]


def _enough(forks: Forks, made: int, runs: Sequence[Run], request: SuiteRequest) -> dict[str, int]:
    """Return how many forks those benchmarks have for which as many as were made are enough."""
    if request.watched is None or request.watched.watch.width is None:
        return {}
    width = request.watched.watch.width
    return {
        name: made
        for name, mine in by_benchmark(runs).items()
        if forks[name] > made and forks_width(mine) <= width
    }


def suite_trials(benchmarks: Sequence[Benchmark], size: Sizes, parts: Parts) -> dict[str, Trial]:
    """Return the trial of a process of each benchmark, by its id."""
    asked = parts.request.watched
    if asked is None:
        return {one.id: parts.trial(Purpose.SUITE, one, size.plain(one)) for one in benchmarks}
    mine = {one.id for one in benchmarks}
    harness = parts.project.harness
    plans = {
        one.id: schedules.watched(asked, size.plans[one.id], one, harness) for one in benchmarks
    }
    tried = [run for run in size.pilots if run.trial.benchmark and run.trial.benchmark.id in mine]
    operations = operations_in(benchmarks, tried, plans)
    return {
        one.id: _watched(
            parts.trial(Purpose.SUITE, one, schedules.plain(plans[one.id], operations[one.id])),
            asked,
            parts,
        )
        for one in benchmarks
    }


def _watched(trial: Trial, asked: WatchRequest, parts: Parts) -> Trial:
    """Return a trial that is watched; its blocks are the most that it does, not what it takes."""
    lasts = trial.schedule.seconds
    watch = trusted(asked.watch_of(lasts), parts.project.harness, lasts)
    seconds = parts.request.timeout_seconds + watch.seconds + _PATIENCE * lasts
    return replace(trial, watch=watch, timeout_seconds=seconds)


def first_failure(runs: Sequence[Run]) -> str:
    """Say of the first that failed which benchmark it is, and why."""
    run = next(run for run in runs if not isinstance(run.outcome, Measured))
    name = run.trial.benchmark.id if run.trial.benchmark else "the unit tests"
    return f"{name}: {reason(run.outcome)}"[:600]
