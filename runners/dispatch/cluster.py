"""Trials on the machines of a Dask cluster, one at a time on each."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from auditor.core.caveats import Caveat
from auditor.core.errors import AuditError, MachineError
from auditor.core.plan import Run, Trial
from auditor.core.ports import Clock

RESOURCE = "machine"
"""Of which each worker has one and each trial takes one."""
_AHEAD = 2
"""Trials that a worker has at a time: the one that it runs, and the next."""
_WINDOW = 4
"""Trials for each worker that are known and not done: as many as keep all busy, not all."""
_LOOK_SECONDS = 1.0
_FETCH_SECONDS = 5.0
"""How long a result may take on its way before it is asked whether its worker is still there."""
_ATTEMPTS = 3
"""How many workers a trial may lose before it is suspected to end them."""


class Crew(Protocol):
    """Those who work on a cluster."""

    def given(self, subject: str) -> tuple[Any, ...]:
        """Hand them what trials of a subject need, and return it."""

    def admit(self, worker: str) -> str:
        """Say why a worker cannot be used, nothing where it can."""

    def require(self) -> None:
        """Raise MachineError where they may work no longer."""

    def stop(self) -> None:
        """End what they run, for good."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    trial: Trial
    attempt: int = 1


@dataclass(slots=True)
class _Lane:
    """What one worker has to do: in order, and begun."""

    waiting: deque[_Waiting] = field(default_factory=deque)
    begun: int = 0

    @property
    def load(self) -> int:
        """Return how many trials are not done."""
        return len(self.waiting) + self.begun


@dataclass(frozen=True, slots=True)
class _Sent:
    """A trial that a worker has; `first` tells that it was the one to run, and not the next."""

    of: _Waiting
    worker: str
    first: bool


class ClusterDispatcher:
    """Runs all trials of a benchmark on one machine, those of others beside it on other ones.

    A worker that is lost takes its trial with it: another one makes a run of its own, from the
    start. No more trials are handed out than keep the workers busy.
    """

    def __init__(  # noqa: PLR0913 - a cluster, and what is done there
        self,
        client: Any,
        work: Callable[..., Run],
        crew: Crew,
        *,
        clock: Clock,
        told: Callable[[Caveat], None],
        patience_seconds: float,
    ) -> None:
        """Take a client of `distributed`, and what a worker does with what it is given and a trial.

        Without any worker for `patience_seconds` it gives up.
        """
        self._client = client
        self._work = work
        self._crew = crew
        self._given: dict[str, tuple[Any, ...]] = {}
        self._refused: set[str] = set()
        self._clock = clock
        self._told = told
        self._patience = patience_seconds
        self._lanes: dict[str, _Lane] = {}
        self._homes: dict[str, str] = {}
        self._sent: dict[Any, _Sent] = {}
        self._orphans: deque[_Waiting] = deque()
        self._numbers = 0
        self._looked = 0.0

    def run(self, trials: Iterable[Trial]) -> Iterator[Run]:
        """Yield the run of each trial as it ends, in any order; raises what a worker raises."""
        source = iter(trials)
        self._look()
        try:
            while self._fill(source):
                self._send()
                for future in self._ended():
                    run = self._taken(future)
                    if run is not None:
                        yield run
                if self._orphans or self._clock.monotonic() - self._looked > _LOOK_SECONDS:
                    self._look()
        finally:
            self._end()

    def _fill(self, source: Iterator[Trial]) -> bool:
        """Know as many trials as keep all busy; False when there is nothing left to do."""
        known = len(self._orphans) + sum(lane.load for lane in self._lanes.values())
        while known < _WINDOW * len(self._lanes) and (trial := next(source, None)) is not None:
            self._lanes[self._home(trial)].waiting.append(_Waiting(trial))
            known += 1
        return known > 0

    def _home(self, trial: Trial) -> str:
        """Return the worker that has the trial's benchmark, else one that has little to do."""
        name = trial.benchmark.id if trial.benchmark else ""
        if self._homes.get(name) not in self._lanes:
            self._homes[name] = min(self._lanes, key=lambda one: self._lanes[one].load)
        return self._homes[name]

    def _send(self) -> None:
        for worker, lane in self._lanes.items():
            while lane.waiting and lane.begun < _AHEAD:
                of = lane.waiting.popleft()
                if (subject := of.trial.subject) not in self._given:
                    self._given[subject] = self._crew.given(subject)
                self._numbers += 1
                future = self._client.submit(
                    self._work,
                    *self._given[subject],
                    of.trial,
                    key=f"{of.trial.id}-{of.attempt}-{self._numbers}",
                    workers=[worker],
                    allow_other_workers=False,
                    resources={RESOURCE: 1},
                    pure=False,
                    retries=0,
                )
                self._sent[future] = _Sent(of, worker, first=lane.begun == 0)
                lane.begun += 1

    def _ended(self) -> list[Any]:
        """Wait for a trial to end, for a while."""
        from distributed import wait  # noqa: PLC0415 an extra, and slow to import
        from distributed.client import FuturesCancelledError  # noqa: PLC0415 as above

        if not self._sent:
            return []
        with suppress(TimeoutError, FuturesCancelledError), self._client.as_current():
            wait(list(self._sent), timeout=_LOOK_SECONDS, return_when="FIRST_COMPLETED")
        return [one for one in self._sent if one.done()]

    def _taken(self, future: Any) -> Run | None:
        """Return the run of a trial; None where it was lost, and is to be made again."""
        sent = self._sent.pop(future)
        if sent.worker in self._lanes:
            self._lanes[sent.worker].begun -= 1
        if future.status == "finished" and (run := self._fetched(future, sent.worker)) is not None:
            return run
        error = future.exception() if future.status == "error" else None
        if isinstance(error, AuditError):
            raise error
        if error is not None and type(error).__name__ != "KilledWorker":
            raise MachineError(f"{sent.worker} failed: {type(error).__name__}: {error}")
        if error is None:  # nobody has what the work needs any more: it is given anew
            self._given.clear()
        self._again(sent)
        return None

    def _fetched(self, future: Any, worker: str) -> Run | None:
        """Return what a worker has made; None where it took that with it."""
        from distributed.client import FuturesCancelledError  # noqa: PLC0415 as above

        while True:
            try:
                run: Run = future.result(timeout=_FETCH_SECONDS)
            except TimeoutError:  # it is never made again, as nobody else may
                if worker not in self._there():
                    future.cancel()
                    return None
            except FuturesCancelledError:
                return None
            else:
                return run

    def _there(self) -> set[str]:
        """Return the workers that the scheduler knows."""
        try:
            return set(self._client.ncores())
        except OSError as error:
            raise MachineError(f"the scheduler does not answer any more: {error}") from error

    def _look(self) -> None:
        """See which workers there are; waits for one, for a while."""
        begun = self._clock.monotonic()
        while True:
            self._crew.require()
            there = self._there()
            for worker in [one for one in self._lanes if one not in there]:
                self._lose(worker, there)
            self._refused &= there
            for worker in sorted(there - set(self._lanes) - self._refused):
                self._meet(worker)
            if self._lanes:
                self._rehome()
                self._looked = self._clock.monotonic()
                return
            if self._clock.monotonic() - begun > self._patience:
                raise MachineError(
                    f"the cluster has had no worker for {self._patience:.0f} s; what was measured "
                    "is kept: start workers, and repeat the command"
                )
            with suppress(TimeoutError):
                self._client.wait_for_workers(1, timeout=_LOOK_SECONDS)

    def _meet(self, worker: str) -> None:
        """Use a new worker, or say once why not."""
        if reason := self._crew.admit(worker):
            self._refused.add(worker)
            self._told(Caveat("worker-refused", reason))
        else:
            self._lanes[worker] = _Lane()

    def _lose(self, worker: str, there: set[str]) -> None:
        """Take back what a worker had that is there no more."""
        lane = self._lanes.pop(worker)
        mine = [(future, sent) for future, sent in self._sent.items() if sent.worker == worker]
        for future, sent in mine:
            del self._sent[future]
            future.cancel()
            self._again(sent)
        self._orphans.extend(lane.waiting)
        text = f"{worker} was lost; {len(mine)} trials are begun anew on {len(there)} others"
        self._told(Caveat("worker-lost", text))

    def _again(self, sent: _Sent) -> None:
        """Keep a trial for another worker; one that was only the next has lost nobody."""
        attempt = sent.of.attempt + sent.first
        if attempt > _ATTEMPTS:
            raise MachineError(
                f"{sent.of.trial.benchmark.id if sent.of.trial.benchmark else 'the tests'} lost "
                f"{_ATTEMPTS} workers; it may have ended them: run it alone, and look at their logs"
            )
        self._orphans.append(_Waiting(sent.of.trial, attempt))

    def _rehome(self) -> None:
        """Hand what lost workers had to others, before what comes next."""
        while self._orphans:
            of = self._orphans.pop()
            self._lanes[self._home(of.trial)].waiting.appendleft(of)

    def _end(self) -> None:
        """Leave nothing running where not all was awaited."""
        if not self._sent:
            return
        self._client.cancel(list(self._sent))
        self._sent.clear()
        self._crew.stop()
        for lane in self._lanes.values():
            lane.waiting.clear()
            lane.begun = 0
