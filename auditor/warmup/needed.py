"""Which warm-up would be long enough, and what a run of the suite saves with it."""

from collections.abc import Sequence
from math import ceil

import numpy as np

from auditor.core.series.steady import NeededWarmup, SeriesSteadiness
from auditor.core.series.stored import StoredProcess
from auditor.core.suite import IterationSettings
from auditor.stats.arrays import Array
from auditor.warmup.configured import read_iteration_times

WITHIN = 0.01
"""How far from the steady mean the mean of a time from the start on may be."""
TIMES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
"""Seconds that are tried, as people write them."""

Judged = Sequence[tuple[StoredProcess, SeriesSteadiness]]
Times = Sequence[tuple[Array, Array, int]]
"""Of each warm process how long its iterations took, their values, and the first steady one."""


def needed_warmup(judged: Judged) -> NeededWarmup | None:
    """Return what the processes of a benchmark need, those of all runs of the suite.

    None where none of them gets warm, and where nobody knows how long their iterations are.
    """
    times, seconds = [], set()
    for process, steadiness in judged:
        if steadiness.steady_from is not None:
            iteration_times = read_iteration_times(process)
            if iteration_times is None:
                return None
            times.append((iteration_times, np.asarray(process.all_values), steadiness.steady_from))
            seconds.add(process.iteration_seconds)
    if len(seconds) != 1:
        return None
    until = max(float(iteration_times[:start].sum()) for iteration_times, _, start in times)
    configured = next(
        (stored_process.configured for stored_process, _ in judged if stored_process.configured),
        None,
    )
    operation = max(float(np.median(values[start:])) for _, values, start in times)
    iterations, iteration_seconds = _round_warmup(
        until, max(start for *_, start in times), (seconds.pop(), operation), configured
    )
    total_seconds = until
    if iteration_seconds is not None:
        total_seconds = _estimate_duration(iterations, iteration_seconds, operation)
    return NeededWarmup(
        seconds=until,
        operations=max(
            round(float((iteration_times / operation_seconds)[:start].sum()))
            for iteration_times, operation_seconds, start in times
        ),
        iterations=iterations,
        iteration_seconds=iteration_seconds,
        saved_seconds=_estimate_saving(judged, total_seconds, (configured, operation)),
        measured_seconds=_find_sufficient_time(times),
    )


def _estimate_duration(iterations: int, iteration_seconds: float, operation: float) -> float:
    """Return how long iterations last, each of which ends with the first operation after it."""
    return iterations * max(1, ceil(iteration_seconds / operation)) * operation


def _round_warmup(
    until: float,
    start: int,
    measured: tuple[float | None, float],
    configured: IterationSettings | None,
) -> tuple[int, float | None]:
    """Return iterations and the time of each as an author would write them.

    `measured` are the time of the iterations that were measured and of an operation. The author's
    own time is kept, where that is not too long; else many short iterations become seconds.
    """
    seconds, operation = measured
    if seconds is None:
        return start, None
    if configured is not None and 0 < configured.warmup_seconds <= until:
        iteration_seconds = configured.warmup_seconds
    elif until < 1 or (configured is None and seconds >= 1):
        return start, seconds
    else:
        iteration_seconds = 1.0
    return ceil(until / _estimate_duration(1, iteration_seconds, operation)), iteration_seconds


def _estimate_saving(
    judged: Judged, enough: float, settings: tuple[IterationSettings | None, float]
) -> float | None:
    """Return by how much a run of the suite gets shorter; None where no warm-up is configured."""
    configured, operation = settings
    if configured is not None:
        configured_duration = _estimate_duration(
            configured.warmup_iterations, configured.warmup_seconds, operation
        )
        return configured.forks * (configured_duration - enough)
    process_runs = [
        (stored_process, steadiness.run)
        for stored_process, steadiness in judged
        if stored_process.failure is None
    ]
    if not any(stored_process.warmups for stored_process, _ in process_runs):
        return None
    spent = 0.0
    for process, _ in process_runs:
        iteration_times = read_iteration_times(process)
        spent += (
            0.0 if iteration_times is None else float(iteration_times[: len(process.warmups)].sum())
        )
    return (spent - len(process_runs) * enough) / len({run for _, run in process_runs})


def _find_sufficient_time(times: Times) -> float | None:
    """Return the first of TIMES that is long enough in all processes."""
    return next(
        (seconds for seconds in TIMES if all(_is_enough(seconds, *time) for time in times)), None
    )


def _is_enough(seconds: float, lasts: Array, values: Array, start: int) -> bool:
    """Tell whether all operations of so long together have the steady mean, nearly."""
    until = int(np.searchsorted(np.cumsum(lasts), seconds)) + 1
    if until > len(values):
        return False
    mean = float(lasts[:until].sum() / (lasts / values)[:until].sum())
    steady = float(lasts[start:].sum() / (lasts / values)[start:].sum())
    return abs(mean / steady - 1) <= WITHIN
