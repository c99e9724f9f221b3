"""Are the runs of a benchmark alike enough to be compared? (Bauer et al., ICPE 2023)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from auditor.core.caveats import Caveat
from auditor.core.series.similarity import Clusters, Five, PairSimilarity, Similarity
from auditor.stats import dissimilarity
from auditor.stats.arrays import Array
from auditor.stats.dissimilarity import Compressor, Sax, deflated

Linkage = Literal["single", "average", "complete", "weighted"]
"""How far groups are apart by their members; others of scipy's ask for coordinates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """The parameters of both algorithms.

    `theta` and `votes` are the paper's (Section 3.2), the others ours. Words of 1,000 symbols from
    8 and DEFLATE tell copies with a hundredth of noise (0.19) from independent noise (0.97), nearly
    the fastest that do (`benchmarks/similarity.py --settings`). With average linkage and a cut of
    0.25, SAME calls about as many benchmarks of the paper's corpus dissimilar (25 %) as the paper
    says (23 %).
    """

    theta: float = 0.25  # dissimilarity that counts
    votes: int = 3  # number of measures that decide
    sax: Sax = dissimilarity.DEFAULT_SAX  # words that M2 compresses
    compressor: Compressor = deflated  # of M2
    linkage: Linkage = "average"  # of the groups of SAME
    cut: float = 0.25  # distance at which groups of SAME are no longer joined
    least_values: int = 200
    """Runs of fewer get a caveat: independent noise does not reach 0.9 in them (0.6 in 50
    values)."""


PAPER = Parameters()


def judge(
    benchmark: str, runs: Sequence[Sequence[float]], parameters: Parameters = PAPER
) -> Similarity:
    """Judge the runs of a benchmark, each its values in the order measured, in any one unit.

    Runs without values, or with one that is not finite, are left out; the others are cut to the
    shortest of them. Fewer than two, and nothing can be told. Each has its caveat.
    """
    compared = tuple(index for index, run in enumerate(runs) if len(run) and np.isfinite(run).all())
    caveats = _left_out(len(runs), compared)
    if len(compared) < 2:
        return _unknown(benchmark, compared, caveats)
    least = min(len(runs[at]) for at in compared)
    rows = np.array([runs[at][:least] for at in compared], dtype=np.float64)
    pairs = _pairs(rows, compared, parameters)
    means = _five([float(one) for one in np.mean([pair.measures for pair in pairs], axis=0)])
    groups = clusters([pair.distance for pair in pairs], compared, parameters)
    dissimilar = is_dissimilar(means, parameters)
    apart = standing_apart(pairs)
    return Similarity(
        benchmark=benchmark,
        compared=compared,
        values=least,
        means=means,
        dissimilar=dissimilar,
        apart=apart,
        clusters=groups,
        pairs=pairs,
        caveats=(
            *caveats,
            *_cut({at: len(runs[at]) for at in compared}),
            *_short(least, parameters.least_values),
            *_constant(rows, compared),
            *_scattered(pairs, apart, groups),
        ),
    )


def is_dissimilar(measures: Five, parameters: Parameters = PAPER) -> bool:
    """Return whether enough of the measures exceed theta: those of a pair, or means over pairs."""
    return sum(measure > parameters.theta for measure in measures) >= parameters.votes


def standing_apart(pairs: Sequence[PairSimilarity]) -> tuple[int, ...]:
    """Return the runs that are unlike more than half of the others, if less than half of all are.

    Where at least half are, nothing is left that they could stand apart from.
    """
    unlike = dict.fromkeys(sorted({at for pair in pairs for at in (pair.first, pair.second)}), 0)
    for pair in pairs:
        unlike[pair.first] += pair.dissimilar
        unlike[pair.second] += pair.dissimilar
    apart = tuple(at for at, count in unlike.items() if 2 * count > len(unlike) - 1)
    return apart if 2 * len(apart) < len(unlike) else ()


def clusters(
    distances: Sequence[float], runs: Sequence[int], parameters: Parameters = PAPER
) -> Clusters:
    """Group `runs` by the distances of all pairs, in the order of `itertools.combinations`."""
    from scipy.cluster import hierarchy  # noqa: PLC0415 slow to load, and few commands need it

    joined = hierarchy.linkage(np.array(distances), method=parameters.linkage)
    labels = hierarchy.fcluster(joined, t=parameters.cut, criterion="distance")
    found = [
        tuple(at for at, one in zip(runs, labels, strict=True) if one == label)
        for label in sorted(set(labels))
    ]
    groups = tuple(sorted(found, key=lambda group: (-len(group), group)))
    has_main = len(groups) == 1 or len(groups[0]) > len(groups[1])
    outside = sorted(at for group in groups[1:] for at in group) if has_main else ()
    return Clusters(groups=groups, outside=tuple(outside), height=float(joined[-1, 2]))


def _pairs(
    rows: Array, compared: Sequence[int], parameters: Parameters
) -> tuple[PairSimilarity, ...]:
    from scipy.spatial.distance import squareform  # noqa: PLC0415 as above

    five = dissimilarity.five(rows, sax=parameters.sax, compressor=parameters.compressor)
    same = np.mean(dissimilarity.same(rows), axis=0)
    condensed = [squareform(one, checks=False).tolist() for one in (*five, same)]
    pairs = []
    for (first, second), values in zip(
        combinations(compared, 2), zip(*condensed, strict=True), strict=True
    ):
        *measures, distance = values
        made = _five(measures)
        pairs.append(
            PairSimilarity(
                first=first,
                second=second,
                measures=made,
                dissimilar=is_dissimilar(made, parameters),
                distance=distance,
            )
        )
    return tuple(pairs)


def _five(values: Sequence[float]) -> Five:
    m1, m2, m3, m4, m5 = values
    return m1, m2, m3, m4, m5


def _unknown(benchmark: str, compared: tuple[int, ...], caveats: tuple[Caveat, ...]) -> Similarity:
    text = f"only {len(compared)} run has values, and a comparison needs 2; give another run"
    return Similarity(
        benchmark=benchmark,
        compared=compared,
        values=0,
        means=None,
        dissimilar=None,
        apart=(),
        clusters=None,
        pairs=(),
        caveats=(*caveats, Caveat("one-run", text)),
    )


def _left_out(given: int, compared: Sequence[int]) -> tuple[Caveat, ...]:
    lost = sorted(set(range(given)) - set(compared))
    if not lost:
        return ()
    text = f"runs left out, as they have no values or values that are not finite: {_named(lost)}"
    return (Caveat("runs-left-out", text),)


def _cut(lengths: dict[int, int]) -> tuple[Caveat, ...]:
    least, most = min(lengths.values()), max(lengths.values())
    if least == most:
        return ()
    shortest = _named([at for at, length in lengths.items() if length == least])
    text = (
        f"the runs have {least} to {most} values; only the first {least} are compared, as "
        f"{shortest} has no more"
    )
    return (Caveat("runs-cut", text),)


def _short(values: int, least: int) -> tuple[Caveat, ...]:
    if values >= least:
        return ()
    text = f"{values} values in each run: the compression measure M2 needs {least}"
    return (Caveat("short-runs", text),)


def _constant(rows: Array, compared: Sequence[int]) -> tuple[Caveat, ...]:
    same = rows.min(axis=1) == rows.max(axis=1)
    if not same.any():
        return ()
    named = _named([at for at, one in zip(compared, same, strict=True) if one])
    text = f"runs whose values are all equal, and so dissimilar to all others: {named}"
    return (Caveat("constant-runs", text),)


def _scattered(
    pairs: Sequence[PairSimilarity], apart: tuple[int, ...], groups: Clusters
) -> tuple[Caveat, ...]:
    unlike = sum(pair.dissimilar for pair in pairs)
    caveats = []
    if not apart and 2 * unlike > len(pairs):
        text = (
            f"{unlike} of {len(pairs)} pairs are dissimilar, so no single run is the outlier; "
            "repeat all runs"
        )
        caveats.append(Caveat("no-run-apart", text))
    if groups.dissimilar and not groups.outside:
        sizes = " and ".join(str(len(group)) for group in groups.groups)
        text = f"the runs form groups of {sizes}, none the largest, so no run is an outlier"
        caveats.append(Caveat("no-main-group", text))
    return tuple(caveats)


def _named(runs: Sequence[int]) -> str:
    """Return what people call the runs, who count from one."""
    return f"run {', '.join(str(at + 1) for at in runs)}"
