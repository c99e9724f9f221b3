"""A sample of the benchmarks of a suite, as a baseline of fewer of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from auditor.core.outcome import Measured
from auditor.core.plan import Run
from auditor.core.suite import Benchmark
from auditor.measure.suite_runs import SuiteBaseline


def narrow_baseline(baseline: SuiteBaseline, sample: set[Benchmark | None]) -> SuiteBaseline:
    """Return a baseline of some of its benchmarks; of all where none of these is usable."""
    usable = tuple(benchmark for benchmark in baseline.usable if benchmark in sample)
    if not usable:
        return baseline
    benchmarks = tuple(benchmark for benchmark in baseline.benchmarks if benchmark in sample)
    return replace(baseline, benchmarks=benchmarks, usable=usable)


def restore_order(baseline: SuiteBaseline, all_benchmarks: Sequence[Benchmark]) -> SuiteBaseline:
    """Return a baseline whose benchmarks have the order of the suite."""
    place: Mapping[Benchmark, int] = {
        benchmark: index for index, benchmark in enumerate(all_benchmarks)
    }
    return replace(
        baseline,
        benchmarks=tuple(sorted(baseline.benchmarks, key=place.__getitem__)),
        usable=tuple(sorted(baseline.usable, key=place.__getitem__)),
        unfinished=tuple(sorted(baseline.unfinished, key=place.__getitem__)),
        unsampled=len(all_benchmarks) - len(baseline.benchmarks),
    )


def failing_benchmarks(runs: Sequence[Run]) -> set[Benchmark | None]:
    """Return the benchmarks of which no run gave a measurement."""
    benchmarks = {run.trial.benchmark for run in runs if isinstance(run.outcome, Measured)}
    return {run.trial.benchmark for run in runs} - benchmarks
