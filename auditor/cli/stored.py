"""Stored results of other tools, and what there is to say of them, as results of ours."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from auditor.audits.steady.detector import Detector
from auditor.config import shares
from auditor.config.sections import CompareSection
from auditor.core.errors import UsageError
from auditor.core.provenance import Context
from auditor.core.stored import StoredResults
from auditor.core.subject import Language
from auditor.studies import stored
from auditor.studies.similarity import similarity
from auditor.studies.steady import steady as when_steady
from auditor.versions import own_version
from reports.comparison_document import ComparisonDocument, comparison_document
from reports.document import StabilityDocument
from reports.record import stability_document
from reports.similarity_document import SimilarityDocument, similarity_document
from reports.steady_document import SteadyDocument, steady_document
from runners.hosts.clock import SystemClock
from runners.stored.reading import read

Told = Callable[[int, int], None]

LANGUAGES = {
    "pytest": Language.PYTHON,
    "asv": Language.PYTHON,
    "pyperf": Language.PYTHON,
    "jmh": Language.JAVA,
    "go": Language.GO,
}
"""Of the tools' benchmarks; a table of series does not say what was measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredQuestion:
    """Which results to read, as the command line names them.

    Without a base, or a commit that is to be the base, there is no comparison. `min_delta` is 0.05
    for 5 %, None where nobody says; with `unlike` what unlike machines measured is compared, too.
    `verb` is the command that asks, `more` are its own options.
    """

    verb: str = "judge"
    paths: tuple[Path, ...]
    more: tuple[str, ...] = ()
    commit: str | None = None
    against: tuple[Path, ...] = ()
    against_commit: str | None = None
    min_delta: float | None = None
    unlike: bool = False

    @property
    def compares(self) -> bool:
        """Tell whether there is a base."""
        return bool(self.against) or self.against_commit is not None

    @property
    def command(self) -> str:
        """Return the command that asks this."""
        words = ["bench-audit", self.verb, *map(str, self.paths), *self.more]
        words += [word for path in self.against for word in ("--against", str(path))]
        known = {
            "commit": self.commit,
            "against-commit": self.against_commit,
            "min-delta": None if self.min_delta is None else shares.as_percent(self.min_delta),
        }
        words += [f"--{name}={value}" for name, value in known.items() if value is not None]
        return shlex.join([*words, *(["--unlike-machines"] if self.unlike else [])])

    def base(self) -> StoredResults:
        """Read the base; a commit of it alone is one of the same files. Raises UsageError."""
        return read(self.against or self.paths, self.against_commit)

    def head(self) -> StoredResults:
        """Read what is judged. Raises UsageError."""
        return read(self.paths, self.commit)


def steady(asked: StoredQuestion, head: StoredResults) -> StabilityDocument:
    """Return how far the runs lie apart."""
    started = SystemClock().now()
    found = stored.stability(head)
    return stability_document(found, _context(asked, head, found.runs, started))


def warm(
    found: StoredResults, detector: Detector, context: Callable[[], Context], told: Told
) -> SteadyDocument:
    """Return when each process is warm; `told` hears how many benchmarks of how many are done.

    `context` tells the circumstances once it is done.
    """
    judged = when_steady(found, detector, told)
    return steady_document(judged, context())


def alike(found: StoredResults, context: Callable[[], Context], told: Told) -> SimilarityDocument:
    """Return whether the runs of each benchmark are alike."""
    judged = similarity(found, told)
    return similarity_document(judged, tuple(stored.caveats(found)), context())


def circumstances(asked: StoredQuestion, found: StoredResults) -> Callable[[], Context]:
    """Return what tells the circumstances of a result that is begun now, once it is done."""
    started = SystemClock().now()
    return lambda: _context(asked, found, len(found.runs), started)


def compared(asked: StoredQuestion, base: StoredResults, head: StoredResults) -> ComparisonDocument:
    """Return what became of each benchmark; raises UsageError for results of two tools."""
    if base.harness != head.harness:
        raise UsageError(
            f"the base is of {base.harness}, the others of {head.harness}; give results of one tool"
        )
    if base.digest == head.digest:
        raise UsageError("base and head are the same results; name others with --against")
    started = SystemClock().now()
    limit = CompareSection().min_delta if asked.min_delta is None else asked.min_delta
    found = stored.compare(base, head, limit, unlike=asked.unlike)
    context = _context(asked, head, len(head.runs), started)
    return comparison_document(found, context, base=_revision(base))


def _context(asked: StoredQuestion, head: StoredResults, runs: int, started: str) -> Context:
    host = stored.host_of(head.runs)
    more = len(asked.paths) - 1
    return Context(
        subject=f"{asked.paths[0].name or '.'}{f' and {more} more' if more else ''}",
        revision=_revision(head),
        language=LANGUAGES.get(head.harness, "unknown"),
        harness=head.harness,
        host=host.name,
        host_facts=host.facts,
        runs=runs,
        stability_runs=runs,
        version=own_version(),
        command=asked.command,
        started=started,
        ended=SystemClock().now(),
    )


def _revision(found: StoredResults) -> str:
    """Return the commit where there is one of all runs, else what was read."""
    known = found.commits
    is_one = len(known) == 1 and all(run.commit for run in found.runs)
    return known[0] if is_one else f"sha256:{found.digest[:12]}"
