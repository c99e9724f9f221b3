"""Benchmarks looked at in their sources: knows what looks at which language."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from auditor.audits.lint import Wanted, lint
from auditor.config import Config, Places
from auditor.core.smells import Calls, Linter, Rule, Timed
from auditor.versions import own_version
from mutators.go.smells.linter import GoLinter
from mutators.java.smells.linter import JavaLinter
from mutators.python.smells.linter import PythonLinter
from reports.document import Benchmark, Document, Either
from reports.lint_document import LintDocument, LintedSources, lint_document
from runners.home import Home
from runners.hosts.clock import SystemClock
from runners.hosts.local import LocalHost
from runners.subjects.sources import sources

LINTERS: Mapping[str, Linter] = {
    ".go": GoLinter(),
    ".java": JavaLinter(),
    ".py": PythonLinter(),
}
"""What looks at files, by how their names end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LintRequest:
    """What is looked for, and a result that bears findings out or not."""

    wanted: Wanted = field(default_factory=Wanted)
    result: Either | None = None


def rules() -> tuple[Rule, ...]:
    """Return the rules of all languages."""
    return tuple(rule for one in LINTERS.values() for rule in one.rules)


def linted(
    config: Config, places: Places, environment: Mapping[str, str], asked: LintRequest
) -> LintDocument:
    """Read a subject's sources, and say what is wrong with its benchmarks; nothing of it is run.

    Raises UsageError for names of rules that are none, also in the subject's own markers.
    """
    found = sources(
        config.subject,
        tuple(LINTERS),
        home=Home(places.home),
        host=LocalHost(SystemClock()),
        environment=tuple(sorted(environment.items())),
    )
    files = {
        ending: [one for one in found.files if one.path.endswith(ending)] for ending in LINTERS
    }
    measured = tuple(_timed(asked.result)) if asked.result else ()
    looked = lint([(one, files[ending]) for ending, one in LINTERS.items()], asked.wanted, measured)
    return lint_document(looked, LintedSources(found.name, found.revision, own_version()))


def _timed(result: Either) -> Iterator[Timed]:
    pairs = result.pairs if isinstance(result, Document) else ()
    for one in result.benchmarks:
        seconds = _seconds(one)
        if seconds is not None:
            calls = tuple(
                Calls(pair.method, pair.calls_per_operation, pair.method_seconds)
                for pair in pairs
                if pair.benchmark == one.id
                and pair.calls_per_operation is not None
                and pair.method_seconds is not None
            )
            yield Timed(benchmark=one.id, seconds=seconds, calls=calls)


def _seconds(one: Benchmark) -> float | None:
    """Return the seconds of an operation, the mean of the runs."""
    means = [each for each in one.means if each is not None]
    return sum(means) / len(means) if means else None
