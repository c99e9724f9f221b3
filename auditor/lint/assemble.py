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
from auditor.lint.judge import Reading, Wanted, lint
from auditor.versions import own_version
from runners.home import Home
from runners.hosts.clock import SystemClock
from runners.hosts.local import LocalHost
from runners.subjects.sources import sources

LINTERS: Mapping[str, Linter] = {
    language.rule_prefix: language.make_linter() for language in LANGUAGES
}
"""What looks at sources, by how the ids of its rules begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LintRequest:
    """What is looked for, and a result that bears findings out or not."""

    wanted: Wanted = field(default_factory=Wanted)
    result: AbsOrStability | None = None


def rules() -> tuple[SmellRule, ...]:
    """Return the rules of all languages."""
    return tuple(rule for linter in LINTERS.values() for rule in linter.rules)


def lint_sources(
    config: Config, places: Places, environment: Mapping[str, str], request: LintRequest
) -> LintDocument:
    """Read a subject's sources, and say what is wrong with its benchmarks; nothing of it is run.

    Raises UsageError for names of rules that are none, also in the subject's own markers.
    """
    found = sources(
        config.subject,
        tuple(ending for linter in LINTERS.values() for ending in linter.endings),
        home=Home(places.home),
        host=LocalHost(SystemClock()),
        environment=tuple(sorted(environment.items())),
    )
    readings = [
        Reading(
            linter=linter,
            files=tuple(file for file in found.files if file.path.endswith(linter.endings)),
            large=tuple(source for source in found.large if source.path.endswith(linter.endings)),
        )
        for linter in LINTERS.values()
    ]
    other = _of_another(request.result, found.revision)
    benchmarks = tuple(_timed(request.result)) if request.result and not other else ()
    looked = lint(readings, request.wanted, benchmarks)
    looked = replace(looked, caveats=(*other, *looked.caveats))
    return lint_document(looked, LintedSources(found.name, found.revision, own_version()))


def _of_another(result: AbsOrStability | None, revision: str) -> tuple[Caveat, ...]:
    """Say that a result is of other sources; where one has no revision nobody knows."""
    known = result.revision if result else ""
    if not known or not revision or known.startswith(revision) or revision.startswith(known):
        return ()
    text = (
        f"the result is of revision {known}, not {revision}, so it was not used; give a result of "
        "this revision"
    )
    return (Caveat("result-of-another", text),)


def _timed(result: AbsOrStability) -> Iterator[TimedBenchmark]:
    pairs = result.pairs if isinstance(result, Document) else ()
    for benchmark in result.benchmarks:
        seconds = _seconds(benchmark)
        if seconds is not None:
            calls = tuple(
                MethodCallRate(pair.method, pair.calls_per_operation, pair.method_seconds)
                for pair in pairs
                if pair.benchmark == benchmark.id
                and pair.calls_per_operation is not None
                and pair.method_seconds is not None
            )
            yield TimedBenchmark(benchmark=benchmark.id, seconds=seconds, calls=calls)


def _seconds(benchmark: BenchmarkVerdict) -> float | None:
    """Return the seconds of an operation, the mean of the runs."""
    return sum(benchmark.means) / len(benchmark.means) if benchmark.means else None
