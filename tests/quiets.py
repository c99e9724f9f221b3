"""Processes that end once each arm has two blocks that nothing disturbed."""

from dataclasses import replace

from auditor.core.outcome import Measured, Outcome
from auditor.core.schedule import Schedule, StableMinimumStop
from auditor.core.values import TIME

SOON = StableMinimumStop(blocks=4, share=0.02)
NEVER = StableMinimumStop(blocks=4, share=-1.0)


def until(quiet: StableMinimumStop, schedule: Schedule) -> Schedule:
    return replace(schedule, quiet=quiet)


def rounds_of(outcome: Outcome, schedule: Schedule) -> int:
    """Return how many measured blocks there are of each arm."""
    (rounds,) = {len(values) for values in _values(outcome, schedule)}
    return rounds


def first_quiet(outcome: Outcome, schedule: Schedule) -> int | None:
    """Return after how many blocks of each arm all had been quiet, by what was measured."""
    quiet = schedule.quiet
    assert quiet is not None
    values = _values(outcome, schedule)
    for rounds in range(quiet.blocks, rounds_of(outcome, schedule) + 1):
        lows = [sorted(value[:rounds])[:2] for value in values]
        if all(second <= least * (1 + quiet.share) for least, second in lows):
            return rounds
    return None


def _values(outcome: Outcome, schedule: Schedule) -> list[tuple[float, ...]]:
    assert isinstance(outcome, Measured), outcome
    series_by_arm = {arm.name: outcome.find_series(TIME, arm.name) for arm in schedule.arms}
    assert all(series_by_arm.values()), series_by_arm
    return [series.values for series in series_by_arm.values() if series is not None]
