"""What a process of a Python benchmark left, as an outcome; what is incomplete is never one."""

import math
from collections.abc import Sequence

from auditor.core.jobs import Completed
from auditor.core.mutant import Kind
from auditor.core.outcome import (
    Crashed,
    Measured,
    NeverCalled,
    NotBuilt,
    Outcome,
    Skipped,
    TimedOut,
    Unreadable,
)
from auditor.core.plan import Trial
from runners.records import Records, RecordsUnreadable, read_records

_WINDOWS = 2


def outcome(trial: Trial, answers: Sequence[Completed], name: str) -> Outcome:
    """Return how the trial ended; `name` is that of the file of records."""
    if not answers:
        return Skipped("unit tests are not run for Python subjects")
    answer = answers[-1]
    data = next((data for path, data in answer.files.items() if path.name == name), b"")
    if answer.timed_out:
        return TimedOut(answer.seconds, answer.tail())
    try:
        records = read_records(data, len(trial.schedule.blocks))
    except RecordsUnreadable as error:
        return Unreadable(str(error), answer.tail())
    return _failure(trial, records, answer) or _values(trial, records)


def _failure(trial: Trial, records: Records, answer: Completed) -> Outcome | None:
    if records.refused:
        return NotBuilt(_together(records.refused))
    if records.skipped is not None:
        return Skipped(records.skipped)
    if answer.exit_code:
        told = _together(records.failures) if records.failures else answer.tail()
        return Crashed(answer.exit_code, told)
    if records.failures:
        return Unreadable(_together(records.failures), answer.tail())
    if trial.variant.kind is not Kind.PLAIN and not records.present:
        return NeverCalled()  # of a module that is not imported no function is called
    return _incomplete(trial, records, answer)


def _together(reasons: Sequence[str]) -> str:
    return "; ".join(dict.fromkeys(reasons))[:2000]


def _incomplete(trial: Trial, records: Records, answer: Completed) -> Outcome | None:
    if trial.variant.kind is Kind.COUNTING:
        whole = len(records.windows) == _WINDOWS
        return None if whole else Unreadable("not all windows were counted", answer.tail())
    if not records.done(trial.schedule):
        return Unreadable("not all blocks were run", answer.tail())
    for record in records.blocks:
        if not math.isfinite(record.seconds_per_operation) or record.seconds_per_operation <= 0:
            reason = f"block {record.index} has no time: {record.seconds_per_operation} s/op"
            return Unreadable(reason, answer.tail())
    return NeverCalled() if _never_called(trial, records) else None


def _never_called(trial: Trial, records: Records) -> bool:
    return trial.variant.kind is Kind.DELAYED and "called" not in records.present


def _values(trial: Trial, records: Records) -> Outcome:
    if trial.variant.kind is Kind.COUNTING:
        ids = {method.id: method.id for method in trial.variant.methods}
        return records.counted(ids, set_up_apart=True)
    return Measured(records.series(trial.schedule))
