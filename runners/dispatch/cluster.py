"""Trials on the machines of a Dask cluster, one at a time on each."""

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from auditor.core.caveats import Caveat
from auditor.core.errors import AuditError, MachineError, WorkerUnusable
from auditor.core.plan import Run, Trial
from auditor.core.ports import Clock
from runners.dispatch.artifact_locations import ArtifactLocations
from runners.dispatch.worker_pool import WorkerAdmission, WorkerPool, require_loss
from runners.dispatch.worker_queue import AHEAD, QueuedTrial, SentTrial, WorkerQueue, WorkerQueues

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

    def _submit_trial(self, of: QueuedTrial, worker: str) -> Any:
        self._numbers += 1
        return self._client.submit(
            self._work,
            *self._lanes.each[worker].assignments[of.trial.subject],
            of.trial,
            self._makers.find_workers(of.trial, worker),
            key=f"{of.trial.id}-{of.attempt}-{self._numbers}",
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
            self._there(), sent.worker
        ):
            self._admission.refuse_worker(sent.worker, str(error))
            worker_trials = [sent, *self._drop_worker(sent.worker)]
            self._orphans.extendleft(sent_trial.queued for sent_trial in reversed(worker_trials))
            return None
        require_loss(sent.worker, error)
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
                if worker not in self._there():
                    future.cancel()
                    return None
                self._crew.require_usable()
            except FuturesCancelledError:
                return None
            else:
                return run

    def _there(self) -> set[str]:
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
            workers = self._there()
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
