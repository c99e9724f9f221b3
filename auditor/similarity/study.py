"""Are the runs of each benchmark of stored results alike, and which one stands apart?"""

from collections.abc import Callable

from auditor.core.series.similarity import Similarity
from auditor.core.series.stored import StoredResults
from auditor.measure import run_similarity as audit
from auditor.series.stored import count_expected_runs, split_processes


def judge_similarity(
    results: StoredResults, report_progress: Callable[[int, int], None]
) -> tuple[Similarity, ...]:
    """Compare all pairs of runs of each benchmark, each a file; of one file each process is a run.

    `report_progress` gets the number of judged benchmarks, and of all.
    """
    runs = split_processes(results.runs)
    judged = []
    for number, name in enumerate(results.benchmark_names, start=1):
        stored_runs = runs[: count_expected_runs(name, results.runs)]
        judged.append(audit.judge_runs(name, [run.list_values(name) for run in stored_runs]))
        report_progress(number, len(results.benchmark_names))
    return tuple(judged)
