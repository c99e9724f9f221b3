"""What a configuration of JMH would have done to a series of iterations of about 100 ms.

Source: `stopping-rules.md` in docs; Traini et al. (EMSE 2022). Indices are 0-based; a series'
*last warm-up* iteration is one less than its first steady one.
"""

from collections.abc import Sequence

import numpy as np

from auditor.core.series.stored import StoredProcess
from auditor.core.suite import IterationSettings
from auditor.stats.arrays import Array
from auditor.warmup.detector import Values

ITERATION_SECONDS = 0.1
"""An iteration of the series ends with the first operation after so long."""


def place_warmup(lasts: Array, settings: IterationSettings) -> tuple[int, int]:
    """Return the last warm-up and the last measured of iterations that last so long.

    Longer iterations are made of those that there are, one after the other; what an iteration
    lasts too long is not taken off the next. The series may end before the settings do.
    """
    lasting = lasts.tolist()
    warm = _count_values(lasting, settings.warmup_seconds, settings.warmup_iterations)
    rest = lasting[warm:]
    measured_count = _count_values(
        rest, settings.measurement_seconds, settings.measurement_iterations
    )
    return warm - 1, warm + measured_count - 1


def _count_values(lasting: Sequence[float], seconds: float, iterations: int) -> int:
    """Return how many values make so many iterations; all, where they are too few."""
    if iterations == 0:
        return 0
    iteration_count, passed = 0, 0.0
    for number, duration in enumerate(lasting, start=1):
        passed += duration
        if passed >= seconds:
            iteration_count, passed = iteration_count + 1, 0.0
        if iteration_count >= iterations:
            return number
    return len(lasting)


def estimate_iteration_times(values: Values, iteration_seconds: float = ITERATION_SECONDS) -> Array:
    """Return how long each iteration took: it ends with the first operation after its time."""
    return np.asarray(np.ceil(iteration_seconds / values) * values)


def read_iteration_times(process: StoredProcess) -> Array | None:
    """Return how long each iteration of a process took, its warm-up first; None: nobody knows."""
    if process.operations is not None:
        return process.operations * np.asarray(process.all_values, dtype=np.float64)
    if process.iteration_seconds is None:
        return None
    warm_up = process.warmup_seconds or process.iteration_seconds
    return np.concatenate(
        (
            estimate_iteration_times(np.asarray(process.warmups, dtype=np.float64), warm_up),
            estimate_iteration_times(
                np.asarray(process.seconds, dtype=np.float64), process.iteration_seconds
            ),
        )
    )
