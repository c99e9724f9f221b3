"""The JSON of `select`: what to run, what is lost, what can go.

The names are promised to other programs (reports/schema/select.schema.json).
"""

import msgspec

from auditor.core.caveats import Caveat


class Pick(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark of the choice; `alone` are the methods that no other of the choice detects."""

    id: str
    seconds: float | None
    max_spread: float | None
    detects: tuple[str, ...]
    alone: tuple[str, ...]


class LostMethod(msgspec.Struct, frozen=True):
    """A method that the suite detects and the choice does not, and who detects it."""

    method: str
    detected_by: tuple[str, ...]


class HarnessCall(msgspec.Struct, frozen=True, kw_only=True):
    """How the harness's own command runs the choice, or a part of it.

    A part is what is in one package (Go) or has one set of parameters (JMH). `pattern` and `skip`
    are anchored and escaped.
    """

    pattern: str
    skip: str
    package: str
    parameters: dict[str, str]
    command: str


class MostDetected(msgspec.Struct, frozen=True):
    """No choice within the budget detects more `methods`; `reached`: it is known that one does."""

    methods: int
    reached: bool
    conflicting: tuple[str, ...] = ()
    """Methods that a smaller budget detects and the choice of `--most` loses."""


class SelectAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What every choice of benchmarks says: from which result, its time, and how to run it.

    Times are those of a run of the audit's plan.
    """

    subject: str  # name of the audited code
    revision: str  # commit or version; empty: unknown
    harness: str  # benchmark framework
    benchmarks: tuple[Pick, ...]  # those to run
    seconds: float | None  # of a run of `benchmarks`, without `untimed`; null: unknown
    suite_benchmarks: int  # number of benchmarks of the suite
    suite_seconds: float | None  # of a run of the suite, without `untimed`; null: unknown
    untimed: tuple[str, ...]  # ids of benchmarks of the suite whose time is unknown
    calls: tuple[HarnessCall, ...]  # commands that run `benchmarks`
    caveats: tuple[Caveat, ...]  # of the choice


class Selection(
    SelectAnswer, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/selection/1"
):
    """Which benchmarks to run within a budget."""

    budget: float | None  # seconds; null: as many as the score takes
    nested: bool  # whether no larger budget loses a method
    changed: tuple[str, ...] | None  # methods that count; null: all
    unaudited: tuple[str, ...]  # requested methods that the result does not have
    methods: tuple[str, ...]  # ids of the methods that the choice detects
    lost: tuple[LostMethod, ...]  # methods that only left-out benchmarks detect
    counted: int  # number of methods that count
    percent: float | None  # part of `counted` that the choice detects; null: none counts
    total_percent: float | None  # part of `counted` that the suite detects; null: none counts
    most: MostDetected  # bound of the methods that any choice detects
    cheapest: bool
    """Whether no cheaper choice detects the same, an unstable benchmark counted as dearer."""


class CoveredMethod(msgspec.Struct, frozen=True):
    """A method that a removed benchmark detects, and the kept ones that detect it, too."""

    method: str
    detected_by: tuple[str, ...]


class RemovedBenchmark(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark that can go."""

    id: str
    seconds: float | None
    max_spread: float | None
    watched: tuple[CoveredMethod, ...]


class UndecidedBenchmark(msgspec.Struct, frozen=True):
    """A benchmark that is kept since it may be the only one to detect these methods."""

    benchmark: str
    methods: tuple[str, ...]


class Proposal(
    SelectAnswer, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/removal/1"
):
    """Which benchmarks can go while the score and each method's detection stay.

    `benchmarks` are kept for what they detect.
    """

    removed: tuple[RemovedBenchmark, ...]  # benchmarks that can go
    undecided: tuple[UndecidedBenchmark, ...]  # benchmarks kept for what they might detect
    unknown: tuple[str, ...]  # ids of benchmarks kept because they were not measured or timed
    seconds_saved: float | None  # of a run of the suite; null: unknown
    cheapest: bool  # whether no cheaper choice keeps the same
    unexamined: tuple[str, ...] = ()
    """Ids of benchmarks kept because the audited methods take less than half of their time, or an
    unknown part."""
