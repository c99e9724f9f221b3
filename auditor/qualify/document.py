"""What a performance gate is worth, as a document."""

from typing import Any

import msgspec

from auditor.core.caveats import Caveat
from auditor.core.contracts.qualify import (
    Answer,
    Asked,
    Flaw,
    Qualification,
    Rate,
    Shown,
    Side,
    Subject,
)
from auditor.core.provenance import Context
from reports.results import Setting, schema_of, setting, strict

Plain = dict[str, Any]


class Method(msgspec.Struct, frozen=True, kw_only=True):
    """A method that was slowed; `seconds` of a call, null where no benchmark calls it.

    `seen_from` is the least factor that the gate sees more often than not.
    """

    method: str
    seconds: float | None
    calibrated: bool
    reached_by: tuple[str, ...]
    refusal: str
    seen_from: float | None


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """How often the gate fired at a kind of pair; `interval` is of 90 % (Clopper and Pearson).

    `achieved` is how many times as long the method took in its benchmark, null where that was not
    measured.
    """

    side: Side
    method: str
    factor: float
    achieved: float | None
    alarms: int
    shown: int
    failed: int
    rate: float | None
    interval: tuple[float, float]
    seconds: float | None
    skipped: bool


class Diagnosis(msgspec.Struct, frozen=True):
    """A flaw, and what shows it."""

    flaw: Flaw
    evidence: str


class Demand(msgspec.Struct, frozen=True):
    """What is asked of the gate, and whether it does it."""

    asked: str
    answer: Asked
    why: str


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """One pair that was shown; `ran` are the versions whose code has been run."""

    side: Side
    method: str
    factor: float
    number: int
    answer: Answer
    turn: int
    seconds: float
    exit_code: int | None
    ran: tuple[str, ...]


class QualifyDocument(
    Setting, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/qualify/1"
):
    """The answer to "does this gate work at all?"; `gate` is its command."""

    gate: str
    gate_seconds: float | None
    methods: tuple[Method, ...]
    rates: tuple[Cell, ...]
    diagnoses: tuple[Diagnosis, ...]
    demands: tuple[Demand, ...]
    answers: tuple[Answered, ...]
    caveats: tuple[Caveat, ...]


def qualify_document(found: Qualification, gate: str, context: Context) -> QualifyDocument:
    """Return the result of showing a gate pairs."""
    by_name = {subject.method: subject for subject in found.subjects}
    made = {
        **setting(context),
        "schema": "bench-audit/qualify/1",
        "gate": gate,
        "gate_seconds": found.seconds,
        "methods": [
            {
                "method": subject.method,
                "seconds": subject.seconds,
                "calibrated": bool(subject.injected),
                "reached_by": subject.reached_by,
                "refusal": subject.refusal,
                "seen_from": found.seen_from.get(subject.method),
            }
            for subject in found.subjects
        ],
        "rates": [_cell(rate, by_name.get(rate.case.method)) for rate in found.rates],
        "diagnoses": found.diagnoses,
        "demands": found.demands,
        "answers": [_answered(one) for one in found.shown],
        "caveats": (*found.caveats, *context.caveats),
    }
    return msgspec.convert(strict(msgspec.to_builtins(made)), QualifyDocument)


def _cell(one: Rate, subject: Subject | None) -> Plain:
    injected = subject.at(one.case.factor) if subject else None
    return {
        "achieved": injected and injected.achieved,
        "side": one.case.side,
        "method": one.case.method,
        "factor": one.case.factor,
        "alarms": one.alarms,
        "shown": one.shown,
        "failed": one.failed,
        "rate": one.alarms / one.shown if one.shown else None,
        "interval": one.interval,
        "seconds": one.seconds,
        "skipped": one.skipped,
    }


def _answered(one: Shown) -> Plain:
    return {
        "side": one.case.side,
        "method": one.case.method,
        "factor": one.case.factor,
        **{
            name: getattr(one, name)
            for name in ("number", "answer", "turn", "seconds", "exit_code", "ran")
        },
    }


def schema() -> str:
    """Return the JSON Schema of the document, as text."""
    return schema_of(QualifyDocument, "What a performance gate is worth")
