"""The JSON of `select`: what to run, what is lost, what can go.

The names are promised to other programs (reports/schema/select.schema.json).
"""

import msgspec

from auditor.core.caveats import Caveat
from reports.results import schema_of


class Pick(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark of the choice; `alone` are the methods that no other of the choice detects."""

    id: str
    seconds: float | None
    max_spread: float | None
    detects: tuple[str, ...]
    alone: tuple[str, ...]


class Lost(msgspec.Struct, frozen=True):
    """A method that the suite detects and the choice does not, and who detects it."""

    method: str
    detected_by: tuple[str, ...]


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """How the harness's own command runs the choice, or a part of it.

    A part is what is in one package (Go) or has one set of parameters (JMH). `pattern` and `skip`
    are anchored and escaped.
    """

    pattern: str
    skip: str
    package: str
    parameters: dict[str, str]
    command: str


class Most(msgspec.Struct, frozen=True):
    """No choice within the budget detects more `methods`; `reached`: it is known that one does."""

    methods: int
    reached: bool


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What both answers say: of which result, how long a run takes, and how to run it.

    `benchmarks` are to be run; `suite_seconds` is how long a run of the whole suite takes; null:
    not known. Times are those of a run of the audit's plan.
    """

    subject: str
    revision: str
    harness: str
    benchmarks: tuple[Pick, ...]
    seconds: float | None
    suite_benchmarks: int
    suite_seconds: float | None
    calls: tuple[Call, ...]
    caveats: tuple[Caveat, ...]


class Selection(
    Answer, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/selection/1"
):
    """Which benchmarks to run within a budget.

    `budget` is in seconds, null: as many as the score takes. `nested`: with a larger budget no
    method is lost. `changed` are the methods that count, null: all; `unaudited` are names among
    those asked for that the result knows nothing of. `percent` is the part of `counted` methods
    that the choice detects, `total_percent` that of the suite. `cheapest`: nothing cheaper detects
    the same, an unstable benchmark counted as dearer.
    """

    budget: float | None
    nested: bool
    changed: tuple[str, ...] | None
    unaudited: tuple[str, ...]
    methods: tuple[str, ...]
    lost: tuple[Lost, ...]
    counted: int
    percent: float | None
    total_percent: float | None
    most: Most
    cheapest: bool


class Watched(msgspec.Struct, frozen=True):
    """A method that a removed benchmark detects, and the kept ones that detect it, too."""

    method: str
    kept_by: tuple[str, ...]


class Removed(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark that can go."""

    id: str
    seconds: float | None
    max_spread: float | None
    watched: tuple[Watched, ...]


class Undecided(msgspec.Struct, frozen=True):
    """A benchmark that is kept since it may be the only one to notice these methods."""

    benchmark: str
    methods: tuple[str, ...]


class Proposal(Answer, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/removal/1"):
    """Which benchmarks can go, with the score and each method's detection kept.

    `benchmarks` are kept for what they detect, `undecided` for what they might, and `unknown` since
    they could not be measured or timed; of those `unexamined` the audited methods hold less than
    half, or nobody knows how much. `seconds_saved` is per run of the suite.
    """

    removed: tuple[Removed, ...]
    undecided: tuple[Undecided, ...]
    unknown: tuple[str, ...]
    seconds_saved: float | None
    cheapest: bool
    unexamined: tuple[str, ...] = ()


def schema() -> str:
    """Return the JSON Schema of both answers (checked in as select.schema.json)."""
    return schema_of(Selection | Proposal, "An answer of bench-audit select")
