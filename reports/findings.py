"""What tools show in the source: findings, here those of methods that nobody notices."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from auditor.core.accepted import CONFIGURATION
from auditor.core.result import Result
from reports import figures, names, words
from reports.document import Document, Method, Span


class Level(StrEnum):
    """How loudly a finding is said."""

    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of finding: its id (a promise), what it is, and what to do."""

    id: str
    level: Level
    title: str
    advice: str


MISSED = Kind(
    "missed",
    Level.WARNING,
    "Benchmarks call the method, but none notices a slowdown of it",
    "Write a benchmark in which this method is most of what is measured.",
)
UNREACHED = Kind(
    "unreached",
    Level.WARNING,
    "No benchmark calls the method while it is measured",
    "Write a benchmark that calls this method.",
)
SET_UP_ONLY = Kind(
    "set-up-only",
    Level.WARNING,
    "Benchmarks call the method in set-up only, so never while they are measured",
    "Write a benchmark that calls this method in its measured loop.",
)
UNDECIDED = Kind(
    "undecided",
    Level.NOTE,
    "Whether a benchmark notices a slowdown of the method is open",
    "The reason beside it says what would decide: time, iterations, or another slowdown.",
)
BROKEN = Kind(
    "broken",
    Level.NOTE,
    "Benchmarks crash or do not end with the method slowed",
    "Find out why the benchmarks fail when this method takes longer.",
)
KINDS = (MISSED, UNREACHED, SET_UP_ONLY, UNDECIDED, BROKEN)
"""In the order in which findings are listed."""

_BY_OUTCOME: Mapping[Result, Kind] = MappingProxyType(
    {
        Result.MISSED: MISSED,
        Result.UNREACHED: UNREACHED,
        Result.INCONCLUSIVE: UNDECIDED,
        Result.CRASHED: BROKEN,
        Result.TIMED_OUT: BROKEN,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing to be shown. `text` is a line that can be; `accepted` why nothing is done about it.

    `owner` is the method or benchmark that it is of. `marked`: it is accepted by a marker in the
    source, not by the configuration. `identity` tells it from the others wherever its lines move.
    """

    kind: Kind
    owner: str
    text: str
    span: Span | None
    accepted: str | None
    marked: bool
    identity: str
    own_level: Level | None = None  # None: that of the kind

    @property
    def level(self) -> Level:
        """Return how loudly this finding is said."""
        return self.own_level or self.kind.level


def findings(document: Document) -> tuple[Finding, ...]:
    """Return them by kind, within a kind in the order of the methods."""
    found = list(_found(document))
    return tuple(one for kind in KINDS for one in found if one.kind is kind)


def _found(document: Document) -> Iterator[Finding]:
    accepted = {one.method: one for one in document.accepted if one.left_out}
    guessed = words.is_estimate(document)
    for method in document.methods:
        kind = kind_of(method)
        if kind is None:
            continue
        held = accepted.get(method.id)
        yield Finding(
            kind=kind,
            owner=method.id,
            text=_text(kind, method, document.slowdown, guessed=guessed),
            span=method.span,
            accepted=held.reason if held else None,
            marked=held is not None and held.where != CONFIGURATION,
            # Of the name alone, so that a method is the same one wherever its lines move.
            identity=method.id,
        )


def kind_of(method: Method) -> Kind | None:
    """Return what is wrong with how a method is watched; None where nothing is known to be."""
    if words.word(method) is words.SET_UP_ONLY:
        return SET_UP_ONLY
    return _BY_OUTCOME.get(method.outcome)


def _text(kind: Kind, method: Method, slowdown: float | None, *, guessed: bool) -> str:
    name = names.label(method.id)
    reason = f": {names.label(words.brief(method.reason))}" if method.reason else ""
    if kind is MISSED:
        how = "got slower" if slowdown is None else f"took {figures.share(slowdown)} longer"
        by = len(method.reached_by)
        called = f" ({figures.count(by, 'benchmark')} call it)" if by > 1 else ""
        nobody = "By estimate, no benchmark" if guessed else "No benchmark"
        return f"{nobody} would notice if {name} {how}{called}{reason}"
    if kind is UNREACHED:
        none = "No benchmark"
        if method.reason and method.reason.startswith("none of the benchmarks"):
            none = "None of the benchmarks that could be measured"
        return f"{none} calls {name}, so none would notice if it got slower"
    if kind is SET_UP_ONLY:
        return f"{name} is called in set-up only, so no benchmark would notice if it got slower"
    if kind is UNDECIDED:
        return f"Whether a benchmark notices a slowdown of {name} is open{reason}"
    return f"With {name} slowed, benchmarks crash or do not end{reason}"
