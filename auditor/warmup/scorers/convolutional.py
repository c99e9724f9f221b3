"""What a trained convolutional network says of windows, with numpy alone.

Of convolutions with the same length, each followed by a ReLU, the means over a window's iterations
are weighed. A convolution may have kernels of several sizes side by side.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from auditor.warmup.detector import Scores, Windows

Floats = npt.NDArray[np.float32]
_AT_ONCE = 128
"""Windows whose values fit into a processor's cache."""


class ConvolutionalNetwork:
    """A network, of arrays by their names, all single precision.

    `kernel_B_S` (S, channels before, channels after) is the kernel of size S in block B, counted
    from zero, its batch normalisation in it; `bias_B` (channels of all its kernels, by ascending
    size); `head` (channels) and `head_bias` () give the logit that a window is stable.
    """

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        """Take the arrays of a file, by their names."""
        self.arrays = dict(arrays)
        if np.ndim(arrays["head_bias"]):
            raise ValueError("head_bias is one number")
        self._blocks = [
            (_join_kernels(_sort_kernels(arrays, block)), arrays[f"bias_{block}"])
            for block in range(sum(name.startswith("bias_") for name in arrays))
        ]

    def score_windows(self, windows: Windows) -> Scores:
        """Return how stable each window (windows, 100) is, 0 to 1."""
        parts = np.split(windows, range(_AT_ONCE, len(windows), _AT_ONCE))
        logits = np.concatenate([self._compute_logits(part) for part in parts])
        return np.asarray(1 / (1 + np.exp(-logits)), dtype=np.float32)

    def _compute_logits(self, windows: Windows) -> Floats:
        values = windows[:, :, None]
        for (kernel, first), bias in self._blocks:
            values = np.maximum(_convolve_values(values, kernel, first) + bias, 0)
        pooled = values.mean(axis=1)
        return np.asarray(pooled @ self.arrays["head"] + self.arrays["head_bias"])


def _sort_kernels(arrays: Mapping[str, Any], block: int) -> list[Floats]:
    kernels = [arrays[name] for name in arrays if name.startswith(f"kernel_{block}_")]
    return sorted(kernels, key=len)


def _join_kernels(kernels: Sequence[Floats]) -> tuple[Floats, list[int]]:
    """Return kernels of ascending sizes as one, and its first channel that each place counts for.

    The places that a small one lacks are zeros, so they need not be multiplied.
    """
    size, before = len(kernels[-1]), kernels[0].shape[1]
    joint_kernel = np.zeros(
        (size, before, sum(kernel.shape[2] for kernel in kernels)), dtype=np.float32
    )
    first = [0] * size
    channel = joint_kernel.shape[2]
    for kernel in reversed(kernels):
        channel -= kernel.shape[2]
        left = (size - 1) // 2 - (len(kernel) - 1) // 2
        joint_kernel[left : left + len(kernel), :, channel : channel + kernel.shape[2]] = kernel
        first[left : left + len(kernel)] = [channel] * len(kernel)
    return joint_kernel, first


def _convolve_values(values: Floats, kernel: Floats, first: Sequence[int]) -> Floats:
    """Return (windows, length, channels); beyond both ends there are zeros."""
    size, length = len(kernel), values.shape[1]
    padded = np.pad(values, ((0, 0), ((size - 1) // 2, size // 2), (0, 0)))
    output = np.zeros((*values.shape[:2], kernel.shape[2]), dtype=np.float32)
    for place, (weights, channel) in enumerate(zip(kernel, first, strict=True)):
        output[:, :, channel:] += padded[:, place : place + length] @ weights[:, channel:]
    return output
