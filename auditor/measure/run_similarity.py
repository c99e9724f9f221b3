"""Are the runs of a benchmark alike enough to be compared? (Bauer et al., ICPE 2023)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt

from auditor.core.caveats import Caveat
from auditor.core.series.similarity import MeasureValues, PairSimilarity, RunClusters, Similarity
from auditor.stats import dissimilarity
from auditor.stats.arrays import Array
from auditor.stats.dissimilarity import Compressor, Sax, measure_deflate_length

Linkage = Literal["single", "average", "complete", "weighted"]
"""How far groups are apart by their members; others of scipy's ask for coordinates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarityParameters:
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
    compressor: Compressor = measure_deflate_length  # of M2
    linkage: Linkage = "average"  # of the groups of SAME
    cut: float = 0.25  # distance at which groups of SAME are no longer joined
    least_values: int = 200
    """Runs of fewer get a caveat: independent noise does not reach 0.9 in them (0.6 in 50
    values)."""
    fewest_values: int = 30
    """Runs of fewer are not judged: of short runs with independent noise around one level,
    Algorithm 1 calls many dissimilar. Chosen, not measured."""


PAPER = SimilarityParameters()


def judge_runs(
    benchmark: str, runs: Sequence[Sequence[float]], parameters: SimilarityParameters = PAPER
) -> Similarity:
    """Judge the runs of a benchmark, each its values in the order measured, in any one unit.

    Runs without values, or with one that is not finite, are left out, and so are those of equal
    values where they lie at several levels. The others are cut to the shortest of them. Nothing
    can be told of fewer than two, and of runs with too few values. Each has its caveat.
    """
    compared = tuple(index for index, run in enumerate(runs) if len(run) and np.isfinite(run).all())
    caveats = _describe_left_out(len(runs), compared)
    if len(compared) < 2:
        return _make_unknown(benchmark, compared, (*caveats, _warn_of_one_run(len(compared))))
    least = min(len(runs[run_index]) for run_index in compared)
    rows = np.array([runs[run_index][:least] for run_index in compared], dtype=np.float64)
    comparable = _select_comparable_rows(rows)
    if len(comparable) < len(rows):
        caveats = (*caveats, *_describe_constant_runs(rows, compared))
        compared, rows = tuple(compared[index] for index in comparable), rows[comparable]
    if obstacle := _find_obstacle(rows, compared, parameters):
        return _make_unknown(benchmark, compared, (obstacle, *caveats), least)
    pairs = _compare_pairs(rows, compared, parameters)
    means = _unpack_measures(
        [float(mean) for mean in np.mean([pair.measures for pair in pairs], axis=0)]
    )
    groups = cluster_runs([pair.distance for pair in pairs], compared, parameters)
    dissimilar = _is_dissimilar(means, parameters)
    outlier_runs = find_outlier_runs(pairs)
    return Similarity(
        benchmark=benchmark,
        compared=compared,
        values=least,
        means=means,
        dissimilar=dissimilar,
        outlier_runs=outlier_runs,
        clusters=groups,
        pairs=pairs,
        caveats=(
            *caveats,
            *_describe_cut({run_index: len(runs[run_index]) for run_index in compared}),
            *_describe_short_runs(least, parameters.least_values),
            *_describe_constant_runs(rows, compared),
            *_describe_scatter(pairs, outlier_runs, groups),
        ),
    )


def _select_comparable_rows(rows: Array) -> list[int]:
    """Return the indices of the rows that can be compared.

    Of constant runs at different levels no measure tells how unlike they are: they are left out
    where two others remain.
    """
    constant = _find_constant_rows(rows)
    if len(np.unique(rows[constant])) < 2 or (~constant).sum() < 2:
        return list(range(len(rows)))
    return [int(index) for index in np.flatnonzero(~constant)]


def _is_dissimilar(measures: MeasureValues, parameters: SimilarityParameters = PAPER) -> bool:
    """Return whether enough of the measures exceed theta: those of a pair, or means over pairs."""
    return sum(measure > parameters.theta for measure in measures) >= parameters.votes


def find_outlier_runs(pairs: Sequence[PairSimilarity]) -> tuple[int, ...]:
    """Return the runs that are unlike more than half of the others, if less than half of all are.

    Where at least half are, nothing is left that they could stand apart from.
    """
    dissimilar_counts = dict.fromkeys(
        sorted({run_index for pair in pairs for run_index in (pair.first, pair.second)}), 0
    )
    for pair in pairs:
        dissimilar_counts[pair.first] += pair.dissimilar
        dissimilar_counts[pair.second] += pair.dissimilar
    outlier_runs = tuple(
        run_index
        for run_index, count in dissimilar_counts.items()
        if 2 * count > len(dissimilar_counts) - 1
    )
    return outlier_runs if 2 * len(outlier_runs) < len(dissimilar_counts) else ()


def cluster_runs(
    distances: Sequence[float], runs: Sequence[int], parameters: SimilarityParameters = PAPER
) -> RunClusters:
    """Group `runs` by the distances of all pairs, in the order of `itertools.combinations`."""
    from scipy.cluster import hierarchy  # noqa: PLC0415 slow to load, and few commands need it

    joined = hierarchy.linkage(np.array(distances), method=parameters.linkage)
    labels = hierarchy.fcluster(joined, t=parameters.cut, criterion="distance")
    run_groups = [
        tuple(
            run_index
            for run_index, run_label in zip(runs, labels, strict=True)
            if run_label == label
        )
        for label in sorted(set(labels))
    ]
    groups = tuple(sorted(run_groups, key=lambda group: (-len(group), group)))
    has_main = len(groups) == 1 or len(groups[0]) > len(groups[1])
    outside = sorted(run_index for group in groups[1:] for run_index in group) if has_main else ()
    return RunClusters(groups=groups, outside=tuple(outside))


def _compare_pairs(
    rows: Array, compared: Sequence[int], parameters: SimilarityParameters
) -> tuple[PairSimilarity, ...]:
    from scipy.spatial.distance import squareform  # noqa: PLC0415 as above

    five = dissimilarity.compute_five_measures(
        rows, sax=parameters.sax, compressor=parameters.compressor
    )
    same = np.mean(dissimilarity.compute_same_measures(rows), axis=0)
    condensed = [squareform(matrix, checks=False).tolist() for matrix in (*five, same)]
    pairs = []
    for (first, second), values in zip(
        combinations(compared, 2), zip(*condensed, strict=True), strict=True
    ):
        *measures, distance = values
        pair_measures = _unpack_measures(measures)
        pairs.append(
            PairSimilarity(
                first=first,
                second=second,
                measures=pair_measures,
                dissimilar=_is_dissimilar(pair_measures, parameters),
                distance=distance,
            )
        )
    return tuple(pairs)


def _unpack_measures(values: Sequence[float]) -> MeasureValues:
    m1, m2, m3, m4, m5 = values
    return m1, m2, m3, m4, m5


def _make_unknown(
    benchmark: str, compared: tuple[int, ...], caveats: tuple[Caveat, ...], values: int = 0
) -> Similarity:
    return Similarity(
        benchmark=benchmark,
        compared=compared,
        values=values,
        means=None,
        dissimilar=None,
        outlier_runs=(),
        clusters=None,
        pairs=(),
        caveats=caveats,
    )


def _warn_of_one_run(run_count: int) -> Caveat:
    runs = "only 1 run has values" if run_count else "no run has values"
    more = "another run" if run_count else "other runs"
    return Caveat("one-run", f"{runs}, and a comparison needs 2; give {more}")


def _find_obstacle(
    rows: Array, compared: Sequence[int], parameters: SimilarityParameters
) -> Caveat | None:
    """Return why nothing can be told of these runs, None where something can."""
    values = rows.shape[1]
    if values < parameters.fewest_values:
        text = (
            f"too few values per run to tell whether the runs are alike ({values}): give "
            f"{parameters.least_values}"
        )
        return Caveat("short-runs", text)
    constant_rows = rows[_find_constant_rows(rows)]
    if len(np.unique(constant_rows)) > 1:
        return _describe_constant_runs(rows, compared)[0]
    return None


def _describe_left_out(run_count: int, compared: Sequence[int]) -> tuple[Caveat, ...]:
    lost = sorted(set(range(run_count)) - set(compared))
    if not lost:
        return ()
    text = (
        f"runs left out, as they have no values or values that are not finite: {_name_runs(lost)}"
    )
    return (Caveat("runs-left-out", text),)


def _describe_cut(lengths: dict[int, int]) -> tuple[Caveat, ...]:
    least, most = min(lengths.values()), max(lengths.values())
    if least == most:
        return ()
    shortest = _name_runs([run_index for run_index, length in lengths.items() if length == least])
    has = "has" if [*lengths.values()].count(least) == 1 else "have"
    text = (
        f"the runs have {least} to {most} values; only the first {least} are compared, as "
        f"{shortest} {has} no more"
    )
    return (Caveat("runs-cut", text),)


def _describe_short_runs(values: int, least: int) -> tuple[Caveat, ...]:
    if values >= least:
        return ()
    text = f"{values} values per run are too few for M2, the compression measure: give {least}"
    return (Caveat("short-runs", text),)


def _describe_constant_runs(rows: Array, compared: Sequence[int]) -> tuple[Caveat, ...]:
    same = _find_constant_rows(rows)
    if not same.any():
        return ()
    named = _name_runs(
        [run_index for run_index, is_constant in zip(compared, same, strict=True) if is_constant]
    )
    text = f"runs whose values are all equal, so they have no correlation (M1): {named}"
    return (Caveat("constant-runs", text),)


def _find_constant_rows(rows: Array) -> npt.NDArray[np.bool_]:
    return np.asarray(rows.min(axis=1) == rows.max(axis=1), dtype=np.bool_)


def _describe_scatter(
    pairs: Sequence[PairSimilarity], outlier_runs: tuple[int, ...], groups: RunClusters
) -> tuple[Caveat, ...]:
    unlike = sum(pair.dissimilar for pair in pairs)
    caveats = []
    if not outlier_runs and 2 * unlike > len(pairs):
        text = (
            f"{unlike} of {len(pairs)} pairs are dissimilar, so no single run is the outlier; "
            "repeat all runs"
        )
        caveats.append(Caveat("no-run-apart", text))
    if groups.has_divergent_runs and not groups.outside:
        sizes = " and ".join(str(len(group)) for group in groups.groups)
        text = f"the runs form groups of {sizes}, none the largest, so no run is an outlier"
        caveats.append(Caveat("no-main-group", text))
    return tuple(caveats)


def _name_runs(runs: Sequence[int]) -> str:
    """Return what people call the runs, who count from one."""
    return f"run {', '.join(str(run_index + 1) for run_index in runs)}"
