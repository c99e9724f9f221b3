"""Settings of JMH mapped to iterations of 100 ms, and what a wrong warm-up costs."""

import numpy as np
import pytest
from configured_warmup import (
    bootstrap_deviation,
    map_iterations,
    sum_iteration_times,
    time_wasted,
)

from auditor.core.suite import IterationSettings

TENTHS = np.full(50, 0.1)


def settings(warm, measured):
    return IterationSettings(
        warmup_iterations=warm[0],
        warmup_seconds=warm[1],
        measurement_iterations=measured[0],
        measurement_seconds=measured[1],
    )


def test_longer_iterations_are_made_of_those_that_there_are():
    # Ten tenths do not add up to 1 in binary, so an iteration of 1 s takes eleven of them.
    eighths = np.full(50, 0.125)

    assert map_iterations(eighths, settings((2, 1.0), (1, 0.5))) == (15, 19)


def test_the_rest_of_an_iteration_is_not_carried_over():
    # 0.75 and 0.75 make the first second; the half beyond it does not count for the next.
    assert map_iterations(np.full(20, 0.75), settings((2, 1.0), (1, 0.75))) == (3, 4)


def test_a_value_that_lasts_longer_than_an_iteration_is_one():
    assert map_iterations(np.full(9, 3.0), settings((2, 1.0), (3, 1.0))) == (1, 4)


def test_a_series_may_end_before_its_settings():
    assert map_iterations(TENTHS, settings((5, 10.0), (5, 10.0))) == (49, 49)


def test_an_iteration_ends_with_the_first_operation_after_a_tenth():
    # 4 of 30 ms, 1 of 0.2 s
    assert sum_iteration_times(np.array([0.03, 0.2])) == pytest.approx(0.12 + 0.2)


@pytest.mark.parametrize(("last", "needed", "wasted"), [(9, 4, 0.5), (4, 9, -0.5), (3, 3, 0.0)])
def test_time_wasted_is_signed(last, needed, wasted):
    assert time_wasted(TENTHS, last, needed) == pytest.approx(wasted)


def test_what_is_measured_warm_is_not_off_and_what_is_not_is():
    rng = np.random.default_rng(1)
    forks = [rng.normal(1, 0.01, 500) for _ in range(4)]

    low, high = bootstrap_deviation(forks, forks, 2000, rng)
    assert low < 1 < high
    low, high = bootstrap_deviation([1.2 * fork[:50] for fork in forks], forks, 2000, rng)
    assert 1.19 < low < high < 1.21


def test_forks_weigh_by_their_length():
    rng = np.random.default_rng(2)
    forks = [np.full(300, 1.0), np.full(100, 3.0)]

    low, high = bootstrap_deviation(forks, [np.full(10, 1.0)], 4000, rng)

    # Both once: (300 + 300) / 400; one of them twice: 1 or 3.
    assert (low, high) == pytest.approx((1.0, 3.0))
