"""Processes of earlier audits whose delays are as good as those that would be run now.

The turns of a delay follow from t(k), which is less by what reading the clock costs, and that is
told by all calibrations of a study: when one of them is new, the turns of all others are a little
other ones. Their processes are as good as before, as each tells itself what its delay gave.
"""

from collections.abc import Iterable
from dataclasses import replace

from auditor.core.mutant import Delay, InjectionKind
from auditor.core.plan import Run, Trial
from auditor.core.ports import Store
from auditor.core.schedule import ArmName, Schedule
from auditor.measure.calibration import CLOSE_ENOUGH


def delays_differ(first: Delay, second: Delay, share: float) -> bool:
    """Tell whether two delays differ, turns by more than a share."""
    if first.wait is not InjectionKind.WORK or second.wait is not InjectionKind.WORK:
        return first != second
    return abs(first.number - second.number) > share * min(first.number, second.number)


class ReusableDelays:
    """Chooses, for all processes of a pair, the delay that earlier ones had if that is near."""

    def __init__(self, store: Store) -> None:
        """Take where the processes are."""
        self._store = store
        self._chosen: dict[str, Delay] = {}

    def reuse_delay(self, first: Trial, delay: Delay, but: Iterable[Run]) -> Delay:
        """Return what to take for the `delay` of a pair's first trial, and not that of `but`.

        It is the nearest of those whose processes differ in nothing else, and differ by no more
        turns than count as settled.
        """
        if delay.wait is not InjectionKind.WORK or not delay.number:
            return delay
        if first.id not in self._chosen:
            left_out = {run.trial.id for run in but}
            delays = [
                stored_delay
                for run in self._store.find_similar_runs(first)
                if run.trial.id not in left_out and _differ_in_delay_only(run.trial, first)
                for stored_delay in [_find_delay(run.trial.schedule)]
                if stored_delay is not None and not delays_differ(stored_delay, delay, CLOSE_ENOUGH)
            ]
            nearest = min(
                delays,
                key=lambda stored_delay: abs(stored_delay.number - delay.number),
                default=delay,
            )
            self._chosen[first.id] = nearest
        return self._chosen[first.id]


def _differ_in_delay_only(first: Trial, second: Trial) -> bool:
    """Compare all else; when a process may end is not known of one that the store has."""
    arms, stop = second.schedule.arms, second.schedule.stop
    return replace(first, schedule=replace(first.schedule, arms=arms, stop=stop)).id == second.id


def _find_delay(schedule: Schedule) -> Delay | None:
    return next((arm.delay for arm in schedule.arms if arm.name is ArmName.SLOWED), None)
