"""Contrasts of values that were taken in rounds."""

from math import exp, log, sqrt

import numpy as np
import pytest

from auditor.stats.blocked import compute_contrast

HEAD = (-0.5, -0.5, 1.0)


def test_by_hand():
    """Four rounds: nothing is trimmed; two orthogonal contrasts of length 1 tell the scatter."""
    rounds = [[1.0, 1.1, 1.3], [2.0, 2.0, 2.2], [1.5, 1.4, 1.6], [1.0, 1.0, 1.3]]
    ratio = compute_contrast(rounds, HEAD).compute_ratio(0.95)

    logs = [[log(side) for side in sides] for sides in rounds]
    heads = [c - (a + b) / 2 for a, b, c in logs]
    bases = [b - a for a, b, _ in logs]
    squares = sum((head - sum(heads) / 4) ** 2 for head in heads) / 1.5
    squares += sum((base - sum(bases) / 4) ** 2 for base in bases) / 2
    half = 2.4469119 * sqrt(squares / 6 * 1.5 / 4)
    assert ratio.estimate == pytest.approx(exp(sum(heads) / 4))
    assert (ratio.low, ratio.high) == pytest.approx(
        (ratio.estimate * exp(-half), ratio.estimate * exp(half))
    )


@pytest.mark.parametrize(("disturbed", "drift"), [(0.0, 0.0), (0.0, 0.3), (0.05, 0.3)])
def test_the_interval_keeps_its_level_however_the_machine_drifts(disturbed, drift):
    rng = np.random.default_rng(8)
    noise = rng.normal(0, 0.02, (2000, 8, 3)) + rng.normal(0, drift, (2000, 8, 1))
    noise += (rng.random(noise.shape) < disturbed) * rng.exponential(0.4, noise.shape)
    ratios = [compute_contrast(draw, HEAD).compute_ratio(0.98) for draw in np.exp(noise)]

    covered = np.mean([ratio.low <= 1 <= ratio.high for ratio in ratios])

    assert covered == pytest.approx(0.98, abs=0.015)


def test_what_rounds_share_does_not_widen_the_interval():
    rng = np.random.default_rng(9)
    noise = rng.normal(0, 0.02, (8, 3))
    quiet, drifting = (
        compute_contrast(np.exp(noise + more), HEAD).compute_ratio(0.95)
        for more in (0.0, rng.normal(0, 0.5, (8, 1)))
    )

    assert drifting.low == pytest.approx(quiet.low)
    assert drifting.high == pytest.approx(quiet.high)


def test_four_times_the_rounds_reach_half_as_far():
    result = compute_contrast(np.exp(np.random.default_rng(1).normal(0, 0.1, (30, 3))), HEAD)

    assert result.compute_half_width(400, 0.95) == pytest.approx(
        result.compute_half_width(100, 0.95) / 2, rel=0.01
    )
    assert result.compute_ratio(0.95).high == pytest.approx(
        exp(result.middle + result.compute_half_width(30, 0.95))
    )


def test_values_that_are_not_positive_are_refused():
    with pytest.raises(ValueError, match="not positive"):
        compute_contrast([[1.0, 1.0, 0.0]] * 4, HEAD)
