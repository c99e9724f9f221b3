"""Where subjects are made ready and measured: this machine, one store, one deadline."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from auditor.audits.steady.watching import Watchers
from auditor.config import Config, Places
from auditor.core.ports import Clock, Observer
from auditor.core.subject import Project
from auditor.core.suite import Suite
from auditor.harnesses import Machine, make_ready
from auditor.store.audits import COMPARE, PROFILE, TRACE, AuditRecord
from auditor.store.listings import Listings
from auditor.store.machines import left_out
from auditor.store.sqlite import SqliteStore
from auditor.studies.parts import Deadline, Parts
from reports import comparison_document, profile_document, trace_document
from reports import document as documents
from reports.comparison_document import ComparisonDocument
from reports.document import Either
from reports.profile_document import ProfileDocument
from reports.record import Context
from reports.similarity_document import SimilarityDocument
from reports.steady_document import SteadyDocument
from reports.trace_document import TraceDocument
from runners.dispatch.serial import SerialDispatcher
from runners.home import Home
from runners.hosts.clock import SystemClock
from runners.hosts.limited import LimitedHost
from runners.hosts.local import LocalHost
from runners.trial import Bench

AnyDocument = Either | ComparisonDocument | TraceDocument | ProfileDocument
OfSeries = SteadyDocument | SimilarityDocument
_READERS: Mapping[str, Callable[[str], AnyDocument]] = {
    COMPARE: comparison_document.read,
    TRACE: trace_document.read,
    PROFILE: profile_document.read,
}
"""What reads the results that are none of `reports.document`."""


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
        self.host = LocalHost(self.clock)
        self.store = store
        self.observer = observer
        self.home = Home(places.home)
        budget = config.request.suite.budget_seconds
        self.deadline = deadline = None if budget is None else Deadline(self.clock, budget)
        self.machine = Machine(
            home=self.home,
            host=self.host if deadline is None else LimitedHost(self.host, lambda: deadline.left),
            environment=tuple(sorted(environment.items())),
        )

    def ready(self, config: Config) -> tuple[Config, Parts]:
        """Place a subject and list its suite; the plan gets what was left to the harness."""
        ready, support = make_ready(config, self.machine)
        config = config.at_pace(support.pace)
        project, request = ready.project, config.request.suite
        bench = Bench(
            project=project,
            harness=ready.harness,
            host=self.machine.host,
            builds=self.home.work(f"builds/{project.digest}"),
            clock=self.clock,
            watchers=Watchers(config.model),
        )
        if not_used := left_out(self.store.elsewhere(*project.subjects)):
            self.observer.caveat(not_used)
        listings = Listings(self.store, project, request.timeout_seconds, own_version())
        return config, Parts(
            project=project,
            suite=_suite(bench, listings),
            request=request,
            fixed_operations=ready.harness.fixed_operations,
            layouts=ready.harness.layouts(project),
            mutator=support.mutator,
            dispatcher=SerialDispatcher(bench, self.lock),
            store=self.store,
            observer=self.observer,
            clock=self.clock,
            deadline=self.deadline,
        )

    @property
    def lock(self) -> Path:
        """Return the file whose lock means "somebody measures on this machine"."""
        return self.home.root / "machine.lock"

    def begin(self, command: str, config: Config, project: Project) -> int:
        """Remember in the store that a command has been started; return its number."""
        self.store.add_project(project)
        return self.store.add_audit(
            AuditRecord(
                command=command,
                subject=project.digest,
                config=config.text,
                tools=project.versions,
                version=own_version(),
                started=self.started,
            )
        )

    def end(
        self,
        number: int | None,
        context: Context,
        made: AnyDocument | OfSeries,
    ) -> None:
        """Remember its result; a number of None is of a command that measures nothing."""
        if number is not None:
            self.store.end_audit(number, context.ended, documents.text(made))

    def last(self, command: str, project: Project) -> AnyDocument | None:
        """Return the last result of a command that the store has of a project, of any revision."""
        for audit in reversed(self.store.audits()):
            if audit.command == command and audit.ended is not None:
                found = _READERS.get(command, documents.read)(self.store.result(audit))
                if (found.subject, found.language) == (project.name, project.language):
                    return found
        return None

    def context(self, config: Config, project: Project, command: str) -> Context:
        """Return the circumstances of a verdict that has just been reached."""
        request = config.request
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
