"""A study without any time: it looks up all that it needs, and runs nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from auditor.core.caveats import Caveat
from auditor.core.plan import REPEAT_OFFSET, Purpose, Run, Trial
from auditor.core.ports import Store
from auditor.measure.context import Deadline, StudyContext
from auditor.measure.trial_times import TrialTimes, expected_seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewPhase:
    """Processes of one kind: how many there are at most, and how long they take, roughly.

    `stored_count` of them are in the store already.
    """

    name: str
    trials: int
    stored_count: int
    seconds: float


@dataclass(frozen=True, slots=True)
class RehearsalStore:
    """A store that keeps nothing, and notes what a study finds in the real one and what not."""

    store: Store
    times: TrialTimes
    """How long trials take, by the runs that were found."""
    found_trials: dict[str, Trial] = field(default_factory=dict)
    missing: dict[str, Trial] = field(default_factory=dict)

    def add_run(self, run: Run) -> None:
        """Keep nothing."""

    def find_run(self, trial: Trial) -> Run | None:
        """Look a trial up; a repeat of a suite run (`REPEAT_OFFSET`) is never missing."""
        run = self.store.find_run(trial)
        if run is None and trial.repetition > REPEAT_OFFSET:
            return None
        (self.missing if run is None else self.found_trials)[trial.id] = trial
        return run

    def has_run(self, trial: Trial) -> bool:
        """Look a trial up that is not missing if another one is there."""
        return self.store.has_run(trial)

    def find_similar_runs(self, trial: Trial) -> Sequence[Run]:
        """Look up what is alike: a calibration takes all of it, others only what they ask for."""
        runs = self.store.find_similar_runs(trial)
        if trial.purpose is Purpose.CALIBRATION:
            self.found_trials.update({run.trial.id: run.trial for run in runs})
        return runs

    def has_missing(self, *purposes: Purpose) -> bool:
        """Tell whether some trial was not found."""
        return any(trial.purpose in purposes for trial in self.missing.values())

    def missing_of(self, *purposes: Purpose) -> list[Trial]:
        """Return the trials that were not found."""
        return [trial for trial in self.missing.values() if trial.purpose in purposes]

    def build_phase(
        self, name: str, *purposes: Purpose, most: int = 1, first_run_repeats: int = 0
    ) -> PreviewPhase:
        """Return what was looked up; each missing trial may have to be run `most` times.

        A trial of the first run may have to be run `first_run_repeats` more times.
        """
        stored_count = sum(trial.purpose in purposes for trial in self.found_trials.values())
        missing = {
            trial: most + (first_run_repeats if trial.repetition == 1 else 0)
            for trial in self.missing.values()
            if trial.purpose in purposes
        }
        return PreviewPhase(
            name=name,
            trials=stored_count + sum(missing.values()),
            stored_count=stored_count,
            seconds=sum(times * expected_seconds(trial) for trial, times in missing.items()),
        )


class SilentObserver:
    """Hears nothing of a rehearsal."""

    def phase_started(self, name: str, trials: int, seconds: float) -> None:
        """Hear nothing."""

    def build_step(self, text: str) -> None:
        """Hear nothing."""

    def trial_ended(self, run: Run, *, reused: bool) -> None:
        """Hear nothing."""

    def report_caveat(self, caveat: Caveat) -> None:
        """Hear nothing."""


def rehearse_study(parts: StudyContext, study: Callable[[StudyContext], object]) -> RehearsalStore:
    """Return what a study looks up that has no time at all."""
    deadline = Deadline(parts.clock, 0)
    lookups = RehearsalStore(parts.store, deadline.times)
    study(replace(parts, store=lookups, observer=SilentObserver(), deadline=deadline))
    return lookups
