"""How many trials share a process."""

import pytest

from runners.grouping import LARGEST_LIMIT, SMALLEST_LIMIT, choose_limit
from runners.trial import TrialRunner


@pytest.mark.parametrize(
    ("start", "forks", "limit"),
    [
        (0.5, [0.5, 0.5], SMALLEST_LIMIT),
        (1.0, [0.5], 16),
        (10.0, [0.5] * 8, 24),
        (10.0, [0.25, 0.75], 24),
        (36.0, [0.08], LARGEST_LIMIT),
        (5.0, [], SMALLEST_LIMIT),
        (0.0, [0.5], SMALLEST_LIMIT),
        (5.0, [0.0], SMALLEST_LIMIT),
        (1.0, [2.4], 5),
        (1.0, [20.0], 2),
    ],
)
def test_a_process_that_starts_slowly_runs_more_benchmarks(start, forks, limit):
    assert choose_limit(start, forks) == limit


@pytest.mark.parametrize(
    ("trial_seconds", "seconds_left", "limit"),
    [(0.0, -1.0, SMALLEST_LIMIT), (0.5, 100.0, SMALLEST_LIMIT), (0.5, 2.0, 4), (0.5, -1.0, 1)],
)
def test_a_process_takes_no_more_trials_than_there_is_time_for(trial_seconds, seconds_left, limit):
    runner = TrialRunner.__new__(TrialRunner)
    runner._most_together, runner._trial_seconds = SMALLEST_LIMIT, trial_seconds

    assert runner.limit_together(seconds_left) == limit
