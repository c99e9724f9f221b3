"""The one file format between us and every guest: a schedule goes in, records come out.

A guest finds the schedule's path in BENCH_AUDIT_SCHEDULE and appends to the file named in
BENCH_AUDIT_RECORDS. Both are UTF-8 text, one entry a line, fields parted by tabs.

Schedule:
    bench-audit-schedule 1
    arm      INDEX  NAME  WAIT  NUMBER         WAIT: none sleep spin work clock allocate
    block    PHASE  ARM-INDEX                  in the order they are to be run
    stop     ABOVE BELOW LEAST-DEVIATION ENOUGH   the process may end before its last block:
    look     PAIRS CRITICAL                    after so many measured blocks of "probe", "slowed"
                                               and "plain", if the mean of log(slowed / probe), or
                                               of log(1 + (slowed - probe) / plain) where there is
                                               an arm "plain", lies CRITICAL standard errors above
                                               ABOVE or below BELOW, or so many are no more than
                                               ENOUGH
    quiet    BLOCKS SHARE                      or after so many measured blocks of each arm, or
                                               more, once of every arm the second least takes at
                                               most the part SHARE longer than the least
    slow     SECONDS                           or once its blocks have taken longer than this

Records:
    bench-audit-records 1
    present    TOKEN                           an instruction's effect was seen in the running code
    clock-cost SECONDS                         what the clock adds to what it shows of a call
    block      INDEX OPERATIONS SECONDS-PER-OPERATION WALL-SECONDS METHOD-CALLS METHOD-SECONDS
    metric     INDEX NAME UNIT VALUE           any other result of the block with that index
    window     OPERATIONS CALLED               a counting window; its counts follow; CALLED is 1 if
                                               it is the first of a call of the harness's (left out
                                               where nobody tells)
    count      TOKEN CALLS NESTED              NESTED is 1 if a call ran inside another of the same
    outside    TOKEN CALLS                     calls outside of all windows
    callers    TOKEN LIBRARY OTHERS            calls that the library itself made since the last
                                               time, and that other code made, by a sample
    clocked    TOKEN OPERATIONS SECONDS ALL    in a block of so many operations, which took ALL, the
                                               clock showed SECONDS of outermost calls
    profile    CPU QUEUED WALL                 seconds while stacks were sampled: of processor time,
                                               ready without a processor, and by the clock
    code       FUNCTION FILE LINE              the benchmark's own code has this line's instructions
    leaf       ADDRESS FUNCTION FILE LINE      the instruction that ran before this address, at
                                               which samples were taken, is of this line; inlined
                                               ones come first; ADDRESS alone: it is the caller's
    stopped    BLOCKS                          the process ends here, since so many blocks of each
                                               arm were enough, or that many were counted and took
                                               too long, or (0) since the file named in
                                               BENCH_AUDIT_ENOUGH is there, or blocks are slow
    failed     TEXT                            the guest could not do its work
    refused    TEXT                            changed code that cannot be run here, and why
    skipped    TEXT                            the benchmark chose not to run, for this reason
    missing    TEXT                            what the counts of unit tests lack
    tests      NUMBER                          so many unit tests have run
    calls      TOKEN OUTSIDE INSIDE INDIRECT   calls of a traced method from outside the library and
                                               from inside (-: nobody counted them), since the
                                               last time; of those from outside, the indirect ones
    arguments  TOKEN JSON                      what one of them handed over: source texts and nulls

Numbers are in the shortest form that reads back exactly. A record is written with one write call,
so a killed process leaves whole lines and at most one broken last line, which is dropped.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

from auditor.core.outcome import Counted, MethodCalls, MethodClock, Window
from auditor.core.schedule import ArmName, Phase, Schedule
from auditor.core.values import (
    CLOCK_COST,
    METHOD_CALLS,
    METHOD_TIME,
    OPERATIONS,
    TIME,
    WALL,
    Series,
)

SCHEDULE_VARIABLE = "BENCH_AUDIT_SCHEDULE"
RECORDS_VARIABLE = "BENCH_AUDIT_RECORDS"
ENOUGH_VARIABLE = "BENCH_AUDIT_ENOUGH"
SCHEDULE_HEADER = "bench-audit-schedule 1"
RECORDS_HEADER = "bench-audit-records 1"


def format_schedule(schedule: Schedule) -> bytes:
    """Return the schedule as a guest reads it."""
    lines = [SCHEDULE_HEADER]
    for index, arm in enumerate(schedule.arms):
        wait, number = (arm.delay.wait, arm.delay.number) if arm.delay else ("none", 0.0)
        lines.append(f"arm\t{index}\t{arm.name}\t{wait}\t{number!r}")
    lines += [f"block\t{block.phase}\t{block.arm}" for block in schedule.blocks]
    if schedule.stop is not None:
        stop = schedule.stop
        numbers = (stop.above, stop.below, stop.least_deviation, stop.enough)
        lines.append("\t".join(("stop", *map(repr, numbers))))
        lines += [f"look\t{pairs}\t{critical!r}" for pairs, critical in stop.looks]
    if schedule.quiet is not None:
        lines.append(f"quiet\t{schedule.quiet.blocks}\t{schedule.quiet.share!r}")
    if schedule.slow_seconds:
        lines.append(f"slow\t{schedule.slow_seconds!r}")
    return ("\n".join(lines) + "\n").encode()


class RecordsUnreadable(ValueError):
    """A guest's file is not what this module describes."""


@dataclass(frozen=True, slots=True)
class BlockRecord:
    """A finished block."""

    index: int  # in the schedule
    operations: float  # number of operations
    seconds_per_operation: float  # by the harness
    wall_seconds: float  # by the clock
    method_calls: float  # outermost calls of the method; 0 in arms that do not count them
    method_seconds: float  # in these calls; 0 in arms that do not clock them


@dataclass(slots=True)
class GuestRecords:
    """All that a guest has written; methods are named by tokens."""

    present: set[str] = field(default_factory=set)
    """Methods whose instructions were seen in the running code."""
    clock_cost: float | None = None
    """Seconds that the clock adds to what it shows of a call; None: not measured."""
    blocks: list[BlockRecord] = field(default_factory=list)  # finished blocks
    metrics: list[tuple[int, str, str, float]] = field(default_factory=list)
    """Other results: block, name, unit, value."""
    windows: list[tuple[int, dict[str, int], set[str]]] = field(default_factory=list)
    """Counting windows: operations, calls by method, methods with nested calls."""
    outside: dict[str, int] = field(default_factory=dict)  # calls outside of all windows, by method
    callers: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Calls by the library itself and by other code, as far as callers were sampled, by method."""
    clocked: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    """Seconds per operation in a method and in all, by method, for each clocked block."""
    calls_of_harness: int = 0  # windows that begin a call of the harness's
    failures: list[str] = field(default_factory=list)  # why the guest could not do its work
    refused: list[str] = field(default_factory=list)  # why changed code cannot be run
    missing: list[str] = field(default_factory=list)  # what the counts of unit tests lack
    calls: dict[str, Counter[str]] = field(default_factory=dict)
    """Calls of traced methods, "outside", "inside" and "indirect", by method."""
    arguments: dict[str, list[tuple[str | None, ...]]] = field(default_factory=dict)
    """Source texts of arguments, by method; None: no simple value."""
    tests: int | None = None  # number of unit tests that ran; None: not counted
    skipped: str | None = None  # why the benchmark chose not to run; None: it ran
    stopped: bool = False  # whether the process ended itself early
    profile: tuple[float, float, float] | None = None
    """Seconds on a processor, ready without one, and by the clock, while stacks were sampled."""
    code: list[tuple[str, str, int]] = field(default_factory=list)
    """Lines of the benchmark's own code: function, file, line."""
    leaves: dict[int, list[tuple[str, str, int]]] = field(default_factory=dict)
    """Lines of a sampled address, inlined ones first: function, file, line."""

    def is_complete(self, schedule: Schedule) -> bool:
        """Tell whether all blocks are there in order, or the first ones if it stopped itself."""
        indices = [block.index for block in self.blocks]
        expected_count = len(indices) if self.stopped and indices else len(schedule.blocks)
        return indices == list(range(expected_count))

    def summarise_counts(self, ids: dict[str, str], *, set_up_apart: bool) -> Counted:
        """Return what a counting variant saw; `ids` are method ids by token."""
        windows = tuple(
            Window(
                operations,
                tuple(sorted((ids[token], calls) for token, calls in counts.items())),
                tuple(sorted(ids[token] for token in nested)),
            )
            for operations, counts, nested in self.windows
        )
        outside = tuple(sorted((ids[token], calls) for token, calls in self.outside.items()))
        clocked = tuple(
            MethodClock(ids[token], *_average_blocks(blocks))
            for token, blocks in sorted(self.clocked.items())
            if len(blocks) >= MIN_CLOCKED_BLOCKS
        )
        return Counted(
            windows,
            outside,
            set_up_apart,
            clocked=clocked,
            library_shares=self.list_library_shares(ids),
        )

    def list_library_shares(self, ids: Mapping[str, str]) -> tuple[tuple[str, float], ...]:
        """Return the share of its calls that the library itself made, of methods that have some.

        `ids` are method ids by token, others are dropped.
        """
        return tuple(
            (ids[token], by_library / (by_library + by_other_code))
            for token, (by_library, by_other_code) in sorted(self.callers.items())
            if by_library and token in ids
        )

    def list_method_calls(self, ids: Mapping[str, str]) -> tuple[MethodCalls, ...]:
        """Return the calls of traced methods; `ids` are method ids by token, others are dropped."""
        return tuple(
            MethodCalls(
                method=ids[token],
                outside=calls["outside"],
                inside=calls.get("inside"),
                indirect=calls["indirect"],
                arguments=_select_simplest_samples(self.arguments.get(token, ())),
            )
            for token, calls in sorted(self.calls.items())
            if token in ids
        )

    def build_series(self, schedule: Schedule) -> tuple[Series, ...]:
        """Return the blocks as series by metric, arm and phase."""
        gathered: dict[tuple[str, str, ArmName, Phase], list[tuple[int, float]]] = {}

        def add_value(index: int, metric: str, unit: str, value: float) -> None:
            block = schedule.blocks[index]
            key = (metric, unit, schedule.arms[block.arm].name, block.phase)
            gathered.setdefault(key, []).append((index, value))

        for record in self.blocks:
            add_value(record.index, TIME, "s/op", record.seconds_per_operation)
            add_value(record.index, OPERATIONS, "op", record.operations)
            add_value(record.index, WALL, "s", record.wall_seconds)
            arm = schedule.arms[schedule.blocks[record.index].arm]
            if arm.counts_calls:
                add_value(record.index, METHOD_CALLS, "call", record.method_calls)
            if arm.name is ArmName.CLOCKED:
                add_value(record.index, METHOD_TIME, "s", record.method_seconds)
                add_value(record.index, CLOCK_COST, "s", self.clock_cost or 0.0)
        for index, name, unit, value in self.metrics:
            add_value(index, name, unit, value)
        return tuple(
            Series.from_values(metric, unit, arm, phase, values)
            for (metric, unit, arm, phase), values in sorted(gathered.items())
        )


MIN_CLOCKED_BLOCKS = 3
"""Blocks that a method has to be clocked in: of fewer one that was disturbed may be the middle."""


def _average_blocks(blocks: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the seconds in a method and in all, per operation, of blocks that have both.

    Those in the method are the mean where it is called in some blocks only: most have none then.
    """
    inside, total_seconds = zip(*blocks, strict=True)
    return (median if all(inside) else fmean)(inside), median(total_seconds)


_MAX_SAMPLES = 3


def _select_simplest_samples(
    samples: Iterable[tuple[str | None, ...]],
) -> tuple[tuple[str | None, ...], ...]:
    """Return some samples of arguments, those with simple values first."""
    ordered_samples = sorted(dict.fromkeys(samples), key=lambda fromkey: fromkey.count(None))
    return tuple(ordered_samples[:_MAX_SAMPLES])


def read_records(data: bytes, blocks: int) -> GuestRecords:
    """Read a guest's file; `blocks` is how many the schedule has. Raises RecordsUnreadable."""
    text = data.decode(errors="replace")
    lines = text.split("\n")[:-1]
    if not lines or lines[0] != RECORDS_HEADER:
        raise RecordsUnreadable("the guest wrote no records")
    records = GuestRecords()
    for line in lines[1:]:
        try:
            _take_record(records, line.split("\t"), blocks)
        except (ValueError, IndexError, KeyError) as error:
            raise RecordsUnreadable(f"not a record: {line[:80]!r}") from error
    return records


def parse_block(fields: Sequence[str]) -> BlockRecord:
    """Return a block of its line's fields behind the first one; raises ValueError."""
    index, operations, *numbers = fields
    value, wall, calls, method_seconds = map(float, numbers)
    return BlockRecord(int(index), float(operations), value, wall, calls, method_seconds)


def _take_record(records: GuestRecords, fields: list[str], blocks: int) -> None:
    match fields:
        case ["block", index, *_] if 0 <= int(index) < blocks:
            records.blocks.append(parse_block(fields[1:]))
        case ["metric", index, name, unit, value] if 0 <= int(index) < blocks:
            records.metrics.append((int(index), name, unit, float(value)))
        case ["clock-cost", seconds]:
            records.clock_cost = float(seconds)
        case ["present", token]:
            records.present.add(token)
        case ["skipped", text]:
            records.skipped = text
        case ["failed" | "refused" | "missing" as kind, text]:
            text_lists = {"failed": records.failures, "refused": records.refused}
            text_lists.get(kind, records.missing).append(text)
        case ["stopped", _]:
            records.stopped = True
        case _:
            _take_count(records, fields)


_CALL_KINDS = ("outside", "inside", "indirect")


def _take_count(records: GuestRecords, fields: list[str]) -> None:
    match fields:
        case ["window", operations, *called]:
            records.calls_of_harness += called == ["1"]
            records.windows.append((int(operations), {}, set()))
        case ["count", token, calls, nested]:
            _, counts, nesting = records.windows[-1]
            counts[token] = int(calls)
            if nested == "1":
                nesting.add(token)
        case ["outside", token, calls]:
            records.outside[token] = int(calls)
        case ["callers", token, *numbers]:
            earlier, new = records.callers.get(token, (0, 0)), map(int, numbers)
            by_library, by_other_code = map(sum, zip(earlier, new, strict=True))
            records.callers[token] = by_library, by_other_code
        case ["clocked", token, operations, seconds, block_seconds]:
            seconds_pair = float(seconds) / int(operations), float(block_seconds) / int(operations)
            records.clocked.setdefault(token, []).append(seconds_pair)
        case _:
            _take_trace(records, fields)


def _take_trace(records: GuestRecords, fields: list[str]) -> None:
    match fields:
        case ["tests", number]:
            records.tests = (records.tests or 0) + int(number)
        case ["calls", token, *numbers] if len(numbers) == len(_CALL_KINDS):
            call_counts = {
                name: int(count_text)
                for name, count_text in zip(_CALL_KINDS, numbers, strict=True)
                if count_text != "-"
            }
            records.calls.setdefault(token, Counter()).update(call_counts)
        case ["profile", cpu, queued, wall]:
            records.profile = float(cpu), float(queued), float(wall)
        case ["code", function, file, line]:
            records.code.append((function, file, int(line)))
        case ["leaf", address]:
            records.leaves[int(address)] = []
        case ["leaf", address, function, file, line]:
            records.leaves.setdefault(int(address), []).append((function, file, int(line)))
        case ["arguments", token, text]:
            values = tuple(
                None if argument is None else str(argument) for argument in json.loads(text)
            )
            records.arguments.setdefault(token, []).append(values)
        case _:
            raise ValueError(fields)
