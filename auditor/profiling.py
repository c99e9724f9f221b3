"""Tracing the clients of a library: makes the parts, and hands them to the study."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from auditor.config import Config
from auditor.core.caveats import Caveat
from auditor.core.errors import AuditError, FolderUnusable, OutOfTime, SubjectError
from auditor.core.ports import Dispatcher, Observer, Store
from auditor.core.profile import Popularity, UsageProfile
from auditor.core.request import ClientSpec
from auditor.core.subject import Project
from auditor.store.audits import PROFILE
from auditor.studies.clients import Client, usage_profile
from auditor.studies.parts import Deadline
from auditor.tracers import LibraryTracing, ReadyClient
from auditor.workplace import Workplace
from reports import profile_document as documents
from reports.profile_document import ProfileDocument
from runners.dispatch.machine import MachineDispatcher
from runners.dispatch.parallel import in_parallel
from runners.trial import TrialRunner


@dataclass(frozen=True, slots=True, kw_only=True)
class Workers:
    """What the study is handed."""

    dispatcher: Dispatcher
    store: Store
    observer: Observer
    deadline: Deadline | None


class Profiling:
    """A library placed, and the clients whose tests are to be traced."""

    def __init__(self, config: Config, place: Workplace) -> None:
        """Place the library; no client is made ready yet."""
        self._config = config
        self._place = place
        self._tracing = LibraryTracing(config.subject, config.build, place.machine)
        for note in self._tracing.notes:
            place.observer.caveat(Caveat("environment", note))

    def profile(self) -> ProfileDocument:
        """Trace the clients; the result is remembered in the store."""
        config, library = self._config, self._tracing.library
        number = self._place.begin(PROFILE, config, library.project)
        found = self._found()
        context = self._place.context(config, library.project, "trace", timed=False)
        made = documents.profile_document(found, context)
        self._place.end(number, context, made)
        return made

    def _found(self) -> UsageProfile:
        request, place, tracing = self._config.trace, self._place, self._tracing
        ready = dict(self._ready(request.clients))
        dispatcher = MachineDispatcher(place.lock, self._jobs, place.host.stop)
        for one in ready.values():
            if isinstance(one, ReadyClient):
                runner = TrialRunner(
                    project=one.project,
                    launcher=one.launcher,
                    host=place.machine.host,
                    builds=place.home.builds(one.project.digest),
                    clock=place.clock,
                )
                dispatcher.serve((one.project.whole.digest,), runner)
        workers = Workers(
            dispatcher=dispatcher,
            store=place.store,
            observer=place.observer,
            deadline=place.deadline,
        )
        clients = [_client(each.name, ready[each.name]) for each in request.clients]
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

        self._place.observer.phase_started("clients made ready", len(specs), 0.0)
        yield from in_parallel(make, specs, self._jobs, self._place.host.stop)


def _client(name: str, made: ReadyClient | str) -> Client:
    if isinstance(made, str):
        return Client(name, reason=made)
    return Client(name, made.project)


def popularity(config: Config, project: Project, place: Workplace) -> Popularity | None:
    """Return what is known of the use of a library where the methods are chosen for the user.

    It is that of the last profile in the store, or of the clients in the configuration, which are
    traced now; None where there are neither.
    """
    known = remembered(config, project, place)
    request = config.request
    is_chosen = request.methods is None and not request.baseline_methods
    if known is None and is_chosen and config.trace.clients:
        try:
            return documents.popularity(Profiling(config, place).profile())
        except SubjectError as error:
            place.observer.caveat(Caveat("clients-failed", str(error)))
    return known


def remembered(config: Config, project: Project, place: Workplace) -> Popularity | None:
    """Return what the last profile in the store tells, where the methods are chosen for the user.

    It may be of another revision: what users call changes slowly.
    """
    if config.request.methods is not None:
        return None
    found = place.last(PROFILE, project)
    return documents.popularity(found) if isinstance(found, ProfileDocument) else None
