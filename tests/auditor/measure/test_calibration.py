from dataclasses import replace

import pytest
from builders import calibration_run, crashed, run

from auditor.core.mutant import InjectionKind
from auditor.core.outcome import Measured
from auditor.core.plan import Purpose
from auditor.core.values import METHOD_TIME, TIME, Series
from auditor.measure.calibration import (
    LEAST_FIRST_SECONDS,
    CalibrationRequest,
    achieved_caveat,
    choose_wait,
    first_turns,
    judge_calibration,
)

OPERATION = 1e-6


def calibration_request(slowdown=0.6, calls=1.0, concurrency=1, wait=None):
    return CalibrationRequest(
        slowdown=slowdown, calls_per_operation=calls, concurrency=concurrency, wait=wait
    )


def tried(turns, added, *, method_seconds=5e-7, clock_cost=4e-8, **more):
    return calibration_run(
        probe=OPERATION,
        slowed=OPERATION + added,
        turns=turns,
        method_seconds=method_seconds,
        clock_cost=clock_cost,
        **more,
    )


def test_the_clocks_own_cost_is_subtracted():
    calibration = judge_calibration([tried(100, 3e-7, clock_cost=4e-8)], calibration_request())

    assert calibration.method_seconds == pytest.approx(5e-7)


def test_what_a_whole_audit_tells_of_the_clock_counts_more_than_the_pair():
    runs = [tried(100, 3e-7, method_seconds=1.5e-8, clock_cost=4.9e-8) for _ in range(2)]

    calibration = judge_calibration(runs, replace(calibration_request(), clock_seconds=4.5e-8))

    assert calibration.method_seconds == pytest.approx(1.9e-8)
    assert calibration.clock_seconds == 4.5e-8


def test_of_what_processes_tell_of_the_clock_the_low_quartile_counts():
    costs = [4.9e-8, 4.5e-8, 4.8e-8, 4.3e-8, 4.6e-8, 0.0]

    calibration = judge_calibration(
        [tried(100, 3e-7, clock_cost=cost) for cost in costs], calibration_request()
    )

    assert calibration.clock_seconds == 4.5e-8


def test_a_method_below_what_the_clock_tells_is_too_short():
    calibration = judge_calibration(
        [tried(100, 1e-9, method_seconds=1e-9, clock_cost=4e-8)], calibration_request()
    )

    assert calibration.method_seconds is None
    assert [caveat.slug for caveat in calibration.caveats] == ["too-short"]


def test_a_clock_of_unknown_cost_cannot_tell_a_short_method():
    assert (
        judge_calibration([tried(100, 3e-7, clock_cost=0.0)], calibration_request()).method_seconds
        is None
    )
    long_one = judge_calibration(
        [tried(100, 3e-7, method_seconds=5e-6, clock_cost=0.0)], calibration_request()
    )

    assert long_one.method_seconds == pytest.approx(5e-6)


def test_turns_that_give_the_slowdown_are_settled():
    calibration = judge_calibration([tried(100, 3.08e-7)], calibration_request())

    assert calibration.settled
    assert calibration.achieved == pytest.approx(0.616)
    assert calibration.delay.number == 100


def test_short_delays_that_are_close_are_settled_too():
    """84 ns are added where 90 are wanted."""
    calibration = judge_calibration(
        [tried(100, 8.4e-8, method_seconds=1.5e-7)], calibration_request()
    )

    assert (calibration.settled, calibration.delay.number) == (True, 100)
    assert calibration.achieved == pytest.approx(0.56)


def test_turns_are_corrected_in_proportion_and_the_delay_stays_what_was_tried():
    calibration = judge_calibration([tried(100, 9e-7)], calibration_request())

    assert (calibration.settled, calibration.turns) == (False, 33)
    assert calibration.delay.number == 100


def test_the_next_try_lies_between_too_few_and_too_many():
    calibration = judge_calibration([tried(300, 7e-7), tried(100, 1e-7)], calibration_request())

    assert (calibration.settled, calibration.turns) == (False, 167)


@pytest.mark.parametrize(
    ("tries", "turns"),
    [
        ({400: 7e-7, 200: 0.0}, 343),  # half way between 286, on the line, and 400
        ({2000: 7e-7, 20: 0.0}, 1434),
        ({4000: 7e-6, 20: 1e-8}, 370),  # twice of what is on the line, as half way is far more
        ({400: 5e-7, 350: 4e-7, 200: 0.0}, 300),  # the line of 350 and 400
        ({400: 5e-7, 350: 4e-7, 200: 1e-8}, 300),
        ({400: 5e-7, 350: 4e-7, 200: 1e-7}, 300),  # of 200 something is seen
        ({400: 5e-7, 399: 4.9e-7, 398: 0.0}, 399),  # never what is known to be too little
    ],
)
def test_turns_of_which_nothing_is_seen_are_on_no_line_with_those_that_show(tries, turns):
    runs = [tried(number, added) for number, added in tries.items()]

    assert judge_calibration(runs, calibration_request()).turns == turns


def test_turns_beside_those_of_which_nothing_is_seen_have_to_be_tried():
    short = {"method_seconds": 1.5e-7}
    calibration = judge_calibration(
        [tried(60, 1.5e-7, **short), tried(35, 5e-9, **short)], calibration_request()
    )

    assert (calibration.settled, calibration.turns) == (False, 55)


def test_between_tries_that_lie_near_each_other_no_further_one_is_needed():
    calibration = judge_calibration([tried(200, 5e-7), tried(100, 1e-7)], calibration_request())

    assert (calibration.settled, calibration.turns, calibration.delay.number) == (True, 150, 150)
    assert calibration.achieved is None


@pytest.mark.parametrize(
    ("added", "method_seconds", "settled"),
    [(5.9e-7, 5e-7, True), (2e-7, 5e-7, True), (6.1e-7, 5e-7, False), (1.4e-7, 1.5e-7, False)],
)
def test_one_try_that_is_near_and_long_enough_leads_to_the_turns(added, method_seconds, settled):
    """Wanted are 300 ns, and once 90: short delays are not in proportion to their turns."""
    calibration = judge_calibration(
        [tried(100, added, method_seconds=method_seconds)], calibration_request()
    )

    assert calibration.settled is settled
    assert calibration.turns == round(100 * 0.6 * method_seconds / added)


def test_of_all_tries_the_nearest_is_taken():
    tries = [(400, 3e-7), (100, 2e-8), (140, 5e-8)]

    calibration = judge_calibration(
        [tried(*attempt, method_seconds=1e-7) for attempt in tries], calibration_request()
    )

    assert calibration.delay.number == 140
    assert calibration.achieved == pytest.approx(0.5)


def test_turns_that_were_tried_already_end_the_search():
    calibration = judge_calibration([tried(2, 2e-7), tried(3, 4e-7)], calibration_request())

    assert (calibration.settled, calibration.turns) == (True, 2)


def test_operations_in_flight_and_calls_share_what_was_added():
    calibration = judge_calibration(
        [tried(100, 1.5e-7)], calibration_request(calls=2.0, concurrency=4)
    )

    assert calibration.achieved == pytest.approx(0.6)


def test_blocks_that_were_disturbed_change_nothing():
    quiet = tried(100, 3e-7)
    series = tuple(
        Series.from_values(
            values.metric,
            values.unit,
            values.arm,
            values.phase,
            (
                (index, value * (1.5 if index % 2 else 1.0))
                for index, value in enumerate(values.values)
            ),
        )
        if values.metric in (TIME, METHOD_TIME)
        else values
        for values in quiet.outcome.series
    )

    calibration = judge_calibration(
        [replace(quiet, outcome=Measured(series))], calibration_request()
    )

    assert (calibration.method_seconds, calibration.achieved) == pytest.approx((5e-7, 0.6))


def test_no_measurement_is_no_calibration():
    assert (
        judge_calibration([run(crashed(), purpose=Purpose.CALIBRATION)], calibration_request())
        is None
    )


@pytest.mark.parametrize(
    ("seconds", "wait"),
    [
        (1e-8, InjectionKind.WORK),
        (19e-6, InjectionKind.WORK),
        (20e-6, InjectionKind.SPIN),
        (9e-3, InjectionKind.SPIN),
        (1, InjectionKind.SLEEP),
    ],
)
def test_the_wait_is_chosen_by_the_methods_duration(seconds, wait):
    assert choose_wait(seconds) is wait


def test_a_wait_asked_for_is_not_overruled():
    assert (
        judge_calibration(
            [tried(100, 3e-7)], calibration_request(wait=InjectionKind.SLEEP)
        ).delay.wait
        is InjectionKind.SLEEP
    )


def test_the_first_guess_fills_the_operation_that_is_all_method():
    assert first_turns(1e-6, calibration_request(calls=2.0), 2e-9) == pytest.approx(
        0.6 * 5e-7 / 2e-9
    )
    for turn in (8e-10, 2e-9, 9e-9):
        guessed = first_turns(1e-12, calibration_request(), turn) * turn
        assert abs(guessed - LEAST_FIRST_SECONDS) <= turn / 2


@pytest.mark.parametrize(
    ("achieved", "slug"), [(0.73, "overshoot"), (0.47, "undershoot"), (0.7, None), (None, None)]
)
def test_beyond_a_fifth_of_what_was_asked_for_is_a_caveat(achieved, slug):
    caveat = achieved_caveat(achieved, 0.6)

    assert (caveat.slug if caveat else None) == slug
