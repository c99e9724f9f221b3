"""Are runs worth comparing: were their processes warm, and are they alike?"""

from collections.abc import Iterable, Iterator, Sequence

from auditor.core.caveats import Caveat, list_some
from auditor.core.plan import Run
from auditor.core.series.steady import SteadyLabel
from auditor.core.series.stored import StoredResults, StoredRun
from auditor.core.subject import Project
from auditor.measure import own_series
from auditor.measure.run_similarity import PAPER, judge_runs
from auditor.warmup.judging import judge_process
from auditor.warmup.learned import LENGTH, LearnedDetector


def warn_of_own_runs(runs: Iterable[Run], project: Project) -> Iterator[Caveat]:
    """Say of our own runs of a suite what `warn_of_unsteady_runs` says of stored ones."""
    results = own_series.build_stored_results(runs, harness=project.harness, digest=project.digest)
    yield from warn_of_unsteady_runs(results, results.runs)


def warn_of_unsteady_runs(results: StoredResults, runs: Sequence[StoredRun]) -> Iterator[Caveat]:
    """Say which benchmarks' series are long enough to tell, and not warm, or not alike.

    Nothing is cut from them, and nothing is said of short ones: a dozen values of the same code
    look as unlike as any.
    """
    cold_names = [name for name in results.benchmark_names if _is_cold(name, results)]
    if cold_names:
        text = (
            f"{len(cold_names)} of {len(results.benchmark_names)} benchmarks have processes that "
            f"never reach steady state ({list_some(cold_names)}); bench-audit steady shows which"
        )
        yield Caveat("not-steady", text)
    dissimilar_names = [name for name in results.benchmark_names if _is_unlike(name, runs)]
    if dissimilar_names:
        text = (
            f"the runs of {len(dissimilar_names)} of {len(results.benchmark_names)} benchmarks are "
            f"dissimilar ({list_some(dissimilar_names)}); bench-audit similarity shows which run "
            "is the outlier"
        )
        yield Caveat("dissimilar-runs", text)


def _is_cold(name: str, results: StoredResults) -> bool:
    detector = LearnedDetector()
    processes = [process for run in results.runs for process in run.processes.get(name, ())]
    stored_processes = [
        process for process in processes if len(process.warmups) + len(process.seconds) == LENGTH
    ]
    judged_series = [judge_process(process, detector) for process in stored_processes]
    # Of what is unlike the series that it learned from it knows too little to warn of them.
    return any(
        steadiness.label is SteadyLabel.NOT_STEADY
        for steadiness in judged_series
        if not steadiness.caveats
    )


def _is_unlike(name: str, runs: Sequence[StoredRun]) -> bool:
    values = [run_values for run in runs if len(run_values := run.list_values(name))]
    if len(values) < 2 or min(map(len, values)) < PAPER.least_values:
        return False
    return judge_runs(name, values).dissimilar is True
