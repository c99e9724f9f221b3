"""The stacks that the guest sampled in a benchmark's process, as an outcome.

The file of stacks is UTF-8 text, one entry a line, fields parted by tabs. Its first line is
`bench-audit-stacks 1`. BLOCK is the index of a block in the schedule, THREAD the kernel's number.

    thread  BLOCK before|after THREAD CPU-NANOSECONDS WAITING-NANOSECONDS MINOR-PAGE-FAULTS
    timed   BLOCK OPERATIONS SECONDS-PER-OPERATION
    stack   BLOCK THREAD SAMPLES FRAMES    frames from JMH's stub inwards, parted by semicolons
    other   BLOCK THREAD SAMPLES KIND      no frame of a stub; KIND: java, native, broken; the
                                           thread that drives JMH is left out

Frames are those of async-profiler: `owner.name(descriptor)` and a suffix that tells how the method
ran (`_[j]` compiled, `_[i]` inlined, `_[0]` interpreted, `_[1]` by C1). Bars replace the semicolons
of descriptors. The subject can write to the file, so nothing in it is trusted.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from auditor.core.jobs import CompletedProcess
from auditor.core.outcome import Frame, Measured, Outcome, Profiled, Stack, Unreadable
from auditor.core.plan import Trial
from auditor.core.schedule import Phase
from runners.jmh.commandline import stacks_name
from runners.jmh.results import read_outcome
from runners.jmh.sampling import PERIOD_NANOSECONDS

_HEADER = "bench-audit-stacks 1"
_MOST_BYTES = 64_000_000
_MOST_LINES = 1_000_000
_MOST_FRAMES = 4096
"""Frames of one stack; async-profiler itself keeps 2,048."""
_MOST_SAMPLES = 100_000_000
"""Samples of one stack: some hours of sampling at the highest rate."""
_MOST = 10**18
"""Nanoseconds of a thread, operations or seconds: more than any process has."""
_STUB = re.compile(r"\.(\w+)_(thrpt|avgt|sample|ss)_jmhStub\(")
_JAVA = re.compile(r"^(.*)_\[[01ij]\]$")
_JMH = "org/openjdk/jmh/"
_TIMED_ONE_BY_ONE = frozenset(("sample", "ss"))
"""Modes whose stub reads the clock around each operation; the rest of the stub is not timed."""
_STUB_SECONDS = 3e-9
"""CPU time that the stub itself takes for an operation: twice what was measured of short ones.

HotSpot gives parts of inlined methods no debug information: small loops that it unrolls wholly.
Samples of these then seem to be of the stub alone (`auditor/measure/profiles/attribution`).
"""
_STUB_SECONDS_WITH_TIMER = 1e-7
"""The same where the stub reads the clock around each operation."""
_TIMER = re.compile(r"javaTimeNanos|clock_gettime")
"""Native functions that read the clock."""
_PAGE_FAULT = re.compile(r"(?:page|mm|addr|translation)_fault\w*_\[k\]$")
"""Kernel functions that give a process memory which it touches for the first time.

While the heap grows a method that allocates pays for them, and later no more. With a heap that was
touched before, its share was .17 where it was .44 in a new process, .62 where it was .94.
"""
_KERNEL = "_[k]"
_FAULT_SECONDS = 2e-6
"""CPU time of a page fault, where no sample shows the kernel: .5 on hardware, 4 on a busy VM."""


class StacksUnreadable(ValueError):
    """A file of stacks is not what the guest writes; the message is for users."""


def read_profile(trial: Trial, answers: Sequence[CompletedProcess]) -> Outcome:
    """Return the samples of a trial, or why there are none."""
    outcome = read_outcome(trial, answers)
    if not isinstance(outcome, Measured):
        return outcome
    answer = answers[-1]
    try:
        return read_stacks(trial, answer.find_file(stacks_name(trial)))
    except StacksUnreadable as error:
        return Unreadable(str(error), answer.format_tail())


def read_stacks(trial: Trial, data: bytes) -> Profiled:
    """Return the samples in a file of stacks; raises StacksUnreadable."""
    if len(data) > _MOST_BYTES:
        raise StacksUnreadable(f"the sampled stacks exceed {_MOST_BYTES / 1e6:.0f} MB")
    lines = data.decode(errors="replace").split("\n")
    if lines[0] != _HEADER:
        raise StacksUnreadable("the guest wrote no sampled stacks")
    if len(lines) > _MOST_LINES:
        raise StacksUnreadable(f"the sampled stacks have more than {_MOST_LINES:,} lines")
    profile = _StackProfile(trial)
    for line in lines[1:-1]:
        try:
            profile.add_line(line.split("\t"))
        except (ValueError, IndexError) as error:
            raise StacksUnreadable(f"not a line of sampled stacks: {line[:80]!r}") from error
    return profile.make_outcome()


@dataclass(slots=True)
class _StackProfile:
    """What was read of one file of stacks."""

    trial: Trial
    """Whose blocks were sampled."""
    frames: dict[str, int] = field(default_factory=dict)
    """Index of each frame's name."""
    stacks: Counter[tuple[int, tuple[int, ...]]] = field(default_factory=Counter)
    """Samples of the operation, by block and frames (innermost first)."""
    inside: Counter[int] = field(default_factory=Counter)
    """Samples within a stub, by thread."""
    stub_alone: Counter[tuple[int, str]] = field(default_factory=Counter)
    """Samples in a stub and nothing below, by block and frame."""
    faults: int = 0
    """Samples of the operation within page faults."""
    timed_one_by_one: bool = False
    """Whether the stub reads the clock around each operation."""
    other_samples: Counter[tuple[int, str]] = field(default_factory=Counter)
    """Samples outside of all stubs, by thread and kind."""
    times: dict[tuple[int, int], dict[str, tuple[int, int, int]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    """Nanoseconds on a processor, waiting for one, and page faults; by block and thread."""
    timed: dict[int, tuple[int, float]] = field(default_factory=dict)
    """Operations and seconds of each, by block."""

    def add_line(self, fields: Sequence[str]) -> None:
        """Take one line in; raises ValueError."""
        kind, number, *rest = fields
        block = int(number)
        if not self._is_measured(block):
            raise ValueError(block)
        match [kind, *rest]:
            case ["stack", thread, samples, frames]:
                self._take_stack(
                    block, int(thread), _parse_sample_count(samples), frames.split(";")
                )
            case ["other", thread, samples, ("java" | "native" | "broken") as frame_kind]:
                self.other_samples[int(thread), frame_kind] += _parse_sample_count(samples)
            case ["thread", ("before" | "after") as when, thread, busy, waiting, faults]:
                self.times[block, int(thread)][when] = (
                    _parse_count(busy),
                    _parse_count(waiting),
                    _parse_count(faults),
                )
            case ["timed", operations, seconds]:
                self.timed[block] = _check_timing(int(operations), float(seconds))
            case _:
                raise ValueError(kind)

    def _is_measured(self, block: int) -> bool:
        blocks = self.trial.schedule.blocks
        return 0 <= block < len(blocks) and blocks[block].phase is Phase.MEASUREMENT

    def _take_stack(self, block: int, thread: int, samples: int, frames: Sequence[str]) -> None:
        stub = _STUB.search(frames[0])
        if stub is None or len(frames) > _MOST_FRAMES:
            raise ValueError(frames[0])
        self.inside[thread] += samples
        self.timed_one_by_one |= stub[2] in _TIMED_ONE_BY_ONE
        if len(frames) == 1:
            self.stub_alone[block, _normalise_frame(frames[0])] += samples
            return
        if not _is_timed(frames[1:], benchmark=stub[1]):
            return
        if any(_PAGE_FAULT.search(frame) for frame in frames):
            self.faults += samples
            return
        names = [_normalise_frame(frame) for frame in reversed(frames)]
        self._add_stack(block, names, samples)

    def _add_stack(self, block: int, names: Sequence[str], samples: int) -> None:
        indices = [self.frames.setdefault(name, len(self.frames)) for name in names]
        self.stacks[block, tuple(dict.fromkeys(indices))] += samples

    def _take_stub(self, seconds: float) -> int:
        """Add the stub's own samples to the stacks; return how many more there are than it takes.

        `seconds` is the CPU time of an operation, or its time where that is unknown.
        """
        alone, below = self.stub_alone.total(), self.stacks.total()
        stub_seconds = _STUB_SECONDS_WITH_TIMER if self.timed_one_by_one else _STUB_SECONDS
        share = min(1.0, stub_seconds / seconds) if seconds > 0 else 0.0
        stub_share = min(1.0, share * (alone + below) / alone) if alone else 0.0
        lost = 0
        for (block, name), samples in self.stub_alone.items():
            own_samples = round(stub_share * samples)
            lost += samples - own_samples
            if own_samples and not self.timed_one_by_one:
                self._add_stack(block, (name,), own_samples)
        return lost

    def make_outcome(self) -> Profiled:
        """Return the outcome; raises ProfileUnreadable where blocks are missing."""
        blocks = [
            index for index, _ in enumerate(self.trial.schedule.blocks) if self._is_measured(index)
        ]
        if missing := [block for block in blocks if block not in self.timed]:
            raise StacksUnreadable(f"block {missing[0]} was not sampled to its end")
        busy, waiting, faults = self._thread_seconds()
        benchmark = self.trial.benchmark
        threads = benchmark.concurrency if benchmark else 1
        seconds = threads * math.fsum(
            number * operation_seconds for number, operation_seconds in self.timed.values()
        )
        operations = sum(number for number, _ in self.timed.values())
        lost = self._take_stub((busy or seconds) / operations if operations else 0.0)
        return Profiled(
            frames=tuple(map(Frame, self.frames)),
            stacks=tuple(
                Stack(block, frames, samples)
                for (block, frames), samples in sorted(self.stacks.items())
            ),
            unattributed=lost
            + (self.faults or self._hidden_faults(busy, faults))
            + sum(n for key, n in self.other_samples.items() if self._is_unattributed(*key)),
            background=sum(n for key, n in self.other_samples.items() if self._is_background(*key)),
            period_seconds=PERIOD_NANOSECONDS * 1e-9,
            cpu_seconds=busy,
            timed_seconds=seconds,
            waiting_seconds=waiting,
            operations=operations,
        )

    def _is_unattributed(self, thread: int, kind: str) -> bool:
        """Tell whether the operation may have caused a sample outside of its stub.

        Whole stacks of the benchmark's threads outside of the stub are JMH's own work.
        """
        return kind != "java" if thread in self.inside else kind != "native"

    def _is_background(self, thread: int, kind: str) -> bool:
        return thread not in self.inside and kind == "native"

    def _thread_seconds(self) -> tuple[float, float, float]:
        """Return CPU time, run-queue time and time of page faults of the benchmark's threads.

        Of the first two only the part within stubs.
        """
        busy = waiting = faults = 0.0
        for (_, thread), times in self.times.items():
            if thread not in self.inside or len(times) != 2:  # before and after
                continue
            outside = sum(n for (count, _), n in self.other_samples.items() if count == thread)
            share = self.inside[thread] / (self.inside[thread] + outside)
            spent = [
                max(0, last - first) for first, last in zip(*_order_snapshots(times), strict=True)
            ]
            busy += share * spent[0] * 1e-9
            waiting += share * spent[1] * 1e-9
            faults += spent[2] * _FAULT_SECONDS
        return busy, waiting, faults

    def _hidden_faults(self, busy: float, faults: float) -> int:
        """Return how many samples may be of page faults, where no sample shows the kernel."""
        if busy <= 0 or any(name.endswith(_KERNEL) for name in self.frames):
            return 0
        return math.ceil(self.stacks.total() * min(1.0, faults / busy))


def _order_snapshots(times: Mapping[str, tuple[int, int, int]]) -> tuple[tuple[int, int, int], ...]:
    return times["before"], times["after"]


def _parse_sample_count(text: str) -> int:
    samples = int(text)
    if not 0 < samples <= _MOST_SAMPLES:
        raise ValueError(text)
    return samples


def _check_timing(operations: int, seconds: float) -> tuple[int, float]:
    if not 0 <= operations <= _MOST or not 0 <= seconds <= _MOST:
        raise ValueError(operations)
    return operations, seconds


def _parse_count(text: str) -> int:
    number = int(text)
    if not 0 <= number <= _MOST:
        raise ValueError(text)
    return number


def _normalise_frame(frame: str) -> str:
    """Return a frame as `Method.descriptor` has it; frames that are not Java's stay as they are."""
    java = _JAVA.match(frame)
    if java is None:
        return frame
    name, opened, rest = java[1].partition("(")
    return name + opened + rest.replace("|", ";")


def _is_timed(frames: Sequence[str], *, benchmark: str) -> bool:
    """Tell whether a sample belongs to the operation; `frames` are those below the stub.

    Set-up and tear-down of each invocation run within the stub, too, and so does the timer.
    """
    java = _JAVA.match(frames[0])
    if java is None:
        return _TIMER.search(frames[0]) is None
    function = java[1].partition("(")[0].rpartition(".")[2]
    return function == benchmark or java[1].startswith(_JMH)
