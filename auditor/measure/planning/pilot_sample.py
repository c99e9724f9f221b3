"""A sample of the benchmarks of a suite, as a baseline of fewer of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from auditor.core.outcome import Measured
from auditor.core.plan import Run
from auditor.core.suite import Benchmark
from auditor.measure.suite_runs import SuiteBaseline


def narrow(found: SuiteBaseline, sample: set[Benchmark | None]) -> SuiteBaseline:
    """Return a baseline of some of its benchmarks; of all where none of these is usable."""
    usable = tuple(one for one in found.usable if one in sample)
    if not usable:
        return found
    benchmarks = tuple(benchmark for benchmark in found.benchmarks if benchmark in sample)
    return replace(found, benchmarks=benchmarks, usable=usable)


def restore_order(found: SuiteBaseline, whole: Sequence[Benchmark]) -> SuiteBaseline:
    """Return a baseline whose benchmarks have the order of the suite."""
    place: Mapping[Benchmark, int] = {one: at for at, one in enumerate(whole)}
    return replace(
        found,
        benchmarks=tuple(sorted(found.benchmarks, key=place.__getitem__)),
        usable=tuple(sorted(found.usable, key=place.__getitem__)),
        unfinished=tuple(sorted(found.unfinished, key=place.__getitem__)),
        unsampled=len(whole) - len(found.benchmarks),
    )


def failing_benchmarks(runs: Sequence[Run]) -> set[Benchmark | None]:
    """Return the benchmarks of which no run gave a measurement."""
    measured = {run.trial.benchmark for run in runs if isinstance(run.outcome, Measured)}
    return {run.trial.benchmark for run in runs} - measured
