"""How a trial ended: a measurement, or the reason why there is none."""

from dataclasses import dataclass, field
from enum import StrEnum

from auditor.core.measure import Series
from auditor.core.schedule import ArmName, Phase
from auditor.core.warming import Warmed


@dataclass(frozen=True, slots=True)
class Measured:
    """Values. The guest has confirmed that the variant asked for is the code that ran.

    `warmed` is what a watched process came to, None for all others.
    """

    series: tuple[Series, ...] = field(repr=False)
    warmed: Warmed | None = None

    def told_apart(self, warmed: Warmed, measured: int) -> "Measured":
        """Return the values of a watched process, its warm-up told from what counts.

        Where it was not seen warm its last `measured` blocks count.
        """
        first = warmed.warm
        if first is None:
            blocks = max((one.at[-1] + 1 for one in self.series), default=0)
            first = max(0, blocks - measured)
        return Measured(tuple(part for one in self.series for part in one.split(first)), warmed)

    def of(self, metric: str, arm: ArmName, phase: Phase = Phase.MEASUREMENT) -> Series | None:
        """Return the series of `metric`, if there is one."""
        for series in self.series:
            if (series.metric, series.arm, series.phase) == (metric, arm, phase):
                return series
        return None


@dataclass(frozen=True, slots=True)
class Window:
    """Outermost calls per method id while `operations` operations ran, set-up included.

    `nested` names methods that were called while a call of the same method was running in the
    same thread or goroutine.
    """

    operations: int
    calls: tuple[tuple[str, int], ...]
    nested: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Clocked:
    """What a counting variant saw of the time of a method: seconds per operation of its blocks.

    `inside` are those in outermost calls, as the clock shows them, with what it adds to them and
    with counters in all methods that they call: at least what the calls take. `operation` are those
    of all of the operation there.
    """

    method: str
    inside: float
    operation: float


@dataclass(frozen=True, slots=True)
class Counted:
    """What a counting variant saw: windows with different numbers of operations.

    Where `set_up_apart` is true the windows hold no calls of set-up code and `outside` has them;
    else set-up ran equally often in each window. Unit tests (USAGE) have one window of 0
    operations; `missing` says whose calls may be missing in it, for people. `in_one_call`: a
    process's blocks were all counted, and one call of the harness's held them. `clocked`: how long
    methods took, as far as that was seen.
    """

    windows: tuple[Window, ...]
    outside: tuple[tuple[str, int], ...] = ()
    set_up_apart: bool = False
    missing: str = ""
    in_one_call: bool = False
    clocked: tuple[Clocked, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodCalls:
    """How often the tests of a client called a method of a library.

    `outside` are calls from code that is not the library's, `inside` those from the library itself,
    None where nobody counted them. `indirect` are those of `outside` that went through an interface
    or a function value. `declared` are calls from outside of a method without a body, as the type
    that the caller knows has it: what ran is counted under its own name. `arguments` are what some
    calls from outside handed to the parameters, as source text, None where that is no simple value.
    """

    method: str
    outside: int
    inside: int | None = None
    indirect: int = 0
    declared: int = 0
    arguments: tuple[tuple[str | None, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """What the tests of a client called; `tests` are how many ran, None where nobody counted.

    `missing` says whose calls may be missing, for people. `ended_after` is the limit in seconds at
    which our watchdog ended it, None where it came to its end.
    """

    calls: tuple[MethodCalls, ...]
    tests: int | None = None
    missing: str = ""
    ended_after: float | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """One function on a sampled stack; an inlined function has a frame of its own."""

    function: str
    """Name as the profiler gives it. JVM: `owner.name(descriptor)`, as `Method.descriptor`."""
    file: str = ""
    """Source file relative to the project's root (POSIX); empty outside of the project."""
    line: int = 0
    """Line in that file, one-based; 0 where it is unknown, and for a nested function literal."""
    inlined: bool = False
    """Its code is known to lie in that of its caller."""


@dataclass(frozen=True, slots=True)
class Stack:
    """How often one stack was sampled in one block."""

    block: int
    """Index of the block in the schedule."""
    frames: tuple[int, ...]
    """Indices into `Profiled.frames`, innermost first, each once."""
    count: int
    """Number of samples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profiled:
    """CPU samples of the unchanged benchmark, taken while its timer ran."""

    frames: tuple[Frame, ...] = field(repr=False)
    """All distinct frames of the stacks."""
    stacks: tuple[Stack, ...] = field(repr=False)
    """Samples that belong to the operation: of the benchmark's own threads or goroutines."""
    unattributed: int
    """Samples taken meanwhile whose stack could not be read."""
    background: int
    """Samples of the runtime's own threads meanwhile (garbage collection, compilation)."""
    period_seconds: float
    """CPU time between two samples of one thread, as asked for; fewer may have arrived."""
    cpu_seconds: float
    """CPU time of the sampled threads while the timer ran; 0 where it is unknown."""
    timed_seconds: float
    """Time that the harness's timer shows for the measured blocks together."""
    waiting_seconds: float = 0.0
    """Part of `timed_seconds` for which the threads were ready and had no processor."""
    operations: int = 0
    """Operations in all measured blocks together; 0 where it is unknown."""
    code: tuple[Frame, ...] = field(default=(), repr=False)
    """Frames that own machine instructions in the benchmark's own functions; empty: not read."""

    @property
    def samples(self) -> int:
        """Return the number of samples that belong to the operation."""
        return sum(stack.count for stack in self.stacks)


@dataclass(frozen=True, slots=True)
class Skipped:
    """The benchmark chose not to run."""

    reason: str


@dataclass(frozen=True, slots=True)
class TimedOut:
    """Our watchdog ended it; `tail` are its last lines."""

    after_seconds: float
    tail: str


@dataclass(frozen=True, slots=True)
class Crashed:
    """It failed, or ended without having done its work; a negative code is a signal."""

    exit_code: int
    tail: str


@dataclass(frozen=True, slots=True)
class Exhausted:
    """The host had no more of something that it limits, such as "512 MiB of memory"."""

    what: str
    tail: str

    @property
    def reason(self) -> str:
        """Return it in words."""
        return f"needed more than {self.what}"


@dataclass(frozen=True, slots=True)
class Unreadable:
    """It ended well, but what it left is not what its schedule asks for."""

    reason: str
    tail: str


@dataclass(frozen=True, slots=True)
class NeverCalled:
    """The slowed variant was built, loaded and ran to its end; no call of the method was seen.

    A call is seen as it ends. Go's guest sees all of a process, JMH's those in clocked blocks.
    """


@dataclass(frozen=True, slots=True)
class NotBuilt:
    """The variant does not compile or load; `message` is the compiler's."""

    message: str


Outcome = (
    Measured
    | Counted
    | Traced
    | Profiled
    | Skipped
    | TimedOut
    | Crashed
    | Exhausted
    | Unreadable
    | NeverCalled
    | NotBuilt
)


class Ending(StrEnum):
    """The kinds of outcome, as words for reports."""

    MEASURED = "measured"
    COUNTED = "counted"
    TRACED = "traced"
    PROFILED = "profiled"
    SKIPPED = "skipped"
    TIMED_OUT = "timed-out"
    CRASHED = "crashed"
    EXHAUSTED = "exhausted"
    UNREADABLE = "unreadable"
    NEVER_CALLED = "never-called"
    NOT_BUILT = "not-built"


MAY_PASS = frozenset({Ending.TIMED_OUT, Ending.CRASHED, Ending.EXHAUSTED, Ending.UNREADABLE})
"""Failures that another try may not repeat; the others are decided by the subject's text."""


def ending(outcome: Outcome) -> Ending:
    """Return the word for an outcome."""
    return _ENDINGS[type(outcome)]


_ENDINGS: dict[type[Outcome], Ending] = {
    Measured: Ending.MEASURED,
    Counted: Ending.COUNTED,
    Traced: Ending.TRACED,
    Profiled: Ending.PROFILED,
    Skipped: Ending.SKIPPED,
    TimedOut: Ending.TIMED_OUT,
    Crashed: Ending.CRASHED,
    Exhausted: Ending.EXHAUSTED,
    Unreadable: Ending.UNREADABLE,
    NeverCalled: Ending.NEVER_CALLED,
    NotBuilt: Ending.NOT_BUILT,
}
