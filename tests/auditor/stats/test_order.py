"""The interval of the median, against what is known of coin flips."""

import numpy as np
import pytest

from auditor.stats.proportions import median_interval


@pytest.mark.parametrize(
    ("count", "inside"),
    [(7, None), (8, 1), (11, 1), (12, 2), (14, 2), (15, 3), (20, 4), (35, 10)],
)
def test_the_ranks_are_those_of_the_sign_test(count, inside):
    """One more than its critical values at 1 %, two-sided, as tables have them."""
    result = median_interval(range(1, count + 1), 0.99)

    assert result == (None if inside is None else (inside, count + 1 - inside))


@pytest.mark.parametrize("draw", ["normal", "exponential", "cauchy"])
def test_the_median_is_inside_as_often_as_promised(draw):
    rng = np.random.default_rng(11)
    middle = {"normal": 0.0, "exponential": np.log(2), "cauchy": 0.0}[draw]
    sample = getattr(rng, f"standard_{draw}")
    intervals = [median_interval(sample(12), 0.99) for _ in range(4000)]

    inside = np.mean([low <= middle <= high for low, high in intervals])

    assert inside == pytest.approx(1 - 2 * 13 / 2**12, abs=0.005)


def test_one_disturbed_value_of_twelve_moves_no_end_beyond_the_others():
    assert median_interval([1.0] * 11 + [1e9], 0.99) == (1.0, 1.0)


def test_what_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="finite"):
        median_interval([1.0, float("nan")], 0.99)
