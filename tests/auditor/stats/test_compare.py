from itertools import combinations
from math import exp, log, sqrt

import numpy as np
import pytest
from builders import series
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from auditor.stats.arrays import check_finite, check_positive
from auditor.stats.compare import (
    estimate_ratio,
    predict_half_width,
    rank_sum_p,
    relative_width,
    smallest_rank_sum_p,
)

SMALL = st.lists(st.integers(0, 6), min_size=2, max_size=6)


def by_enumeration(first_group, second_group):
    """Twice the smaller tail over all ways to part the values, counted one by one."""
    ranks = stats.rankdata([*first_group, *second_group])
    observed_sum = sum(ranks[: len(first_group)])
    sums = [sum(subset) for subset in combinations(ranks, len(first_group))]
    below = sum(total <= observed_sum + 1e-9 for total in sums)
    above = sum(total >= observed_sum - 1e-9 for total in sums)
    return min(1.0, 2 * min(below, above) / len(sums))


def test_five_against_five_apart_have_the_p_of_the_specification():
    assert rank_sum_p([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]) == pytest.approx(2 / 252)


def test_a_tie_does_not_lift_the_p_of_five_against_five_above_a_hundredth():
    assert rank_sum_p([1, 2, 3, 4, 5], [6, 7, 8, 9, 9]) == pytest.approx(2 / 252)
    assert stats.mannwhitneyu([1, 2, 3, 4, 5], [6, 7, 8, 9, 9]).pvalue > 0.01


def test_large_groups_have_the_p_that_scipy_gives():
    first_group, second_group = np.random.default_rng(1).normal(0, 1, (2, 20))

    assert (
        rank_sum_p(first_group, second_group)
        == stats.mannwhitneyu(first_group, second_group).pvalue
    )


def test_groups_of_one_value_repeated_do_not_differ():
    assert rank_sum_p([3.0] * 5, [3.0] * 6) == 1.0


@given(SMALL, SMALL)
def test_small_groups_with_ties_have_the_p_of_all_their_permutations(first_group, second_group):
    assert rank_sum_p(first_group, second_group) == pytest.approx(
        by_enumeration(first_group, second_group)
    )


@given(SMALL, SMALL)
def test_the_order_of_values_and_of_groups_does_not_matter(first_group, second_group):
    assert rank_sum_p(first_group, second_group) == pytest.approx(
        rank_sum_p(second_group[::-1], first_group[::-1])
    )


@pytest.mark.parametrize(("size", "least"), [(5, 2 / 252), (4, 2 / 70), (1, 1.0)])
def test_the_smallest_p_follows_from_the_sizes(size, least):
    assert smallest_rank_sum_p(size, size) == pytest.approx(least)


def test_a_ratio_has_the_t_interval_of_its_logarithm():
    result = estimate_ratio([2.0, 4.0], [1.0, 1.0, 1.0], 0.95)

    middle = log(2.0 * 4.0) / 2
    scatter = (log(4.0) - log(2.0)) ** 2 / 2 / 3
    half = 3.1824463 * sqrt(scatter * (1 / 2 + 1 / 3))
    assert result.estimate == pytest.approx(exp(middle))
    assert (result.low, result.high) == pytest.approx((exp(middle - half), exp(middle + half)))


def test_one_disturbed_process_of_five_moves_a_ratio_little():
    """By hand: the middle three are kept, and the scatter is theirs with the ends drawn in."""
    result = estimate_ratio([0.98, 1.0, 1.02, 1.0, 5.0], [1.0], 0.99)

    logs = [log(1.0), log(1.0), log(1.02)]
    middle = sum(logs) / 3
    winsorized = [*logs, logs[0], logs[2]]
    mean = sum(winsorized) / 5
    squares = sum((value - mean) ** 2 for value in winsorized)
    half = 9.9248432 * sqrt(squares / 2 * (1 / 3 + 1))
    assert result.estimate == pytest.approx(exp(middle))
    assert (result.low, result.high) == pytest.approx((exp(middle - half), exp(middle + half)))


@pytest.mark.parametrize("disturbed", [0.0, 0.1])
def test_the_interval_of_a_ratio_keeps_its_level_where_processes_are_disturbed(disturbed):
    rng = np.random.default_rng(8)
    noise = rng.normal(0, 0.02, (2000, 12))
    noise += (rng.random(noise.shape) < disturbed) * rng.exponential(0.4, noise.shape)
    ratios = [estimate_ratio(draw[:5], draw[5:], 0.99) for draw in np.exp(noise)]

    covered = np.mean([ratio.low <= 1 <= ratio.high for ratio in ratios])

    assert covered == pytest.approx(0.99, abs=0.01)


def test_one_value_in_each_group_tells_nothing_of_the_scatter():
    assert estimate_ratio([1.0], [2.0], 0.99) is None


def test_the_interval_of_a_ratio_covers_as_often_as_it_says():
    rng = np.random.default_rng(7)
    draws = np.exp(rng.normal(0, 0.05, (2000, 7)))
    ratios = [estimate_ratio(draw[:2], draw[2:], 0.99) for draw in draws]

    covered = np.mean([ratio.low <= 1 <= ratio.high for ratio in ratios])

    assert covered == pytest.approx(0.99, abs=0.01)


def test_values_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match="not finite"):
        check_finite([1.0, float("nan")])
    with pytest.raises(ValueError, match="not positive"):
        check_positive([1.0, 0.0])
    with pytest.raises(ValueError, match="at least 2"):
        check_finite(series([1.0]).values, least=2)


@pytest.mark.parametrize("check", [check_finite, check_positive])
def test_no_values_are_refused(check):
    with pytest.raises(ValueError, match="at least 1"):
        check([])


def test_the_width_of_a_mean_is_that_of_both_sides_of_its_t_interval():
    """Of 1, 2 and 3: t of 2 degrees of freedom times 1 / sqrt(3), twice, over the mean of 2."""
    assert relative_width([1.0, 2.0, 3.0], 0.95) == pytest.approx(4.3026527 / sqrt(3))


def test_groups_of_the_same_sizes_are_predicted_the_interval_that_they_have():
    above, below = [1.0, 1.1, 1.2, 1.05], [1.0, 0.9, 1.05]
    result = estimate_ratio(above, below, 0.95)

    half = predict_half_width(above, below, sizes=(4, 3), level=0.95)

    assert half == pytest.approx(log(result.high / result.low) / 2)
