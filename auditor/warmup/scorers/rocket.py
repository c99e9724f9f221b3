"""What ROCKET has learned says of windows: random kernels, and what their answers weigh.

Source: Dempster, Petitjean and Webb (2020), with the defaults of the implementation that the study
of learned stopping took. A kernel gives two features of a window: the greatest value, and the share
of values above zero.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from auditor.warmup.detector import WINDOW, Scores, Windows

_AT_ONCE = 256


class RandomKernels:
    """Random kernels, of arrays by their names, see `Rocket`.

    Those of one shape look at the same iterations: one product for all of them.
    """

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        """Take the arrays; raises ValueError for kernels that no window has room for."""
        shapes = np.stack([arrays[name] for name in ("sizes", "dilations", "paddings")], axis=1)
        self._number = len(shapes)
        self._alike = []
        for size, dilation, padding in np.unique(shapes, axis=0).tolist():
            if min(size, dilation) < 1 or not 0 <= padding <= WINDOW:
                raise ValueError("a kernel has no such shape")
            members = np.flatnonzero((shapes == (size, dilation, padding)).all(axis=1))
            places = dilation * np.arange(size)
            starts = np.arange(WINDOW + 2 * padding - (size - 1) * dilation)
            weights = np.ascontiguousarray(arrays["weights"][members, :size].T)
            around = starts[:, None] + places
            self._alike.append((padding, around, weights, arrays["biases"][members], members))

    def compute_features(self, windows: Windows) -> npt.NDArray[np.float32]:
        """Return the greatest values and the shares above zero, (windows, 2, kernels)."""
        kernel_features = np.zeros((len(windows), 2, self._number), dtype=np.float32)
        for padding, around, weights, biases, members in self._alike:
            padded = np.zeros((len(windows), WINDOW + 2 * padding), dtype=np.float32)
            padded[:, padding : padding + WINDOW] = windows
            for first in range(0, len(windows), _AT_ONCE):
                part = slice(first, first + _AT_ONCE)
                values = padded[part][:, around] @ weights + biases
                kernel_features[part, 0, members] = values.max(axis=1)
                kernel_features[part, 1, members] = (values > 0).mean(axis=1)
        return kernel_features


class Rocket:
    """A fitted model, of arrays by their names.

    Of each kernel: `weights` (kernels, 11), of which `sizes` count, `biases`, `dilations` and
    `paddings`, zeros before and behind a window. `coefficients` (2, kernels) are those of greatest
    values and of shares, `intercept` () of the decision, which is stable above zero.
    """

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        """Take the arrays of a file, by their names."""
        self.arrays = dict(arrays)
        self._kernels = RandomKernels(arrays)
        if np.ndim(arrays["intercept"]):
            raise ValueError("the intercept is one number")

    def score_windows(self, windows: Windows) -> Scores:
        """Return 1 for each window (windows, 100) that is called stable, 0 for another."""
        kernel_features = self._kernels.compute_features(windows).reshape(len(windows), -1)
        decision = kernel_features @ self.arrays["coefficients"].ravel() + self.arrays["intercept"]
        return np.asarray(decision > 0, dtype=np.float32)
