"""Are the runs of each benchmark of stored results alike, and which one stands apart?"""

from collections.abc import Callable

from auditor.core.series.similarity import Similarity
from auditor.core.series.stored import StoredResults
from auditor.measure import run_similarity as audit
from auditor.series.stored import runs_of, split_processes


def similarity(results: StoredResults, told: Callable[[int, int], None]) -> tuple[Similarity, ...]:
    """Compare all pairs of runs of each benchmark, each a file; of one file each process is a run.

    `told` hears how many benchmarks of how many are done.
    """
    runs = split_processes(results.runs)
    judged = []
    for number, name in enumerate(results.benchmarks, start=1):
        stored_runs = runs[: runs_of(name, results.runs)]
        judged.append(audit.judge(name, [run.values(name) for run in stored_runs]))
        told(number, len(results.benchmarks))
    return tuple(judged)
