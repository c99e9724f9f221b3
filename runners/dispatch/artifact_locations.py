"""Which workers have built which programs, so that others need not."""

from auditor.core.plan import Trial

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


def _identify_program(trial: Trial) -> _Program:
    group = trial.benchmark.group if trial.benchmark else trial.tests
    return trial.subject, trial.overlay.digest, group, trial.layout
