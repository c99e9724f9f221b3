"""Ways to stop a warm-up, replayed over the corpus beside the settings and the dynamic rules.

Reads a folder in the layout of the shared set (or the public whole). The ways need no model: the
stored last warm-up iteration itself (`perfect`, which nobody can know beforehand), and a warm-up of
so many iterations for all. What they come to says what a model can reach: metrics of Section 4 of
the study of learned stopping (ASE 2024), the best of its models beside them.
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from corpus import Corpus, add_option, opened
from quantities import table
from replaying import Replayed, figures, judgeable, replayed

from auditor.audits.steady.scorers.windows import WINDOW
from auditor.core.suite import Configured
from auditor.training.replay import LIMIT, Iterations

PERFECT = "perfect"
ITERATIONS = (0, 30, 100, 300)
MARGINS = ((50, 300), (100, 500))
"""What somebody waits on who knows the start, and where the warm-up ends at the latest."""


def ways(starts: Sequence[int]) -> dict[str, list[Iterations]]:
    """Return the last warm-up and the last measured iteration of each fork, by way."""
    known = [start if start >= 0 else LIMIT - 1 for start in starts]
    found = {PERFECT: [(start, start + WINDOW) for start in known]}
    for margin, most in MARGINS:
        its = [min(start + margin, most - 1) for start in known]
        found[f"{PERFECT} + {margin}, at most {most}"] = [(one, one + WINDOW) for one in its]
    for number in ITERATIONS:
        found[f"{number} iterations"] = [(number - 1, number + WINDOW - 1)] * len(starts)
    return found


def _replayed(
    corpus: Corpus, resamples: int, task: tuple[str, Configured]
) -> dict[tuple[str, str], Replayed]:
    known = ways(corpus.starts(f"{task[0]}.json"))
    return replayed(corpus, resamples, task[0], task[1], known)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_option(parser)
    parser.add_argument("--resamples", type=int, default=10_000, help="for each interval")
    asked = parser.parse_args(arguments)
    with opened(asked.data) as corpus, ProcessPoolExecutor() as pool:
        work = partial(_replayed, corpus, asked.resamples)
        found = list(pool.map(work, judgeable(corpus), chunksize=4))
    table("net: better less worse (by quality, by time; worse by these)", figures(found))


if __name__ == "__main__":
    main()
