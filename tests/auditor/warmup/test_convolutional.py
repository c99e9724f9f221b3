"""Trained networks, read by numpy alone."""

import numpy as np
import pytest

from auditor.warmup.scorers.convolutional import ConvolutionalNetwork

RNG = np.random.default_rng(5)


def _numbers(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def _one_by_one(values: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """The definition: place 0 of a kernel is (size - 1) // 2 before, beyond the ends is nothing."""
    zeros = np.zeros((len(values), kernel.shape[2]))
    for index in range(len(values)):
        for place, weights in enumerate(kernel):
            source_index = index + place - (len(kernel) - 1) // 2
            if 0 <= source_index < len(values):
                zeros[index] += values[source_index] @ weights
    return zeros


def test_a_network_of_kernels_side_by_side_does_what_its_definition_says():
    sizes, windows = ((1, 2, 3, 7), (4, 5)), _numbers(3, 100)
    arrays = {f"kernel_0_{size}": _numbers(size, 1, 3) for size in sizes[0]}
    arrays |= {f"kernel_1_{size}": _numbers(size, 12, 2) for size in sizes[1]}
    arrays |= {"bias_0": _numbers(12), "bias_1": _numbers(4)}
    arrays |= {"head": _numbers(4), "head_bias": _numbers()}

    expected = []
    for window in windows:
        values = window[:, None]
        for block, numbers in enumerate(sizes):
            parts = [_one_by_one(values, arrays[f"kernel_{block}_{size}"]) for size in numbers]
            values = np.maximum(np.concatenate(parts, axis=1) + arrays[f"bias_{block}"], 0)
        logit = values.mean(axis=0) @ arrays["head"] + arrays["head_bias"]
        expected.append(1 / (1 + np.exp(-logit)))

    scores = ConvolutionalNetwork(arrays).score_windows(windows)

    assert scores.dtype == np.float32
    assert scores == pytest.approx(expected, abs=1e-5)


def test_many_windows_are_scored_as_each_alone():
    arrays = {"kernel_0_3": _numbers(3, 1, 2), "bias_0": _numbers(2), "head": _numbers(2)}
    network = ConvolutionalNetwork({**arrays, "head_bias": np.float32(0.5)})
    windows = _numbers(300, 100)

    scores = network.score_windows(windows)

    assert scores.shape == (300,)
    assert [scores[0], scores[299]] == pytest.approx(
        [network.score_windows(windows[index : index + 1])[0] for index in (0, 299)], abs=1e-6
    )
