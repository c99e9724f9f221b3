"""The workers of a Dask cluster, as an audit sees them."""

import platform
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from importlib.util import find_spec
from typing import Any
from uuid import uuid4

from auditor.clusters.rented import RentedCluster, rent_cluster
from auditor.clusters.worker import (
    SubjectRecipe,
    WorkerInfo,
    WorkerQuestion,
    describe_worker,
    leave_session,
    run_trial,
    store_recipe,
)
from auditor.config import Config
from auditor.config.hosts import read_rental_file
from auditor.core.caveats import Caveat
from auditor.core.errors import MachineError, ToolMissing
from auditor.core.hosts import DaskSpec
from auditor.core.jobs import HostFacts
from auditor.core.plan import Trial
from auditor.core.ports import Clock, Host, Observer
from auditor.languages.subject_setup import PreparedSubject
from auditor.store.machines import make_machine_key
from auditor.versions import find_own_version, hash_own_code
from runners.dispatch.cluster import RESOURCE, ClusterDispatcher
from runners.hosts.limited import LimitedHost
from runners.rented.ledger import RentalLedger
from runners.subjects.placed import PlacedSubject
from runners.tree_archive import pack_folders

_CONNECT_SECONDS = 20.0
_ANSWER_SECONDS = 30.0
"""A worker imports us before it introduces itself."""
_GIVE_SECONDS = 0.05
"""How long others wait while one is given what it needs; a larger tree is asked for again."""
_LEAVE_SECONDS = 10.0
_LOOK_SECONDS = 0.2


class Cluster:
    """A scheduler that answers, and workers like each other: the crew of a dispatcher."""

    def __init__(
        self, client: Any, spec: DaskSpec, clock: Clock, rented: RentedCluster | None = None
    ) -> None:
        """Take a client of `distributed`, and what was rented for this audit."""
        self._client = client
        self._rented = rented
        self._crowded = spec.crowded
        self._patience = spec.patience_seconds
        self._clock = clock
        self._session = uuid4().hex
        self._crew: dict[str, WorkerInfo] = {}
        self._asked: dict[str, WorkerQuestion] = {}
        self._kind = ""
        self._recipes: dict[str, SubjectRecipe] = {}
        self._given: dict[tuple[str, str], WorkerQuestion] = {}
        self._measured_by: Callable[[str], str | None] = lambda _: None
        self._dispatcher: ClusterDispatcher | None = None

    @cached_property
    def host_facts(self) -> HostFacts:
        """Return the machine that all workers are like; raises MachineError where they are not."""
        until = self._clock.monotonic() + self._patience
        while True:
            self.require_usable()
            silent = self._meet_workers()
            if self._crew:
                return next(iter(self._crew.values())).host
            if self._clock.monotonic() > until:
                raise MachineError(
                    silent
                    or f"the cluster has had no worker for {self._patience:.0f} s; start some with "
                    f"dask worker ADDRESS --nworkers 1 --nthreads 1 --resources {RESOURCE}=1"
                )
            time.sleep(_LOOK_SECONDS)

    def prepare_dispatcher(
        self,
        subject: PreparedSubject,
        placed: PlacedSubject,
        observer: Observer,
        allowed: Callable[[Trial], bool],
        measured_by: Callable[[str], str | None],
    ) -> ClusterDispatcher:
        """Return what runs the trials of a subject, and of those that it was asked for before.

        They are begun as long as that is `allowed`, on the machine that has `measured_by` then
        their benchmark, where that is there.
        """
        self._measured_by = measured_by
        project = subject.ready.project
        recipe = SubjectRecipe(
            session=self._session,
            config=subject.config.text,
            placed=placed,
            tree=pack_folders([(".", placed.root)]),
            built=subject.ready.built(),
            digest=project.digest,
        )
        self._recipes |= dict.fromkeys(project.input_digests, recipe)
        if self._dispatcher is None:
            self._dispatcher = ClusterDispatcher(
                self._client,
                run_trial,
                self,
                clock=self._clock,
                on_caveat=observer.report_caveat,
                allowed=allowed,
                patience_seconds=self._patience,
            )
        return self._dispatcher

    def send_subject(self, worker: str, subject: str) -> tuple[Any, ...]:
        """Hand a worker the recipe of a subject, once for all that share it; returns its name.

        Raises TimeoutError while that is on its way, ConnectionError where the worker is lost.
        """
        recipe = self._recipes[subject]
        recipe_key = worker, recipe.digest
        if recipe_key not in self._given:
            self._given[recipe_key] = WorkerQuestion(self._client, store_recipe, [worker], recipe)
        try:
            self._given[recipe_key].wait_for_answer(_GIVE_SECONDS)
        except TimeoutError:
            raise
        except (ConnectionError, MachineError) as error:
            del self._given[recipe_key]
            raise ConnectionError(f"no work could be sent to {worker}: {error}") from error
        return recipe.session, recipe.digest

    def find_home_worker(self, benchmark: str) -> str | None:
        """Return the worker whose machine has measured a benchmark before, if there is one."""
        name = self._measured_by(benchmark)
        return next(
            (address for address, worker in self._crew.items() if worker.host.name == name), None
        )

    def explain_refusal(self, address: str) -> str:
        """Say why a worker cannot be used, nothing where it can; raises TimeoutError.

        What does not answer at once (its first import may be slow) stays asked: to ask again takes
        no time.
        """
        connected_workers = self._list_workers()
        self._crew = {
            crew_address: crew_worker
            for crew_address, crew_worker in self._crew.items()
            if crew_address in connected_workers
        }
        self._asked = {
            crew_address: question
            for crew_address, question in self._asked.items()
            if crew_address in connected_workers
        }
        if address not in connected_workers:
            return f"{address} has left"
        try:
            worker = self._query_worker(address)
        except MachineError as error:
            return str(error)
        if reason := self._explain_unusable(
            address, worker, connected_workers[address]["resources"]
        ):
            return reason
        self._crew[address] = worker
        self._kind = self._kind or make_machine_key(worker.host)
        return ""

    def require_usable(self) -> None:
        """Raise MachineError where what is rented may be used no longer."""
        if self._rented is not None:
            self._rented.replace_lost_machines()

    def limit_host(self, host: Host) -> Host:
        """Return a host that runs nothing for longer than what is rented may be used."""
        rented = self._rented
        return (
            host
            if rented is None
            else LimitedHost(host, lambda: rented.remaining_seconds, rented.make_ceiling_error)
        )

    def stop_trials(self) -> None:
        """End what workers run for this audit, for good; one that does not answer is let be."""
        if crew_workers := [worker for worker in self._list_workers() if worker in self._crew]:
            with suppress(MachineError, OSError):
                WorkerQuestion(
                    self._client, leave_session, crew_workers, self._session
                ).wait_for_answer(_LEAVE_SECONDS)
        self._crew.clear()

    def _meet_workers(self) -> str:
        """Meet all workers, and say of one that it does not answer: it is asked again later.

        Raises MachineError where one cannot be used.
        """
        silent = ""
        for address in sorted(self._list_workers()):
            try:
                reason = self.explain_refusal(address)
            except TimeoutError as error:
                silent = str(error)
            else:
                if reason and address in self._list_workers():
                    raise MachineError(reason)
        return silent

    def _explain_unusable(
        self, address: str, worker: WorkerInfo, resources: Mapping[str, float]
    ) -> str:
        if difference := _describe_difference(worker):
            return f"{address} has {difference}; install the same version"
        local_python, kind = platform.python_version(), make_machine_key(worker.host)
        if worker.python.rpartition(".")[0] != local_python.rpartition(".")[0]:
            return (
                f"{address} has Python {worker.python}, this is {local_python}; what is sent needs "
                "the same one"
            )
        if self._kind and kind != self._kind:
            return (
                f"workers are of unlike machines, whose times are not compared: {address} is "
                f"{kind}, others are {self._kind}"
            )
        neighbours = [
            other_address
            for other_address, other_worker in self._crew.items()
            if other_worker.host.name == worker.host.name
        ]
        if neighbours and not self._crowded:
            return (
                f"{address} and {neighbours[0]} are on one machine ({worker.host.name}), where "
                "they would measure each other; start one for each (--nworkers 1 --nthreads 1)"
            )
        if resources.get(RESOURCE) != 1:
            return (
                f"{address} was started without --resources {RESOURCE}=1, so that nothing keeps "
                "it to one trial at a time"
            )
        return ""

    def _query_worker(self, address: str) -> WorkerInfo:
        """Return what a worker says of itself; raises TimeoutError where that is nothing yet."""
        question = self._asked.pop(address, None)
        seconds = _ANSWER_SECONDS if question is None else 0.0
        question = question or WorkerQuestion(self._client, describe_worker, [address])
        try:
            worker: WorkerInfo = question.wait_for_answer(seconds)[address]
        except TimeoutError:
            self._asked[address] = question
            raise
        except ConnectionError as error:
            self._asked[address] = WorkerQuestion(self._client, describe_worker, [address])
            raise TimeoutError(str(error)) from error
        return worker

    def _list_workers(self) -> Mapping[str, Any]:
        # Without a scheduler that answers a client says what it knew, or nothing at all.
        return dict(self._client.scheduler_info(n_workers=-1).get("workers", {}))


def _describe_difference(worker: WorkerInfo) -> str:
    """Say what a worker has in the place of this program, nothing where it has the same."""
    local_version = find_own_version()
    if worker.version != local_version:
        return f"bench-audit {worker.version}, this is {local_version}"
    # What an older one says of itself has no such field.
    return (
        ""
        if getattr(worker, "code", "") == hash_own_code()
        else f"other code of bench-audit {local_version} than this"
    )


@contextmanager
def open_cluster(
    config: Config, ledger: RentalLedger, clock: Clock, report_caveat: Callable[[Caveat], None]
) -> Iterator[Cluster | None]:
    """Connect to the scheduler of a configuration, None where it names none; or start one.

    Raises MachineError, and ToolMissing without the extra `cluster`.
    """
    spec = config.dispatch
    if spec is None:
        yield None
        return
    if find_spec("distributed") is None:
        raise ToolMissing(
            'distributed, which clusters need, is missing; install "bench-audit[cluster]"'
        )
    with ExitStack() as stack:
        rented_cluster: RentedCluster | None = None
        if spec.rent is not None:
            rented_cluster = stack.enter_context(
                rent_cluster(read_rental_file(spec.rent), ledger, clock, report_caveat)
            )
        address = rented_cluster.scheduler_address if rented_cluster else spec.scheduler or ""
        client = stack.enter_context(
            _connect_client(address, rented_cluster and rented_cluster.security)
        )
        cluster = Cluster(client, spec, clock, rented_cluster)
        stack.callback(cluster.stop_trials)
        yield cluster


def _connect_client(address: str, security: Any) -> Any:
    """Connect to a scheduler; raises MachineError. Without `security` Dask's own is asked."""
    from distributed import Client, Security  # noqa: PLC0415 an extra, and slow to import

    connection_arguments = (security or Security()).get_connection_args("client")
    if address.startswith("tls://") and connection_arguments.get("ssl_context") is None:
        raise MachineError(
            f"{address} needs TLS certificates; set DASK_DISTRIBUTED__COMM__TLS__CA_FILE and "
            "..._CLIENT__CERT, ..._CLIENT__KEY"
        )
    try:
        return Client(address, timeout=_CONNECT_SECONDS, set_as_default=False, security=security)
    except (OSError, ValueError) as error:
        raise MachineError(
            f"no Dask scheduler answers at {address} ({error}); start one with dask "
            "scheduler, and name the address that it prints"
        ) from error
