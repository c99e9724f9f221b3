"""Which benchmarks call the public methods of a library, and how often."""

from dataclasses import dataclass

from auditor.core.caveats import Caveat
from auditor.core.result import ReachState
from auditor.core.subject import Method


@dataclass(frozen=True, slots=True)
class Caller:
    """A benchmark that calls a method in its measured loop."""

    benchmark: str
    calls_per_operation: float | None  # None: not known


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodUse:
    """The benchmarks and tests that call a public method."""

    method: Method  # the method
    reach: ReachState
    """That of the suite: IN_LOOP if a benchmark calls it in its measured loop, UNKNOWN if no
    benchmark is known to call it but one may."""
    called_by: tuple[Caller, ...] = ()  # benchmarks that call it in their measured loop
    set_up_in: tuple[str, ...] = ()  # benchmarks that call it in set-up only
    tests: int | None = None  # calls by the library's own unit tests; None: not counted
    reason: str | None = None  # why `reach` is UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkUse:
    """The number of public methods that a benchmark calls in its measured loop."""

    id: str
    methods: int | None  # null where the benchmark failed
    reason: str | None  # why it failed


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteUse:
    """The calls of public methods by the benchmarks of a suite, without any slowdown.

    Methods that no benchmark calls come first, those that unit tests call most in front.
    """

    methods: tuple[MethodUse, ...]
    benchmarks: tuple[BenchmarkUse, ...]
    caveats: tuple[Caveat, ...] = ()
