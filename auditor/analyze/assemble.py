"""Judge results of other programs: tables of the research tools, and stored results."""

import shlex
from dataclasses import dataclass, field
from pathlib import Path

from auditor.abs.document import AbsOrStability, StabilityDocument
from auditor.abs.document_of_verdict import build_abs_document, stability_document
from auditor.abs.model import AbsVerdict
from auditor.analyze import study, study_tables
from auditor.compare.document import ComparisonDocument, build_comparison_document
from auditor.config import shares
from auditor.config.sections import CompareSection
from auditor.core.errors import UsageError
from auditor.core.jobs import NOWHERE
from auditor.core.provenance import Context
from auditor.core.series.stored import StoredResults
from auditor.core.subject import Language
from auditor.importers.research_tools.reading import ResultTable as Content
from auditor.languages.registry import LANGUAGES
from auditor.series.question import StoredQuestion, build_context, find_revision
from auditor.versions import find_own_version
from runners.hosts.clock import SystemClock


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFile:
    """A table that was read, and the flags that say how to judge it."""

    path: Path  # of the file
    content: Content = field(repr=False)  # what it holds
    slowdown: float | None  # v, 0.6 for 60 %; None: from the spreads
    runs: int | None  # of the slowed suites; None: as in the file
    stability_runs: int | None  # of the plain suite; None: as in the file
    units: tuple[str, ...]  # of the benchmarks' own tools

    @property
    def command(self) -> str:
        """Return the command that judges it so."""
        words = ["bench-audit", "analyze", self.path.name, f"--tool={self.content.tool}"]
        words += [f"--unit={unit}" for unit in self.units]
        options = {
            "slowdown": None if self.slowdown is None else shares.as_percent(self.slowdown),
            "runs": self.runs,
            "stability-runs": self.stability_runs,
        }
        words += [f"--{name}={value}" for name, value in options.items() if value is not None]
        return shlex.join(words)


def judge_table(table: TableFile) -> AbsOrStability:
    """Judge a file by the paper's rule: an ABS result, or one of stability where nothing is slowed.

    Raises UsageError where the slowdown is to be sized and cannot.
    """
    clock = SystemClock()
    started = clock.now()
    language = Language(table.content.tool)
    question = study_tables.TableRequest(
        rows=table.content.rows,
        language=language,
        digest=table.content.digest,
        slowdown=table.slowdown,
        runs=table.runs,
        stability_runs=table.stability_runs,
    )
    verdict = study_tables.judge_table_rows(question)
    context = Context(
        subject=table.path.name,
        revision=f"sha256:{table.content.digest[:12]}",
        language=language,
        harness=LANGUAGES.of_language(language).main_harness,
        host=NOWHERE.name,
        host_facts=NOWHERE.facts,
        runs=question.required_runs,
        stability_runs=question.required_plain_runs,
        version=find_own_version(),
        command=table.command,
        started=started,
        ended=clock.now(),
    )
    if isinstance(verdict, AbsVerdict):
        return build_abs_document(verdict, context)
    return stability_document(verdict, context)


def build_stability_document(question: StoredQuestion, head: StoredResults) -> StabilityDocument:
    """Return how far the runs lie apart."""
    started = SystemClock().now()
    stability = study.judge_stability(head)
    return stability_document(stability, build_context(question, head, stability.runs, started))


def compare_results(
    question: StoredQuestion, base: StoredResults, head: StoredResults
) -> ComparisonDocument:
    """Return what became of each benchmark; raises UsageError for results of two tools."""
    if base.harness != head.harness:
        raise UsageError(
            f"the base is from {base.harness}, the head from {head.harness}; give results of one "
            "tool"
        )
    if base.digest == head.digest:
        raise UsageError("base and head are the same results; name others with --against")
    started = SystemClock().now()
    limit = CompareSection().min_delta if question.min_delta is None else question.min_delta
    comparison = study.compare_benchmarks(base, head, limit, unlike=question.unlike)
    context = build_context(question, head, len(head.runs), started)
    return build_comparison_document(comparison, context, base=find_revision(base))
