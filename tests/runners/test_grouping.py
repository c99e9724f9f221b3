"""How many trials share a process."""

import pytest

from runners.grouping import DEFAULT_LIMIT, LARGEST_LIMIT, GroupCost


@pytest.mark.parametrize(
    ("start", "trial", "limit"),
    [
        (0.5, 0.5, DEFAULT_LIMIT),
        (1.0, 0.5, 16),
        (10.0, 0.5, 24),
        (36.0, 0.08, LARGEST_LIMIT),
        (0.0, 0.5, DEFAULT_LIMIT),
        (5.0, 0.0, DEFAULT_LIMIT),
        (1.0, 2.4, 5),
        (1.0, 20.0, 2),
    ],
)
def test_a_process_that_starts_slowly_runs_more_benchmarks(start, trial, limit):
    assert GroupCost(start, trial).choose_limit(0.0, float("inf"), 1) == limit


@pytest.mark.parametrize(
    ("trial_seconds", "seconds_left", "limit"),
    [(0.0, -1.0, DEFAULT_LIMIT), (0.5, 100.0, DEFAULT_LIMIT), (0.5, 2.0, 4), (0.5, -1.0, 1)],
)
def test_a_process_takes_no_more_trials_than_there_is_time_for(trial_seconds, seconds_left, limit):
    assert GroupCost(trial_seconds=trial_seconds).choose_limit(0.0, seconds_left, 1) == limit


def test_the_plan_counts_where_no_trial_has_been_run():
    assert GroupCost().choose_limit(3.0, float("inf"), 1) == 4
    assert GroupCost(trial_seconds=0.5).choose_limit(3.0, float("inf"), 1) == DEFAULT_LIMIT


@pytest.mark.parametrize(("start", "limit"), [(0.5, 2), (1.0, 4), (5.0, 6)])
def test_processes_beside_each_other_are_shorter_unless_they_start_slowly(start, limit):
    assert GroupCost(start, 2.0).choose_limit(0.0, float("inf"), 4) == limit
