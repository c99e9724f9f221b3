"""Which warm-up would be long enough, and what it saves."""

import pytest

from auditor.core.outcome import Skipped
from auditor.core.series.stored import StoredProcess
from auditor.core.suite import IterationSettings
from auditor.warmup.detector import Steadiness
from auditor.warmup.judging import judge_process
from auditor.warmup.needed import needed_warmup


class FixedStart:
    """A detector that returns a fixed start."""

    name, min_iterations, max_iterations, trained_length, iteration_seconds = (
        "at",
        1,
        None,
        None,
        None,
    )

    def __init__(self, start):
        self.start = start

    def find_steady_start(self, values):
        return Steadiness(self.start)


def compute_needed(*processes):
    """Judge processes with their starts, and their runs where these are several."""
    return needed_warmup(
        [
            (process, judge_process(process, FixedStart(start), (*run, 0, 0)[:2]))
            for process, start, *run in processes
        ]
    )


def slow_first(slow, of_all, **more):
    """Take 0.02 s for each of the first operations, then 0.01, in iterations of a tenth."""
    values = (0.02,) * slow + (0.01,) * (of_all - slow)
    warmups = more.pop("warmups", 0)
    return StoredProcess(
        seconds=values[warmups:], warmups=values[:warmups], iteration_seconds=0.1, **more
    )


def configured(iterations, seconds, forks):
    return IterationSettings(
        warmup_iterations=iterations,
        warmup_seconds=seconds,
        measurement_iterations=5,
        measurement_seconds=1.0,
        forks=forks,
    )


def test_the_last_of_all_processes_to_get_warm_decides():
    result = compute_needed(
        (slow_first(3, 100), 3), (slow_first(8, 100), 8), (slow_first(0, 100), None)
    )

    assert (result.seconds, result.operations) == (pytest.approx(0.8), 8 * 5)
    assert (result.iterations, result.iteration_seconds) == (8, 0.1)
    assert result.saved_seconds is None


def test_many_short_iterations_are_written_as_seconds():
    result = compute_needed((slow_first(25, 100), 25))

    assert (result.iterations, result.iteration_seconds) == (3, 1.0)


@pytest.mark.parametrize(
    ("author_settings", "expected", "saved"),
    [
        # of 50 s, 2.5 are needed: as three seconds, in each of five processes
        (configured(5, 10.0, 5), (3, 1.0), 5 * (50 - 3)),
        # the author's iterations are short enough to be kept
        (configured(10, 2.0, 1), (2, 2.0), 20 - 4),
        # too short: a longer one costs time
        (configured(1, 1.0, 2), (3, 1.0), 2 * (1 - 3)),
    ],
)
def test_a_run_of_the_suite_has_the_forks_that_its_author_asks_for(
    author_settings, expected, saved
):
    result = compute_needed((slow_first(25, 100, configured=author_settings), 25))

    assert (result.iterations, result.iteration_seconds) == expected
    assert result.saved_seconds == pytest.approx(saved)


def test_warm_ups_that_were_kept_count_as_they_were():
    process = slow_first(3, 100, warmups=20)

    alone, in_runs = (
        compute_needed((process, 3), (process, 3)),
        compute_needed((process, 3, 0), (process, 3, 1)),
    )

    # Twenty iterations of a tenth, three of which are needed; two processes in a run, or one.
    assert alone.saved_seconds == pytest.approx(2 * (20 - 3) * 0.1)
    assert in_runs.saved_seconds == pytest.approx((20 - 3) * 0.1)


def test_a_time_is_long_enough_whose_mean_is_the_steady_one():
    # Three tenths with half of the operations make the mean of n tenths 15 / (10 n - 15) too great,
    # so 152 are needed: more than 10 s, and 20 are the next that people write.
    steady = StoredProcess(seconds=(0.01, 0.010001) * 50, iteration_seconds=0.1)

    assert compute_needed((slow_first(3, 300), 3)).measured_seconds == 20.0
    assert compute_needed((slow_first(3, 100), 3)).measured_seconds is None
    assert compute_needed((steady, 0)).measured_seconds == 0.1


def test_nothing_is_known_without_a_warm_process_or_the_length_of_an_iteration():
    timed_process = slow_first(3, 100)
    untimed_process = StoredProcess(seconds=timed_process.seconds)

    assert compute_needed((timed_process, None)) is None
    assert compute_needed((untimed_process, 3)) is None
    assert compute_needed() is None
    assert compute_needed((timed_process, 3), (untimed_process, 3)) is None


def test_an_operation_longer_than_an_iteration_is_one():
    # 6 s each at first, then 3: the author's five of one second take 15 s when warm.
    author_settings = configured(5, 1.0, 2)
    at_once = StoredProcess(
        seconds=(3.0, 3.1) * 20, iteration_seconds=0.1, configured=author_settings
    )
    late = StoredProcess(
        seconds=(*(6.0,) * 10, *(3.0,) * 20), iteration_seconds=0.1, configured=author_settings
    )

    warm, cold = compute_needed((at_once, 0)), compute_needed((late, 10))

    assert (warm.iterations, warm.saved_seconds) == (0, pytest.approx(2 * 5 * 3.05))
    # sixty seconds are twenty operations of three
    assert (cold.seconds, cold.operations, cold.iterations) == (60.0, 10, 20)
    assert cold.saved_seconds == pytest.approx(2 * (15 - 60))


def test_iterations_of_a_fixed_number_of_operations_last_as_long_as_these():
    process = StoredProcess(
        seconds=(*(0.04,) * 5, *(0.02,) * 95), iteration_seconds=0.01, operations=2
    )

    result = compute_needed((process, 5))

    assert (result.seconds, result.operations) == (pytest.approx(0.4), 10)


def test_of_single_calls_there_are_so_many():
    process = StoredProcess(seconds=(*(0.002,) * 40, *(0.001,) * 60), operations=1)

    result = compute_needed((process, 40))

    assert (result.iterations, result.iteration_seconds) == (40, None)
    assert result.seconds == pytest.approx(0.08)


def test_a_process_that_failed_has_no_say():
    failed = StoredProcess(failure=Skipped("not today"))
    configured_process = slow_first(25, 100, configured=configured(5, 10.0, 5))
    warmed_process = slow_first(3, 100, warmups=20)

    assert compute_needed((failed, None), (configured_process, 25)).saved_seconds == pytest.approx(
        5 * (50 - 3)
    )
    assert compute_needed((failed, None), (warmed_process, 3)).saved_seconds == pytest.approx(
        (20 - 3) * 0.1
    )


def test_warm_ups_may_last_another_time_than_what_is_measured():
    process = StoredProcess(
        warmups=(0.01,) * 4, seconds=(0.01, 0.0101) * 40, iteration_seconds=0.1, warmup_seconds=2.0
    )

    result = compute_needed((process, 1))

    assert (result.seconds, result.saved_seconds) == (pytest.approx(2.0), pytest.approx(8.0 - 2.0))
