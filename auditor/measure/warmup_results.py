"""What processes came to that ended once they were warm, in words."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from auditor.core.caveats import Caveat, list_some
from auditor.core.outcome import Measured
from auditor.core.plan import Purpose, Run, original_repetition
from auditor.core.request import SuiteRequest
from auditor.core.schedule import ArmName, Phase
from auditor.core.stop_rules import StoppingRule
from auditor.core.suite import Configured
from auditor.core.units import duration, percent
from auditor.core.values import OPERATIONS, TIME, WALL
from auditor.measure import readings
from auditor.stats.compare import relative_width
from auditor.warmup.validity import shown_seconds

_LEVEL = 0.95
_LEAST_FORKS = 2
_NAMED = 10
"""Processes of a benchmark whose warm-up is named."""

Watched = list[tuple[Run, Measured]]


def of_benchmark(runs: Sequence[Run]) -> Iterator[Caveat]:
    """Say when the processes of a benchmark were warm, and how many were not seen warm.

    `runs` are those of the benchmark.
    """
    found = _watched(runs)
    came_to = [one.warmed for _, one in found if one.warmed]
    warm = [warmup_result.warm for warmup_result in came_to if warmup_result.warm is not None]
    cold = len(found) - len(warm)
    if warm:
        seconds = median(
            lasted(one, Phase.WARMUP)
            for _, one in found
            if one.warmed and one.warmed.warm is not None
        )
        by = came_to[0].method
        text = f"warm after {_numbers(warm)} iterations by {by}, {seconds:.3g} s in the median"
        since = [warmup_result.since for warmup_result in came_to if warmup_result.warm is not None]
        if any(one is not None for one in since):
            text += f"; steady since iteration {_numbers(since)}, as far as can be told"
        yield Caveat("warm-after", text)
    if cold:
        text = (
            f"{cold} of {len(found)} processes were not seen warm; their last iterations count "
            "instead"
        )
        yield Caveat("not-seen-warm", text)
    if short := sum(not warmup_result.enough for warmup_result in came_to) - cold:
        text = f"{short} of {len(found)} processes ended before as much was measured as asked for"
        yield Caveat("measured-less", text)


def _numbers(of: Sequence[int | None]) -> str:
    named = ("?" if one is None else str(one) for one in of[:_NAMED])
    return ", ".join(named) + (", …" if len(of) > _NAMED else "")


def of_suite(runs: Sequence[Run]) -> Iterator[Caveat]:
    """Say how long the processes took beside the suite's own settings, and which were not warm."""
    found = _watched(runs)
    pairs = [
        (lasted(one, Phase.WARMUP) + lasted(one, Phase.MEASUREMENT), _seconds(settings))
        for run, one in found
        if run.trial.benchmark
        and (settings := run.trial.benchmark.configured)
        and not settings.is_single
    ]
    if pairs:
        took, configured = map(sum, zip(*pairs, strict=True))
        text = (
            f"{len(pairs)} watched processes ran {duration(took)}; with the settings that the "
            f"suite has, {duration(configured)}"
        )
        yield Caveat("watched-time", text)
    benchmarks = {run.trial.benchmark.id for run, _ in found if run.trial.benchmark}
    cold = {
        run.trial.benchmark.id
        for run, one in found
        if one.warmed and one.warmed.warm is None and run.trial.benchmark
    }
    if cold:
        text = (
            f"{len(cold)} of {len(benchmarks)} benchmarks have processes that were not seen warm "
            f"({list_some(sorted(cold))}); with more warmup.iterations and a longer warmup.limit "
            "they may be"
        )
        yield Caveat("not-seen-warm", text)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredWarmup:
    """How long a watched process was cold."""

    iterations: int  # number of cold iterations
    seconds: float  # of all of them together
    operations: float  # number in all of them together
    threads: int  # that did one operation each at a time
    planned: float  # seconds that an iteration was to last
    single: bool  # whether each iteration is one call

    @property
    def operation_seconds(self) -> float:
        """Return how long an iteration lasts for each of its operations."""
        return self.seconds / self.operations if self.operations else 0.0

    @property
    def least_seconds(self) -> float:
        """Return what an iteration lasts at least, however short it is to be: that of one call.

        A call may count as many operations. The last one of an iteration begins within its time, so
        what is beyond that is a part of it.
        """
        beyond = self.seconds / max(1, self.iterations) - self.planned
        return max(self.threads * self.operation_seconds, beyond)


def warm_ups(runs: Sequence[Run]) -> dict[str, MeasuredWarmup]:
    """Return how benchmarks warm up, by their ids: as long as the longest of processes.

    One of which a process was not seen warm has nothing.
    """
    found: dict[str, MeasuredWarmup] = {}
    cold = set()
    for run, one in _watched(runs):
        if run.trial.benchmark is None or one.warmed is None:
            continue
        name = run.trial.benchmark.id
        if one.warmed.warm is None:
            cold.add(name)
        else:
            measured_warmup = _warm_up(run, one, one.warmed.warm)
            before = found.get(name, measured_warmup)
            found[name] = max(
                before, measured_warmup, key=lambda warmup: (warmup.seconds, warmup.iterations)
            )
    return {name: warmup for name, warmup in found.items() if name not in cold}


def _warm_up(run: Run, outcome: Measured, warm: int) -> MeasuredWarmup:
    benchmark = run.trial.benchmark
    settings = benchmark.configured if benchmark else None
    done = outcome.of(OPERATIONS, ArmName.PLAIN, Phase.WARMUP)
    return MeasuredWarmup(
        iterations=warm,
        seconds=lasted(outcome, Phase.WARMUP),
        operations=sum(done.values) if done else 0.0,
        threads=benchmark.threads if benchmark else 1,
        planned=run.trial.schedule.seconds,
        single=settings is not None and settings.is_single,
    )


def forks_width(runs: Sequence[Run]) -> float:
    """Return how wide the 95 % interval of the mean over forks is, relative to it.

    `runs` are those of a benchmark; infinite where fewer than two of them have measured something.
    """
    means = [fmean(found) for run in runs if (found := readings.times(run, ArmName.PLAIN))]
    return relative_width(means, _LEVEL) if len(means) >= _LEAST_FORKS else math.inf


def of_request(request: SuiteRequest, runs: Sequence[Run]) -> Iterator[Caveat]:
    """Say where processes were not watched as asked for, and where fewer forks were enough."""
    if request.watched is not None:
        watch = request.watched.watch
        yield from otherwise(watch, (run.trial.watch for run in runs))
        yield from _fewer_forks(runs, request.plan.forks, watch.width)


def _fewer_forks(runs: Sequence[Run], planned: int, width: float | None) -> Iterator[Caveat]:
    """Say which benchmarks have fewer forks than planned, as more were not worth it."""
    if width is None:
        return
    made: dict[str, list[Run]] = {}
    for run, _ in _watched(runs):
        if run.trial.benchmark is not None and original_repetition(run.trial.repetition) == 1:
            made.setdefault(run.trial.benchmark.id, []).append(run)
    fewer = [
        f"{name}: {len(trial_runs)}"
        for name, trial_runs in made.items()
        if len(trial_runs) < planned and forks_width(trial_runs) <= width
    ]
    if fewer:
        text = (
            f"{len(fewer)} of {len(made)} benchmarks have fewer than {planned} forks, as the "
            f"interval of the mean over those is no wider than {percent(width, 2)} "
            f"({list_some(sorted(fewer))})"
        )
        yield Caveat("fewer-forks", text)


def otherwise(rule: StoppingRule, watches: Iterable[StoppingRule | None]) -> Iterator[Caveat]:
    """Say which methods looked instead of the one that was asked for."""
    for method in sorted({watch.method for watch in watches if watch} - {rule.method}):
        text = (
            f"{rule.method} has been shown to work for iterations of "
            f"{shown_seconds(rule.method)} only; "
            f"{method}, which needs no training, looked at the others"
        )
        yield Caveat("watched-otherwise", text)


def _watched(runs: Sequence[Run]) -> Watched:
    return [
        (run, run.outcome)
        for run in readings.of_purpose(runs, Purpose.SUITE)
        if isinstance(run.outcome, Measured) and run.outcome.warmed is not None
    ]


def lasted(outcome: Measured, phase: Phase) -> float:
    """Return how many seconds the blocks of a phase took together."""
    if walls := outcome.of(WALL, ArmName.PLAIN, phase):
        return sum(walls.values)
    times = outcome.of(TIME, ArmName.PLAIN, phase)
    operations = outcome.of(OPERATIONS, ArmName.PLAIN, phase)
    if times is None or operations is None:
        return 0.0
    return sum(one * many for one, many in zip(times.values, operations.values, strict=True))


def _seconds(settings: Configured) -> float:
    """Return how long the iterations of a process last by the suite's own settings."""
    return (
        settings.warmup_iterations * settings.warmup_seconds
        + settings.measurement_iterations * settings.measurement_seconds
    )
