"""How a trial ended: a measurement, or the reason why there is none."""

from dataclasses import dataclass, field
from enum import StrEnum

from auditor.core.schedule import ArmName, Phase
from auditor.core.stop_rules import WarmupResult
from auditor.core.values import Series


@dataclass(frozen=True, slots=True)
class Measured:
    """Values. The guest has confirmed that the variant asked for is the code that ran."""

    series: tuple[Series, ...] = field(repr=False)
    warmed: WarmupResult | None = None
    """Result of a watched process; None for all others."""

    def split_warmup(self, warmed: WarmupResult, measured: int) -> "Measured":
        """Return the values of a watched process, its warm-up told from what counts.

        Where it was not seen warm its last `measured` blocks count.
        """
        first = warmed.warm
        if first is None:
            blocks = max((series.block_positions[-1] + 1 for series in self.series), default=0)
            first = max(0, blocks - measured)
        return Measured(
            tuple(part for series in self.series for part in series.split_warmup(first)), warmed
        )

    def find_series(
        self, metric: str, arm: ArmName, phase: Phase = Phase.MEASUREMENT
    ) -> Series | None:
        """Return the series of `metric`, if there is one."""
        for series in self.series:
            if (series.metric, series.arm, series.phase) == (metric, arm, phase):
                return series
        return None


@dataclass(frozen=True, slots=True)
class Window:
    """Outermost calls of methods while a number of operations ran, set-up included."""

    operations: int
    calls: tuple[tuple[str, int], ...]
    """(Method id, number of outermost calls)."""
    nested: tuple[str, ...] = ()
    """Ids of methods that were called in a thread or goroutine that was running them."""


@dataclass(frozen=True, slots=True)
class MethodClock:
    """What a counting variant measured of the time of a method."""

    method: str
    """Id of the method."""
    inside: float
    """Seconds per operation in outermost calls: at least what the calls take.

    Includes the cost of the clock and of counters in all methods that they call.
    """
    operation: float
    """Seconds per operation of the whole operation there."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What a counting variant saw: windows with different numbers of operations."""

    windows: tuple[Window, ...]
    """Unit tests (USAGE) have one window of 0 operations."""
    outside: tuple[tuple[str, int], ...] = ()
    """(Method id, calls) of set-up code where `set_up_apart` is true."""
    set_up_apart: bool = False
    """The windows hold no calls of set-up code; else set-up ran equally often in each."""
    missing: str = ""
    """Whose calls may be missing, for people; empty: nobody's."""
    in_one_call: bool = False
    """All blocks of a process were counted, and one call of the harness held them."""
    clocked: tuple[MethodClock, ...] = ()
    """Times of methods, as far as they were measured."""
    library_shares: tuple[tuple[str, float], ...] = ()
    """(Method id, share in (0, 1] of its calls that the library itself made), by a sample.

    Other methods have no call by the library in that sample.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodCalls:
    """How often the tests of a client called a method of a library."""

    method: str
    """Id of the method."""
    outside: int
    """Calls from code that is not the library's."""
    inside: int | None = None
    """Calls from the library itself; None: not counted."""
    indirect: int = 0
    """Those of `outside` that went through an interface or a function value."""
    declared: int = 0
    """Calls from outside of a method without a body, as the caller's type has it.

    The method that ran is counted under its own name.
    """
    arguments: tuple[tuple[str | None, ...], ...] = ()
    """Source texts of the arguments of some calls from outside; None: no simple value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """What the tests of a client called."""

    calls: tuple[MethodCalls, ...]
    tests: int | None = None
    """Number of tests that ran; None: not counted."""
    missing: str = ""
    """Whose calls may be missing, for people; empty: nobody's."""
    ended_after: float | None = None
    """Limit in seconds at which our watchdog ended it; None: it came to its end."""


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
    def sample_count(self) -> int:
        """Return the number of samples that belong to the operation."""
        return sum(stack.count for stack in self.stacks)


@dataclass(frozen=True, slots=True)
class Skipped:
    """The benchmark chose not to run."""

    reason: str


@dataclass(frozen=True, slots=True)
class TimedOut:
    """Our watchdog ended it."""

    after_seconds: float
    """The limit that it exceeded."""
    tail: str
    """Its last lines."""


@dataclass(frozen=True, slots=True)
class Crashed:
    """It failed, or ended without having done its work."""

    exit_code: int
    """Negative: ended by that signal."""
    tail: str
    """Its last lines."""


@dataclass(frozen=True, slots=True)
class Exhausted:
    """The host had no more of something that it limits."""

    resource: str
    """Such as "512 MiB of memory"."""
    tail: str
    """Its last lines."""

    @property
    def reason(self) -> str:
        """Return it in words."""
        return f"needed more than {self.resource}"


@dataclass(frozen=True, slots=True)
class Unreadable:
    """It ended well, but what it left is not what its schedule asks for."""

    reason: str
    tail: str
    """Its last lines."""


@dataclass(frozen=True, slots=True)
class NeverCalled:
    """The slowed variant was built, loaded and ran to its end; no call of the method was seen.

    A call is seen as it ends. Go's guest sees all of a process, JMH's those in clocked blocks.
    """


@dataclass(frozen=True, slots=True)
class NotBuilt:
    """The variant does not compile or load."""

    message: str
    """The compiler's."""


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


TRANSIENT_FAILURES = frozenset(
    {Ending.TIMED_OUT, Ending.CRASHED, Ending.EXHAUSTED, Ending.UNREADABLE}
)
"""Failures that another try may not repeat; the others are decided by the subject's text."""


def find_ending(outcome: Outcome) -> Ending:
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
