"""Classifiers and ways to stop, judged."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from training.replay import Fairness, matched, stopped, timed
from training.scores import (
    Classified,
    Result,
    chance_of_less,
    classified,
    rank_biserial,
    shares,
    threshold,
)

VALUES = st.lists(st.integers(0, 6).map(float), min_size=1, max_size=12)


def test_verdicts_are_judged_by_the_stable_class():
    truth = np.array([True] * 6 + [False] * 4)
    verdicts = np.array([True] * 3 + [False] * 3 + [True] + [False] * 3)

    result = classified(truth, verdicts)

    assert result == Classified(3 / 4, 3 / 6, 6 / 10, (3 / 6 + 3 / 4) / 2)
    assert math.isnan(classified(truth, np.zeros(10, dtype=bool)).precision)


def test_the_threshold_is_where_hits_are_farthest_above_false_alarms():
    truth = np.array([False, False, True, False, True, True])
    scores = np.array([0.1, 0.2, 0.4, 0.4, 0.6, 0.9])

    assert threshold(truth, scores) == 0.4  # 3 of 3 and 1 of 3; at 0.6 only 2 of 3
    assert threshold(truth, np.array([0.1, 0.7, 0.05, 0.8, 0.6, 0.9])) == 0.9
    with pytest.raises(ValueError, match="both classes"):
        threshold(np.array([True]), np.array([0.5]))


@given(model=VALUES, baseline=VALUES)
def test_the_chance_of_less_is_that_of_all_pairs(model, baseline):
    pairs = [(model_value, baseline_value) for model_value in model for baseline_value in baseline]
    expected = sum(
        (model_value < baseline_value) + (model_value == baseline_value) / 2
        for model_value, baseline_value in pairs
    ) / len(pairs)

    assert chance_of_less(np.array(model), np.array(baseline)) == pytest.approx(expected)


@given(pairs=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=10))
def test_the_rank_biserial_correlation_goes_with_wilcoxons_statistic(pairs):
    model, baseline = np.array(pairs, dtype=float).T
    differences = baseline - model
    nonzero = differences[differences != 0]
    value = rank_biserial(model, baseline)

    if not nonzero.size:
        assert value == 0
    else:
        above = stats.rankdata(abs(nonzero))[nonzero > 0].sum()
        rank_total = nonzero.size * (nonzero.size + 1) / 2
        assert value == pytest.approx(2 * above / rank_total - 1)


def test_quality_goes_before_time_and_time_counts_only_where_both_are_good():
    good, bad = (lambda seconds: Result(False, seconds)), (lambda seconds: Result(True, seconds))
    model = [good(9.0), bad(1.0), good(1.0), good(3.0), bad(1.0), good(2.0), good(1.0), good(1.0)]
    base = [bad(1.0), good(9.0), good(2.0), good(2.0), bad(2.0), good(2.0), good(2.0), good(2.0)]

    result = shares(model, base)

    assert (result.quality, result.time) == (1 / 8, 3 / 8)
    assert (result.worse_quality, result.worse_time) == (1 / 8, 1 / 8)
    assert result.net == pytest.approx(2 / 8)


def test_a_fork_stops_at_the_first_window_that_is_called_stable():
    scores = np.array([0.1, 0.6, 0.2, 0.7] + [0.0] * 600)

    assert stopped(scores, 0.6) == (0, 100)
    assert stopped(scores, 0.65) == (2, 102)
    assert stopped(np.array([1.0]), 0.5) == (-1, 99)
    # five hundred windows are looked at, what lies behind is not
    assert stopped(np.append(np.zeros(500), 1.0), 0.5) == (499, 599)


def test_as_many_iterations_are_compared_as_the_baseline_measures():
    model = (199, 299)

    assert matched(model, (49, 79)) == (269, 299)  # 30: the last ones
    assert matched(model, (49, 549)) == (199, 699)  # 500: a later end
    assert matched(model, (0, 100)) == model
    assert timed(model, (49, 549), Fairness.TEXT) == (199, 699)
    assert timed(model, (49, 549), Fairness.CODE) == model
