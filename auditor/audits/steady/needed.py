"""Which warm-up would be long enough, and what a run of the suite saves with it."""

from collections.abc import Sequence
from math import ceil

import numpy as np

from auditor.audits.steady.configured import lengths
from auditor.core.steady import Needed, SeriesSteadiness
from auditor.core.stored import StoredProcess
from auditor.stats.arrays import Array

WITHIN = 0.01
"""How far from the steady mean the mean of a time from the start on may be."""
TIMES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
"""Seconds that are tried, as people write them."""


def needed(
    judged: Sequence[tuple[StoredProcess, SeriesSteadiness]], runs: int = 1
) -> Needed | None:
    """Return what the processes of a benchmark need, all of `runs` runs of the suite together.

    None where none of them gets warm, and where nobody knows how long their iterations are.
    """
    warm = [(one, found.steady_from) for one, found in judged if found.steady_from is not None]
    lasting = {one.iteration_seconds for one, _ in warm}
    seconds = lasting.pop() if len(lasting) == 1 else None
    if not warm or seconds is None:
        return None
    series = [(np.asarray(one.whole), start) for one, start in warm]
    times = [(lengths(values, seconds), values, start) for values, start in series]
    until = max(float(lasts[:start].sum()) for lasts, _, start in times)
    iterations, each = _written(until, max(start for *_, start in times), seconds, warm[0][0])
    return Needed(
        seconds=until,
        operations=max(
            round(float((lasts / values)[:start].sum())) for lasts, values, start in times
        ),
        iterations=iterations,
        iteration_seconds=each,
        saved_seconds=_saved([one for one, _ in judged], iterations * each, seconds, runs),
        measured_seconds=_enough(times),
    )


def _written(until: float, start: int, seconds: float, one: StoredProcess) -> tuple[int, float]:
    """Return iterations and the time of each as an author would write them.

    The author's own length is kept, where one is not too long; else many short iterations become
    seconds.
    """
    own = one.configured.warmup_seconds if one.configured else seconds
    if own >= 1 and (until >= own or one.configured is None):
        return ceil(until / own) if one.configured else start, own
    return (ceil(until), 1.0) if until >= 1 else (start, seconds)


def _saved(
    processes: Sequence[StoredProcess], enough: float, seconds: float, runs: int
) -> float | None:
    """Return by how much a run of the suite gets shorter; None where no warm-up is configured."""
    configured = processes[0].configured
    if configured is not None:
        whole = configured.warmup_iterations * configured.warmup_seconds
        return configured.forks * (whole - enough)
    if not any(one.warmups for one in processes):
        return None
    spent = [float(lengths(np.asarray(one.warmups), seconds).sum()) for one in processes]
    return sum(each - enough for each in spent) / runs


def _enough(times: Sequence[tuple[Array, Array, int]]) -> float | None:
    """Return the first of TIMES that is long enough in all processes."""
    return next((one for one in TIMES if all(_is_enough(one, *each) for each in times)), None)


def _is_enough(seconds: float, lasts: Array, values: Array, start: int) -> bool:
    """Tell whether all operations of so long together have the steady mean, nearly."""
    until = int(np.searchsorted(np.cumsum(lasts), seconds)) + 1
    if until > len(values):
        return False
    mean = float(lasts[:until].sum() / (lasts / values)[:until].sum())
    steady = float(lasts[start:].sum() / (lasts / values)[start:].sum())
    return abs(mean / steady - 1) <= WITHIN
