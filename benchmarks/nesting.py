"""How many methods does a nested choice within a budget lose, beside the best one?

Suites of up to 20 benchmarks and 20 methods, drawn at random; of each, budgets from a tenth to
nine tenths of what the whole suite takes.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from auditor.select.judge import Candidate, choose_within_budget

LARGEST = 20
BUDGETS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9)


def main() -> int:
    """Draw suites and print how often how many methods are lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suites", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    lost: Counter[int] = Counter()
    for _ in range(arguments.suites):
        suite = draw_suite(rng)
        total_seconds = sum(candidate.seconds for candidate in suite)
        for share in BUDGETS:
            nested, best = (
                choose_within_budget(suite, share * total_seconds, nested=is_nested)
                for is_nested in (True, False)
            )
            lost[len(best.methods) - len(nested.methods)] += 1
    budgets = lost.total()
    print(
        f"{arguments.suites} suites, {budgets} budgets; fewer methods than the best choice detects:"
    )
    for number, times in sorted(lost.items()):
        print(f"{number:>6}: {times:>5} {100 * times / budgets:5.1f} %")
    return 0


def draw_suite(rng: np.random.Generator) -> list[Candidate]:
    """Draw a suite: each benchmark detects some of the methods."""
    benchmarks, methods = rng.integers(2, LARGEST, size=2, endpoint=True)
    share = rng.uniform(0.05, 0.4)
    return [
        Candidate(
            id=f"b{index}",
            seconds=float(rng.lognormal(0, 1)),
            max_spread=float(rng.uniform(0, 0.3)),
            detects=frozenset(
                f"m{number}" for number in np.flatnonzero(rng.random(methods) < share)
            ),
        )
        for index in range(benchmarks)
    ]


if __name__ == "__main__":
    sys.exit(main())
