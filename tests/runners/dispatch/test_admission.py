"""Which workers may work: who was refused is asked again once another one is gone."""

from runners.dispatch.cluster import WorkerAdmission
from runners.hosts.clock import SystemClock


class Crew:
    """Refuses the second as long as the first is there."""

    def __init__(self):
        self.first_is_there = True

    def explain_refusal(self, worker):
        is_beside_first = worker == "second" and self.first_is_there
        return "beside the first" if is_beside_first else ""


def test_who_was_refused_is_asked_again_only_once_another_is_lost():
    crew, caveats = Crew(), []
    admission = WorkerAdmission(crew, SystemClock(), caveats.append)
    assert list(admission.admit_workers(["first", "second"], [])) == ["first"]
    crew.first_is_there = False
    assert list(admission.admit_workers(["second"], [])) == []

    admission.ask_again()

    assert list(admission.admit_workers(["second"], [])) == ["second"]
    assert [caveat.text for caveat in caveats] == ["beside the first"]


def test_who_cannot_do_the_work_is_not_asked_again_and_that_is_said_once():
    caveats = []
    admission = WorkerAdmission(Crew(), SystemClock(), caveats.append)
    admission.refuse_worker("first", "no Go")
    admission.refuse_worker("first", "no Go")

    admission.ask_again()

    assert list(admission.admit_workers(["first"], [])) == []
    assert [caveat.text for caveat in caveats] == ["no Go"]


def test_another_worker_that_has_not_answered_may_be_used():
    admission = WorkerAdmission(Crew(), SystemClock(), lambda _: None)

    assert not admission.may_use_another({"first"}, "first")
    assert admission.may_use_another({"first", "second"}, "first")
    admission.refuse_worker("second", "no Go")
    assert not admission.may_use_another({"first", "second"}, "first")
