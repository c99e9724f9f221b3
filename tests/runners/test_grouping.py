"""How many trials share a process."""

import pytest

from runners.grouping import FEWEST_LIMIT, MOST_TOGETHER, choose_limit


@pytest.mark.parametrize(
    ("start", "forks", "limit"),
    [
        (0.5, [0.5, 0.5], FEWEST_LIMIT),
        (10.0, [0.5] * 8, 20),
        (10.0, [0.25, 0.75], 20),
        (36.0, [0.1], MOST_TOGETHER),
        (5.0, [], FEWEST_LIMIT),
        (0.0, [0.5], FEWEST_LIMIT),
        (5.0, [0.0], FEWEST_LIMIT),
    ],
)
def test_a_process_that_starts_slowly_runs_more_benchmarks(start, forks, limit):
    assert choose_limit(start, forks) == limit
