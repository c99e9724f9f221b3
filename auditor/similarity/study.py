"""Are the runs of each benchmark of stored results alike, and which one stands apart?"""

from collections.abc import Callable

from auditor.core.series.similarity import Similarity
from auditor.core.series.stored import StoredResults
from auditor.measure import run_similarity as audit
from auditor.series.stored import parted, runs_of


def similarity(found: StoredResults, told: Callable[[int, int], None]) -> tuple[Similarity, ...]:
    """Compare all pairs of runs of each benchmark, each a file; of one file each process is a run.

    `told` hears how many benchmarks of how many are done.
    """
    runs = parted(found.runs)
    judged = []
    for number, name in enumerate(found.benchmarks, start=1):
        mine = runs[: runs_of(name, found.runs)]
        judged.append(audit.judge(name, [run.values(name) for run in mine]))
        told(number, len(found.benchmarks))
    return tuple(judged)
