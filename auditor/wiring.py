"""Makes the parts of an audit and hands them to the studies."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from auditor.clusters import open_cluster
from auditor.config import Config, Places
from auditor.config.places import rented
from auditor.config.qualify import QualifyRequest
from auditor.config.subjects import as_revision
from auditor.core.caveats import Caveat
from auditor.core.comparison import Comparison
from auditor.core.errors import UsageError
from auditor.core.ports import Observer
from auditor.core.request import AbsRequest, SeriesRequest
from auditor.core.stability import Stability
from auditor.core.stored import StoredResults
from auditor.core.units import duration
from auditor.core.verdict import AbsVerdict
from auditor.hosts import open_host
from auditor.profiling import Profiling, popularity, remembered
from auditor.qualifying import Qualifying
from auditor.store.audits import TRACE
from auditor.store.sqlite import SqliteStore
from auditor.stubbing import Stubbing
from auditor.studies import abs_score, stability, trace
from auditor.studies.comparison import ComparisonStudy
from auditor.studies.comparison_order import changed_methods
from auditor.studies.expectation import expected_beforehand, refuse_small_budget
from auditor.studies.parts import UNDECIDED, Deadline, Parts
from auditor.studies.patch import asked_of, audited, audited_again, differing
from auditor.studies.preview import (
    Preview,
    preview,
    preview_comparison,
    preview_series,
    preview_suite,
)
from auditor.studies.reuse import Reuse
from auditor.studies.series import series
from auditor.workplace import Workplace
from reports.comparison_document import ComparisonDocument, comparison_document
from reports.document import Document, Either
from reports.page import page
from reports.record import Context, document, stability_document
from reports.similarity_document import SimilarityDocument
from reports.steady_document import SteadyDocument
from reports.trace_document import TraceDocument, trace_document
from runners.hosts.clock import SystemClock
from runners.hosts.local import LocalHost
from runners.rented.ledger import Ledger

MOST_LOOKED_UP = 1000
"""Pairs of which the store is asked what they lack, once the time for measuring is over."""


class Audit:
    """A subject made ready, with everything that can be asked of it."""

    def __init__(self, config: Config, parts: Parts, place: Workplace) -> None:
        """Take the parts; nothing is measured yet."""
        self._config = config
        self._reuse = Reuse(parts.observer, parts.project.revision)
        self._parts = replace(parts, observer=self._reuse)
        self._place = place
        self._number: int | None = None
        self._command = "abs"

    def plan(self) -> Preview:
        """Say what `abs` would measure."""
        known = remembered(self._config, self._parts.project, self._place)
        request = replace(self._config.request, popular=known)
        refuse_small_budget(request, self._parts)
        return preview(request, self._parts)

    def plan_suite(self) -> Preview:
        """Say what `stability` would measure."""
        return preview_suite(self._parts)

    def abs(self, command: str = "abs") -> AbsVerdict:
        """Find the API benchmarking score; `command` is what the store remembers it by."""
        known = remembered(self._config, self._parts.project, self._place)
        refuse_small_budget(replace(self._config.request, popular=known), self._parts)
        self._begin(command)
        popular = popularity(self._config, self._parts.project, self._place)
        request = replace(self._config.request, popular=popular)
        expected = expected_beforehand(request, self._parts)
        self._parts.observer.caveat(Caveat("expected-time", expected.text))
        return self._judged(request, self._parts)

    def so_far(self) -> AbsVerdict:
        """Judge what the store has of `abs`; nothing is measured, and the result is not kept."""
        known = remembered(self._config, self._parts.project, self._place)
        request = replace(self._config.request, popular=known)
        no_time = Deadline(self._parts.clock, 0)
        return self._judged(request, replace(self._parts, deadline=no_time))

    def _judged(self, request: AbsRequest, parts: Parts) -> AbsVerdict:
        verdict = abs_score.audit(request, parts)
        said = (*verdict.caveats, *self._left(request, verdict), *self._reuse.caveats())
        return replace(verdict, caveats=said)

    def _left(self, request: AbsRequest, verdict: AbsVerdict) -> Iterator[Caveat]:
        """Say what it would take to decide what there was no time for.

        Each lookup takes time, too, so of a large suite nothing is said, nor after the end.
        """
        deadline = self._parts.deadline
        late = deadline is not None and deadline.is_past
        if late or len(verdict.pairs) > MOST_LOOKED_UP:
            return
        if not any(one.slug in UNDECIDED for one in verdict.caveats):
            return
        phases = preview(request, replace(self._parts, deadline=None)).phases
        missing = sum(phase.trials - phase.known for phase in phases)
        text = (
            f"what is not decided for lack of time takes {missing} more processes at most, "
            f"about {duration(sum(phase.seconds for phase in phases))}"
        )
        yield Caveat("time-left", text)

    def stability(self) -> Stability:
        """Run the unchanged suite as often as asked."""
        self._begin("stability" if self._config.request.suite.stability_runs > 1 else "measure")
        verdict = stability.audit(self._parts)
        return replace(verdict, caveats=(*verdict.caveats, *self._reuse.caveats()))

    def plan_series(self, asked: SeriesRequest) -> Preview:
        """Say what `series` would measure."""
        return preview_series(asked, self._parts)

    def series(self, command: str, asked: SeriesRequest) -> StoredResults:
        """Watch the benchmarks from the start of their processes on, for a command."""
        self._begin(command)
        found = series(asked, self._parts)
        return replace(found, caveats=(*found.caveats, *self._reuse.caveats()))

    def circumstances(self, words: str, asked: SeriesRequest) -> Context:
        """Return those of a result of series; `words` are the command with its own options."""
        context = self._place.context(self._config, self._parts.project, words)
        return replace(context, plan=asked.plan, runs=1, stability_runs=1)

    def remember(self, made: SteadyDocument | SimilarityDocument, context: Context) -> None:
        """Keep a result of series in the store."""
        self._place.end(self._number, context, made)

    def trace(self) -> TraceDocument:
        """Count who calls which public method; the result is remembered in the store."""
        self._begin(TRACE)
        found = trace.suite_use(self._parts)
        found = replace(found, caveats=(*found.caveats, *self._reuse.caveats()))
        context = self._place.context(
            self._config, self._parts.project, f"{TRACE} --benchmarks", timed=False
        )
        made = trace_document(found, context)
        self._place.end(self._number, context, made)
        return made

    def document(self, verdict: AbsVerdict | Stability) -> Either:
        """Return the result, and remember it in the store."""
        context = self._place.context(self._config, self._parts.project, self._command)
        made = (
            document(verdict, context)
            if isinstance(verdict, AbsVerdict)
            else stability_document(verdict, context)
        )
        self._place.end(self._number, context, made)
        return made

    def page(self, made: Either) -> str:
        """Return the HTML report of a document."""
        return page(made)

    def _begin(self, command: str) -> None:
        self._command = command
        self._number = self._place.begin(command, self._config, self._parts.project)


class Comparing:
    """Two revisions of a subject made ready."""

    def __init__(
        self, configs: tuple[Config, Config], base: Parts, head: Parts, place: Workplace
    ) -> None:
        """Take the parts of both; nothing is measured yet."""
        config = configs[1]
        self._revisions = (as_revision(configs[0].subject), as_revision(config.subject))
        asked = asked_of(config.compare, config.request)
        self._config = replace(config, request=asked)
        self._base = base
        self._head = head
        self._place = place
        self._number: int | None = None

    def plan(self) -> Preview:
        """Say what `compare` would measure."""
        asked = self._config
        return preview_comparison(self._base, self._head, asked.compare, asked.request)

    def compare(self) -> Comparison:
        """Run the benchmarks of both in turns, then slow down what head has changed."""
        self._number = self._place.begin("compare", self._config, self._head.project)
        asked = self._config.compare
        patch, said = differing(self._base, self._head)
        changed = changed_methods(patch, self._base, self._head)
        found = ComparisonStudy(self._base, self._head, asked, changed).compare()
        reuse = Reuse(self._head.observer, self._head.project.revision)
        head = replace(self._head, observer=reuse)
        patch = audited(patch, asked.methods, self._config.request, head)
        return replace(found, patch=patch, caveats=(*found.caveats, *said, *reuse.caveats()))

    def audit_again(self, methods: Sequence[str]) -> AbsVerdict | None:
        """Slow changed methods down again, with new measurements only; None if the time is up."""
        if self._head.deadline is not None and self._head.deadline.is_past:
            return None
        return audited_again(methods, self._config.request, self._head)

    def document(self, found: Comparison) -> ComparisonDocument:
        """Return the result."""
        context = self._context()
        made = comparison_document(found, context, base=self._base.project.revision)
        self._place.end(self._number, context, made)
        return made

    def patch_document(self, verdict: AbsVerdict) -> Document:
        """Return the result of the audit of the patch."""
        return document(verdict, self._context())

    def _context(self) -> Context:
        words = ["compare", *map(shlex.quote, self._revisions)]
        return self._place.context(self._config, self._head.project, " ".join(words))


def _here(config: Config) -> Config:
    """Return it without its cluster: nothing is measured."""
    return replace(config, dispatch=None)


@contextmanager
def _workplace(
    config: Config, places: Places, environment: Mapping[str, str], observer: Observer
) -> Iterator[Workplace]:
    clock = SystemClock()
    ledger = Ledger(rented(environment), LocalHost(clock), clock, environment)
    with (
        open_cluster(config, ledger, clock, observer.caveat) as cluster,
        open_host(config, places, environment, clock) as opened,
    ):
        facts = cluster.facts if cluster else opened.host.facts()
        with SqliteStore(places.store, host=facts, retry_failed=config.retry_failed) as store:
            yield Workplace(config, opened, store, observer, cluster)


@contextmanager
def open_audit(
    config: Config, places: Places, environment: Mapping[str, str], observer: Observer
) -> Iterator[Audit]:
    """Make the subject ready and open its store."""
    with _workplace(config, places, environment, observer) as place:
        config, parts = place.ready(config)
        yield Audit(config, parts, place)


@contextmanager
def open_profiling(
    config: Config, places: Places, environment: Mapping[str, str], observer: Observer
) -> Iterator[Profiling]:
    """Place the library whose clients are to be traced, and open its store."""
    with _workplace(_here(config), places, environment, observer) as place:
        yield Profiling(config, place)


@contextmanager
def open_stubbing(
    config: Config, places: Places, environment: Mapping[str, str], observer: Observer
) -> Iterator[Stubbing]:
    """Place the library that benchmarks are to be begun for, and open its store."""
    with _workplace(_here(config), places, environment, observer) as place:
        yield Stubbing(config, place)


@contextmanager
def open_qualifying(
    config: Config,
    places: Places,
    environment: Mapping[str, str],
    observer: Observer,
    asked: QualifyRequest,
) -> Iterator[Qualifying]:
    """Make the subject ready that a gate is shown, and open its store."""
    with _workplace(config, places, environment, observer) as place:
        # The command is the user's own, and gets what they have.
        yield Qualifying(config, place, asked, environment)


@contextmanager
def open_comparison(
    revisions: tuple[Config, Config],
    places: Places,
    environment: Mapping[str, str],
    observer: Observer,
) -> Iterator[Comparing]:
    """Make base and head ready and open the store; raises UsageError for two harnesses."""
    with _workplace(revisions[1], places, environment, observer) as place:
        (before, base), (after, head) = (place.ready(one) for one in revisions)
        if base.project.harness != head.project.harness:
            raise UsageError(
                f"base is a project of {base.project.harness}, head one of "
                f"{head.project.harness}: nothing can be compared; name the --harness"
            )
        yield Comparing((before, after), base, head, place)
