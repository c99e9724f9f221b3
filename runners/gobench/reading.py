"""What the processes of a trial left, as an outcome. What is incomplete is never a measurement."""

import re
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from urllib.parse import unquote

from auditor.core.jobs import CompletedProcess
from auditor.core.mutant import VariantKind
from auditor.core.outcome import (
    Counted,
    Crashed,
    Frame,
    Measured,
    NeverCalled,
    NotBuilt,
    Outcome,
    Profiled,
    Skipped,
    Stack,
    TimedOut,
    Unreadable,
    Window,
)
from auditor.core.plan import Trial
from auditor.core.schedule import ArmName, Phase
from auditor.core.units import seconds_per_operation
from auditor.core.values import ALLOCATED, ALLOCATIONS, OPERATIONS, TIME, Series
from runners.gobench import text, toolchain
from runners.gobench.commands import BUILD, COUNTERS, LAUNCH, PROFILE, RECORDS, ROOT, RUN
from runners.gobench.launching import (
    count_block_operations,
    count_window_operations,
    fixes_operations,
)
from runners.gobench.pprof import ProfileLine, StackSample, read_samples
from runners.records import GuestRecords, RecordsUnreadable, read_records

_GUEST = "/zz_bench_audit_guest."
"""Part of the names of the guest's functions."""
LABEL = "bench-audit"
"""Key of the label that the guest gives its samples: "BLOCK.EPOCH"."""
_TIMERS = re.compile(r"^testing\.\(\*B\)\.(StartTimer|StopTimer|ResetTimer)$")
_TYPE_ARGUMENTS = re.compile(r"\[[^\]]*\]")
_LITERAL = re.compile(r"\.(?:func|gowrap|deferwrap)\d+(?:\.\d+)*$|-fm$|\.\d+$")
_DEEPEST = 64
"""Return addresses of a stack that older runtimes keep: what called the outermost is unknown."""
_LOST = frozenset({"runtime._ExternalCode", "runtime._LostExternalCode", "runtime._VDSO"})
"""Functions that stand for a stack that could not be read."""

KNOWN_UNITS = {"allocs/op": ALLOCATIONS, "B/op": ALLOCATED}


def read_outcome(trial: Trial, answers: Sequence[CompletedProcess]) -> Outcome:
    """Return how a trial ended."""
    builds = [answer for answer in answers if answer.find_file(LAUNCH).startswith(BUILD)]
    runs = [answer for answer in answers if answer.find_file(LAUNCH).startswith(RUN)]
    messages = [_describe_failed_build(build) for build in builds if build.exit_code != 0]
    if messages:
        return NotBuilt(messages[0])
    if not runs:
        return Unreadable("no process was run", "")
    if trial.benchmark is None:
        return _read_usage(trial, runs[0])
    failures = [
        failure for failure in (_find_failure(trial, run) for run in runs) if failure is not None
    ]
    if failures:
        return failures[0]
    try:
        return _READERS[trial.variant.kind](trial, runs)
    except (RecordsUnreadable, ValueError) as problem:
        return _make_unreadable(str(problem), runs[-1])


def _describe_failed_build(failed: CompletedProcess) -> str:
    """Return why a build failed."""
    first, _, _ = failed.find_file(LAUNCH).decode().partition("\n")
    return toolchain.describe_build_failure(failed, first.removeprefix(BUILD.decode()).strip())


def _make_unreadable(reason: str, answer: CompletedProcess) -> Unreadable:
    more = "; it printed more than is kept" if answer.truncated else ""
    return Unreadable(reason + more, text.format_tail(answer))


def _find_failure(trial: Trial, answer: CompletedProcess) -> Outcome | None:
    """Return what stopped a process; None if it ended well."""
    if answer.timed_out and not _has_counted_blocks(trial, answer):
        return TimedOut(answer.seconds, text.format_tail(answer))
    name = trial.benchmark.name if trial.benchmark else ""
    report = text.failure_or_skip(answer.stdout, name)
    if answer.exit_code not in (0, None) or (report and report[0] == "FAIL"):
        log = f"{report[1][:1000]}\n" if report and report[1] else ""
        if report is None and (parent := text.find_failed_parent(answer.stdout, name)):
            log = f"{parent} fails when only this benchmark in it is run\n"
        return Crashed(answer.exit_code or 1, log + text.format_tail(answer))
    if b"\nstopped\t" in answer.find_file(RECORDS):
        return None  # our guest skips the blocks that are left
    if report:
        return Skipped(report[1] or "it skips itself")
    lines = text.parse_results(answer.stdout, name)
    if lines and all(result.operations == 0 for result in lines):
        return Skipped("it skips itself when it is to run more than one operation")
    return None


def _read_plain(trial: Trial, runs: Sequence[CompletedProcess]) -> Outcome:
    assert trial.benchmark is not None  # noqa: S101 - narrows the type; outcome has looked
    schedule, run = trial.schedule, runs[0]
    cut = run.enough and not run.truncated  # the results of the first blocks, and of all of them
    lines = text.parse_results(
        text.cut_unfinished(run.stdout) if cut else run.stdout, trial.benchmark.name
    )
    blocks = schedule.blocks[: len(lines)] if cut else schedule.blocks
    if len(lines) != len(blocks):
        raise ValueError(f"{len(lines)} results where {len(blocks)} were asked for")
    gathered: dict[tuple[str, str, ArmName, Phase], list[tuple[int, float]]] = {}
    for index, (result, block) in enumerate(zip(lines, blocks, strict=True)):
        for metric, unit, value in _list_metrics(trial, result):
            key = (metric, unit, schedule.arms[block.arm].name, block.phase)
            gathered.setdefault(key, []).append((index, value))
    return Measured(
        tuple(Series.from_values(*key, values) for key, values in sorted(gathered.items()))
    )


def _list_metrics(trial: Trial, result: text.ResultLine) -> list[tuple[str, str, float]]:
    if fixes_operations(trial) and result.operations != count_block_operations(trial.schedule):
        raise ValueError(
            f"{result.operations} operations in a block of {trial.schedule.operations}"
        )
    time = result.find_value("ns/op")
    if time is None or not 0 < time < float("inf"):
        raise ValueError("it reports no time per operation")
    extra_metrics = [
        (KNOWN_UNITS.get(unit, unit), unit, value)
        for unit, value in result.values
        if unit != "ns/op"
    ]
    return [
        (TIME, "s/op", seconds_per_operation(time, "ns/op")),
        (OPERATIONS, "op", float(result.operations)),
        *extra_metrics,
    ]


def _read_guest_records(trial: Trial, answer: CompletedProcess) -> GuestRecords:
    records = read_records(answer.find_file(RECORDS), len(trial.schedule.blocks))
    if records.failures:
        raise ValueError(f"the guest could not work: {records.failures[0]}")
    return records


def _read_slowed(trial: Trial, runs: Sequence[CompletedProcess]) -> Outcome:
    records = _read_guest_records(trial, runs[0])
    if "0" not in records.present:
        raise ValueError("the slowed method is not in the program that ran")
    if not records.is_complete(trial.schedule):
        block_count = len(trial.schedule.blocks)
        raise ValueError(
            f"{len(records.blocks)} blocks where {block_count} were asked for; the guest acts in "
            "functions of this project that take only a *testing.B"
        )
    if any(block.operations != count_block_operations(trial.schedule) for block in records.blocks):
        raise ValueError("a block has another number of operations than asked for")
    if not all(0 < block.seconds_per_operation < float("inf") for block in records.blocks):
        raise ValueError("a block took no time")
    if trial.reports_allocations:
        records.metrics += _list_allocations(trial, runs[0])
    return (
        Measured(records.build_series(trial.schedule))
        if "ran" in records.present
        else NeverCalled()
    )


def _list_allocations(
    trial: Trial, answer: CompletedProcess
) -> Iterator[tuple[int, str, str, float]]:
    """Yield what testing itself printed of each block: what its users see."""
    assert trial.benchmark is not None  # noqa: S101 - narrows the type; outcome has looked
    lines = text.parse_results(answer.stdout, trial.benchmark.name)
    if len(lines) != len(trial.schedule.blocks):
        block_count = len(trial.schedule.blocks)
        raise ValueError(f"{len(lines)} results where {block_count} were asked for")
    for index, result in enumerate(lines):
        for unit, metric in KNOWN_UNITS.items():
            value = result.find_value(unit)
            if value is not None:
                yield index, metric, unit, value


def _read_reach(trial: Trial, runs: Sequence[CompletedProcess]) -> Outcome:
    ids = {str(index): method.id for index, method in enumerate(trial.variant.methods)}
    window_sizes = count_window_operations(trial.schedule)
    if len(runs) != len(window_sizes):
        raise ValueError(f"{len(runs)} processes where {len(window_sizes)} were needed")
    records = [_read_guest_records(trial, run) for run in runs]
    counts = [record.summarise_counts(ids, set_up_apart=False) for record in records]
    finished_blocks = [
        1 if run.exit_code != 0 or record.stopped else len(trial.schedule.blocks)
        for run, record in zip(runs, records, strict=True)
    ]
    outside: dict[str, int] = {}
    for process_counts, count, least in zip(counts, window_sizes, finished_blocks, strict=True):
        sizes = [window.operations for window in process_counts.windows]
        if len(sizes) < least or set(sizes) != {count}:
            raise ValueError(f"{sizes.count(count)} blocks of {count} operations were counted")
        outside |= {key: max(outside.get(key, 0), calls) for key, calls in process_counts.outside}
    blocks = min(len(process_counts.windows) for process_counts in counts)
    joined = (_join_windows(process_counts.windows[:blocks], ids) for process_counts in counts)
    is_complete = all(
        len(record.windows) > 1
        and (record.stopped or len(record.windows) == len(trial.schedule.blocks))
        for record in records
    )
    largest = counts[window_sizes.index(max(window_sizes))]
    return Counted(
        tuple(joined),
        tuple(sorted(outside.items())),
        in_one_call=is_complete and all(record.calls_of_harness == 1 for record in records),
        clocked=largest.clocked,
        library_shares=largest.library_shares,
    )


def _has_counted_blocks(trial: Trial, answer: CompletedProcess) -> bool:
    """Tell whether some block was counted.

    Counters in all methods may make a process many times as slow, so not all of its blocks may
    come to their end; those that do tell nearly as much.
    """
    counting = trial.variant.kind is VariantKind.COUNTING
    return counting and b"\nwindow\t" in answer.find_file(RECORDS)


def _join_windows(windows: Sequence[Window], ids: dict[str, str]) -> Window:
    """Add blocks up, with 0 where the guest wrote nothing: set-up ran once in each of them."""
    calls = dict.fromkeys(ids.values(), 0)
    for window in windows:
        for method, count in window.calls:
            calls[method] += count
    nested = {method for window in windows for method in window.nested}
    operations = sum(window.operations for window in windows)
    return Window(operations, tuple(sorted(calls.items())), tuple(sorted(nested)))


def _read_usage(trial: Trial, run: CompletedProcess) -> Outcome:
    """Read a package's counters. They outlive a failing test, and a test is not judged."""
    methods = [method.id for method in trial.variant.methods]
    counter_data, size = run.find_file(COUNTERS), 32 * len(methods)
    numbers = struct.unpack(
        f"={4 * len(methods)}q", counter_data if len(counter_data) == size else bytes(size)
    )
    rows = [numbers[start :: len(methods)] for start in range(len(methods))]
    calls = {name: row[0] for name, row in zip(methods, rows, strict=True)}
    nested = [name for name, row in zip(methods, rows, strict=True) if row[1]]
    library_shares = tuple(
        (name, by_library / (by_library + by_other_code))
        for name, (_, _, by_library, by_other_code) in sorted(zip(methods, rows, strict=True))
        if by_library
    )
    if not any(calls.values()) and run.exit_code != 0:
        return (
            TimedOut(run.seconds, text.format_tail(run))
            if run.timed_out
            else Crashed(run.exit_code or 1, text.format_tail(run))
        )
    window = Window(0, tuple(sorted(calls.items())), tuple(sorted(nested)))
    is_complete = run.exit_code == 0 and len(counter_data) == size
    return Counted(
        (window,),
        missing="" if is_complete else "some fail or do not end",
        library_shares=library_shares,
    )


def _read_profiled(trial: Trial, runs: Sequence[CompletedProcess]) -> Outcome:
    records = _read_guest_records(trial, runs[0])
    if not records.is_complete(trial.schedule):
        raise ValueError(
            f"{len(records.blocks)} of {len(trial.schedule.blocks)} blocks were sampled"
        )
    root = runs[0].find_file(ROOT).decode()
    leaves = {
        address: tuple(
            ProfileLine(*line, inlined=index + 1 < len(lines)) for index, line in enumerate(lines)
        )
        for address, lines in records.leaves.items()
    }
    return _profile_samples(trial, records, read_samples(runs[0].find_file(PROFILE), leaves), root)


_READERS = {
    VariantKind.PLAIN: _read_plain,
    VariantKind.COUNTING: _read_reach,
    VariantKind.DELAYED: _read_slowed,
    VariantKind.PROFILED: _read_profiled,
}


def _profile_samples(
    trial: Trial, records: GuestRecords, samples: Iterable[StackSample], root: str
) -> Profiled:
    """Return the samples of the measured blocks; `root` is the folder of the sources.

    Raises ValueError where the guest says nothing of the profile.
    """
    if records.profile is None:
        raise ValueError("the guest took no CPU profile")
    samples = list(samples)
    cpu, queued, wall = records.profile
    measured_blocks = _find_measured_blocks(trial)
    last = _last_epochs(samples)
    frames: dict[Frame, int] = {}
    counts: Counter[tuple[int, tuple[int, ...]]] = Counter()
    unattributed = background = 0
    for sample in samples:
        block, epoch = _read_label(sample)
        if block is None:
            background += sample.count if _is_runtime(sample) else 0
            continue
        if block not in measured_blocks or epoch != last[block] or _is_ours(sample):
            continue
        if _is_lost(sample):
            unattributed += sample.count
            continue
        stack = dict.fromkeys(_make_frame(line, root) for line in sample.lines)
        numbers = tuple(frames.setdefault(frame, len(frames)) for frame in stack)
        counts[block, numbers] += sample.count
    everything = sum(sample.count for sample in samples)
    attributed = sum(counts.values()) + unattributed
    blocks = [record for record in records.blocks if record.index in measured_blocks]
    timed = sum(record.seconds_per_operation * record.operations for record in blocks)
    return Profiled(
        frames=tuple(frames),
        stacks=tuple(Stack(block, stack, n) for (block, stack), n in sorted(counts.items())),
        unattributed=unattributed,
        background=background,
        period_seconds=cpu / everything if everything else 0.0,
        cpu_seconds=cpu * attributed / everything if everything else 0.0,
        timed_seconds=timed,
        waiting_seconds=queued * min(1.0, timed / wall) if wall > 0 else 0.0,
        operations=round(sum(record.operations for record in blocks)),
        code=tuple(dict.fromkeys(_make_code_frame(ProfileLine(*n), root) for n in records.code)),
    )


def _find_measured_blocks(trial: Trial) -> frozenset[int]:
    blocks = trial.schedule.blocks
    return frozenset(
        index for index, block in enumerate(blocks) if block.phase is Phase.MEASUREMENT
    )


def _read_label(sample: StackSample) -> tuple[int | None, int]:
    """Return the block and epoch of a sample, None for one without a label of ours."""
    block, _, epoch = dict(sample.labels).get(LABEL, "").partition(".")
    if not (block.isdecimal() and epoch.isdecimal()):
        return None, 0
    return int(block), int(epoch)


def _last_epochs(samples: Iterable[StackSample]) -> Mapping[int, int]:
    """Return of each block the epoch behind the last reset of its timer."""
    last: dict[int, int] = {}
    for sample in samples:
        block, epoch = _read_label(sample)
        if block is not None:
            last[block] = max(epoch, last.get(block, 0))
    return last


def _is_ours(sample: StackSample) -> bool:
    """Tell whether a sample is of a timer, or of the guest that hears of it."""
    timer = f"{_GUEST}Timer"
    return any(_TIMERS.match(line.function) or timer in line.function for line in sample.lines)


def _is_lost(sample: StackSample) -> bool:
    """Tell whether the outer end of the stack is missing."""
    names = {line.function for line in sample.lines}
    deep = sample.addresses >= _DEEPEST and not any(_GUEST in name for name in names)
    return deep or not names or bool(names & _LOST)


def _is_runtime(sample: StackSample) -> bool:
    return bool(sample.lines) and sample.lines[-1].function.startswith("runtime.")


def _make_code_frame(line: ProfileLine, root: str) -> Frame:
    """Return a frame of the benchmark's own code, where literals keep their lines."""
    frame = _make_frame(line, root)
    return replace(frame, line=line.line if frame.file else 0)


def _make_frame(line: ProfileLine, root: str) -> Frame:
    """Return a frame whose function is named as the methods of Go are; literals have no line."""
    plain = _TYPE_ARGUMENTS.sub("", line.function)
    path, slash, name = plain.rpartition("/")
    name = unquote(name).replace("(*", "").replace(")", "")
    inside = line.file.startswith(f"{root}/")
    file = line.file.removeprefix(f"{root}/") if inside else ""
    literal = _LITERAL.search(name) is not None
    count = 0 if literal or not inside else line.line
    return Frame(f"{path}{slash}{name}", file, count, line.inlined)
