"""Ways to stop a warm-up, replayed over the corpus beside the settings and the dynamic rules.

Reads a folder in the layout of the shared set (or the public whole). The ways need no model: the
stored last warm-up iteration itself (`perfect`), the first window whose mean is that of the steady
part of its fork but for so much (`right`), both of which nobody can know beforehand, and a warm-up
of so many iterations for all. What they come to says what a model can reach: metrics of Section 4
of the study of learned stopping (ASE 2024), the best of its models beside them.
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
from corpus import Corpus, add_option, opened
from quantities import table
from replaying import Replayed, figures, judgeable, replayed
from training.looks import steady_mean
from training.replay import LIMIT, Iterations

from auditor.core.suite import IterationSettings
from auditor.warmup.detector import WINDOW

PERFECT = "perfect"
ITERATIONS = (0, 30, 100, 300)
MARGINS = ((0, 500), (50, 300), (100, 500))
"""What somebody waits on who knows the start, and where the warm-up ends at the latest."""
TOLERANCES = (0.005, 0.01, 0.02)
"""What the mean of a window may be off, as a part, for somebody who knows what it should be."""


def ways(forks: Sequence[np.ndarray], starts: Sequence[int]) -> dict[str, list[Iterations]]:
    """Return the last warm-up and the last measured iteration of each fork, by way."""
    numbers = [start if start >= 0 else LIMIT - 1 for start in starts]
    stops_by_way = {PERFECT: [(start, start + WINDOW) for start in numbers]}
    for margin, most in MARGINS:
        its = [min(start + margin, most - 1) for start in numbers]
        stops_by_way[f"{PERFECT} + {margin}, at most {most}"] = [
            (last_warm_up, last_warm_up + WINDOW) for last_warm_up in its
        ]
    for part in TOLERANCES:
        firsts = [right(values, start, part) for values, start in zip(forks, starts, strict=True)]
        stops_by_way[f"right within {part:.1%}"] = [
            (first - 1, first + WINDOW - 1) for first in firsts
        ]
    for number in ITERATIONS:
        stops_by_way[f"{number} iterations"] = [(number - 1, number + WINDOW - 1)] * len(starts)
    return stops_by_way


def right(values: np.ndarray, start: int, part: float) -> int:
    """Return where the first window begins whose mean is right but for such a part."""
    sums = np.concatenate(([0.0], values[: LIMIT + WINDOW - 1].cumsum()))
    deviations = abs((sums[WINDOW:] - sums[:-WINDOW]) / WINDOW / steady_mean(values, start) - 1)
    hits = np.flatnonzero(deviations < part)
    return int(hits[0]) if hits.size else LIMIT


def _replayed(
    corpus: Corpus, resamples: int, task: tuple[str, IterationSettings]
) -> dict[tuple[str, str], Replayed]:
    name = f"{task[0]}.json"
    stops_by_way = ways(corpus.series(name), corpus.starts(name))
    return replayed(corpus, resamples, task, stops_by_way)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_option(parser)
    parser.add_argument("--resamples", type=int, default=10_000, help="for each interval")
    args = parser.parse_args(arguments)
    with opened(args.data) as corpus, ProcessPoolExecutor() as pool:
        work = partial(_replayed, corpus, args.resamples)
        result = list(pool.map(work, judgeable(corpus), chunksize=4))
    table("net: better less worse (by quality, by time; worse by these)", figures(result))


if __name__ == "__main__":
    main()
