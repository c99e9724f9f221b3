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
from auditor.core.suite import IterationSettings
from auditor.core.units import format_duration, format_percent
from auditor.core.values import OPERATIONS, TIME, WALL
from auditor.measure import readings
from auditor.stats.compare import relative_width
from auditor.warmup.validity import shown_seconds

_LEVEL = 0.95
_LEAST_FORKS = 2
_NAMED = 10
"""Processes of a benchmark whose warm-up is named."""

WatchedRuns = list[tuple[Run, Measured]]


def describe_benchmark_warmup(runs: Sequence[Run]) -> Iterator[Caveat]:
    """Say when the processes of a benchmark were warm, and how many were not seen warm.

    `runs` are those of the benchmark.
    """
    watched_runs = _select_watched(runs)
    came_to = [entry.warmed for _, entry in watched_runs if entry.warmed]
    warm = [warmup_result.warm for warmup_result in came_to if warmup_result.warm is not None]
    cold_count = len(watched_runs) - len(warm)
    if warm:
        seconds = median(
            measure_phase_seconds(entry, Phase.WARMUP)
            for _, entry in watched_runs
            if entry.warmed and entry.warmed.warm is not None
        )
        criterion = came_to[0].method
        text = (
            f"warm after {_format_numbers(warm)} iterations by {criterion}, median {seconds:.3g} s"
        )
        since = [warmup_result.since for warmup_result in came_to if warmup_result.warm is not None]
        if any(entry is not None for entry in since):
            text += f"; steady since about iteration {_format_numbers(since)}"
        yield Caveat("warm-after", text)
    if cold_count:
        text = (
            f"{cold_count} of {len(watched_runs)} processes did not reach steady state; their last "
            "iterations are measured instead"
        )
        yield Caveat("not-seen-warm", text)
    if short := sum(not warmup_result.enough for warmup_result in came_to) - cold_count:
        text = (
            f"{short} of {len(watched_runs)} processes ended before enough was measured; raise "
            "warmup.limit or warmup.iterations"
        )
        yield Caveat("measured-less", text)


def _format_numbers(numbers: Sequence[int | None]) -> str:
    named = ("?" if number is None else str(number) for number in numbers[:_NAMED])
    return ", ".join(named) + (", …" if len(numbers) > _NAMED else "")


def describe_suite_warmup(runs: Sequence[Run]) -> Iterator[Caveat]:
    """Say how long the processes took beside the suite's own settings, and which were not warm."""
    watched_runs = _select_watched(runs)
    pairs = [
        (
            measure_phase_seconds(outcome, Phase.WARMUP)
            + measure_phase_seconds(outcome, Phase.MEASUREMENT),
            _sum_configured_seconds(settings),
        )
        for run, outcome in watched_runs
        if run.trial.benchmark
        and (settings := run.trial.benchmark.configured)
        and not settings.is_single
    ]
    if pairs:
        took, configured = map(sum, zip(*pairs, strict=True))
        text = (
            f"{len(pairs)} processes with a stopping rule ran {format_duration(took)} in total; "
            f"the suite's own settings take {format_duration(configured)}"
        )
        yield Caveat("watched-time", text)
    benchmarks = {run.trial.benchmark.id for run, _ in watched_runs if run.trial.benchmark}
    cold = {
        run.trial.benchmark.id
        for run, outcome in watched_runs
        if outcome.warmed and outcome.warmed.warm is None and run.trial.benchmark
    }
    if cold:
        text = (
            f"{len(cold)} of {len(benchmarks)} benchmarks have processes that did not reach "
            f"steady state ({list_some(sorted(cold))}); raise warmup.iterations and warmup.limit"
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


def measure_warmups(runs: Sequence[Run]) -> dict[str, MeasuredWarmup]:
    """Return how benchmarks warm up, by their ids: as long as the longest of processes.

    One of which a process was not seen warm has nothing.
    """
    warmups: dict[str, MeasuredWarmup] = {}
    cold = set()
    for run, outcome in _select_watched(runs):
        if run.trial.benchmark is None or outcome.warmed is None:
            continue
        name = run.trial.benchmark.id
        if outcome.warmed.warm is None:
            cold.add(name)
        else:
            measured_warmup = _measure_warmup(run, outcome, outcome.warmed.warm)
            before = warmups.get(name, measured_warmup)
            warmups[name] = max(
                before, measured_warmup, key=lambda warmup: (warmup.seconds, warmup.iterations)
            )
    return {name: warmup for name, warmup in warmups.items() if name not in cold}


def _measure_warmup(run: Run, outcome: Measured, warm: int) -> MeasuredWarmup:
    benchmark = run.trial.benchmark
    settings = benchmark.configured if benchmark else None
    operation_series = outcome.find_series(OPERATIONS, ArmName.PLAIN, Phase.WARMUP)
    return MeasuredWarmup(
        iterations=warm,
        seconds=measure_phase_seconds(outcome, Phase.WARMUP),
        operations=sum(operation_series.values) if operation_series else 0.0,
        threads=benchmark.threads if benchmark else 1,
        planned=run.trial.schedule.seconds,
        single=settings is not None and settings.is_single,
    )


def measure_forks_width(runs: Sequence[Run]) -> float:
    """Return how wide the 95 % interval of the mean over forks is, relative to it.

    `runs` are those of a benchmark; infinite where fewer than two of them have measured something.
    """
    means = [
        fmean(times) for run in runs if (times := readings.list_block_times(run, ArmName.PLAIN))
    ]
    return relative_width(means, _LEVEL) if len(means) >= _LEAST_FORKS else math.inf


def describe_watching(request: SuiteRequest, runs: Sequence[Run]) -> Iterator[Caveat]:
    """Say where processes were not watched as asked for, and where fewer forks were enough."""
    if request.watched is not None:
        watch = request.watched.watch
        yield from describe_substitution(watch, (run.trial.watch for run in runs))
        yield from _fewer_forks(runs, request.plan.forks, watch.width)


def _fewer_forks(runs: Sequence[Run], planned: int, width: float | None) -> Iterator[Caveat]:
    """Say which benchmarks have fewer forks than planned, as more were not worth it."""
    if width is None:
        return
    runs_by_id: dict[str, list[Run]] = {}
    for run, _ in _select_watched(runs):
        if run.trial.benchmark is not None and original_repetition(run.trial.repetition) == 1:
            runs_by_id.setdefault(run.trial.benchmark.id, []).append(run)
    fewer = [
        f"{name}: {len(trial_runs)}"
        for name, trial_runs in runs_by_id.items()
        if len(trial_runs) < planned and measure_forks_width(trial_runs) <= width
    ]
    if fewer:
        text = (
            f"{len(fewer)} of {len(runs_by_id)} benchmarks have fewer than {planned} forks, as the "
            f"interval of their mean is already within {format_percent(width, 2)} "
            f"({list_some(sorted(fewer))})"
        )
        yield Caveat("fewer-forks", text)


def describe_substitution(
    rule: StoppingRule, watches: Iterable[StoppingRule | None]
) -> Iterator[Caveat]:
    """Say which methods looked instead of the one that was asked for."""
    for method in sorted({watch.method for watch in watches if watch} - {rule.method}):
        text = (
            f"{rule.method} is validated only for iterations of about "
            f"{shown_seconds(rule.method)}; {method}, which needs no training, was used instead"
        )
        yield Caveat("watched-otherwise", text)


def _select_watched(runs: Sequence[Run]) -> WatchedRuns:
    return [
        (run, run.outcome)
        for run in readings.of_purpose(runs, Purpose.SUITE)
        if isinstance(run.outcome, Measured) and run.outcome.warmed is not None
    ]


def measure_phase_seconds(outcome: Measured, phase: Phase) -> float:
    """Return how many seconds the blocks of a phase took together."""
    if walls := outcome.find_series(WALL, ArmName.PLAIN, phase):
        return sum(walls.values)
    times = outcome.find_series(TIME, ArmName.PLAIN, phase)
    operations = outcome.find_series(OPERATIONS, ArmName.PLAIN, phase)
    if times is None or operations is None:
        return 0.0
    return sum(
        seconds * many for seconds, many in zip(times.values, operations.values, strict=True)
    )


def _sum_configured_seconds(settings: IterationSettings) -> float:
    """Return how long the iterations of a process last by the suite's own settings."""
    return (
        settings.warmup_iterations * settings.warmup_seconds
        + settings.measurement_iterations * settings.measurement_seconds
    )
