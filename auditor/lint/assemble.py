"""Benchmarks looked at in their sources: knows what looks at which language."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from auditor.abs.document import AbsOrStability, Document
from auditor.config import Config, Places
from auditor.core.caveats import Caveat
from auditor.core.contracts.lint import Linter, MethodCallRate, SmellRule, TimedBenchmark
from auditor.core.stability import BenchmarkVerdict
from auditor.languages.registry import LANGUAGES
from auditor.lint.document import LintDocument, LintedSources, lint_document
from auditor.lint.judge import LinterInput, RuleSelection, run_linters
from auditor.versions import find_own_version
from runners.home import HomeFolder
from runners.hosts.clock import SystemClock
from runners.hosts.local import LocalHost
from runners.subjects.sources import read_subject_sources

LINTERS: Mapping[str, Linter] = {
    language.rule_prefix: language.make_linter() for language in LANGUAGES
}
"""What looks at sources, by how the ids of its rules begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LintRequest:
    """What is looked for, and a result that bears findings out or not."""

    rules: RuleSelection = field(default_factory=RuleSelection)
    result: AbsOrStability | None = None


def list_rules() -> tuple[SmellRule, ...]:
    """Return the rules of all languages."""
    return tuple(rule for linter in LINTERS.values() for rule in linter.rules)


def lint_sources(
    config: Config, places: Places, environment: Mapping[str, str], request: LintRequest
) -> LintDocument:
    """Read a subject's sources, and say what is wrong with its benchmarks; nothing of it is run.

    Raises UsageError for names of rules that are none, also in the subject's own markers.
    """
    subject_sources = read_subject_sources(
        config.subject,
        tuple(ending for linter in LINTERS.values() for ending in linter.file_suffixes),
        home=HomeFolder(places.home),
        host=LocalHost(SystemClock()),
        environment=tuple(sorted(environment.items())),
    )
    readings = [
        LinterInput(
            linter=linter,
            files=tuple(
                file for file in subject_sources.files if file.path.endswith(linter.file_suffixes)
            ),
            large=tuple(
                source
                for source in subject_sources.large
                if source.path.endswith(linter.file_suffixes)
            ),
        )
        for linter in LINTERS.values()
    ]
    revision_caveats = _warn_of_other_revision(request.result, subject_sources.revision)
    benchmarks = (
        tuple(_list_timed_benchmarks(request.result))
        if request.result and not revision_caveats
        else ()
    )
    lint_result = run_linters(readings, request.rules, benchmarks)
    lint_result = replace(lint_result, caveats=(*revision_caveats, *lint_result.caveats))
    return lint_document(
        lint_result,
        LintedSources(subject_sources.name, subject_sources.revision, find_own_version()),
    )


def _warn_of_other_revision(result: AbsOrStability | None, revision: str) -> tuple[Caveat, ...]:
    """Say that a result is of other sources; where one has no revision nobody knows."""
    result_revision = result.revision if result else ""
    if (
        not result_revision
        or not revision
        or result_revision.startswith(revision)
        or revision.startswith(result_revision)
    ):
        return ()
    text = (
        f"the result is of revision {result_revision}, not {revision}, so it was not used; give a "
        "result of this revision"
    )
    return (Caveat("result-of-another", text),)


def _list_timed_benchmarks(result: AbsOrStability) -> Iterator[TimedBenchmark]:
    pairs = result.pairs if isinstance(result, Document) else ()
    for benchmark in result.benchmarks:
        seconds = _average_seconds(benchmark)
        if seconds is not None:
            calls = tuple(
                MethodCallRate(pair.method, pair.calls_per_operation, pair.method_seconds)
                for pair in pairs
                if pair.benchmark == benchmark.id
                and pair.calls_per_operation is not None
                and pair.method_seconds is not None
            )
            yield TimedBenchmark(benchmark=benchmark.id, seconds=seconds, calls=calls)


def _average_seconds(benchmark: BenchmarkVerdict) -> float | None:
    """Return the seconds of an operation, the mean of the runs."""
    return sum(benchmark.means) / len(benchmark.means) if benchmark.means else None
