"""The trials of one machine: one after the other, or several at a time where that harms none."""

import fcntl
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby, islice
from math import inf
from operator import itemgetter
from pathlib import Path

from auditor.core.errors import FolderUnusable, OutOfTime
from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.outcome import (
    Counted,
    Measured,
    NeverCalled,
    NotBuilt,
    Profiled,
    Skipped,
    TimedOut,
)
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.ports import Launcher
from auditor.core.suite import Ask, ask_in_turn
from runners.dispatch.parallel import run_in_parallel
from runners.grouping import group_trials
from runners.trial import TrialRunner


class MachineDispatcher:
    """Runs trials in the order given; a lock keeps other auditors of this account off meanwhile.

    Where they need not be alone several are run at a time, and end in any order. What has to be
    alone is built several at a time, while nothing runs.
    """

    def __init__(
        self,
        lock: Path,
        jobs: int,
        stop: Callable[[], None],
        seconds_left: Callable[[], float] = lambda: inf,
    ) -> None:
        """Take the file whose lock means "somebody measures on this machine", and how many `jobs`.

        `stop` ends what runs on the machine where one of several at a time breaks off.
        `seconds_left` tells how much of a budget is left.
        """
        self._seconds_left = seconds_left
        self._runners: dict[str, TrialRunner[Launcher]] = {}
        self._lock = lock
        self._jobs = jobs
        self._stop = stop

    def register_runner(self, subjects: Iterable[str], runner: TrialRunner[Launcher]) -> None:
        """Let it run the trials of these subjects from now on."""
        self._runners |= dict.fromkeys(subjects, runner)

    def ask_in_parallel(self, ask: Ask, jobs: Sequence[Invocation]) -> Sequence[CompletedProcess]:
        """Ask of each of some processes, several at a time; return their answers in order.

        One that fails beside others, for want of memory say, is asked of again by itself.
        """
        with lock_machine(self._lock):
            if self._jobs == 1 or len(jobs) == 1:
                return ask_in_turn(ask, jobs)
            numbered_answers = run_in_parallel(
                lambda numbered_job: (numbered_job[0], ask(numbered_job[1])),
                enumerate(jobs),
                self._jobs,
                self._stop,
            )
            answers = [answer for _, answer in sorted(numbered_answers, key=itemgetter(0))]
            return [
                answer if answer.timed_out or answer.exit_code == 0 else ask(job)
                for job, answer in zip(jobs, answers, strict=True)
            ]

    def run_trials(self, trials: Iterable[Trial]) -> Iterator[Run]:
        """Yield the run of each trial as it ends."""
        for is_exclusive, trial_group in groupby(trials, key=lambda trial: trial.is_exclusive):
            yield from (self._run_exclusive if is_exclusive else self._run_concurrently)(
                trial_group
            )

    def _run_exclusive(self, trials: Iterator[Trial]) -> Iterator[Run]:
        groups = group_trials(trials, self)
        for group in groups:
            for prepared_group in self._prepare_batch(group, groups):
                yield from self._run_group(prepared_group)

    def _prepare_batch(
        self, first: list[Trial], groups: Iterator[list[Trial]]
    ) -> list[list[Trial]]:
        """Return a group; if it has to be built first, with others, which are built meanwhile."""
        if self._jobs == 1 or self._runners[first[0].subject].is_prepared(first[0]):
            return [first]
        batch = [first, *islice(groups, self._jobs - 1)]
        firsts = [group[0] for group in batch]
        with lock_machine(self._lock):
            for _ in run_in_parallel(self._prepare_trial, firsts, self._jobs, self._stop):
                pass
        return batch

    def _run_group(self, group: Sequence[Trial]) -> Iterator[Run]:
        """Yield the runs of trials that may share a process; what cannot runs by itself."""
        with lock_machine(self._lock):
            runs = self._run_together(group)
        yield from runs
        for trial in _list_remaining(group, runs):
            with lock_machine(self._lock):
                run = self._run_trial(trial)
            yield run

    def _run_concurrently(self, trials: Iterable[Trial]) -> Iterator[Run]:
        """Yield the runs of what others may run beside.

        A benchmark may not bear another process beside it (a port, a file, memory), so one that
        fails is run again by itself; so is a build that fails. Unit tests are not: those of
        packages are run side by side by their own tool, and what they had called counts.
        """
        retried_trials: list[Trial] = []
        groups = group_trials(trials, self)
        with lock_machine(self._lock):
            for group, runs in run_in_parallel(
                self._run_side_group, groups, self._jobs, self._stop
            ):
                retried_trials += _list_remaining(group, runs)
                for run in runs:
                    if self._jobs > 1 and _may_be_due_to_others(run):
                        retried_trials.append(run.trial)
                    else:
                        yield run
            yield from map(self._run_trial, retried_trials)

    def _run_side_group(self, group: Sequence[Trial]) -> tuple[Sequence[Trial], Sequence[Run]]:
        return group, self._run_together(group) or [self._run_trial(group[0])]

    def _run_together(self, group: Sequence[Trial]) -> Sequence[Run]:
        """Return the runs of what could share a process; empty for a single trial.

        What ends a process early is the first trial without a run; those behind it share another
        as long as there is time.
        """
        runs: list[Run] = []
        waiting = list(group)
        while len(waiting) > 1:
            try:
                ended = self._runners[group[0].subject].run_together(waiting)
            except OutOfTime:
                if not runs:
                    raise
                break  # what has ended is stored before the next trial finds no time either
            runs += ended
            waiting = _list_remaining(waiting, ended)[1:]
        return runs

    def find_sharing_key(self, trial: Trial) -> Hashable | None:
        """Return what is equal for trials that may share a process; None: this one may not."""
        return self._runners[trial.subject].find_sharing_key(trial)

    def find_limit(self, trial: Trial) -> int:
        """Return how many trials such as this one may share a process."""
        runner = self._runners[trial.subject]
        parallel = 1 if trial.is_exclusive else self._jobs
        return runner.limit_together(trial, self._seconds_left(), parallel)

    def _run_trial(self, trial: Trial) -> Run:
        return self._runners[trial.subject].run_trial(trial)

    def _prepare_trial(self, trial: Trial) -> None:
        self._runners[trial.subject].prepare_trial(trial)


def _list_remaining(group: Sequence[Trial], runs: Sequence[Run]) -> list[Trial]:
    """Return the trials of a group that have no run."""
    ended = {run.trial.id for run in runs}
    return [trial for trial in group if trial.id not in ended]


def _may_be_due_to_others(run: Run) -> bool:
    if run.trial.benchmark is None:
        return run.trial.purpose is Purpose.USAGE and isinstance(run.outcome, NotBuilt)
    if run.trial.purpose is Purpose.PILOT and isinstance(run.outcome, TimedOut):
        return False  # pilots run beside others only if time is short
    return not isinstance(run.outcome, Counted | Measured | Profiled | Skipped | NeverCalled)


@contextmanager
def lock_machine(lock: Path) -> Iterator[None]:
    """Wait until no other auditor measures on this machine, and keep others off meanwhile."""
    try:
        handle = lock.open("a")
    except OSError as error:
        raise FolderUnusable(f"cannot write {lock}: {error.strerror}") from error
    with handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
