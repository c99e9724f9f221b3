"""Those who work on a cluster, and which of them may."""

from collections.abc import Callable, Collection, Iterator
from typing import Any, Protocol

from auditor.core.caveats import Caveat
from auditor.core.errors import AuditError, MachineError
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


def require_loss(worker: str, error: BaseException | None) -> None:
    """Raise what a worker has raised, unless it only says that the worker is gone."""
    if isinstance(error, AuditError):
        raise error
    if error is not None and type(error).__name__ != "KilledWorker":
        raise MachineError(f"{worker} failed: {type(error).__name__}: {error}")
