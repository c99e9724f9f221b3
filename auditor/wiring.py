"""Makes the parts of an audit and hands them to the studies."""

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version

from auditor.config import Config, Places
from auditor.config.subjects import as_revision
from auditor.core.comparison import Comparison
from auditor.core.errors import UsageError
from auditor.core.ports import Clock, Host, Observer
from auditor.core.suite import Suite
from auditor.core.verdict import AbsVerdict, Stability
from auditor.harnesses import Machine, make_ready
from auditor.store.listings import Listings
from auditor.store.machines import left_out
from auditor.store.sqlite import TRACE, AuditRecord, SqliteStore
from auditor.studies import abs_score, stability, trace
from auditor.studies.comparison import ComparisonStudy
from auditor.studies.parts import Deadline, Parts
from auditor.studies.patch import asked_of, audited, differing
from auditor.studies.preview import Preview, preview, preview_suite
from auditor.studies.reuse import Reuse
from reports import document as documents
from reports.comparison_document import ComparisonDocument, comparison_document
from reports.document import Document, Either
from reports.page import page
from reports.record import Context, document, stability_document
from reports.trace_document import TraceDocument, trace_document
from runners.dispatch.serial import SerialDispatcher
from runners.home import Home
from runners.hosts.clock import SystemClock
from runners.hosts.limited import LimitedHost
from runners.hosts.local import LocalHost
from runners.trial import Bench


class Audit:
    """A subject made ready, with everything that can be asked of it."""

    def __init__(self, config: Config, parts: Parts, place: "Workplace") -> None:
        """Take the parts; nothing is measured yet."""
        self._config = config
        self._reuse = Reuse(parts.observer, parts.project.revision)
        self._parts = replace(parts, observer=self._reuse)
        self._place = place
        self._number: int | None = None
        self._command = "abs"

    def plan(self) -> Preview:
        """Say what `abs` would measure."""
        return preview(self._config.request, self._parts)

    def plan_suite(self) -> Preview:
        """Say what `stability` would measure."""
        return preview_suite(self._parts)

    def abs(self) -> AbsVerdict:
        """Find the API benchmarking score."""
        self._begin("abs")
        verdict = abs_score.audit(self._config.request, self._parts)
        return replace(verdict, caveats=(*verdict.caveats, *self._reuse.caveats()))

    def stability(self) -> Stability:
        """Run the unchanged suite as often as asked."""
        self._begin("stability" if self._config.request.suite.stability_runs > 1 else "measure")
        verdict = stability.audit(self._parts)
        return replace(verdict, caveats=(*verdict.caveats, *self._reuse.caveats()))

    def trace(self) -> TraceDocument:
        """Count who calls which public method; the result is remembered in the store."""
        self._begin(TRACE)
        found = trace.suite_use(self._parts)
        found = replace(found, caveats=(*found.caveats, *self._reuse.caveats()))
        context = self._place.context(self._config, self._parts, f"{TRACE} --benchmarks")
        made = trace_document(found, context)
        self._place.end(self._number, context, made)
        return made

    def document(self, verdict: AbsVerdict | Stability) -> Either:
        """Return the result, and remember it in the store."""
        context = self._place.context(self._config, self._parts, self._command)
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
        self._number = self._place.begin(command, self._config, self._parts)


class Comparing:
    """Two revisions of a subject made ready."""

    def __init__(
        self, configs: tuple[Config, Config], base: Parts, head: Parts, place: "Workplace"
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

    def compare(self) -> Comparison:
        """Run the benchmarks of both in turns, then slow down what head has changed."""
        self._number = self._place.begin("compare", self._config, self._head)
        asked = self._config.compare
        patch, said = differing(self._base, self._head)
        found = ComparisonStudy(self._base, self._head, asked).compare()
        reuse = Reuse(self._head.observer, self._head.project.revision)
        head = replace(self._head, observer=reuse)
        patch = audited(patch, asked.methods, self._config.request, head)
        return replace(found, patch=patch, caveats=(*found.caveats, *said, *reuse.caveats()))

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
        return self._place.context(self._config, self._head, " ".join(words))


class Workplace:
    """Where subjects are made ready and measured: this machine, one store, one deadline."""

    def __init__(
        self,
        config: Config,
        places: Places,
        environment: Mapping[str, str],
        store: SqliteStore,
        observer: Observer,
    ) -> None:
        """Begin the clock of the budget."""
        self.clock: Clock = SystemClock()
        self.started = self.clock.now()
        self.host: Host = LocalHost(self.clock)
        self.store = store
        self._observer = observer
        self._home = Home(places.home)
        budget = config.request.suite.budget_seconds
        self._deadline = deadline = None if budget is None else Deadline(self.clock, budget)
        self._machine = Machine(
            home=self._home,
            host=self.host if deadline is None else LimitedHost(self.host, lambda: deadline.left),
            environment=tuple(sorted(environment.items())),
        )

    def ready(self, config: Config) -> tuple[Config, Parts]:
        """Place a subject and list its suite; the plan gets what was left to the harness."""
        ready, support = make_ready(config, self._machine)
        config = config.at_pace(support.pace)
        project, request = ready.project, config.request.suite
        bench = Bench(
            project=project,
            harness=ready.harness,
            host=self._machine.host,
            builds=self._home.work(f"builds/{project.digest}"),
            clock=self.clock,
        )
        if not_used := left_out(self.store.elsewhere(*project.subjects)):
            self._observer.caveat(not_used)
        listings = Listings(self.store, project, request.timeout_seconds, own_version())
        return config, Parts(
            project=project,
            suite=_suite(bench, listings),
            request=request,
            fixed_operations=ready.harness.fixed_operations,
            layouts=ready.harness.layouts(project),
            mutator=support.mutator,
            dispatcher=SerialDispatcher(bench, self._home.root / "machine.lock"),
            store=self.store,
            observer=self._observer,
            clock=self.clock,
            deadline=self._deadline,
        )

    def begin(self, command: str, config: Config, parts: Parts) -> int:
        """Remember in the store that a command has been started; return its number."""
        return self.store.add_audit(
            AuditRecord(
                command=command,
                subject=parts.project.digest,
                config=config.text,
                tools=parts.project.versions,
                version=own_version(),
                started=self.started,
            )
        )

    def end(
        self,
        number: int | None,
        context: Context,
        made: Either | ComparisonDocument | TraceDocument,
    ) -> None:
        """Remember its result; a number of None is of a command that measures nothing."""
        if number is not None:
            self.store.end_audit(number, context.ended, documents.text(made))

    def context(self, config: Config, parts: Parts, command: str) -> Context:
        """Return the circumstances of a verdict that has just been reached."""
        project, request = parts.project, config.request
        facts = self.host.facts()
        return Context(
            subject=project.name,
            revision=project.revision,
            language=project.language,
            harness=project.harness,
            host=facts.name,
            host_facts=facts.facts,
            seed=request.suite.seed,
            plan=request.suite.plan,
            runs=request.runs,
            stability_runs=request.suite.stability_runs,
            wait=request.wait or "auto",
            versions=project.versions,
            version=own_version(),
            command=f"bench-audit {command} config.json",
            config=config.text,
            started=self.started,
            ended=self.clock.now(),
        )


@contextmanager
def _workplace(
    config: Config, places: Places, environment: Mapping[str, str], observer: Observer
) -> Iterator[Workplace]:
    if config.host != "local":
        raise UsageError(f"unknown host {config.host!r}; known: local")
    facts, retry = LocalHost().facts(), config.retry_failed
    with SqliteStore(places.store, host=facts, retry_failed=retry) as store:
        yield Workplace(config, places, environment, store, observer)


@contextmanager
def open_audit(
    config: Config, places: Places, environment: Mapping[str, str], observer: Observer
) -> Iterator[Audit]:
    """Make the subject ready and open its store."""
    with _workplace(config, places, environment, observer) as place:
        yield Audit(*place.ready(config), place)


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


def _suite(bench: Bench, listings: Listings) -> Suite:
    """List the benchmarks that the store does not know; the sources are read each time."""
    if (known := listings.whole()) is not None:
        return replace(known, sources=bench.sources())
    suite = bench.discover(listings.groups())
    listings.add(suite)
    return suite


def own_version() -> str:
    """Return the version of this program."""
    try:
        return version("bench-audit")
    except PackageNotFoundError:
        return "unknown"
