"""The workers of a Dask cluster, as an audit sees them."""

import io
import platform
import tarfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from importlib.util import find_spec
from typing import Any
from uuid import uuid4

from auditor.benches import Benched
from auditor.clusters.rented import Rented, rented
from auditor.clusters.worker import Recipe, Worker, introduce, leave, run_trial
from auditor.config import Config
from auditor.config.rented import described
from auditor.core.caveats import Caveat
from auditor.core.errors import MachineError, ToolMissing
from auditor.core.hosts import DaskSpec
from auditor.core.jobs import HostFacts
from auditor.core.ports import Clock, Observer
from auditor.store.machines import machine
from auditor.versions import own_version
from runners.dispatch.cluster import RESOURCE, ClusterDispatcher
from runners.rented.ledger import Ledger
from runners.subjects.placed import Placed

_CONNECT_SECONDS = 20.0
_ANSWER_SECONDS = 30.0
"""A worker imports us before it introduces itself."""
_LEAVE_SECONDS = 10.0


class Cluster:
    """A scheduler that answers, and workers like each other: the crew of a dispatcher."""

    def __init__(
        self, client: Any, asked: DaskSpec, clock: Clock, rented: Rented | None = None
    ) -> None:
        """Take a client of `distributed`, and what was rented for this audit."""
        self._client = client
        self._rented = rented
        self._crowded = asked.crowded
        self._patience = asked.patience_seconds
        self._clock = clock
        self._session = uuid4().hex
        self._crew: dict[str, Worker] = {}
        self._kind = ""
        self._recipes: dict[str, Recipe] = {}
        self._dispatcher: ClusterDispatcher | None = None

    @cached_property
    def facts(self) -> HostFacts:
        """Return the machine that all workers are like; raises MachineError where they are not."""
        try:
            self._client.wait_for_workers(1, timeout=self._patience)
        except TimeoutError as error:
            raise MachineError(
                f"the cluster has had no worker for {self._patience:.0f} s; start some with "
                f"dask worker ADDRESS --nworkers 1 --nthreads 1 --resources {RESOURCE}=1"
            ) from error
        for address in sorted(self._workers()):
            if reason := self.admit(address):
                raise MachineError(reason)
        return next(iter(self._crew.values())).host

    def serving(self, made: Benched, placed: Placed, observer: Observer) -> ClusterDispatcher:
        """Return what runs the trials of a subject, and of those that it was asked for before."""
        project = made.ready.project
        recipe = Recipe(self._session, made.config.text, placed, _packed(placed), project.digest)
        self._recipes |= dict.fromkeys(project.subjects, recipe)
        if self._dispatcher is None:
            self._dispatcher = ClusterDispatcher(
                self._client,
                run_trial,
                self,
                clock=self._clock,
                told=observer.caveat,
                patience_seconds=self._patience,
            )
        return self._dispatcher

    def given(self, subject: str) -> tuple[Any, ...]:
        """Hand the recipe of a subject to all workers."""
        return (self._client.scatter(self._recipes[subject], broadcast=True, hash=False),)

    def admit(self, address: str) -> str:
        """Say why a worker cannot be used; nothing where it can."""
        there = self._workers()
        self._crew = {one: said for one, said in self._crew.items() if one in there}
        if address not in there:
            return f"{address} has left"
        try:
            said = self._ask(introduce, [address], _ANSWER_SECONDS)[address]
        except MachineError as error:
            return str(error)
        if reason := self._unusable(address, said, there[address]["resources"]):
            return reason
        self._crew[address] = said
        self._kind = self._kind or machine(said.host)
        return ""

    def require(self) -> None:
        """Raise MachineError where what is rented may be used no longer."""
        if self._rented is not None:
            self._rented.require()

    def stop(self) -> None:
        """End what workers run for this audit, for good; one that does not answer is let be."""
        if there := [one for one in self._workers() if one in self._crew]:
            with suppress(MachineError):
                self._ask(leave, there, _LEAVE_SECONDS, self._session)
        self._crew.clear()

    def _unusable(self, address: str, said: Worker, resources: Mapping[str, float]) -> str:
        mine, here, kind = own_version(), platform.python_version(), machine(said.host)
        if said.version != mine:
            return (
                f"{address} has bench-audit {said.version}, this is {mine}; install the same "
                "version"
            )
        if said.python.rpartition(".")[0] != here.rpartition(".")[0]:
            return (
                f"{address} has Python {said.python}, this is {here}; what is sent needs the same "
                "one"
            )
        if self._kind and kind != self._kind:
            return (
                f"workers are of unlike machines, whose times are not compared: {address} is "
                f"{kind}, others are {self._kind}"
            )
        beside = [one for one, each in self._crew.items() if each.host.name == said.host.name]
        if beside and not self._crowded:
            return (
                f"{address} and {beside[0]} are on one machine ({said.host.name}), where they "
                "would measure each other; start one for each (--nworkers 1 --nthreads 1)"
            )
        if resources.get(RESOURCE) != 1:
            return (
                f"{address} was started without --resources {RESOURCE}=1, so that nothing keeps "
                "it to one trial at a time"
            )
        return ""

    def _ask(
        self, function: Callable[..., Any], workers: Sequence[str], seconds: float, *given: Any
    ) -> Mapping[str, Any]:
        """Let workers call a function beside what they run; raises MachineError."""
        answers: list[Mapping[str, Any]] = []
        errors: list[Exception] = []

        def call() -> None:
            try:
                answers.append(self._client.run(function, *given, workers=workers))
            except Exception as error:  # whatever a worker says that lacks us
                errors.append(error)

        # The client itself waits for ever for one that has been halted.
        thread = threading.Thread(target=call, daemon=True)
        thread.start()
        thread.join(seconds)
        named = ", ".join(workers)
        if not answers and not errors:
            raise MachineError(f"{named} does not answer")
        if errors and isinstance(errors[0], OSError):
            raise MachineError(f"{named} does not answer: {errors[0]}") from errors[0]
        if errors:
            raise MachineError(
                f"{named} cannot run bench-audit {own_version()}: install the same version for "
                f"its Python ({type(errors[0]).__name__}: {errors[0]})"
            ) from errors[0]
        return answers[0]

    def _workers(self) -> Mapping[str, Any]:
        return dict(self._client.scheduler_info(n_workers=-1)["workers"])


@contextmanager
def open_cluster(
    config: Config, ledger: Ledger, clock: Clock, told: Callable[[Caveat], None]
) -> Iterator[Cluster | None]:
    """Connect to the scheduler of a configuration, None where it names none; or start one.

    Raises MachineError, and ToolMissing without the extra `cluster`.
    """
    asked = config.dispatch
    if asked is None:
        yield None
        return
    if find_spec("distributed") is None:
        raise ToolMissing(
            'distributed, which clusters need, is missing; install "bench-audit[cluster]"'
        )
    with ExitStack() as stack:
        found: Rented | None = None
        if asked.rent is not None:
            found = stack.enter_context(rented(described(asked.rent), ledger, clock, told))
        address = found.address if found else asked.scheduler or ""
        client = stack.enter_context(_client(address, found and found.security))
        cluster = Cluster(client, asked, clock, found)
        stack.callback(cluster.stop)
        yield cluster


def _client(address: str, security: Any) -> Any:
    """Connect to a scheduler; raises MachineError. Without `security` Dask's own is asked."""
    from distributed import Client, Security  # noqa: PLC0415 an extra, and slow to import

    known = (security or Security()).get_connection_args("client")
    if address.startswith("tls://") and known.get("ssl_context") is None:
        raise MachineError(
            f"{address} needs certificates, and Dask has none here; name them in "
            "DASK_DISTRIBUTED__COMM__TLS__CA_FILE and ..._CLIENT__CERT, ..._CLIENT__KEY"
        )
    try:
        return Client(address, timeout=_CONNECT_SECONDS, set_as_default=False, security=security)
    except (OSError, ValueError) as error:
        raise MachineError(
            f"no Dask scheduler answers at {address} ({error}); start one with dask "
            "scheduler, and name the address that it prints"
        ) from error


def _packed(placed: Placed) -> bytes:
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w:gz") as archive:
        archive.add(placed.root, ".")
    return into.getvalue()
