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
    """A checkout pair that was shown to the gate."""

    case: GateCase  # the kind of pair
    number: int  # how many pairs of this kind were shown, this one included
    answer: GateAnswer  # of the gate
    turn: int = 1  # how often the gate was run in these checkouts before it gave this answer
    seconds: float = 0.0  # of all runs of the gate in these checkouts together
    exit_code: int | None = None  # of the last run; None: the watchdog ended it
    ran: tuple[CheckoutVersion, ...] = ()  # versions whose code has been run
    tail: str = ""  # last lines of the gate's output; empty: it did not fail


@dataclass(frozen=True, slots=True)
class InjectedDelay:
    """A delay by which a method is to take `factor` times as long, and what it came to."""

    factor: float
    delay: Delay
    achieved: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSubject:
    """A method that is slowed in the checkouts."""

    method: str  # the method's id
    seconds: float | None = None  # time of a call; None: no benchmark calls it
    injected: tuple[InjectedDelay, ...] = ()
    """Delays that were measured in a benchmark; for other factors the clock decides in place."""
    guarded: bool = False  # whether nested calls of the method add no further delay
    reached_by: tuple[str, ...] = ()  # ids of benchmarks that call it in their measured loop
    refusal: str = ""  # why it cannot be slowed; empty: it can

    def find_delay(self, factor: float) -> InjectedDelay | None:
        """Return the delay of a factor, if it was measured."""
        return next((delay for delay in self.injected if delay.factor == factor), None)


CONFIDENCE_LEVEL = 0.95
"""Of each bound: a claim that rests on one is wrong in one of twenty gates at most."""
DETECTION_RATE = 0.5
"""A slowdown is seen where the gate fires at it more often than not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePlan:
    """How often the gate is shown what, and what is asked of it."""

    factors: tuple[float, ...] = (1.1, 1.25, 1.5, 2.0, 10.0)
    """How many times as long the methods take."""
    runs: int = 20  # how often a pair of each factor is shown at most
    turns: int = 4  # how often a quiet gate is run in the same checkouts before it counts as dead
    most_false_alarms: float | None = None  # false-positive rate that is allowed; None: not asked
    must_see: float | None = None  # factor that has to raise an alarm; None: not asked
    seed: int = 1  # decides everything that is random


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmRate:
    """How often the gate fired at a kind of checkout pair."""

    case: GateCase  # the kind of pair
    alarms: int  # number of alarms
    pair_count: int  # number of pairs that have an answer
    failed: int  # number of pairs at which the gate failed
    interval: Interval  # 90 % Clopper-Pearson interval of the rate
    seconds: float | None = None  # median time of a run of the gate; None: none was measured
    skipped: bool = False  # whether it was not shown, as larger slowdowns are not detected


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

    requirement: str
    answer: DemandState
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Qualification:
    """What a gate is worth."""

    subjects: tuple[GateSubject, ...]  # methods that were slowed
    plan: GatePlan  # how often the gate was to be shown what
    rates: tuple[AlarmRate, ...]  # by kind of checkout pair
    diagnoses: tuple[Diagnosis, ...]  # what is wrong with the gate
    demands: tuple[Demand, ...]  # what was asked of it, and whether it does it
    seen_from: Mapping[str, float | None]
    """Least factor that it detects more often than not, by method; None: none."""
    seconds: float | None  # median time of a run of the gate; None: none was measured
    cases: tuple[ShownCase, ...]  # all pairs that were shown
    caveats: tuple[Caveat, ...]  # of the result
    stored_answers: int = 0  # number of answers that an earlier command stored


class ExternalGate(Protocol):
    """Shows a pair to the gate, in fresh checkouts; runs it up to `turns` times while it is quiet.

    Raises an AuditError where the checkouts cannot be made.
    """

    def show_case(self, case: GateCase, number: int, turns: int, /) -> ShownCase: ...


class GateAnswerCache(Protocol):
    """Remembers what was shown, so that a study goes on where it stopped."""

    def load_answer(self, case: GateCase, number: int, /) -> ShownCase | None: ...
    def save_answer(self, shown_case: ShownCase, /) -> None: ...
