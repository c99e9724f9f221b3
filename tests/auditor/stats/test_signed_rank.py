from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from auditor.stats.signed_rank import estimate_shift, smallest_p

VALUES = st.lists(st.integers(-6, 6).map(float), min_size=2, max_size=8)


def by_enumeration(values):
    """Twice the smaller tail over all signs, zeros ranked and left out."""
    ranks = stats.rankdata(np.abs(values))
    nonzero_ranks = [rank for rank, value in zip(ranks, values, strict=True) if value != 0]
    positive_sum = sum(rank for rank, value in zip(ranks, values, strict=True) if value > 0)
    sums = [np.dot(nonzero_ranks, signs) for signs in product((0, 1), repeat=len(nonzero_ranks))]
    below = sum(total <= positive_sum + 1e-9 for total in sums)
    above = sum(total >= positive_sum - 1e-9 for total in sums)
    return min(1.0, 2 * min(below, above) / len(sums))


def test_the_estimate_is_the_median_of_the_walsh_averages():
    assert estimate_shift([1.0, 2.0, 6.0], 0.9).estimate == pytest.approx(
        np.median([1, 1.5, 3.5, 2, 4, 6])
    )


def test_eight_pairs_are_the_first_that_have_an_interval_at_99_percent():
    assert estimate_shift([1, 2, 3, 4, 5, 6, 7], 0.99).interval is None
    assert estimate_shift([1, 2, 3, 4, 5, 6, 7, 8], 0.99).interval == (1.0, 8.0)
    assert estimate_shift([1, 2, 3, 4, 5, 6, 7, 8], 0.99).p == pytest.approx(2 / 256)


def test_ten_pairs_leave_out_three_averages_at_each_end():
    """By hand: 5 of 1024 signs have a sum of at most 3, 7 one of at most 4; .005 allows 5."""
    values = [0.0, 1.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0]

    low, _ = estimate_shift(values, 0.99).interval

    ordered = sorted((a + b) / 2 for index, a in enumerate(values) for b in values[index:])
    assert low == ordered[3]


def test_without_ties_the_p_is_scipys_exact_one():
    values = np.random.default_rng(3).normal(0.4, 1, 15)

    assert estimate_shift(values, 0.99).p == pytest.approx(
        stats.wilcoxon(values, method="exact").pvalue
    )


def test_differences_that_are_all_zero_are_no_shift():
    result = estimate_shift([0.0] * 9, 0.99)

    assert (result.estimate, result.interval, result.p) == (0.0, (0.0, 0.0), 1.0)


@given(VALUES)
def test_with_ties_and_zeros_the_p_is_that_of_all_signs(values):
    assert estimate_shift(values, 0.99).p == pytest.approx(by_enumeration(values))


@given(VALUES)
def test_turning_all_signs_turns_the_answer(values):
    shift, negated_shift = (
        estimate_shift(values, 0.6),
        estimate_shift([-value for value in values], 0.6),
    )

    assert shift.p == pytest.approx(negated_shift.p)
    assert shift.estimate == -negated_shift.estimate
    assert shift.interval == (
        None if negated_shift.interval is None else tuple(-x for x in negated_shift.interval[::-1])
    )


@given(VALUES, st.permutations(range(8)))
def test_the_order_of_the_pairs_does_not_matter(values, order):
    shuffled = [values[index] for index in order if index < len(values)]

    assert estimate_shift(shuffled, 0.6) == estimate_shift(values, 0.6)


@pytest.mark.parametrize(("pairs", "scale"), [(8, 1.0), (15, 1.0), (30, 0.01)])
def test_the_interval_covers_at_least_as_often_as_it_says(pairs, scale):
    draws = np.random.default_rng(pairs).normal(0, scale, (2000, pairs))
    intervals = [estimate_shift(draw, 0.99).interval for draw in draws]

    covered = np.mean([low <= 0 <= high for low, high in intervals])

    assert covered >= 0.985


def test_equal_arms_are_called_different_at_the_level_of_the_test():
    draws = np.random.default_rng(5).laplace(0, 1, (2000, 15))

    alarms = np.mean([estimate_shift(draw, 0.99).p < 0.01 for draw in draws])

    assert alarms == pytest.approx(0.01, abs=0.007)


def test_hundreds_of_pairs_are_still_exact():
    assert estimate_shift(np.arange(1.0, 401.0), 0.99).p == pytest.approx(0.0, abs=1e-100)


def test_the_smallest_p_halves_with_each_pair():
    assert smallest_p(8) == pytest.approx(0.0078125)
    assert smallest_p(7) > 0.01
    assert smallest_p(0) == 1.0
