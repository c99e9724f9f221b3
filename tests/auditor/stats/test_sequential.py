from math import sqrt

import numpy as np
import pytest

from auditor.stats.sequential import LOOKS, plan_analyses, repeated_critical_value
from auditor.stats.signed_rank import estimate_shift


def test_the_first_look_by_hand():
    """Three pairs at one of ten early looks: t with 2 degrees of freedom at 1 - .0025 / 20."""
    result = repeated_critical_value([0.4, 0.5, 0.6], 30, 0.99)

    half = 63.2346 * 0.1 / sqrt(3)
    assert result.estimate == pytest.approx(0.5)
    assert result.interval == pytest.approx((0.5 - half, 0.5 + half), rel=1e-3)


def test_before_the_first_look_there_is_no_interval():
    assert repeated_critical_value([0.4, 0.5], 30, 0.99).interval is None


def test_pairs_after_the_last_look_wait_for_the_next():
    assert repeated_critical_value(
        [0.1, 0.2, 0.3, 0.2, 0.1, 0.2, 9.0], 30, 0.99
    ).estimate == pytest.approx(1.1 / 6)


def test_pairs_that_are_alike_by_luck_do_not_decide():
    low, high = repeated_critical_value([0.5, 0.5, 0.5], 30, 0.99).interval

    assert high - low == pytest.approx(2 * 63.2346 * 0.005 / sqrt(3), rel=1e-3)


def test_looks_come_before_the_last_pair_planned():
    assert [look.pairs for look in plan_analyses(15, 0.99)] == [3, 4, 5, 6, 8, 10, 12]
    assert [look.pairs for look in plan_analyses(31, 0.99)] == list(LOOKS)
    assert plan_analyses(3, 0.99) == ()


def test_all_pairs_together_are_judged_by_their_signed_ranks():
    values = [0.5 + 0.001 * index for index in range(30)]
    values[3] = values[4] = 9.0

    result = repeated_critical_value(values, 30, 0.99)

    rank = estimate_shift(values, 1 - 0.0075)
    assert (result.estimate, result.interval) == (rank.estimate, rank.interval)
    assert result.interval[1] < 0.6
    assert result.p == pytest.approx(rank.p / 0.75)


def test_few_pairs_of_which_all_are_there_have_a_t_interval():
    low, high = repeated_critical_value([0.4, 0.5, 0.6, 0.5], 4, 0.99).interval

    assert (low + high) / 2 == pytest.approx(0.5)


@pytest.mark.parametrize(
    "draw", [lambda rng, n: rng.normal(0, 0.03, n), lambda rng, n: rng.standard_t(4, n) * 0.02]
)
def test_all_looks_together_keep_the_level(draw):
    rng = np.random.default_rng(3)
    missed = 0
    for _ in range(1000):
        values = draw(rng, 30)
        ends = [repeated_critical_value(values[:pairs], 30, 0.99).interval for pairs in LOOKS]
        missed += any(not low <= 0 <= high for low, high in ends)

    assert missed / 1000 < 0.02
