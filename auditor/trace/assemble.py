"""Tracing a library's clients, or the project's own suite: makes the parts for the studies."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from auditor.config import Config, Places
from auditor.core.caveats import Caveat
from auditor.core.errors import AuditError, FolderUnusable, OutOfTime, SubjectError
from auditor.core.popularity import Popularity, UsageProfile
from auditor.core.ports import Dispatcher, Observer, Store
from auditor.core.request import ClientSpec
from auditor.core.subject import Project
from auditor.languages.library_tracing import LibraryTracing
from auditor.languages.model import ReadyClient
from auditor.measure.context import Deadline, StudyContext
from auditor.measure.reuse import Reuse
from auditor.session import Session, open_session
from auditor.store.audits import PROFILE, TRACE
from auditor.trace import document_clients
from auditor.trace.document import TraceDocument, trace_document
from auditor.trace.document_clients import ProfileDocument
from auditor.trace.study import suite_use
from auditor.trace.study_clients import PreparedClient, usage_profile
from reports import results
from runners.dispatch.machine import MachineDispatcher
from runners.dispatch.parallel import in_parallel
from runners.trial import TrialRunner


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceContext:
    """What the study is handed."""

    dispatcher: Dispatcher
    store: Store
    observer: Observer
    deadline: Deadline | None


class Profiling:
    """A library placed, and the clients whose tests are to be traced."""

    def __init__(self, config: Config, session: Session) -> None:
        """Place the library; no client is made ready yet."""
        self._config = config
        self._session = session
        self._tracing = LibraryTracing(config.subject, config.build, session.machine)
        for note in self._tracing.notes:
            session.observer.caveat(Caveat("environment", note))

    def profile(self) -> ProfileDocument:
        """Trace the clients; the result is remembered in the store."""
        config, library = self._config, self._tracing.library
        number = self._session.begin(PROFILE, config, library.project)
        profile = self._found()
        context = self._session.context(config, library.project, "trace", timed=False)
        profile_document = document_clients.profile_document(profile, context)
        self._session.end(number, context.ended, results.text(profile_document))
        return profile_document

    def _found(self) -> UsageProfile:
        request, session, tracing = self._config.trace, self._session, self._tracing
        ready = dict(self._ready(request.clients))
        dispatcher = MachineDispatcher(session.lock, self._jobs, session.host.stop)
        for ready_client in ready.values():
            if isinstance(ready_client, ReadyClient):
                runner = TrialRunner(
                    project=ready_client.project,
                    launcher=ready_client.launcher,
                    host=session.machine.host,
                    builds=session.home.builds(ready_client.project.digest),
                    clock=session.clock,
                )
                dispatcher.serve((ready_client.project.whole.digest,), runner)
        workers = TraceContext(
            dispatcher=dispatcher,
            store=session.store,
            observer=session.observer,
            deadline=session.deadline,
        )
        clients = [_client(client.name, ready[client.name]) for client in request.clients]
        return usage_profile(tracing.library, tracing.mutator, clients, request, workers)

    @property
    def _jobs(self) -> int:
        return self._config.trace.jobs or os.cpu_count() or 1

    def _ready(self, specs: tuple[ClientSpec, ...]) -> Iterator[tuple[str, ReadyClient | str]]:
        """Make clients ready side by side; those that cannot be have the reason."""

        def make(spec: ClientSpec) -> tuple[str, ReadyClient | str]:
            try:
                return spec.name, self._tracing.client(spec)
            except (OutOfTime, FolderUnusable):
                raise  # neither is about this client
            except AuditError as error:
                return spec.name, str(error)

        self._session.observer.phase_started("clients made ready", len(specs), 0.0)
        yield from in_parallel(make, specs, self._jobs, self._session.host.stop)


def _client(name: str, client: ReadyClient | str) -> PreparedClient:
    if isinstance(client, str):
        return PreparedClient(name, reason=client)
    return PreparedClient(name, client.project)


@contextmanager
def open_profiling(
    config: Config, places: Places, environment: Mapping[str, str], observer: Observer
) -> Iterator[Profiling]:
    """Place the library whose clients are to be traced, and open its store."""
    here = replace(config, dispatch=None)  # clients are not sent to a cluster
    with open_session(here, places, environment, observer) as session:
        yield Profiling(config, session)


class SuiteTracing:
    """A subject made ready, of whose own benchmarks and unit tests calls are counted."""

    def __init__(self, config: Config, parts: StudyContext, session: Session) -> None:
        """Take the parts; nothing is run yet."""
        self._config = config
        self._reuse = Reuse(parts.observer, parts.project.revision)
        self._parts = replace(parts, observer=self._reuse)
        self._session = session

    def trace(self) -> TraceDocument:
        """Count who calls which public method; the result is remembered in the store."""
        project = self._parts.project
        number = self._session.begin(TRACE, self._config, project)
        usage = suite_use(self._parts)
        usage = replace(usage, caveats=(*usage.caveats, *self._reuse.caveats()))
        command = f"{TRACE} --suite"
        context = self._session.context(self._config, project, command, timed=False)
        document = trace_document(usage, context)
        self._session.end(number, context.ended, results.text(document))
        return document


@contextmanager
def open_suite_tracing(
    config: Config, places: Places, environment: Mapping[str, str], observer: Observer
) -> Iterator[SuiteTracing]:
    """Make the subject ready and open its store."""
    with open_session(config, places, environment, observer) as session:
        config, parts = session.ready(config)
        yield SuiteTracing(config, parts, session)


def popularity(config: Config, project: Project, session: Session) -> Popularity | None:
    """Return what is known of the use of a library where the methods are chosen for the user.

    It is that of the last profile in the store, or of the clients in the configuration, which are
    traced now; None where there are neither.
    """
    known = stored_popularity(config, project, session)
    request = config.request
    is_chosen = request.methods is None and not request.baseline_methods
    if known is None and is_chosen and config.trace.clients:
        try:
            return document_clients.popularity(Profiling(config, session).profile())
        except SubjectError as error:
            session.observer.caveat(Caveat("clients-failed", str(error)))
    return known


def stored_popularity(config: Config, project: Project, session: Session) -> Popularity | None:
    """Return what the last profile in the store tells, where the methods are chosen for the user.

    It may be of another revision: what users call changes slowly.
    """
    if config.request.methods is not None:
        return None
    profile = session.last(PROFILE, project, document_clients.read)
    return None if profile is None else document_clients.popularity(profile)
