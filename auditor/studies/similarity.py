"""Are the runs of each benchmark of stored results alike, and which one stands apart?"""

from array import array
from collections.abc import Callable, Sequence

from auditor.audits import similarity as audit
from auditor.core.similarity import Similarity
from auditor.core.stored import StoredResults, StoredRun
from auditor.studies.stored import parted


def similarity(found: StoredResults, told: Callable[[int, int], None]) -> tuple[Similarity, ...]:
    """Compare all pairs of runs of each benchmark, each a file; of one file each process is a run.

    `told` hears how many benchmarks of how many are done.
    """
    runs = parted(found.runs)
    judged = []
    for number, name in enumerate(found.benchmarks, start=1):
        judged.append(audit.judge(name, [_values(name, run) for run in runs]))
        told(number, len(found.benchmarks))
    return tuple(judged)


def _values(name: str, run: StoredRun) -> Sequence[float]:
    """Return the values of a run, process after process; none where one has failed."""
    values = array("d")
    for one in run.processes.get(name, ()):
        values.extend(one.seconds)
    return values
