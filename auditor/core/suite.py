"""Benchmarks, and the suite they form."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.subject import SourceFile

SKIPS_ITSELF = "it skips itself"
"""Beginning of the reason why a benchmark that chose not to run could not be listed."""
ENDED_AFTER = "it was ended after"
"""Part of the reason of one that our watchdog ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationSettings:
    """How many iterations of how many seconds an author asks for, of warm-up and of measurement.

    `forks` is how many processes a run of the suite has. An iteration of 0 seconds is one call.
    """

    warmup_iterations: int
    warmup_seconds: float
    measurement_iterations: int
    measurement_seconds: float
    forks: int = 1

    @property
    def is_single(self) -> bool:
        """Tell whether an iteration is one call."""
        return self.measurement_seconds == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """One benchmark with one choice of parameters: run alone, in a process."""

    group: str  # Go package, Java class or Python file
    name: str  # within the group
    parameters: tuple[tuple[str, str], ...] = ()  # (name, value) of the choice
    threads: int = field(default=1, compare=False)  # that run it at once
    concurrency: int = field(default=1, compare=False)
    """Operations in flight that a reported time per operation was divided by (Go's RunParallel,
    JMH's throughput mode with threads); else 1."""
    block_seconds: float | None = field(default=None, compare=False)
    """Author's time of a block, where another would change what it measures (JMH's fixtures
    around each iteration); None: any time will do."""
    fixed_length_reason: str = field(default="", compare=False)
    """Why `block_seconds` stays unless the user names a length; empty: it does not."""
    configured: IterationSettings | None = field(default=None, compare=False)
    """The author's settings; None: the harness has none."""
    notes: tuple[str, ...] = field(default=(), compare=False)
    """How it is run unlike its author wrote, for people."""
    settings: str = field(default="", compare=False)
    """The harness's own note on the author's configuration (JSON text), read by that harness
    only."""

    @property
    def id(self) -> str:
        """Return `group.name[key=value,…]`; without a group the name."""
        parameter_text = ",".join(f"{key}={value}" for key, value in self.parameters)
        name = f"{self.group}.{self.name}" if self.group else self.name
        return name + (f"[{parameter_text}]" if parameter_text else "")


@dataclass(frozen=True, slots=True)
class Suite:
    """What a harness found: the benchmarks, and the sources that mutators may read.

    `unusable` names benchmarks (or groups of them) that could not even be listed, with the reason.
    `passed_over` are groups that were not listed, as none of theirs can be one that is asked for.
    """

    benchmarks: tuple[Benchmark, ...]
    sources: tuple[SourceFile, ...] = field(repr=False, default=())
    unusable: tuple[tuple[str, str], ...] = ()
    passed_over: tuple[str, ...] = ()
    hint: str = ""
    """Where benchmarks are instead, of a suite that has none."""


Ask = Callable[[Invocation], CompletedProcess]
AskAll = Callable[[Ask, Sequence[Invocation]], Sequence[CompletedProcess]]


def ask_in_turn(ask: Ask, jobs: Sequence[Invocation]) -> Sequence[CompletedProcess]:
    """Ask of one process after the other."""
    return [ask(job) for job in jobs]


def _accept_all(_group: str, _name: str) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """How a suite is listed; a harness may do more than is asked for.

    The groups in `suites` need not be listed again; their listings are without sources. `together`
    asks of each of some processes that are not timed, and returns their answers in order; of one
    that fails beside others it asks again.
    `is_asked_for` tells of a group and a name whether benchmarks of the group that are called so,
    or whose name begins so, may be among those that are asked for.
    """

    suites: Mapping[str, Suite] = field(default_factory=dict)
    together: AskAll = ask_in_turn
    is_asked_for: Callable[[str, str], bool] = _accept_all


EVERYTHING = Listing()
