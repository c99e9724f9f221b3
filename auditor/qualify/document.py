"""The JSON result of `qualify`: its types, and the conversion of a qualification."""

import msgspec

from auditor.core.caveats import Caveat
from auditor.core.contracts.qualify import (
    AlarmRate,
    Demand,
    Diagnosis,
    GateAnswer,
    GateSubject,
    Qualification,
    ShownCase,
    SlowedSide,
)
from auditor.core.provenance import Context
from reports.results import (
    AuditSetting,
    PlainFields,
    build_document,
    copy_fields,
)


class SlowedMethod(msgspec.Struct, frozen=True, kw_only=True):
    """A method that was slowed in the pairs."""

    method: str  # the method's id
    seconds: float | None  # time of a call; null: no benchmark calls it
    calibrated: bool  # whether a delay was measured in a benchmark
    reached_by: tuple[str, ...]  # benchmarks that call it in their measured loop
    refusal: str  # why it cannot be slowed
    seen_from: float | None  # least factor that the gate detects more often than not


class CheckoutPairRate(msgspec.Struct, frozen=True, kw_only=True):
    """How often the gate fired at a kind of checkout pair."""

    side: SlowedSide  # which version is slowed
    method: str  # the method's id; empty: none is slowed
    factor: float  # how many times as long the method takes
    achieved: float | None  # factor measured in the method's benchmark; null: not measured
    alarms: int  # number of alarms
    pair_count: int  # number of pairs that have an answer
    failed: int  # number of pairs at which the gate failed
    rate: float | None  # alarms / shown
    interval: tuple[float, float]  # 90 % Clopper-Pearson interval of the rate
    seconds: float | None  # median time of a run of the gate
    skipped: bool  # larger slowdowns are not detected, so it was not shown


class CheckoutPairAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The gate's answer to one checkout pair."""

    side: SlowedSide  # which version is slowed
    method: str  # the method's id; empty: none is slowed
    factor: float  # how many times as long the method takes
    number: int  # how many pairs of this kind were shown, this one included
    answer: GateAnswer  # of the gate
    turn: int  # how often the gate was run in these checkouts
    seconds: float  # of all runs of the gate in these checkouts together
    exit_code: int | None  # of the last run; null: the watchdog ended it
    ran: tuple[str, ...]  # versions whose code has been run


class QualifyDocument(
    AuditSetting, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/qualify/1"
):
    """Whether a performance gate detects slowdowns."""

    gate: str  # its command
    gate_seconds: float | None  # median time of a run of the gate; null: none was measured
    methods: tuple[SlowedMethod, ...]  # those that were slowed
    rates: tuple[CheckoutPairRate, ...]  # by kind of checkout pair
    diagnoses: tuple[Diagnosis, ...]  # what is wrong with the gate
    demands: tuple[Demand, ...]  # what was asked of it, and whether it does it
    answers: tuple[CheckoutPairAnswer, ...]  # all pairs that were shown
    caveats: tuple[Caveat, ...]  # of the result


def build_qualify_document(
    qualification: Qualification, gate: str, context: Context
) -> QualifyDocument:
    """Return the document of a qualification."""
    by_name = {subject.method: subject for subject in qualification.subjects}
    return build_document(
        QualifyDocument,
        context,
        qualification,
        gate=gate,
        gate_seconds=qualification.seconds,
        methods=[
            copy_fields(
                SlowedMethod,
                subject,
                calibrated=bool(subject.injected),
                seen_from=qualification.seen_from.get(subject.method),
            )
            for subject in qualification.subjects
        ],
        rates=[
            _build_rate_fields(rate, by_name.get(rate.case.method)) for rate in qualification.rates
        ],
        answers=[_build_answer_fields(shown_pair) for shown_pair in qualification.cases],
    )


def _build_rate_fields(rate: AlarmRate, subject: GateSubject | None) -> PlainFields:
    injected = subject.find_delay(rate.case.factor) if subject else None
    return copy_fields(
        CheckoutPairRate,
        rate,
        achieved=injected and injected.achieved,
        side=rate.case.side,
        method=rate.case.method,
        factor=rate.case.factor,
        rate=rate.alarms / rate.pair_count if rate.pair_count else None,
    )


def _build_answer_fields(shown_pair: ShownCase) -> PlainFields:
    case = shown_pair.case
    return copy_fields(
        CheckoutPairAnswer, shown_pair, side=case.side, method=case.method, factor=case.factor
    )
