"""A performance gate, what it is shown, and what it answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from auditor.core.caveats import Caveat
from auditor.core.mutant import Delay
from auditor.core.result import Interval


class SlowedSide(StrEnum):
    """What differs between base and head.

    SAME: nothing (A/A). SLOWED: a method of head is slowed. SPED: that of base is, so head is the
    faster one.
    """

    SAME = "same"
    SLOWED = "slowed"
    SPED = "sped"


class CheckoutVersion(StrEnum):
    """Which of the two checkouts."""

    BASE = "base"
    HEAD = "head"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCase:
    """A pair of checkouts. `factor` is how many times as long the method takes; 1 for SAME."""

    side: SlowedSide
    method: str = ""
    factor: float = 1.0


class GateAnswer(StrEnum):
    """What a gate says of a pair; FAILED: it ended by itself without an answer."""

    ALARM = "alarm"
    QUIET = "quiet"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCase:
    """A pair that was shown to the gate, for the `number`th time.

    `turn` is how many times the gate was run in these checkouts until it said this. `ran` are the
    versions whose code has been run. `tail` are the last lines of its output.
    """

    case: GateCase
    number: int
    answer: GateAnswer
    turn: int = 1
    seconds: float = 0.0
    exit_code: int | None = None
    ran: tuple[CheckoutVersion, ...] = ()
    tail: str = ""


@dataclass(frozen=True, slots=True)
class InjectedDelay:
    """A delay by which a method is to take `factor` times as long, and what it came to."""

    factor: float
    delay: Delay
    achieved: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSubject:
    """A method that is slowed, as the suite knows it.

    `injected` are delays that were measured in a benchmark; for other factors, as where no
    benchmark calls the method, the clock decides in place. `seconds` is what it takes, `reached_by`
    are the benchmarks that call it while they are measured. `refusal` is why it cannot be slowed.
    """

    method: str
    seconds: float | None = None
    injected: tuple[InjectedDelay, ...] = ()
    guarded: bool = False
    reached_by: tuple[str, ...] = ()
    refusal: str = ""

    def at(self, factor: float) -> InjectedDelay | None:
        """Return the delay of a factor, if it was measured."""
        return next((delay for delay in self.injected if delay.factor == factor), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePlan:
    """How often the gate is shown what, and what is asked of it.

    `factors` are how many times as long the methods take. A pair of each is shown `runs` times at
    most. `turns` is how often a gate that is quiet is run in the same checkouts before it is taken
    for dead. `most_false_alarms` is a chance, `must_see` a factor; with None nothing is asked.
    """

    factors: tuple[float, ...] = (1.1, 1.25, 1.5, 2.0, 10.0)
    runs: int = 20
    turns: int = 4
    most_false_alarms: float | None = None
    must_see: float | None = None
    seed: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmRate:
    """How often the gate has fired at a case, with the 90 % Clopper-Pearson interval.

    `seconds` is the median time of a run. `skipped`: it was not shown, since larger slowdowns are
    not seen.
    """

    case: GateCase
    alarms: int
    shown: int
    failed: int
    interval: Interval
    seconds: float | None = None
    skipped: bool = False


class Flaw(StrEnum):
    """What is wrong with a gate."""

    DEAD = "dead"
    LATE = "late"
    INVERTED = "inverted"
    SELF_COMPARISON = "self-comparison"
    NOT_RUN = "not-run"
    ALWAYS = "always"
    NOISY = "noisy"
    TWO_SIDED = "two-sided"
    BLIND = "blind"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A flaw, and what shows it."""

    flaw: Flaw
    evidence: str


class DemandState(StrEnum):
    """Whether a gate does what is asked of it."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Demand:
    """One thing that is asked of a gate, in words, and whether it does it."""

    asked: str
    answer: DemandState
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Qualification:
    """What a gate is worth. `seen_from` is the least factor that it sees more often than not.

    `known` is how many answers are those of an earlier call.
    """

    subjects: tuple[GateSubject, ...]
    plan: GatePlan
    rates: tuple[AlarmRate, ...]
    diagnoses: tuple[Diagnosis, ...]
    demands: tuple[Demand, ...]
    seen_from: Mapping[str, float | None]
    seconds: float | None
    shown: tuple[ShownCase, ...]
    caveats: tuple[Caveat, ...]
    known: int = 0


class Gate(Protocol):
    """Shows a pair to the gate, in fresh checkouts; runs it up to `turns` times while it is quiet.

    Raises an AuditError where the checkouts cannot be made.
    """

    def show(self, case: GateCase, number: int, turns: int, /) -> ShownCase: ...


class GateAnswerCache(Protocol):
    """Remembers what was shown, so that a study goes on where it stopped."""

    def known(self, case: GateCase, number: int, /) -> ShownCase | None: ...
    def keep(self, shown: ShownCase, /) -> None: ...
