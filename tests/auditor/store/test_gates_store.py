"""What a store remembers of a gate."""

from auditor.core.contracts.qualify import (
    CheckoutVersion,
    GateAnswer,
    GateCase,
    ShownCase,
    SlowedSide,
)
from auditor.store.gates import GateAnswerStore
from auditor.store.sqlite import SqliteStore
from runners.hosts.clock import SystemClock

CASE = GateCase(side=SlowedSide.SLOWED, method="a.Parse", factor=1.5)
ALARM_CASE = ShownCase(
    case=CASE,
    number=2,
    answer=GateAnswer.ALARM,
    turn=3,
    seconds=4.5,
    exit_code=1,
    ran=(CheckoutVersion.BASE, CheckoutVersion.HEAD),
)


def gates(store, *deciding, describe_delay=lambda case: f"delay of {case.factor}"):
    return GateAnswerStore(
        store, SystemClock(), deciding or ("digest", "./gate.sh"), describe_delay
    )


def test_an_answer_is_there_again_in_the_next_process(tmp_path):
    path = tmp_path / "s.sqlite"
    with SqliteStore(path) as store:
        assert gates(store).load_answer(CASE, 2) is None
        gates(store).save_answer(ALARM_CASE)

    with SqliteStore(path) as store:
        assert gates(store).load_answer(CASE, 2) == ALARM_CASE
        assert gates(store).load_answer(CASE, 1) is None


def test_another_gate_subject_or_delay_has_answers_of_its_own(tmp_path):
    with SqliteStore(tmp_path / "s.sqlite") as store:
        gates(store).save_answer(ALARM_CASE)

        assert gates(store, "digest", "./other.sh").load_answer(CASE, 2) is None
        assert gates(store, describe_delay=lambda _: "another").load_answer(CASE, 2) is None
        sped_case = GateCase(side=SlowedSide.SPED, method="a.Parse", factor=1.5)
        assert gates(store).load_answer(sped_case, 2) is None


def test_what_has_failed_is_asked_again(tmp_path):
    with SqliteStore(tmp_path / "s.sqlite") as store:
        failed = ShownCase(case=CASE, number=2, answer=GateAnswer.FAILED, tail="oh")
        gates(store).save_answer(failed)

        assert gates(store).load_answer(CASE, 2) is None
