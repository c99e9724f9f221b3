"""What does it cost to look at an iteration, beside the 100 ms that it lasts?

Shows a made-up run of 600 iterations to each rule, none of which may stop, and prints the median
and the slowest percent of what an iteration takes from the first whole window on, and how long it
took to read the model.
"""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from auditor.core.stop_rules import TRAINED, Criterion
from auditor.warmup.detector import WINDOW
from auditor.warmup.scorers.files import load_shipped_model
from auditor.warmup.stop_rules import ScoredRule

ITERATIONS = 600
LASTS = 0.1
PUBLISHED = {Criterion.FCN: "9 %", Criterion.OSCNN: "2 %", Criterion.ROCKET: "2 %"}
"""Of an iteration (ASE 2024, on its machine)."""
NEVER = 2.0


def run(seed: int) -> Sequence[float]:
    """Return a run with a step and noise, seconds per operation."""
    rng = np.random.default_rng(seed)
    values = 1e-6 * np.exp(0.03 * rng.standard_normal(ITERATIONS))
    values[:80] *= 2
    return [float(value) for value in values]


def costs(method: Criterion) -> np.ndarray:
    """Return the seconds that each iteration takes, (iterations,)."""
    rule, durations = ScoredRule(replace(load_shipped_model(method), threshold=NEVER)), []
    for value in run(1):
        started = time.perf_counter()
        rule.observe_iteration(value, LASTS)
        durations.append(time.perf_counter() - started)
    return np.array(durations[WINDOW:])


def main() -> None:
    """Print a line for each model."""
    print(f"{'':<10}{'median':>10}{'99 %':>10}{'of 100 ms':>12}{'published':>12}{'read':>10}")
    for method in sorted(TRAINED):
        started = time.perf_counter()
        load_shipped_model(method)
        read = time.perf_counter() - started
        result = costs(method)
        middle, slowest = np.percentile(result, (50, 99))
        print(
            f"{method:<10}{1e3 * middle:>7.2f} ms{1e3 * slowest:>7.2f} ms{middle / LASTS:>12.2%}"
            f"{PUBLISHED.get(method, '-'):>12}{1e3 * read:>7.0f} ms"
        )


if __name__ == "__main__":
    main()
