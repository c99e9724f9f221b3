"""How often does the sequential rule err, and how many pairs does it save?

Blocks are drawn from real noise: neighbouring iterations of a fork in its steady part, in random
order, one of them slowed by a known factor. As processes of Go have them they are three, plain,
probe and slowed, and what counts is (slowed - probe) / plain; with `--arms 2` (JMH, Python) the
quotient of two. Each process is judged against the limit of v / 2 by the sequential rule (it ends
when it is past the limit by as much as a process of an audit has to be) and by the fixed one (all
pairs).
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import log1p

import numpy as np
from corpus import Corpus, add_option, opened

from auditor.abs.judge.paired import STOP_MARGIN
from auditor.measure.readings import LEAST_LEFT
from auditor.stats.sequential import LOOKS, repeated_critical_value
from auditor.stats.signed_rank import estimate_shift

STEADY_FROM = 1500
"""Iterations of a fork before this are left out, whatever the fork's own steady state."""
LEVEL = 0.99
SHARES = (0.0, 0.25, 0.4, 0.45, 0.5, 0.55, 0.6, 0.75, 1.0)


@dataclass(slots=True)
class Count:
    """What one rule said, process by process."""

    above: int = 0
    below: int = 0
    pairs: list[int] = field(default_factory=list)

    def take(self, interval: tuple[float, float] | None, limit: float, pairs: int) -> None:
        """Count a verdict that was reached after so many pairs."""
        self.above += interval is not None and interval[0] > limit
        self.below += interval is not None and interval[1] < limit
        self.pairs.append(pairs)

    def __str__(self) -> str:
        """Return percentages of above and below, and the mean number of pairs."""
        times = len(self.pairs)
        return f"{self.above / times:7.2%} {self.below / times:7.2%} {np.mean(self.pairs):6.1f}"


def main() -> int:
    """Draw, judge, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=2000, help="per share of the method")
    parser.add_argument("--slowdown", type=float, default=0.6)
    parser.add_argument(
        "--arms", type=int, choices=(2, 3), default=3, help="blocks that a pair has"
    )
    parser.add_argument("--most", type=int, default=LOOKS[-1], help="pairs in a process")
    parser.add_argument("--seed", type=int, default=1)
    add_option(parser)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    with opened(arguments.data) as corpus:
        series = list(_series(corpus, arguments.most * arguments.arms))
    print(
        f"noise of {len(series)} forks; v = {arguments.slowdown}, "
        f"{arguments.processes} processes a line, {arguments.arms} arms"
    )
    print(f"{'':6} {'sequential':^23}  {'all ' + str(arguments.most) + ' pairs':^23}")
    head = f"{'above':>7} {'below':>7} {'pairs':>6}"
    print(f"{'share':6} {head}   {head}")
    for share in SHARES:
        early, fixed = _judged(share, arguments, series, rng)
        print(f"{share:6} {early}   {fixed}")
    return 0


def _series(corpus: Corpus, least: int) -> Iterator[np.ndarray]:
    """Yield the late part of each fork that has so many iterations, seconds per operation."""
    for name in corpus.names:
        for fork in corpus.series(name):
            values = fork[STEADY_FROM:]
            if values.size >= least and np.all(values > 0):
                yield values


def _judged(
    share: float, args: argparse.Namespace, series: Sequence[np.ndarray], rng: np.random.Generator
) -> tuple[Count, Count]:
    early, fixed = Count(), Count()
    limit = log1p(args.slowdown / 2)
    below, above = (log1p(args.slowdown / 2 * (1 + m)) for m in (-STOP_MARGIN, STOP_MARGIN))
    for _ in range(args.processes):
        logs = _process(share * args.slowdown, (args.most, args.arms), series, rng)
        for pairs in (*(look for look in LOOKS if look < args.most), args.most):
            interval = repeated_critical_value(logs[:pairs], args.most, LEVEL).interval
            if interval is not None and (interval[0] > above or interval[1] < below):
                break
        early.take(interval, limit, pairs)
        fixed.take(estimate_shift(logs, LEVEL).interval, limit, args.most)
    return early, fixed


def _process(
    effect: float, shape: tuple[int, int], series: Sequence[np.ndarray], rng: np.random.Generator
) -> np.ndarray:
    """Return the log ratios (pairs,) of a process whose operation is slowed by `effect`.

    `shape` is how many pairs it has, and how many blocks each of them.
    """
    pairs, arms = shape
    values = series[rng.integers(len(series))]
    start = rng.integers(values.size - pairs * arms + 1)
    blocks = rng.permuted(values[start : start + pairs * arms].reshape(shape), axis=1)
    slowed, probe, plain = blocks[:, 0] * (1 + effect), blocks[:, 1], blocks[:, -1]
    return np.log(np.maximum(LEAST_LEFT, 1 + (slowed - probe) / plain))


if __name__ == "__main__":
    sys.exit(main())
