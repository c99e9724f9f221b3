"""Concurrent tests and what they took, remembered."""

from collections import Counter
from dataclasses import replace

import pytest
from concurrencies import make_race_test

from auditor.concurrency.judge.tally import GenerationTally
from auditor.concurrency.judge.terminal_methods import Spoilers
from auditor.core.caveats import Caveat
from auditor.core.contracts.concurrency import (
    ConcurrentTestSuite,
    FocusMethod,
    GenerationProgress,
    RacePlan,
    RepetitionTimes,
)
from auditor.core.contracts.concurrent_test import Literal, Member, MemberKind, Statement, Variable
from auditor.core.jobs import HostFacts
from auditor.store.races import ConcurrentRunStore
from auditor.store.sqlite import SqliteStore

PLAN = RacePlan()
LOCAL_HOST = HostFacts("here", (("cpu", "a"), ("cores", "2")))
TIMED = RepetitionTimes(
    test=1, threads=8, calls=64, repetitions=20, old=(0.01, 0.011), new=(0.02, 0.021)
)


class Clock:
    """A clock that stands."""

    def now(self):
        return "2026-01-02T03:04:05Z"


@pytest.fixture
def store(tmp_path):
    with SqliteStore(tmp_path / "store.sqlite", host=LOCAL_HOST) as opened:
        yield opened


def races(store, *, plan=PLAN, deciding=("org.example.Pool", "old", "new"), **more):
    """Return what a store knows of a pair of versions."""
    return ConcurrentRunStore(store, Clock(), plan, deciding, **more)


def suite():
    """Return a suite whose test has all kinds of arguments."""
    call = Statement(
        member=Member(
            kind=MemberKind.METHOD, owner="a.B", name="put", parameters=("int", "java.lang.String")
        ),
        receiver=Variable(0, shared=True),
        arguments=(Literal("int", "-1"), Literal("java.lang.String", None)),
    )
    return ConcurrentTestSuite(
        tests=(replace(make_race_test(), suffixes=((call,), (call, call))),),
        length=100,
        tried=(16, 100),
        methods=("put(int,java.lang.String)",),
        focus=(
            FocusMethod(method="put(int,java.lang.String)", distance=0, reason="its code changed"),
        ),
        dropped=(("take() does not come to an end", 2),),
        caveats=(Caveat("fewer-tests", "only 1 of 5"),),
    )


def test_a_suite_comes_back_as_it_was(store):
    run_store = races(store)

    assert run_store.load_suite() is None
    run_store.save_suite(suite())
    assert races(store).load_suite() == suite()


def test_how_far_the_tests_are_comes_back_as_it_was_until_they_are_all_made(store):
    far = GenerationProgress(
        length=100,
        tried=(16, 100),
        reason="none is long enough",
        number=2,
        tests=suite().tests,
        learned=GenerationTally(
            dropped=Counter(b=2, a=2), spoilers=Spoilers(frozenset("x"))
        ).dump_state(),
        banned=(Member(kind=MemberKind.STATIC, owner="a.B", name="of", returns="a.B"),),
    )
    run_store = races(store, making=("a",))

    run_store.save_progress(far)

    progress = races(store, making=("a",)).load_progress()
    assert replace(progress, learned={}) == replace(far, learned={})
    assert GenerationTally.from_state(progress.learned) == GenerationTally.from_state(far.learned)
    assert [*GenerationTally.from_state(progress.learned).dropped] == ["b", "a"]
    assert run_store.load_suite() is None
    assert races(store, making=("b",)).load_progress() is None
    run_store.save_suite(suite())
    assert run_store.load_progress() is None
    assert run_store.load_suite() == suite()


def test_a_race_comes_back_for_its_test_and_number_of_threads(store):
    run_store = races(store)

    run_store.save_times(make_race_test(), TIMED)

    assert run_store.load_times(make_race_test(), 8) == TIMED
    assert run_store.load_times(make_race_test(), 4) is None
    assert run_store.load_times(make_race_test(suffix=5), 8) is None


@pytest.mark.parametrize("change", [{"report": 0.2}, {"confidence": 0.9}, {"threads": (8, 16)}])
def test_what_only_the_oracle_asks_changes_no_race(store, change):
    races(store).save_times(make_race_test(), TIMED)

    assert races(store, plan=replace(PLAN, **change)).load_times(make_race_test(), 8) == TIMED


def test_tests_of_the_paper_s_oracle_are_others_as_their_length_may_be(store):
    run_store = races(store)
    run_store.save_suite(suite())

    assert races(store, plan=replace(PLAN, report=0.2)).load_suite() == suite()
    assert races(store, plan=replace(PLAN, strict=True)).load_suite() is None


@pytest.mark.parametrize("change", [{"steady_seconds": 2.0}, {"seed": 2}, {"processes": False}])
def test_what_decides_a_measurement_makes_another_race(store, change):
    races(store).save_times(make_race_test(), TIMED)

    assert races(store, plan=replace(PLAN, **change)).load_times(make_race_test(), 8) is None


def test_other_versions_have_races_of_their_own(store):
    races(store).save_times(make_race_test(), TIMED)

    assert (
        races(store, deciding=("org.example.Pool", "old", "newer")).load_times(make_race_test(), 8)
        is None
    )


def test_other_makers_make_other_tests_but_a_race_of_the_same_test_stays(store):
    run_store = races(store, making=("a",))
    run_store.save_suite(suite())
    run_store.save_times(make_race_test(), TIMED)

    second_run_store = races(store, making=("b",))

    assert races(store, making=("a",)).load_suite() == suite()
    assert second_run_store.load_suite() is None
    assert second_run_store.load_times(make_race_test(), 8) == TIMED


def test_what_was_beside_a_race_is_remembered_with_it(store):
    """And not what was beside tests while they were make_race_test, or a race that failed."""
    notes = iter(([{"seconds": 9.0}], [{"seconds": 2.0, "foreign": 0.5}], [], []))
    run_store = races(store, take_notes=lambda: next(notes))
    assert run_store.load_times(make_race_test(), 8) is None
    run_store.save_times(make_race_test(), TIMED)

    reopened_store = races(store)

    assert reopened_store.load_times(make_race_test(), 8) == TIMED
    stored_notes = [
        [dict(note) for trial_notes in source.notes_by_id.values() for note in trial_notes]
        for source in (run_store, reopened_store)
    ]
    assert stored_notes == [[{"seconds": 2.0, "foreign": 0.5}]] * 2


def test_what_was_beside_a_race_that_is_run_again_is_forgotten(store):
    notes = iter(([], [{"seconds": 2.0}], [], [{"seconds": 3.0}]))
    run_store = races(store, take_notes=lambda: next(notes))

    for _ in range(2):
        run_store.load_times(make_race_test(), 8)
        run_store.save_times(make_race_test(), TIMED)

    assert [*run_store.notes_by_id.values()] == [[{"seconds": 3.0}]]


def test_another_machine_has_races_of_its_own(store, tmp_path):
    races(store).save_times(make_race_test(), TIMED)
    elsewhere = HostFacts("there", (("cpu", "b"), ("cores", "64")))

    with SqliteStore(tmp_path / "store.sqlite", host=elsewhere) as foreign_store:
        assert races(foreign_store).load_times(make_race_test(), 8) is None
