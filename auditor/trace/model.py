"""Which public methods of a library are called, by whom and how often."""

from dataclasses import dataclass

from auditor.core.caveats import Caveat
from auditor.core.result import ReachState
from auditor.core.subject import Method


@dataclass(frozen=True, slots=True)
class Caller:
    """A benchmark that calls a method in its loop; `calls_per_operation` None: not known."""

    benchmark: str
    calls_per_operation: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodUse:
    """Who calls a public method.

    `reach` is that of the suite as a whole: IN_LOOP if some benchmark calls it while it is
    measured, UNKNOWN if none is known to but one may, and `reason` says why. `tests` are the calls
    of the library's own unit tests, None where nobody counted them.
    """

    method: Method
    reach: ReachState
    called_by: tuple[Caller, ...] = ()
    set_up_in: tuple[str, ...] = ()
    tests: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkUse:
    """How many public methods a benchmark calls in its loop, None where it failed, for a reason."""

    id: str
    methods: int | None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteUse:
    """The map of a suite: benchmark x public method, without any slowdown.

    `methods` come in the order of a reader's interest: what no benchmark calls first, the methods
    that unit tests call most in front.
    """

    methods: tuple[MethodUse, ...]
    benchmarks: tuple[BenchmarkUse, ...]
    caveats: tuple[Caveat, ...] = ()
