"""Are runs worth comparing: were their processes warm, and are they alike?"""

from collections.abc import Iterable, Iterator, Sequence

from auditor.core.caveats import Caveat, list_some
from auditor.core.plan import Run
from auditor.core.series.steady import SteadyLabel
from auditor.core.series.stored import StoredResults, StoredRun
from auditor.core.subject import Project
from auditor.measure import own_series, run_similarity
from auditor.warmup.judging import judge
from auditor.warmup.learned import LENGTH, LearnedDetector


def of_runs(runs: Iterable[Run], project: Project) -> Iterator[Caveat]:
    """Say of our own runs of a suite what `caveats` says of stored ones."""
    results = own_series.results(runs, harness=project.harness, digest=project.digest)
    yield from caveats(results, results.runs)


def caveats(found: StoredResults, runs: Sequence[StoredRun]) -> Iterator[Caveat]:
    """Say which benchmarks' series are long enough to tell, and not warm, or not alike.

    Nothing is cut from them, and nothing is said of short ones: a dozen values of the same code
    look as unlike as any.
    """
    cold = [name for name in found.benchmarks if _is_cold(name, found)]
    if cold:
        text = (
            f"{len(cold)} of {len(found.benchmarks)} benchmarks have processes that do not get "
            f"warm, as people would see them ({list_some(cold)}); bench-audit steady tells which"
        )
        yield Caveat("not-steady", text)
    unlike = [name for name in found.benchmarks if _is_unlike(name, runs)]
    if unlike:
        text = (
            f"the runs of {len(unlike)} of {len(found.benchmarks)} benchmarks are dissimilar "
            f"({list_some(unlike)}); bench-audit similarity tells which run stands apart"
        )
        yield Caveat("dissimilar-runs", text)


def _is_cold(name: str, found: StoredResults) -> bool:
    detector = LearnedDetector()
    processes = [process for run in found.runs for process in run.processes.get(name, ())]
    stored_processes = [
        process for process in processes if len(process.warmups) + len(process.seconds) == LENGTH
    ]
    judged_series = [judge(process, detector) for process in stored_processes]
    # Of what is unlike the series that it learned from it knows too little to warn of them.
    return any(
        steadiness.label is SteadyLabel.NOT_STEADY
        for steadiness in judged_series
        if not steadiness.caveats
    )


def _is_unlike(name: str, runs: Sequence[StoredRun]) -> bool:
    values = [found for run in runs if len(found := run.values(name))]
    if len(values) < 2 or min(map(len, values)) < run_similarity.PAPER.least_values:
        return False
    return run_similarity.judge(name, values).dissimilar is True
