"""Which further questions stored results can answer, each with the command that answers it."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from auditor.core.series.stored import StoredResults
from auditor.measure.run_similarity import PAPER
from auditor.warmup.kbkssd import KbKssd
from auditor.warmup.learned import LearnedDetector


def further_questions(
    results: StoredResults, paths: Sequence[Path], commit: str | None
) -> Iterator[str]:
    """Yield what `steady` and `similarity` can say of results, or why they cannot."""
    words = [*map(str, paths), *(() if commit is None else ("--commit", commit))]
    named = shlex.join(words)
    most = max(
        (
            len(process.all_values)
            for run in results.runs
            for processes in run.processes.values()
            for process in processes
        ),
        default=0,
    )
    if most >= LearnedDetector.min_iterations:
        yield f"when each process is warm: bench-audit steady {named}"
    elif most >= KbKssd.min_iterations:
        yield f"when each process is warm: bench-audit steady {named} --detector kb-kssd"
    else:
        yield (
            f"nothing can be said of the warm-up: a process holds {most} values at most, and a "
            f"detector needs {KbKssd.min_iterations}"
        )
    if most >= PAPER.least_values:
        yield f"whether the runs agree: bench-audit similarity {named}"
