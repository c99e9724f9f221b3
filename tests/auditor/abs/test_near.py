"""Which process of an earlier audit is taken for one whose turns are a little other ones."""

from dataclasses import replace

import numpy as np
import pytest
from toy_language import HOST, Memory, parts, request

from auditor.abs.study.pairs import ReusableDelays, delays_differ
from auditor.core.mutant import Delay, InjectionKind
from auditor.core.outcome import Measured
from auditor.core.plan import Purpose, Run
from auditor.core.request import Plan
from auditor.core.schedule import EarlyStop
from auditor.measure import schedules
from auditor.store.sqlite import SqliteStore

PLAN = Plan(forks=1, warmup=2, iterations=12, iteration_seconds=0.01)


def trial(number, wait=InjectionKind.WORK, **changed):
    audit_parts = parts(request())
    rng = np.random.default_rng(1)
    schedule = schedules.make_pair_schedule(PLAN, 100, Delay(wait, number), rng)
    pair_trial = audit_parts.make_trial(Purpose.PAIRS, audit_parts.suite.benchmarks[0], schedule)
    return replace(pair_trial, **changed)


def run(stored_trial):
    return Run(trial=stored_trial, host=HOST, outcome=Measured(()), started="", seconds=1.0)


def choose_number(number, *stored_trials, but=(), wait=InjectionKind.WORK):
    store = Memory()
    for stored_trial in stored_trials:
        store.add_run(run(stored_trial))
    delay = ReusableDelays(store).reuse_delay(
        trial(number, wait), Delay(wait, number), [run(b) for b in but]
    )
    return delay.number


def test_the_nearest_turns_are_taken_if_they_are_near():
    assert choose_number(104, trial(100), trial(106)) == 106
    assert choose_number(104, trial(100), trial(104), trial(106)) == 104
    assert choose_number(104, trial(94)) == 104
    assert choose_number(104) == 104


def test_what_was_wrong_is_not_taken_again():
    assert choose_number(104, trial(100), trial(106), but=[trial(106)]) == 100


@pytest.mark.parametrize("changed", [{"seed": 2}, {"repetition": 2}, {"fork": 2}])
def test_what_differs_in_more_is_not_taken(changed):
    assert choose_number(104, trial(100, **changed)) == 104


def test_a_share_that_the_clock_waits_is_taken_as_it_was_asked_for():
    assert choose_number(0.62, trial(0.6, InjectionKind.SPIN), wait=InjectionKind.SPIN) == 0.62
    assert choose_number(0.62, trial(0.62, InjectionKind.SPIN), wait=InjectionKind.SPIN) == 0.62


def test_a_process_that_could_end_early_is_taken_though_the_store_does_not_say_that_it_could(
    tmp_path,
):
    def ending(number):
        stop = EarlyStop(above=0.3, below=0.2, looks=((3, 4.0),), least_deviation=0.01)
        pair_trial = trial(number)
        return replace(pair_trial, schedule=replace(pair_trial.schedule, stop=stop))

    with SqliteStore(tmp_path / "s.sqlite") as store:
        store.add_run(run(ending(100)))

        assert (
            ReusableDelays(store)
            .reuse_delay(ending(104), Delay(InjectionKind.WORK, 104), ())
            .number
            == 100
        )


def test_a_choice_stands_whatever_is_measured_meanwhile():
    store = Memory()
    reusable_delays = ReusableDelays(store)
    first, delay = trial(104), Delay(InjectionKind.WORK, 104)

    before = reusable_delays.reuse_delay(first, delay, ())
    store.add_run(run(trial(103)))

    assert (before, reusable_delays.reuse_delay(first, delay, ())) == (delay, delay)


def test_delays_differ_by_more_than_a_share_of_the_fewer_turns():
    work, spin = Delay(InjectionKind.WORK, 100), Delay(InjectionKind.SPIN, 0.6)

    assert not delays_differ(work, Delay(InjectionKind.WORK, 110), 0.1)
    assert delays_differ(work, Delay(InjectionKind.WORK, 111), 0.1)
    assert delays_differ(Delay(InjectionKind.WORK, 89), work, 0.12)
    assert delays_differ(work, spin, 0.1)
    assert not delays_differ(spin, spin, 0.1)
    assert delays_differ(spin, Delay(InjectionKind.SPIN, 0.61), 0.1)
