"""What one of two revisions lists, and which of them an error is about."""

from collections.abc import Iterator
from contextlib import contextmanager

from auditor.compare.model import ComparisonArm
from auditor.core.errors import NoBenchmarks, SubjectError
from auditor.core.suite import Benchmark
from auditor.measure.context import StudyContext
from auditor.measure.suite_runs import choose_benchmarks


@contextmanager
def name_revision(arm: ComparisonArm) -> Iterator[None]:
    """Say of an error of the subject which revision is at fault."""
    try:
        yield
    except SubjectError as error:
        raise type(error)(f"{arm}: {error}") from error


def index_benchmarks(parts: StudyContext) -> dict[str, Benchmark]:
    """Return the benchmarks that are asked for; a revision may have none yet, or no longer."""
    try:
        return {
            benchmark.id: benchmark
            for benchmark in choose_benchmarks(parts.suite, parts.request.benchmarks)
        }
    except NoBenchmarks:
        return {}
