"""The learned detector: features, forests, and what it says of clear cases."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from steady_making import falling

from auditor.warmup import learned
from auditor.warmup.forest import Forest, compute_weights, round_down_thresholds, weighted_median
from auditor.warmup.learned import LearnedDetector, _scale_start, load_shipped_forests


def test_the_shipped_model_is_of_these_features():
    assert load_shipped_forests().names == list(learned.compute_features(falling()))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([1000, 1001, 1499, 3000, 3600]), st.floats(-9, 9))
def test_features_are_finite_and_do_not_know_the_unit(seed, length, power):
    values = falling(length=length, warm=seed % length, seed=seed)
    values[seed % length] *= 50

    plain = learned.compute_features(values)
    scaled = learned.compute_features(values * 10.0**power)

    assert all(np.isfinite(value) for value in plain.values())
    assert list(plain) == list(scaled)
    moved = {name for name in plain if plain[name] != pytest.approx(scaled[name], abs=1e-3)}
    # Of places that are as good as each other rounding chooses one.
    assert {name for name in moved if not name.endswith(" at")} <= {"time"}


def test_a_case_comes_to_the_leaf_that_the_questions_lead_to():
    # Two trees: x0 <= 1 ? a : (x1 <= 5 ? b : c), and one leaf.
    forest = Forest(
        roots=np.array([0, 5], np.int32),
        features=np.array([0, 0, 1, 0, 0, 0], np.int16),
        thresholds=np.array([1, 0, 5, 0, 0, 0], np.float32),
        left=np.array([1, 1, 3, 3, 4, 5], np.int32),
        right=np.array([2, 1, 4, 3, 4, 5], np.int32),
    )

    assert forest.find_leaves(np.array([1.0, 9.0])).tolist() == [1, 5]
    assert forest.find_leaves(np.array([2.0, 5.0])).tolist() == [3, 5]
    assert forest.find_leaves(np.array([2.0, 6.0])).tolist() == [4, 5]


def test_likeness_is_the_mean_of_shares_in_leaves():
    training_leaves = np.array([[1, 1, 2], [3, 4, 4]], np.int32)

    result = compute_weights(np.array([1, 4], np.int32), training_leaves)

    assert result == pytest.approx([0.25, 0.5, 0.25])


@pytest.mark.parametrize(
    ("weight", "middle"), [((1, 1, 1), 20), ((3, 1, 1), 10), ((1, 1, 2), 20), ((0, 0, 1), 30)]
)
def test_the_weighted_median(weight, middle):
    assert weighted_median(np.array([10.0, 20.0, 30.0]), np.array(weight)) == middle


def test_what_settles_early_is_steady_and_what_wanders_is_not():
    rng = np.random.default_rng(2)
    wandering = np.exp(rng.standard_normal(3000).cumsum() * 0.05)

    assert LearnedDetector().find_steady_start(falling(warm=60)).start is not None
    assert LearnedDetector().find_steady_start(wandering).start is None


def test_places_are_parts_of_the_length():
    series = falling(warm=60)

    assert 0 <= LearnedDetector().find_steady_start(series).start < 3000
    assert 0 <= LearnedDetector().find_steady_start(np.repeat(series, 2)).start < 6000
    assert (_scale_start(300.0, 6000), _scale_start(3000.0, 3000)) == (600, 2999)


def test_thresholds_are_rounded_down_so_that_the_same_cases_are_at_most_them():
    exact = np.array([0.1, 0.5, -0.1, 1e-30])
    rounded = round_down_thresholds(exact)

    assert (rounded.astype(np.float64) <= exact).all()
    assert (np.nextafter(rounded, np.float32(np.inf)).astype(np.float64) > exact).all()
