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
from auditor.measure.context import Deadline
from auditor.session import AuditSession, SubjectWork, open_session
from auditor.store.audits import PROFILE, TRACE
from auditor.trace import document_clients
from auditor.trace.document import TraceDocument, build_trace_document
from auditor.trace.document_clients import ProfileDocument
from auditor.trace.study import PreparedClient, count_suite_calls, profile_usage
from reports import results
from runners.dispatch.machine import MachineDispatcher
from runners.dispatch.parallel import run_in_parallel
from runners.trial import TrialRunner


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceContext:
    """What the study is handed."""

    dispatcher: Dispatcher
    store: Store
    observer: Observer
    deadline: Deadline | None


class ClientProfiler:
    """A library placed, and the clients whose tests are to be traced."""

    def __init__(self, config: Config, session: AuditSession) -> None:
        """Place the library; no client is made ready yet."""
        self._config = config
        self._session = session
        self._tracing = LibraryTracing(config.subject, config.build, session.machine)
        for note in self._tracing.notes:
            session.observer.report_caveat(Caveat("environment", note))

    def profile_clients(self) -> ProfileDocument:
        """Trace the clients; the result is remembered in the store."""
        config, library = self._config, self._tracing.library
        number = self._session.begin_audit(PROFILE, config, library.project)
        profile = self._build_profile()
        context = self._session.make_context(config, library.project, "trace", timed=False)
        profile_document = document_clients.build_profile_document(profile, context)
        self._session.end_audit(number, context.ended, results.format_json(profile_document))
        return profile_document

    def _build_profile(self) -> UsageProfile:
        request, session, tracing = self._config.trace, self._session, self._tracing
        ready_clients = dict(self._prepare_clients(request.clients))
        dispatcher = MachineDispatcher(session.lock, self._job_count, session.host.stop_processes)
        for ready_client in ready_clients.values():
            if isinstance(ready_client, ReadyClient):
                runner = TrialRunner(
                    project=ready_client.project,
                    launcher=ready_client.launcher,
                    host=session.machine.host,
                    builds=session.home.make_builds_folder(ready_client.project.digest),
                    clock=session.clock,
                )
                dispatcher.register_runner((ready_client.project.all_inputs.digest,), runner)
        services = TraceContext(
            dispatcher=dispatcher,
            store=session.store,
            observer=session.observer,
            deadline=session.deadline,
        )
        clients = [
            _make_prepared_client(client.name, ready_clients[client.name])
            for client in request.clients
        ]
        return profile_usage(tracing.library, tracing.mutator, clients, request, services)

    @property
    def _job_count(self) -> int:
        return self._config.trace.jobs or os.cpu_count() or 1

    def _prepare_clients(
        self, specs: tuple[ClientSpec, ...]
    ) -> Iterator[tuple[str, ReadyClient | str]]:
        """Make clients ready side by side; those that cannot be have the reason."""

        def prepare_client(spec: ClientSpec) -> tuple[str, ReadyClient | str]:
            try:
                return spec.name, self._tracing.prepare_client(spec)
            except (OutOfTime, FolderUnusable):
                raise  # neither is about this client
            except AuditError as error:
                return spec.name, str(error)

        self._session.observer.phase_started("clients made ready", len(specs), 0.0)
        yield from run_in_parallel(
            prepare_client, specs, self._job_count, self._session.host.stop_processes
        )


def _make_prepared_client(name: str, client: ReadyClient | str) -> PreparedClient:
    if isinstance(client, str):
        return PreparedClient(name, reason=client)
    return PreparedClient(name, client.project)


@contextmanager
def open_profiling(
    config: Config, places: Places, environment: Mapping[str, str], observer: Observer
) -> Iterator[ClientProfiler]:
    """Place the library whose clients are to be traced, and open its store."""
    local_config = replace(config, dispatch=None)  # clients are not sent to a cluster
    with open_session(local_config, places, environment, observer) as session:
        yield ClientProfiler(config, session)


class SuiteTracer(SubjectWork):
    """A subject made ready, of whose own benchmarks and unit tests calls are counted."""

    def trace_suite(self) -> TraceDocument:
        """Count who calls which public method; the result is remembered in the store."""
        project = self._parts.project
        number = self._session.begin_audit(TRACE, self._config, project)
        usage = count_suite_calls(self._parts)
        usage = replace(usage, caveats=(*usage.caveats, *self._reuse.describe_reuse()))
        command = f"{TRACE} --suite"
        context = self._session.make_context(self._config, project, command, timed=False)
        document = build_trace_document(usage, context)
        self._session.end_audit(number, context.ended, results.format_json(document))
        return document


@contextmanager
def open_suite_tracing(
    config: Config, places: Places, environment: Mapping[str, str], observer: Observer
) -> Iterator[SuiteTracer]:
    """Make the subject ready and open its store."""
    with open_session(config, places, environment, observer) as session:
        config, parts = session.prepare_study(config)
        yield SuiteTracer(config, parts, session)


def find_popularity(config: Config, project: Project, session: AuditSession) -> Popularity | None:
    """Return what is known of the use of a library where the methods are chosen for the user.

    It is that of the last profile in the store, or of the clients in the configuration, which are
    traced now; None where there are neither.
    """
    stored_popularity = load_popularity(config, project, session)
    request = config.request
    is_chosen = request.methods is None and not request.baseline_methods
    if stored_popularity is None and is_chosen and config.trace.clients:
        try:
            return document_clients.extract_popularity(
                ClientProfiler(config, session).profile_clients()
            )
        except SubjectError as error:
            session.observer.report_caveat(Caveat("clients-failed", str(error)))
    return stored_popularity


def load_popularity(config: Config, project: Project, session: AuditSession) -> Popularity | None:
    """Return what the last profile in the store tells, where the methods are chosen for the user.

    It may be of another revision: what users call changes slowly.
    """
    if config.request.methods is not None:
        return None
    profile = session.find_last_result(PROFILE, project, document_clients.parse_document)
    return None if profile is None else document_clients.extract_popularity(profile)
