"""One trial after the other on one machine."""

import fcntl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from auditor.core.errors import FolderUnusable
from auditor.core.plan import Run, Trial
from runners.trial import Bench


class SerialDispatcher:
    """Runs trials in the order given; a lock keeps other auditors of this account off meanwhile."""

    def __init__(self, lock: Path) -> None:
        """Take the file whose lock means "somebody measures on this machine"."""
        self._benches: dict[str, Bench] = {}
        self._lock = lock

    def serve(self, subjects: Iterable[str], bench: Bench) -> None:
        """Let a bench run the trials of these subjects from now on."""
        self._benches |= dict.fromkeys(subjects, bench)

    def run(self, trials: Iterable[Trial]) -> Iterator[Run]:
        """Yield the run of each trial as it ends."""
        for trial in trials:
            yield self._alone(trial)

    def _alone(self, trial: Trial) -> Run:
        with alone(self._lock):
            return self._benches[trial.subject].run(trial)


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Wait until no other auditor measures on this machine, and keep others off meanwhile."""
    try:
        handle = lock.open("a")
    except OSError as error:
        raise FolderUnusable(f"cannot write {lock}: {error.strerror}") from error
    with handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
