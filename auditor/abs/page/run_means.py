"""How far the means of each suite run lie from the means of all runs, on this machine."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles

from markupsafe import Markup

from auditor.abs.document import AbsOrStability
from auditor.core.stability import BenchmarkVerdict
from reports import number_format, violins

MOST_RUNS = 12
"""Suite runs that are drawn."""
_LEAST_LIMIT = 0.02
_INSIDE = 0.95
"""Part of the deviations that lies between the ends of the axis."""


@dataclass(frozen=True, slots=True)
class RunMeansRow:
    """A suite run in the table."""

    name: str
    middle: str  # median deviation
    half: str  # middle half of the deviations
    benchmarks: str  # benchmarks that have a mean in this run


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMeansView:
    """The deviations of all suite runs."""

    plot: Markup = field(repr=False)
    rows: tuple[RunMeansRow, ...]
    left_out: str  # benchmarks without all runs, and runs that are not drawn; empty: none


def run_means(document: AbsOrStability) -> RunMeansView | None:
    """Return deviations by suite run; None where no benchmark has two or more runs.

    A deviation is a run mean divided by the benchmark's overall mean, less one.
    """
    runs = document.stability.runs
    complete = [
        benchmark
        for benchmark in document.benchmarks
        if len(benchmark.means) == runs and benchmark.mean_seconds
    ]
    if runs < 2 or not complete:
        return None
    columns = [
        (f"run {number + 1}", [_measure_deviation(benchmark, number) for benchmark in complete])
        for number in range(min(runs, MOST_RUNS))
    ]
    return RunMeansView(
        plot=violins.draw_deviations(columns, _choose_axis_limit(columns)),
        rows=tuple(_build_row(name, values) for name, values in columns),
        left_out=_describe_left_out(len(document.benchmarks) - len(complete), runs),
    )


def _measure_deviation(benchmark: BenchmarkVerdict, number: int) -> float:
    return benchmark.means[number] / (benchmark.mean_seconds or 1.0) - 1


def _choose_axis_limit(columns: Sequence[tuple[str, Sequence[float]]]) -> float:
    sizes = sorted(abs(value) for _, values in columns for value in values)
    return max(_LEAST_LIMIT, sizes[int(_INSIDE * (len(sizes) - 1))])


def _build_row(name: str, values: Sequence[float]) -> RunMeansRow:
    half = number_format.NO_VALUE
    if len(values) > 1:
        low, _, high = quantiles(values, n=4, method="inclusive")
        half = f"{number_format.format_effect(low)} … {number_format.format_effect(high)}"
    middle = number_format.format_effect(median(values))
    return RunMeansRow(name, middle, half, str(len(values)))


def _describe_left_out(benchmarks: int, runs: int) -> str:
    parts = []
    if benchmarks:
        without = number_format.format_count(benchmarks, "benchmark")
        parts.append(f"Left out: {without} without values of all runs.")
    if runs > MOST_RUNS:
        parts.append(f"The first {MOST_RUNS} of {runs} runs are drawn.")
    return " ".join(parts)
