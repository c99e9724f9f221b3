"""Dissimilarities as coloured cells: the measures of benchmarks, and the pairs of their runs."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from auditor.core.series.similarity import PairSimilarity
from auditor.similarity.document import BenchmarkSimilarity

THETA = 0.25
"""The dissimilarity above which a measure counts (Bauer et al., ICPE 2023, Section 3.2)."""
MOST_RUNS = 30
"""Runs of a benchmark that are set against each other."""
_STEPS = 5
_OF_CORPUS = re.compile(r"([^#]+__[^#]+)#[^#]+#[^#]*")
"""`owner__repo#benchmark#parameters`; other tools' names may have a # as well."""


@dataclass(frozen=True, slots=True)
class HeatmapCell:
    """A number; `kind` tells the style sheet its side of the threshold, and how far from it."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """Means over the benchmarks of an application; `unlike` of so many (`size`) are dissimilar."""

    name: str
    unlike: int
    size: int
    cells: tuple[HeatmapCell, ...]


@dataclass(frozen=True, slots=True)
class HeatmapHead:
    """A run at the edge of a matrix, as people count."""

    number: str
    is_outlier: bool


@dataclass(frozen=True, slots=True)
class HeatmapRow:
    """A run against all that are drawn, None being itself; `unlike` is of all that there are."""

    head: HeatmapHead
    cells: tuple[HeatmapCell | None, ...]
    unlike: str


@dataclass(frozen=True, slots=True)
class Heatmap:
    """Runs against runs; `left_out` says where there was no room for all."""

    heads: tuple[HeatmapHead, ...]
    lines: tuple[HeatmapRow, ...]
    left_out: str


def build_cell(value: float) -> HeatmapCell:
    """Return a dissimilarity, from 0 to 1."""
    if value > THETA:
        side, share = "far", (value - THETA) / (1 - THETA)
    else:
        side, share = "near", (THETA - value) / THETA
    return HeatmapCell(f"{side} much-{min(int(share * _STEPS) + 1, _STEPS)}", f"{value:.2f}")


def build_cells(means: Sequence[float]) -> tuple[HeatmapCell, ...]:
    """Return the five measures, and behind them their mean."""
    return tuple(build_cell(value) for value in (*means, fmean(means)))


def list_applications(benchmarks: Sequence[BenchmarkSimilarity]) -> tuple[Application, ...]:
    """Return the applications of a corpus, the least alike first; none where there is only one."""
    by_application: dict[str, list[BenchmarkSimilarity]] = {}
    for benchmark in benchmarks:
        named = _OF_CORPUS.fullmatch(benchmark.id)
        if named is None:
            return ()
        if benchmark.means is not None:
            by_application.setdefault(named[1], []).append(benchmark)
    if len(by_application) < 2:
        return ()
    means = {name: _average_measures(similarities) for name, similarities in by_application.items()}
    return tuple(
        Application(
            name=name,
            unlike=sum(bool(similarity.dissimilar) for similarity in by_application[name]),
            size=len(by_application[name]),
            cells=build_cells(means[name]),
        )
        for name in sorted(by_application, key=lambda name: -fmean(means[name]))
    )


def _average_measures(benchmarks: Sequence[BenchmarkSimilarity]) -> list[float]:
    rows = [benchmark.means for benchmark in benchmarks if benchmark.means is not None]
    return [fmean(column) for column in zip(*rows, strict=True)]


def build_heatmap(benchmark: BenchmarkSimilarity) -> Heatmap:
    """Set the runs of a benchmark against each other: how many of the measures are above THETA.

    Of too many those are drawn that are unlike most others.
    """
    dissimilar_counts = count_dissimilar(benchmark)
    matrix_runs = sorted(
        sorted(dissimilar_counts, key=lambda run: -dissimilar_counts[run])[:MOST_RUNS]
    )
    pairs = {(pair.first, pair.second): _count_measures(pair) for pair in benchmark.pairs}
    heads = {run: HeatmapHead(str(run + 1), run in benchmark.outlier_runs) for run in matrix_runs}
    return Heatmap(
        heads=tuple(heads.values()),
        lines=tuple(
            HeatmapRow(
                heads[run],
                tuple(pairs.get((min(run, column), max(run, column))) for column in matrix_runs),
                f"{dissimilar_counts[run]} of {len(dissimilar_counts) - 1}",
            )
            for run in matrix_runs
        ),
        left_out=(
            f"Of {len(dissimilar_counts)} runs the {MOST_RUNS} are drawn that are unlike most "
            "others."
        )
        if len(dissimilar_counts) > MOST_RUNS
        else "",
    )


def _count_measures(pair: PairSimilarity) -> HeatmapCell:
    above = sum(value > THETA for value in pair.measures)
    side = "far" if pair.dissimilar else "near"
    return HeatmapCell(f"{side} much-{abs(2 * above - len(pair.measures))}", str(above))


def count_dissimilar(benchmark: BenchmarkSimilarity) -> dict[int, int]:
    """Return for each run that was compared how many others it is dissimilar to."""
    runs = sorted({run for pair in benchmark.pairs for run in (pair.first, pair.second)})
    unlike = Counter(
        run for pair in benchmark.pairs if pair.dissimilar for run in (pair.first, pair.second)
    )
    return {run: unlike[run] for run in runs}


def describe_groups(benchmark: BenchmarkSimilarity) -> str:
    """Say what SAME's clustering finds."""
    if benchmark.groups is None:
        return ""
    if len(benchmark.groups) == 1:
        return "SAME finds one group of all runs."
    together = [
        f"{format_run_numbers(group)} together" for group in benchmark.groups if len(group) > 1
    ]
    alone = sorted(group[0] for group in benchmark.groups if len(group) == 1)
    if alone:
        together.append(f"{format_run_numbers(alone)} {'each ' if len(alone) > 1 else ''}alone")
    return f"SAME finds {len(benchmark.groups)} groups: {'; '.join(together)}."


def format_run_numbers(runs: Sequence[int]) -> str:
    """Return what people call these runs, who count from one: `runs 1 to 3, 5`."""
    breaks = [
        number
        for number, (current, following) in enumerate(pairwise(runs), 1)
        if following != current + 1
    ]
    edges = [0, *breaks, len(runs)]
    parts = [(runs[start] + 1, runs[stop - 1] + 1) for start, stop in pairwise(edges)]
    ranges = [
        str(first) if first == last else f"{first}{' to ' if last > first + 1 else ', '}{last}"
        for first, last in parts
    ]
    return f"{'run' if len(runs) == 1 else 'runs'} {', '.join(ranges)}"
