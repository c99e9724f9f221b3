"""Trials on the machines of a Dask cluster, one at a time on each."""

import math
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from auditor.core.caveats import Caveat
from auditor.core.errors import AuditError, MachineError, WorkerUnusable
from auditor.core.plan import Run, Trial
from auditor.core.ports import Clock

_AGAIN_SECONDS = 5.0
"""After how long a worker is asked again that did not answer."""


class WorkerPool(Protocol):
    """Those who work on a cluster."""

    def send_subject(self, worker: str, subject: str) -> tuple[Any, ...]:
        """Hand a worker what trials of a subject need; return what names that there.

        Raises OSError where it has not got that yet, or is lost; to ask again takes no time.
        """

    def find_home_worker(self, benchmark: str) -> str | None:
        """Return the worker whose machine has measured a benchmark before, if there is one."""

    def explain_refusal(self, worker: str) -> str:
        """Say why a worker cannot be used, nothing where it can.

        Raises TimeoutError where it does not answer yet; to ask again takes no time.
        """

    def require_usable(self) -> None:
        """Raise MachineError where they may work no longer."""

    def stop_trials(self) -> None:
        """End what they run, for good."""


class WorkerAdmission:
    """Remembers who was refused, and who has not answered."""

    def __init__(self, crew: WorkerPool, clock: Clock, on_caveat: Callable[[Caveat], None]) -> None:
        """Take whom to ask, and who is told of those that cannot be used."""
        self._crew = crew
        self._clock = clock
        self._told = on_caveat
        self._refused: set[str] = set()
        self._unfit: set[str] = set()
        self._said: set[tuple[str, str]] = set()
        self._silent: dict[str, float] = {}

    def admit_workers(self, workers: Collection[str], used: Collection[str]) -> Iterator[str]:
        """Yield the workers that can be used from now on; says once of each other why not."""
        self._refused.intersection_update(workers)
        self._unfit.intersection_update(workers)
        self._silent = {
            address: retry_time
            for address, retry_time in self._silent.items()
            if address in workers
        }
        for worker in sorted(set(workers) - set(used) - self._refused - self._unfit):
            now = self._clock.monotonic()
            if self._silent.get(worker, now) <= now and self._try_admission(worker):
                yield worker

    def may_use_another(self, workers: Collection[str], worker: str) -> bool:
        """Tell whether there is another worker than this one that was not refused.

        It may not have answered yet.
        """
        return bool(set(workers) - {worker} - self._refused - self._unfit)

    def refuse_worker(self, worker: str, reason: str) -> None:
        """Have no more of a worker, for as long as it is there."""
        self._unfit.add(worker)
        self._report_refusal(worker, reason)

    def ask_again(self) -> None:
        """Ask those anew that were refused: what they were unlike, or beside, may be gone."""
        self._refused.clear()

    def _report_refusal(self, worker: str, reason: str) -> None:
        if (worker, reason) not in self._said:
            self._said.add((worker, reason))
            self._told(Caveat("worker-refused", reason))

    def _try_admission(self, worker: str) -> bool:
        try:
            reason = self._crew.explain_refusal(worker)
        except TimeoutError as error:
            if worker not in self._silent:
                self._told(Caveat("worker-silent", f"{error}; it is asked again every few seconds"))
            self._silent[worker] = self._clock.monotonic() + _AGAIN_SECONDS
            return False
        self._silent.pop(worker, None)
        if reason:
            self._refused.add(worker)
            self._report_refusal(worker, reason)
        return not reason


AHEAD = 2
"""Trials that a worker has at a time: the one that it runs, and the next."""
_WINDOW = 4
"""Trials for each worker that are known and not done: as many as keep all busy, not all."""
_FAR = 64
"""As many where one has less than it can do: those of one benchmark may follow each other."""


@dataclass(frozen=True, slots=True)
class QueuedTrial:
    """A trial that is not sent yet; `attempt` is above one where workers were lost with it."""

    trial: Trial
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class SentTrial:
    """A trial that a worker has; `first` tells that it is the one to run, and not the next."""

    queued: QueuedTrial
    worker: str
    first: bool


@dataclass(slots=True)
class WorkerQueue:
    """What one worker has to do: in order, and begun; and what it has been given, by subject."""

    waiting: deque[QueuedTrial] = field(default_factory=deque)
    started_count: int = 0
    assignments: dict[str, tuple[Any, ...]] = field(default_factory=dict)

    @property
    def trial_count(self) -> int:
        """Return how many trials are not done."""
        return len(self.waiting) + self.started_count


class WorkerQueues:
    """The lane of each worker, by its address; all trials of a benchmark have the same one."""

    def __init__(self, home: Callable[[str], str | None]) -> None:
        """Begin without workers; `home` says which has measured a benchmark before."""
        self.each: dict[str, WorkerQueue] = {}
        self._home = home
        self._homes: dict[str, str] = {}

    @property
    def trial_count(self) -> int:
        """Return how many trials are not done."""
        return sum(lane.trial_count for lane in self.each.values())

    def needs_trials(self, known_count: int) -> bool:
        """Tell whether more trials than these have to be known to keep all workers busy."""
        many = len(self.each)
        return known_count < _WINDOW * many or (
            known_count < _FAR * many
            and any(lane.trial_count < AHEAD for lane in self.each.values())
        )

    def choose_queue(self, trial: Trial) -> WorkerQueue:
        """Return the lane that has or had the trial's benchmark, else one with little to do."""
        name = trial.benchmark.id if trial.benchmark else trial.tests
        if self._homes.get(name) not in self.each:
            before = self._home(name)
            least = min(self.each, key=lambda worker: self.each[worker].trial_count)
            self._homes[name] = before if before in self.each else least
        return self.each[self._homes[name]]


_Program = tuple[str, str, str, int]
_MOST_PEERS = 2
"""Workers that are asked for a program, one after the other; it is soon built, too.

They are those that had it last: to send it takes a moment of a machine that may be measuring, and
not always of the same one.
"""


class ArtifactLocations:
    """The workers that have run a trial of each program, as long as they are there."""

    def __init__(self) -> None:
        """Begin without any."""
        self._known: dict[_Program, list[str]] = {}

    def record_worker(self, trial: Trial, worker: str) -> None:
        """Know that a worker has run a trial, and so has its program."""
        workers = self._known.setdefault(_identify_program(trial), [])
        if worker not in workers:
            workers.append(worker)

    def forget_worker(self, worker: str) -> None:
        """Forget a worker."""
        for workers in self._known.values():
            if worker in workers:
                workers.remove(worker)

    def find_workers(self, trial: Trial, worker: str) -> tuple[str, ...]:
        """Return workers that `worker` may ask for the program of a trial; none where it has it."""
        workers = self._known.get(_identify_program(trial), [])
        return () if worker in workers else tuple(workers[: -_MOST_PEERS - 1 : -1])


RESOURCE = "machine"
"""Of which each worker has one and each trial takes one."""
_LOOK_SECONDS = 1.0
_IDLE_SECONDS = 0.05
"""How long nobody is asked anything where nothing could be handed out."""
_FETCH_SECONDS = 5.0
"""How long a result may take on its way before it is asked whether its worker is still there."""
_CONNECTED = "running"
_SILENT = (
    "the scheduler stopped answering; measurements are kept: start it and its workers, "
    "and repeat the command"
)
_ATTEMPTS = 3
"""How many workers a trial may lose before it is suspected to end them."""


class ClusterDispatcher:
    """Runs all trials of a benchmark on one machine, those of others beside it on other ones.

    A worker that is lost takes its trial with it: another one makes a run of its own, from the
    start. No more trials are handed out than keep the workers busy.
    """

    def __init__(  # noqa: PLR0913 - a cluster, and what is done there
        self,
        client: Any,
        work: Callable[..., Run],
        crew: WorkerPool,
        *,
        clock: Clock,
        on_caveat: Callable[[Caveat], None],
        allowed: Callable[[Trial], bool],
        patience_seconds: float,
    ) -> None:
        """Take a client of `distributed`, and what a worker does.

        It does that with what it is given, a trial, and the workers that have the trial's program.
        A trial may have been known for long before it is begun: `allowed` tells then whether it may
        still be. Without any worker for `patience_seconds` it gives up.
        """
        self._client = client
        self._work = work
        self._crew = crew
        self._clock = clock
        self._told = on_caveat
        self._allowed = allowed
        self._patience = patience_seconds
        self._admission = WorkerAdmission(crew, clock, on_caveat)
        self._lanes = WorkerQueues(crew.find_home_worker)
        self._makers = ArtifactLocations()
        self._sent: dict[Any, SentTrial] = {}
        self._orphans: deque[QueuedTrial] = deque()
        self._numbers = 0
        self._looked = 0.0
        self._idle_since: float | None = None

    def run_trials(self, trials: Iterable[Trial]) -> Iterator[Run]:
        """Yield the run of each trial as it ends, in any order; raises what a worker raises."""
        source = iter(trials)
        try:
            self._update_workers()
            while self._fill_queues(source):
                self._send_trials()
                for future in self._wait_for_futures():
                    run = self._take_run(future)
                    if run is not None:
                        yield run
                if self._orphans or self._clock.monotonic() - self._looked > _LOOK_SECONDS:
                    self._update_workers()
        except Exception as error:
            # A client that has lost its scheduler for good closes itself; then anything may fail.
            if isinstance(error, AuditError) or self._client.status == _CONNECTED:
                raise
            raise MachineError(f"{_SILENT}: {error}") from error
        finally:
            self._cancel_remaining()

    def _fill_queues(self, source: Iterator[Trial]) -> bool:
        """Know as many trials as keep all busy; False when there is nothing left to do."""
        open_count = len(self._orphans) + self._lanes.trial_count
        while self._lanes.needs_trials(open_count) and (trial := next(source, None)) is not None:
            self._lanes.choose_queue(trial).waiting.append(QueuedTrial(trial))
            open_count += 1
        return open_count > 0

    def _send_trials(self) -> None:
        for worker, lane in self._lanes.each.items():
            while lane.waiting and lane.started_count < AHEAD:
                trial = lane.waiting[0].trial
                if not self._allowed(trial):
                    lane.waiting.popleft()
                    continue
                if not self._supply_subject(worker, lane, trial.subject):
                    break
                queued_trial = lane.waiting.popleft()
                future = self._submit_trial(queued_trial, worker)
                self._sent[future] = SentTrial(queued_trial, worker, first=lane.started_count == 0)
                lane.started_count += 1

    def _supply_subject(self, worker: str, lane: WorkerQueue, subject: str) -> bool:
        """Tell whether a worker has what trials of a subject need; else it is looked at next.

        It has that before it is sent one: of trials that wait for data, Dask runs any one first.
        Raises MachineError where nobody has taken anything, or ended a trial, for too long since
        one could not be given it: workers that come and go do not begin that time anew.
        """
        if subject in lane.assignments:
            return True
        now = self._clock.monotonic()
        try:
            lane.assignments[subject] = self._crew.send_subject(worker, subject)
        except OSError as error:
            self._idle_since = now if self._idle_since is None else self._idle_since
            if now - self._idle_since > self._patience:
                raise MachineError(
                    f"files of trials cannot be sent to workers: {error}; restart the workers"
                ) from error
            self._looked = -math.inf
            return False
        self._idle_since = None
        return True

    def _submit_trial(self, queued_trial: QueuedTrial, worker: str) -> Any:
        self._numbers += 1
        return self._client.submit(
            self._work,
            *self._lanes.each[worker].assignments[queued_trial.trial.subject],
            queued_trial.trial,
            self._makers.find_workers(queued_trial.trial, worker),
            key=f"{queued_trial.trial.id}-{queued_trial.attempt}-{self._numbers}",
            workers=[worker],
            allow_other_workers=False,
            resources={RESOURCE: 1},
            pure=False,
            retries=0,
        )

    def _wait_for_futures(self) -> list[Any]:
        """Wait for a trial to end, for a while."""
        from distributed import wait  # noqa: PLC0415 an extra, and slow to import
        from distributed.client import FuturesCancelledError  # noqa: PLC0415 as above

        if not self._sent:
            time.sleep(_IDLE_SECONDS)
            return []
        with suppress(TimeoutError, FuturesCancelledError), self._client.as_current():
            wait(list(self._sent), timeout=_LOOK_SECONDS, return_when="FIRST_COMPLETED")
        # One that ends while they are looked at is seen only if it was sent behind those that
        # have been: so what a worker does first is taken first.
        return [future for future in reversed(self._sent) if future.done()][::-1]

    def _take_run(self, future: Any) -> Run | None:
        """Return the run of a trial; None where it was lost, and is to be made again."""
        sent = self._sent.pop(future, None)
        if sent is None:  # its worker was dropped meanwhile
            return None
        if sent.worker in self._lanes.each:
            self._lanes.each[sent.worker].started_count -= 1
        if future.status == "finished":  # so it is the next one that may end the worker
            sent = replace(sent, first=not self._mark_next_begun(sent.worker))
            if (run := self._fetch_run(future, sent.worker)) is not None:
                self._idle_since = None
                self._makers.record_worker(run.trial, sent.worker)
                return run
        if future.status == "cancelled":  # the scheduler was away, and nobody has lost a worker
            sent = replace(sent, first=False)
        error = future.exception() if future.status == "error" else None
        if isinstance(error, WorkerUnusable) and self._admission.may_use_another(
            self._list_workers(), sent.worker
        ):
            self._admission.refuse_worker(sent.worker, str(error))
            worker_trials = [sent, *self._drop_worker(sent.worker)]
            self._orphans.extendleft(sent_trial.queued for sent_trial in reversed(worker_trials))
            return None
        _require_loss(sent.worker, error)
        self._requeue_trial(sent)
        return None

    def _mark_next_begun(self, worker: str) -> bool:
        """Remember that a worker runs what was its next trial; False where it has none."""
        for future, sent in self._sent.items():
            if sent.worker == worker:
                self._sent[future] = replace(sent, first=True)
                return True
        return False

    def _fetch_run(self, future: Any, worker: str) -> Run | None:
        """Return what a worker has made; None where it took that with it."""
        from distributed.client import FuturesCancelledError  # noqa: PLC0415 as above

        while True:
            try:
                run: Run = future.result(timeout=_FETCH_SECONDS)
            except TimeoutError:  # it is never made again, as nobody else may
                if worker not in self._list_workers():
                    future.cancel()
                    return None
                self._crew.require_usable()
            except FuturesCancelledError:
                return None
            else:
                return run

    def _list_workers(self) -> set[str]:
        """Return the workers that the scheduler knows."""
        try:
            return set(self._client.ncores())
        except OSError as error:
            raise MachineError(f"{_SILENT}: {error}") from error

    def _update_workers(self) -> None:
        """See which workers there are; waits for one, for a while."""
        start_time = self._clock.monotonic()
        while True:
            self._crew.require_usable()
            workers = self._list_workers()
            for worker in [address for address in self._lanes.each if address not in workers]:
                self._replace_lost_worker(worker, workers)
            for worker in self._admission.admit_workers(workers, tuple(self._lanes.each)):
                self._lanes.each[worker] = WorkerQueue()
            if self._lanes.each:
                self._reassign_orphans()
                self._looked = self._clock.monotonic()
                return
            if self._clock.monotonic() - start_time > self._patience:
                raise MachineError(
                    f"the cluster has had no worker for {self._patience:.0f} s; measurements "
                    "are kept: start workers, and repeat the command"
                )
            with suppress(TimeoutError):
                self._client.wait_for_workers(len(workers) + 1, timeout=_LOOK_SECONDS)

    def _replace_lost_worker(self, worker: str, workers: set[str]) -> None:
        """Take back what a worker had that is there no more."""
        lost_trials = self._drop_worker(worker)
        for sent in reversed(lost_trials):
            self._requeue_trial(sent)
        self._admission.ask_again()
        text = f"{worker} was lost; {len(lost_trials)} trials restart on {len(workers)} others"
        self._told(Caveat("worker-lost", text))

    def _drop_worker(self, worker: str) -> list[SentTrial]:
        """Have a worker no more; return what it was sent. What was waiting for it is kept."""
        lane = self._lanes.each.pop(worker, WorkerQueue())
        self._makers.forget_worker(worker)
        worker_futures = [
            (future, sent) for future, sent in self._sent.items() if sent.worker == worker
        ]
        for future, _ in worker_futures:
            del self._sent[future]
            future.cancel()
        self._orphans.extend(lane.waiting)
        return [sent for _, sent in worker_futures]

    def _requeue_trial(self, sent: SentTrial) -> None:
        """Keep a trial for another worker; one that was only the next has lost nobody."""
        attempt = sent.queued.attempt + sent.first
        if attempt > _ATTEMPTS:
            benchmark = sent.queued.trial.benchmark
            raise MachineError(
                f"{benchmark.id if benchmark else 'the tests'} lost {_ATTEMPTS} workers and may "
                "have crashed them; run it alone, and read the logs of the workers"
            )
        self._orphans.appendleft(QueuedTrial(sent.queued.trial, attempt))  # before what only waited

    def _reassign_orphans(self) -> None:
        """Hand what lost workers had to others, before what comes next."""
        while self._orphans:
            queued_trial = self._orphans.pop()
            self._lanes.choose_queue(queued_trial.trial).waiting.appendleft(queued_trial)

    def _cancel_remaining(self) -> None:
        """Leave nothing running where not all was awaited."""
        if not (self._sent or self._orphans):
            return
        self._orphans.clear()
        if self._client.status == _CONNECTED:
            with suppress(OSError):
                self._client.cancel(list(self._sent))
        self._sent.clear()
        self._crew.stop_trials()
        for lane in self._lanes.each.values():
            lane.waiting.clear()
            lane.started_count = 0


def _identify_program(trial: Trial) -> _Program:
    group = trial.benchmark.group if trial.benchmark else trial.tests
    return trial.subject, trial.overlay.digest, group, trial.layout


def _require_loss(worker: str, error: BaseException | None) -> None:
    """Raise what a worker has raised, unless it only says that the worker is gone."""
    if isinstance(error, AuditError):
        raise error
    if error is not None and type(error).__name__ != "KilledWorker":
        raise MachineError(f"{worker} failed: {type(error).__name__}: {error}")
