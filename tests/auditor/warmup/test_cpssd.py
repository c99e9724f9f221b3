"""CP-SSD: outliers, change points by exhaustive search, the elbow, the last warm-up iteration."""

from itertools import combinations, pairwise
from math import log, pi

import numpy as np
import pytest
from steady_making import falling

from auditor.stats.ratios import resampled_means
from auditor.warmup.cpssd import (
    CpSsd,
    Partitions,
    Segmentation,
    choose_penalty_range,
    find_change_points,
    find_elbow,
    run_crops,
    without_outliers,
)


def cost(values):
    variance = float(np.var(values))
    return len(values) * (log(variance if variance > 0 else 1e-11) + log(2 * pi) + 1)


def best_of(values, changes):
    """Return the least cost of all ways to cut, none shorter than two."""
    n = len(values)
    ways = []
    for cuts in combinations(range(2, n - 1), changes):
        edges = [0, *cuts, n]
        if all(b - a >= 2 for a, b in pairwise(edges)):
            ways.append(sum(cost(values[a:b]) for a, b in pairwise(edges)))
    return min(ways)


@pytest.fixture
def short():
    rng = np.random.default_rng(3)
    return np.concatenate((rng.normal(5, 1, 6), rng.normal(1, 0.1, 5), rng.normal(2, 0.5, 5)))


def test_partitions_are_the_best_of_all(short):
    partitions = Partitions(short)
    for penalty in (0.5, 2.0, 5.0, 20.0):
        (segmentation,) = partitions.find_best_partitions(np.array([penalty]))
        total_costs = {m: best_of(short, m) + m * penalty for m in range(8)}

        assert segmentation.cost == pytest.approx(sum(
            cost(short[a:b])
            for a, b in zip((0, *segmentation.ends), segmentation.ends, strict=False)
        ))  # fmt: skip
        assert segmentation.cost + segmentation.change_count * penalty == pytest.approx(
            min(total_costs.values())
        )


def test_crops_has_the_penalties_at_which_the_number_of_changes_falls(short):
    partitions = Partitions(short)

    tried, changes = run_crops(partitions, (1.0, 200.0))

    assert list(changes) == sorted(changes)
    assert changes[0] == 0
    for penalty, number in zip(tried, changes, strict=True):
        (just_above,) = partitions.find_best_partitions(np.array([penalty * (1 + 1e-9) + 1e-9]))
        assert just_above.change_count == number


def test_the_elbow_of_a_broken_line_is_where_it_breaks():
    x = np.array([100.0, 50.0, 20.0, 10.0, 9.0, 8.0, 7.0])
    y = np.array([0.0, 1.0, 2.0, 3.0, 30.0, 60.0, 90.0])

    assert find_elbow(x, y) == 10.0


@pytest.mark.parametrize(
    ("x", "y"), [([1.0], [1.0]), ([2.0, 1.0], [3.0, 3.0]), ([2.0, 1.0], [0.0, 1.0])]
)
def test_what_has_no_elbow(x, y):
    assert find_elbow(np.array(x), np.array(y)) is None


# What the arithmetic of R's package changepoint (2.2.4, its C code) finds in series made here, at
# a penalty at which two partitions cost the same: with the last digits it takes the one with more
# changes for the first four, and that with fewer for the others.
OF_R = {
    3: [40, 80, 82, 160, 200, 240, 281, 320, 359, 418, 520, 561, 600],
    9: [320, 520, 560, 600],
    14: [40, 80, 317, 400, 440, 480, 520, 560, 600],
    20: [80, 120, 200, 280, 440, 600],
    6: [40, 120, 360, 440, 480, 520, 600],
    10: [40, 80, 120, 160, 200, 240, 600],
    12: [40, 82, 158, 200, 359, 400, 518, 600],
    17: [40, 120, 244, 480, 520, 600],
}


def in_fifteen_parts(seed):
    rng = np.random.default_rng(seed)
    levels, spreads = rng.uniform(1, 1.2, 15), rng.uniform(0.01, 0.08, 15)
    noise = np.repeat(spreads, 40) * rng.standard_normal(600)
    return 1e-3 * np.repeat(levels, 40) * (1 + noise)


@pytest.mark.parametrize("seed", OF_R)
def test_of_two_partitions_that_cost_the_same_the_published_one_is_taken(seed):
    segmentation = find_change_points(in_fifteen_parts(seed), choose_penalty_range(600))

    assert list(segmentation.ends) == OF_R[seed]


class Noisy:
    """Partitions whose numbers of changes do not fall with the penalty, as by rounding."""

    def __init__(self):
        self.tried = []

    def find_best_partitions(self, penalties):
        self.tried += penalties.tolist()
        numbers = [
            9 if penalty < 2 else 5 + len(self.tried) % 3 if penalty < 90 else 0
            for penalty in penalties
        ]
        return [
            Segmentation(tuple(range(1, number + 2)), 100.0 - 10 * number) for number in numbers
        ]


def test_numbers_that_do_not_fall_are_no_endless_search():
    partitions = Noisy()

    run_crops(partitions, (1.0, 100.0))

    assert len(partitions.tried) < 20


def test_change_points_are_those_of_the_series():
    values = falling(length=600, warm=200)

    segmentation = find_change_points(values, choose_penalty_range(len(values)))

    assert 200 in segmentation.ends


def test_spikes_are_left_out_but_not_early_ones():
    values = falling(length=1000, warm=0)
    values[[3, 500, 999]] *= 20

    inliers = set(without_outliers(values).tolist())

    assert {500, 999} & inliers == set()
    assert 3 in inliers


def test_the_start_follows_the_last_segment_that_matters():
    values = falling(length=1200, warm=300)

    # Two values are a segment: the best cut may lie a little beside the step.
    assert CpSsd().find_steady_start(values).start == pytest.approx(300, abs=5)


def test_a_change_below_the_tolerance_does_not_matter():
    values = falling(length=1200, warm=300, step=0.03, noise=0.001)

    assert CpSsd().find_steady_start(values).start == 1


def test_a_late_change_means_that_there_is_no_steady_state():
    values = falling(length=1200, warm=800)

    assert CpSsd().find_steady_start(values).start is None


@pytest.mark.parametrize("tail", [1.0, 30.0])
def test_resampled_means_of_many_values_scatter_as_drawn_ones(tail):
    rng = np.random.default_rng(5)
    values = 10 + rng.standard_normal(1000)
    values[:20] *= tail
    bootstrap_means = values[rng.integers(0, 1000, (20_000, 1000))].mean(axis=1)

    fast = resampled_means(values, 20_000, rng)

    expected = np.quantile(bootstrap_means, (0.025, 0.5, 0.975))
    assert np.quantile(fast, (0.025, 0.5, 0.975)) == pytest.approx(expected, rel=0.004)
