"""The study's networks, trained for a moment; `test_networks` runs this in a process of its own."""

import numpy as np
import pytest
from training.samples import Sample

from auditor.warmup.scorers.convolutional import ConvolutionalNetwork

# Of the library's own conversions between arrays, which its next release may do otherwise.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KERAS_BACKEND", "jax")
        patch.setenv("KERAS_HOME", str(tmp_path_factory.mktemp("keras")))
        from training import networks

        yield networks


@pytest.fixture
def small(networks):
    return networks.Network((((3, 4),), ((2, 3), (5, 3))), 2, 1e-5)


def sample(number: int, seed: int, *, wrong: bool = False) -> Sample:
    """Noise, with a step in the windows that are not stable; wrong: in those that are."""
    rng = np.random.default_rng(seed)
    stable = rng.random(number) < 0.6
    stepped = stable == wrong
    windows = rng.standard_normal((number, 100)) + 3 * (stepped[:, None] & (np.arange(100) < 50))
    return Sample(windows.astype(np.float32), stable)


@pytest.mark.parametrize(
    ("name", "channels", "weights"),
    [("FCN", [128, 256, 128], 263_168), ("OSCNN", [100, 220, 200], 289_210)],
)
def test_the_studys_networks_are_what_numpy_scores_as_the_library_does(
    networks, name, channels, weights
):
    trainee, windows = networks.Trainee(getattr(networks, name), 1), sample(20, 1).windows
    arrays = trainee.arrays()

    assert [len(arrays[f"bias_{block}"]) for block in range(3)] == channels
    assert sum(array.size for key, array in arrays.items() if key.startswith("kernel")) == weights
    assert {array.dtype for array in arrays.values()} == {np.dtype(np.float32)}
    expected = 1 / (1 + np.exp(-trainee.logits(windows)[:, -1]))
    assert ConvolutionalNetwork(arrays).score_windows(windows) == pytest.approx(expected, abs=1e-5)


def test_numpy_scores_windows_as_the_library_does_after_training(networks, small):
    trainee, learn = networks.Trainee(small, 1), sample(64, 1)
    trainee.fit(learn, sample(16, 2), networks.Schedule(seed=1, epochs=3, batch=16))

    expected = 1 / (1 + np.exp(-trainee.logits(learn.windows)[:, -1]))

    assert np.ptp(expected) > 0.01
    scores = ConvolutionalNetwork(trainee.arrays()).score_windows(learn.windows)
    assert scores == pytest.approx(expected, abs=1e-5)


def test_the_same_seed_gives_the_same_weights(networks, small):
    learn, validate, schedule = sample(48, 1), sample(16, 2), networks.Schedule(1, 2, 16)

    arrays, same = (networks.trained(small, learn, validate, schedule).arrays for _ in range(2))

    assert all((arrays[name] == same[name]).all() for name in arrays)
    first_weights, second_weights = (
        networks.Trainee(small, seed).arrays()["kernel_0_3"] for seed in (1, 2)
    )
    assert (first_weights != second_weights).any()


def test_it_learns_what_a_step_looks_like(networks, small):
    schedule = networks.Schedule(seed=1, epochs=12, batch=16)

    model = networks.trained(small, sample(128, 1), sample(64, 2), schedule)

    judge = sample(100, 3)
    scores = model.score_windows(judge.windows)
    assert scores[judge.stable].min() > scores[~judge.stable].max()


def test_the_weights_stay_that_were_best_on_what_validates(networks, small):
    learn, validate = sample(128, 1), sample(64, 2, wrong=True)

    first, last = (
        networks.trained(small, learn, validate, networks.Schedule(1, epochs, 16)).arrays
        for epochs in (1, 6)
    )

    assert all((first[name] == last[name]).all() for name in first)
