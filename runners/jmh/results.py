"""What a process of a benchmark left, as an outcome."""

import math
from collections.abc import Sequence

from auditor.core.jobs import CompletedProcess
from auditor.core.mutant import VariantKind
from auditor.core.outcome import (
    Crashed,
    Measured,
    NeverCalled,
    NotBuilt,
    Outcome,
    TimedOut,
    Unreadable,
)
from auditor.core.plan import Trial
from auditor.core.values import (
    ALLOCATED,
    ALLOCATIONS,
    CLOCK_COST,
    METHOD_CALLS,
    METHOD_TIME,
    OPERATIONS,
    TIME,
    WALL,
)
from runners.jmh.commandline import records_name
from runners.records import GuestRecords, RecordsUnreadable, read_records

_AUDIT_METRICS = frozenset(
    (TIME, OPERATIONS, METHOD_CALLS, METHOD_TIME, CLOCK_COST, WALL, ALLOCATIONS, ALLOCATED)
)
_COLLECTOR = ("gc.", "\N{MIDDLE DOT}gc.")
"""How names begin that JMH's GC profiler gives, in new versions and in old ones."""
_NORM = "gc.alloc.rate.norm"
_TAIL_LINES = 12
_FAILURES = ("<failure>", "<forked VM failed")
_UNVERIFIABLE = b"java.lang.VerifyError"
_UNCHANGED = frozenset((VariantKind.PLAIN, VariantKind.PROFILED))
"""Variants without changed byte code."""


def read_outcome(trial: Trial, answers: Sequence[CompletedProcess]) -> Outcome:
    """Return how the trial ended; a measurement only if all of its schedule was done."""
    answer = answers[-1]
    if answer.timed_out:
        return TimedOut(answer.seconds, _extract_tail(answer))
    recorded = answer.find_file(records_name(trial))
    try:
        records = read_records(recorded, len(trial.schedule.blocks))
    except RecordsUnreadable as error:
        if answer.exit_code != 0 or not recorded:
            return Crashed(answer.exit_code or 0, _extract_tail(answer))
        return Unreadable(str(error), _extract_tail(answer))
    records.stopped |= answer.enough
    return _find_failure(trial, records, answer) or _read_values(trial, records)


def _find_failure(trial: Trial, records: GuestRecords, answer: CompletedProcess) -> Outcome | None:
    if records.failures:
        reason = "; ".join(dict.fromkeys(records.failures))[:2000]
        plain = trial.variant.kind in _UNCHANGED
        return Unreadable(reason, _extract_tail(answer)) if plain else NotBuilt(reason)
    if trial.variant.kind not in _UNCHANGED and _UNVERIFIABLE in answer.stdout:
        return NotBuilt(_extract_tail(answer))
    if answer.exit_code != 0 or not records.is_complete(trial.schedule):
        return Crashed(answer.exit_code or 0, _extract_tail(answer))
    for record in records.blocks:
        if not math.isfinite(record.seconds_per_operation) or record.seconds_per_operation <= 0:
            reason = f"block {record.index} has no time: {record.seconds_per_operation} s/op"
            return Unreadable(reason, _extract_tail(answer))
    return _check_variant_ran(trial, records, answer)


def _check_variant_ran(
    trial: Trial, records: GuestRecords, answer: CompletedProcess
) -> Outcome | None:
    """Make sure that the variant asked for is the code that ran."""
    if trial.variant.kind is VariantKind.DELAYED and "0" not in records.present:
        return Unreadable(
            "the slowed method was not seen in the running code", _extract_tail(answer)
        )
    if trial.variant.kind is VariantKind.COUNTING and len(records.windows) != len(records.blocks):
        return Unreadable("the counters were not seen in the running code", _extract_tail(answer))
    return NeverCalled() if _was_never_called(trial, records) else None


def _was_never_called(trial: Trial, records: GuestRecords) -> bool:
    """Some arms alone tell calls; set-up and what does not end within a block are none."""
    blocks, arms = trial.schedule.blocks, trial.schedule.arms
    calls = [
        record.method_calls
        for record in records.blocks
        if arms[blocks[record.index].arm].counts_calls
    ]
    return bool(calls) and not any(calls)


def _read_values(trial: Trial, records: GuestRecords) -> Outcome:
    if trial.variant.kind is VariantKind.COUNTING:
        ids = {str(number): method.id for number, method in enumerate(trial.variant.methods)}
        return records.summarise_counts(ids, set_up_apart=True)
    records.metrics = [
        (index, _translate_metric(trial, name), unit, value)
        for index, name, unit, value in records.metrics
        if _translate_metric(trial, name)
    ]
    return Measured(records.build_series(trial.schedule))


def _translate_metric(trial: Trial, name: str) -> str:
    """Return our name of a secondary result; none for what else the GC profiler found."""
    if trial.reports_allocations and name.startswith(_COLLECTOR):
        return ALLOCATED if name.endswith(_NORM) else ""
    return f"{name} (secondary)" if name in _AUDIT_METRICS else name


def _extract_tail(answer: CompletedProcess) -> str:
    """Return the benchmark's own exception where there is one, else the last lines."""
    text = answer.stdout.decode(errors="replace")
    positions = [position for mark in _FAILURES if (position := text.find(mark)) >= 0]
    if not positions:
        return answer.format_tail(_TAIL_LINES)
    lines = [line for line in text[min(positions) :][:20_000].splitlines() if line.strip()]
    messages = [line[:300] for line in lines if line.strip() != _FAILURES[0]]
    return "\n".join(messages[:_TAIL_LINES]) or answer.format_tail()
