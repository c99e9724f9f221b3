"""A performance gate, what it is shown, and what it answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from auditor.core.caveats import Caveat
from auditor.core.mutant import Delay
from auditor.core.result import Interval


class Side(StrEnum):
    """What differs between base and head.

    SAME: nothing (A/A). SLOWED: a method of head is slowed. SPED: that of base is, so head is the
    faster one.
    """

    SAME = "same"
    SLOWED = "slowed"
    SPED = "sped"


class Version(StrEnum):
    """Which of the two checkouts."""

    BASE = "base"
    HEAD = "head"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A pair of checkouts. `factor` is how many times as long the method takes; 1 for SAME."""

    side: Side
    method: str = ""
    factor: float = 1.0


class Answer(StrEnum):
    """What a gate says of a pair; FAILED: it ended by itself without an answer."""

    ALARM = "alarm"
    QUIET = "quiet"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A pair that was shown to the gate, for the `number`th time.

    `turn` is how many times the gate was run in these checkouts until it said this. `ran` are the
    versions whose code has been run. `tail` are the last lines of its output.
    """

    case: Case
    number: int
    answer: Answer
    turn: int = 1
    seconds: float = 0.0
    exit_code: int | None = None
    ran: tuple[Version, ...] = ()
    tail: str = ""


@dataclass(frozen=True, slots=True)
class Injected:
    """A delay by which a method is to take `factor` times as long, and what it came to."""

    factor: float
    delay: Delay
    achieved: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A method that is slowed, as the suite knows it.

    `injected` are delays that were measured in a benchmark; for other factors, as where no
    benchmark calls the method, the clock decides in place. `seconds` is what it takes, `reached_by`
    are the benchmarks that call it while they are measured. `refusal` is why it cannot be slowed.
    """

    method: str
    seconds: float | None = None
    injected: tuple[Injected, ...] = ()
    guarded: bool = False
    reached_by: tuple[str, ...] = ()
    refusal: str = ""

    def at(self, factor: float) -> Injected | None:
        """Return the delay of a factor, if it was measured."""
        return next((one for one in self.injected if one.factor == factor), None)


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
class Rate:
    """How often the gate has fired at a case, with the 90 % Clopper-Pearson interval.

    `seconds` is the median time of a run. `skipped`: it was not shown, since larger slowdowns are
    not seen.
    """

    case: Case
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


class Asked(StrEnum):
    """Whether a gate does what is asked of it."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Demand:
    """One thing that is asked of a gate, in words, and whether it does it."""

    asked: str
    answer: Asked
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Qualification:
    """What a gate is worth. `seen_from` is the least factor that it sees more often than not.

    `known` is how many answers are those of an earlier call.
    """

    subjects: tuple[Subject, ...]
    plan: GatePlan
    rates: tuple[Rate, ...]
    diagnoses: tuple[Diagnosis, ...]
    demands: tuple[Demand, ...]
    seen_from: Mapping[str, float | None]
    seconds: float | None
    shown: tuple[Shown, ...]
    caveats: tuple[Caveat, ...]
    known: int = 0


class Gate(Protocol):
    """Shows a pair to the gate, in fresh checkouts; runs it up to `turns` times while it is quiet.

    Raises an AuditError where the checkouts cannot be made.
    """

    def show(self, case: Case, number: int, turns: int, /) -> Shown: ...


class Memory(Protocol):
    """Remembers what was shown, so that a study goes on where it stopped."""

    def known(self, case: Case, number: int, /) -> Shown | None: ...
    def keep(self, shown: Shown, /) -> None: ...
