"""Random kernels and a ridge classifier."""

import numpy as np
import pytest
from training.rocket import fitted, kernels
from training.samples import Sample

from auditor.warmup.scorers.rocket import RandomKernels, Rocket

KERNELS = {
    "weights": np.array([[1, -2, 0, 0, 0, 0, 1, 9, 9], [0, 0, 3, 0, 0, 0, 0, 0, 1]]),
    "sizes": np.array([7, 9]),
    "biases": np.array([0.5, -0.25]),
    "dilations": np.array([2, 1]),
    "paddings": np.array([0, 4]),
}


def sample(number: int, seed: int) -> Sample:
    """Noise, with a step in the windows that are not stable."""
    rng = np.random.default_rng(seed)
    stable = rng.random(number) < 0.6
    windows = rng.standard_normal((number, 100)) + 3 * (~stable[:, None] & (np.arange(100) < 50))
    return Sample(windows.astype(np.float32), stable)


def test_a_kernel_gives_its_greatest_value_and_the_share_above_zero():
    windows = sample(300, 3).windows

    features = RandomKernels(KERNELS).compute_features(windows)

    for index in (0, 299):
        padded = np.pad(windows[index], 4)
        values = (
            [
                windows[index, i] - 2 * windows[index, i + 2] + windows[index, i + 12] + 0.5
                for i in range(88)
            ],
            [3 * padded[i + 2] + padded[i + 8] - 0.25 for i in range(100)],
        )
        for kernel, responses in enumerate(map(np.array, values)):
            assert features[index, 0, kernel] == pytest.approx(responses.max(), abs=1e-5)
            assert features[index, 1, kernel] == pytest.approx((responses > 0).mean())


def test_kernels_are_drawn_as_their_inventors_say():
    parameters = kernels(400, np.random.default_rng(4))
    sizes, reach = parameters["sizes"], (parameters["sizes"] - 1) * parameters["dilations"]

    assert set(sizes.tolist()) == {7, 9, 11}
    assert abs(parameters["weights"].sum(axis=1)).max() < 1e-5
    assert all(not row[size:].any() for row, size in zip(parameters["weights"], sizes, strict=True))
    assert parameters["dilations"].min() == 1
    assert 90 < reach.max() < 100
    padded = parameters["paddings"] > 0
    assert (parameters["paddings"][padded] == reach[padded] // 2).all()
    assert 0.4 < padded.mean() < 0.6
    assert abs(parameters["biases"]).max() <= 1


def test_it_learns_what_a_step_looks_like_and_gives_verdicts():
    learn, judge = sample(200, 1), sample(200, 2)

    model = fitted(learn, seed=1, number=60)

    scores = model.score_windows(judge.windows)
    assert set(scores.tolist()) == {0.0, 1.0}
    assert ((scores == 1) == judge.stable).mean() > 0.95
    reloaded_scores = Rocket(model.arrays).score_windows(judge.windows)
    assert (reloaded_scores == scores).all()


def test_the_same_seed_gives_the_same_model():
    learn = sample(60, 1)

    document, same, reseeded = (fitted(learn, seed, number=20).arrays for seed in (1, 1, 2))

    assert all((document[name] == same[name]).all() for name in document)
    assert (document["biases"] != reseeded["biases"]).any()
