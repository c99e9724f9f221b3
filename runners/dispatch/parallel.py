"""Several trials at a time on one machine: nothing of them is timed."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TypeVar

from auditor.core.plan import Run, Trial
from runners.dispatch.serial import alone
from runners.trial import TrialRunner

Given = TypeVar("Given")
Made = TypeVar("Made")


def in_parallel(
    work: Callable[[Given], Made], things: Iterable[Given], jobs: int, stop: Callable[[], None]
) -> Iterator[Made]:
    """Yield what becomes of each thing, as it is done; `stop` ends what still runs if one fails.

    An interrupt reaches this thread only, so the others are ended through what they wait for.
    """
    pool = ThreadPoolExecutor(jobs)
    try:
        waiting = [pool.submit(work, one) for one in things]
        for done in as_completed(waiting):
            yield done.result()
    except BaseException:
        stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


class ParallelDispatcher:
    """Runs trials of several subjects; nobody measures on this machine meanwhile."""

    def __init__(
        self, runners: Mapping[str, TrialRunner], lock: Path, jobs: int, stop: Callable[[], None]
    ) -> None:
        """Take what runs them by the digests of their subjects."""
        self._runners = runners
        self._lock = lock
        self._jobs = jobs
        self._stop = stop

    def run(self, trials: Iterable[Trial]) -> Iterator[Run]:
        """Yield the run of each trial as it ends."""
        asked = list(trials)
        if asked:
            with alone(self._lock):
                yield from in_parallel(self._run, asked, self._jobs, self._stop)

    def _run(self, trial: Trial) -> Run:
        return self._runners[trial.subject].run(trial)
