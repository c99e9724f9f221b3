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


def sensitivity(corpus: Corpus, args: argparse.Namespace) -> None:
    """Print the indices, and draw them where that is asked for."""
    problem = {"num_vars": len(BOUNDS), "names": list(BOUNDS), "bounds": list(BOUNDS.values())}
    samples = sampling.sample(problem, args.samples, seed=np.random.default_rng(SEED))
    upper = PERCENTILE if args.percentile is None else args.percentile
    result = scores(corpus, [make_detector(row, upper) for row in samples], args.keep)
    print(f"{len(judged(corpus).series)} series that people call steady; upper percentile "
          f"{upper:g} (published script: {PERCENTILE:g}); {args.samples} samples, {len(samples)} "
          f"evaluations (published: {PUBLISHED_SAMPLES * len(samples) // args.samples}); seed "
          f"{SEED}\n")  # fmt: skip
    squares = np.array([score.squares for score in result], dtype=np.float64)
    if not squares.std():
        sys.exit("all evaluations have the same errors, so no parameter can be told to matter")
    sobol_indices = indices(analysis.analyze(problem, squares, seed=SEED))
    print("\n".join(table(sobol_indices)))
    if args.figure is not None:
        args.figure.write_text(figure(sobol_indices, len(samples)))


def make_detector(sample: Sequence[float], upper: float) -> KbKssd:
    """Return the detector of one sample, parameters in the order of `BOUNDS`."""
    window, step_window, critical, probability, outlier_window = map(float, sample)
    return KbKssd(
        window=round(window),
        step_window=round(step_window),
        critical=critical,
        probability=probability,
        outlier_window=(round(outlier_window) - 1) // 2 * 2 + 1,
        upper=upper,
        least_steady=0,
    )


def indices(estimates: dict[str, np.ndarray]) -> Indices:
    """Return what SALib found with the names of parameters."""

    def index(kind: str, *position: int) -> Index:
        value, half = float(estimates[kind][position]), float(estimates[f"{kind}_conf"][position])
        return Index(value, value - half, value + half)

    names = list(enumerate(BOUNDS))
    return Indices(
        first={name: index("S1", number) for number, name in names},
        total={name: index("ST", number) for number, name in names},
        second={(a, b): index("S2", i, j) for i, a in names for j, b in names if i < j},
    )


def grid(corpus: Corpus, args: argparse.Namespace) -> None:
    """Print the best of the grid, and where the published optimum is among them."""
    optimum = KbKssd(upper=KbKssd().upper if args.percentile is None else args.percentile)
    configurations = [
        replace(optimum, **dict(zip(GRID, values, strict=True)))
        for values in product(*GRID.values())
    ]
    number = len(configurations) if args.sample is None else min(args.sample, len(configurations))
    rng = np.random.default_rng(SEED)
    sampled = [
        configurations[index] for index in rng.choice(len(configurations), number, replace=False)
    ]
    tried = list(dict.fromkeys([optimum, *sampled]))
    result = dict(zip(tried, scores(corpus, tried, args.keep), strict=True))
    references = judged(corpus).references
    print(f"{len(references)} series that people call steady; upper percentile {optimum.upper:g}; "
          f"{len(sampled)} of {len(configurations)} configurations, seed {SEED}")  # fmt: skip
    for statistic, aggregate in (("total", _total), ("mean", _mean)):
        print(f"\nbest by {statistic} error (iterations)")
        print(f"{'':>15}{'total':>9}{'mean':>8}{'series':>8}  "
              + "".join(f"{PARAMETERS[name]:>6}" for name in GRID))  # fmt: skip
        ranked = sorted(tried, key=lambda detector: aggregate(result[detector]))
        for number, detector in enumerate(ranked[:BEST], start=1):
            print(_row(f"{number}", detector, result[detector]))
        print(_row(f"published, {ranked.index(optimum) + 1}", optimum, result[optimum]))
    constant = int(np.median(references))
    errors = abs(references - constant)
    print(
        f"\nalways {constant}: total {errors.sum()}, mean {errors.mean():.1f}, "
        f"all {len(errors)} series"
    )


def _total(score: Score) -> float:
    return score.distance


def _mean(score: Score) -> float:
    return score.distance / score.steady if score.steady else float("inf")


def _row(head: str, detector: KbKssd, score: Score) -> str:
    values = "".join(f"{getattr(detector, name):>6g}" for name in GRID)
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
