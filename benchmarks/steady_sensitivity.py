"""Which of KB-KSSD's parameters matter, and which are best? On the series that people call steady.

Without `--grid`: Sobol's indices (first and second order, total, 95 % intervals) of the sum of
squared errors with the -1 of unsteady series left in, beside the published ones. As the published
script does: windows are rounded, the outlier window down to an odd one, any start but none counts
as steady, and the upper percentile is 85, not the 98 of the detector (`--percentile`). 2,048
samples are the published number, 512 that of its stability run. Needs SALib (the dependency group
`dev`).

With `--grid`: the sum of absolute errors, unsteady series left out, of the published code's grid.
What is left out differs between configurations, so the mean over what counts is shown, too.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
from corpus import Corpus, add_option, opened
from SALib.analyze import sobol as analysis
from SALib.sample import sobol as sampling
from steady_indices import PARAMETERS, Index, Indices, figure, table
from steady_scores import Score, judged, scores

from auditor.warmup.kbkssd import KbKssd

SEED = 20_261_122
PERCENTILE = 85.0
"""Of the published script, whatever the detector's own."""
BOUNDS = {
    "window": (400.5, 600.5),
    "step_window": (50.5, 90.5),
    "critical": (3.5, 5.5),
    "probability": (0.75, 0.95),
    "outlier_window": (80.5, 120.5),
}
PUBLISHED_SAMPLES = 2048
GRID = {
    "outlier_window": (80, 90, 100, 110, 120),
    "window": (200, 350, 500, 650, 800),
    "critical": (3.0, 3.5, 4.0, 4.5),
    "step_window": (60, 70, 80, 90, 100),
    "probability": (0.75, 0.8, 0.85, 0.9, 0.95),
}
BEST = 10


def sensitivity(corpus: Corpus, asked: argparse.Namespace) -> None:
    """Print the indices, and draw them where that is asked for."""
    problem = {"num_vars": len(BOUNDS), "names": list(BOUNDS), "bounds": list(BOUNDS.values())}
    drawn = sampling.sample(problem, asked.samples, seed=np.random.default_rng(SEED))
    upper = PERCENTILE if asked.percentile is None else asked.percentile
    result = scores(corpus, [configured(row, upper) for row in drawn], asked.keep)
    print(f"{len(judged(corpus).series)} series that people call steady; upper percentile "
          f"{upper:g} (published script: {PERCENTILE:g}); {asked.samples} samples, {len(drawn)} "
          f"evaluations (published: {PUBLISHED_SAMPLES * len(drawn) // asked.samples}); seed "
          f"{SEED}\n")  # fmt: skip
    squares = np.array([score.squares for score in result], dtype=np.float64)
    if not squares.std():
        sys.exit("all evaluations have the same errors, so no parameter can be told to matter")
    ours = indices(analysis.analyze(problem, squares, seed=SEED))
    print("\n".join(table(ours)))
    if asked.figure is not None:
        asked.figure.write_text(figure(ours, len(drawn)))


def configured(drawn: Sequence[float], upper: float) -> KbKssd:
    """Return the detector of one sample, parameters in the order of `BOUNDS`."""
    window, step_window, critical, probability, outlier_window = map(float, drawn)
    return KbKssd(
        window=round(window),
        step_window=round(step_window),
        critical=critical,
        probability=probability,
        outlier_window=(round(outlier_window) - 1) // 2 * 2 + 1,
        upper=upper,
        least_steady=0,
    )


def indices(found: dict[str, np.ndarray]) -> Indices:
    """Return what SALib found with the names of parameters."""

    def index(kind: str, *at: int) -> Index:
        value, half = float(found[kind][at]), float(found[f"{kind}_conf"][at])
        return Index(value, value - half, value + half)

    names = list(enumerate(BOUNDS))
    return Indices(
        first={name: index("S1", at) for at, name in names},
        total={name: index("ST", at) for at, name in names},
        second={(a, b): index("S2", i, j) for i, a in names for j, b in names if i < j},
    )


def grid(corpus: Corpus, asked: argparse.Namespace) -> None:
    """Print the best of the grid, and where the published optimum is among them."""
    optimum = KbKssd(upper=KbKssd().upper if asked.percentile is None else asked.percentile)
    every = [
        replace(optimum, **dict(zip(GRID, values, strict=True)))
        for values in product(*GRID.values())
    ]
    number = len(every) if asked.sample is None else min(asked.sample, len(every))
    rng = np.random.default_rng(SEED)
    drawn = [every[at] for at in rng.choice(len(every), number, replace=False)]
    tried = list(dict.fromkeys([optimum, *drawn]))
    result = dict(zip(tried, scores(corpus, tried, asked.keep), strict=True))
    references = judged(corpus).references
    print(f"{len(references)} series that people call steady; upper percentile {optimum.upper:g}; "
          f"{len(drawn)} of {len(every)} configurations, seed {SEED}")  # fmt: skip
    for what, worth in (("total", _total), ("mean", _mean)):
        print(f"\nbest by {what} error (iterations)")
        print(f"{'':>15}{'total':>9}{'mean':>8}{'series':>8}  "
              + "".join(f"{PARAMETERS[name]:>6}" for name in GRID))  # fmt: skip
        ranked = sorted(tried, key=lambda one: worth(result[one]))
        for number, one in enumerate(ranked[:BEST], start=1):
            print(_row(f"{number}", one, result[one]))
        print(_row(f"published, {ranked.index(optimum) + 1}", optimum, result[optimum]))
    constant = int(np.median(references))
    off = abs(references - constant)
    print(f"\nalways {constant}: total {off.sum()}, mean {off.mean():.1f}, all {len(off)} series")


def _total(one: Score) -> float:
    return one.distance


def _mean(one: Score) -> float:
    return one.distance / one.steady if one.steady else float("inf")


def _row(head: str, one: KbKssd, score: Score) -> str:
    values = "".join(f"{getattr(one, name):>6g}" for name in GRID)
    return f"{head:>15}{score.distance:>9}{_mean(score):>8.1f}{score.steady:>8}  {values}"


def power_of_two(text: str) -> int:
    """Read a number of samples: Sobol's sequence is balanced at powers of two only."""
    number = int(text)
    if number < 2 or number.bit_count() > 1:
        raise argparse.ArgumentTypeError("a power of two, 2 or more")
    return number


def main(arguments: Sequence[str] | None = None) -> None:
    """Evaluate and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_option(parser)
    parser.add_argument(
        "--samples", type=power_of_two, default=PUBLISHED_SAMPLES, help="N, of 12 N evaluations"
    )
    parser.add_argument(
        "--percentile", type=float, help="the upper one (default: 85, with --grid 98)"
    )
    parser.add_argument("--grid", action="store_true", help="search the grid instead")
    parser.add_argument("--sample", type=int, help="so many of the grid, drawn with a fixed seed")
    parser.add_argument("--keep", type=Path, help="a file of evaluations, gone on with")
    parser.add_argument("--figure", type=Path, help="where the indices are drawn, as SVG")
    args = parser.parse_args(arguments)
    if args.sample is not None and not args.grid:
        parser.error("--sample is of the --grid")
    if args.figure is not None and args.grid:
        parser.error("--figure shows indices, which --grid has none of")
    with opened(args.data) as corpus:
        (grid if args.grid else sensitivity)(corpus, args)


if __name__ == "__main__":
    main()
