"""ROCKET, the third model of the study of learned stopping: random kernels and a ridge classifier.

Source: Dempster, Petitjean and Webb (2020), with the defaults of the implementation that the study
took. A kernel gives two features of a window: the greatest value, and the share of values above
zero. Needs scikit-learn to learn (the dependency group `training`), numpy alone afterwards.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import RidgeClassifierCV

from auditor.training.samples import Sample, Scores, Windows
from auditor.training.segments import WINDOW

KERNELS = 500
"""As many as the study takes."""
THRESHOLD = 0.5
"""Scores are verdicts, 0 or 1, so nothing is tuned."""
_SIZES = (7, 9, 11)
_ALPHAS = np.logspace(-3, 3, 10)
_AT_ONCE = 256


class Rocket:
    """A fitted model, of arrays by their names.

    Of each kernel: `weights` (kernels, 11), of which `sizes` count, `biases`, `dilations` and
    `paddings`, zeros before and behind a window. `coefficients` (2, kernels) are those of greatest
    values and of shares, `intercept` () of the decision, which is stable above zero.
    """

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        """Take the arrays of a file, by their names."""
        self.arrays = dict(arrays)

    def scores(self, windows: Windows) -> Scores:
        """Return 1 for each window (windows, 100) that is called stable, 0 for another."""
        found = features(self.arrays, windows).reshape(len(windows), -1)
        decision = found @ self.arrays["coefficients"].ravel() + self.arrays["intercept"]
        return np.asarray(decision > 0, dtype=np.float32)


def kernels(number: int, rng: np.random.Generator) -> dict[str, npt.NDArray[Any]]:
    """Draw kernels for windows of 100."""
    sizes = rng.choice(_SIZES, number)
    weights = np.zeros((number, max(_SIZES)), dtype=np.float32)
    for row, size in zip(weights, sizes, strict=True):
        drawn = rng.standard_normal(size)
        row[:size] = drawn - drawn.mean()
    dilations = (2 ** rng.uniform(0, np.log2((WINDOW - 1) / (sizes - 1)))).astype(np.int64)
    padded = rng.integers(0, 2, number)
    return {
        "weights": weights,
        "sizes": sizes,
        "biases": rng.uniform(-1, 1, number).astype(np.float32),
        "dilations": dilations,
        "paddings": padded * ((sizes - 1) * dilations // 2),
    }


def features(arrays: Mapping[str, Any], windows: Windows) -> npt.NDArray[np.float32]:
    """Return the greatest values and the shares above zero, (windows, 2, kernels)."""
    found = np.zeros((len(windows), 2, len(arrays["sizes"])), dtype=np.float32)
    shapes = np.stack([arrays[name] for name in ("sizes", "dilations", "paddings")], axis=1)
    # Kernels of one shape look at the same iterations: one product for all of them.
    for size, dilation, padding in np.unique(shapes, axis=0):
        alike = np.flatnonzero((shapes == (size, dilation, padding)).all(axis=1))
        weights, biases = arrays["weights"][alike, :size].T, arrays["biases"][alike]
        padded = np.pad(windows, ((0, 0), (padding, padding)))
        seen = np.lib.stride_tricks.sliding_window_view(padded, (size - 1) * dilation + 1, axis=1)
        for first in range(0, len(windows), _AT_ONCE):
            part = slice(first, first + _AT_ONCE)
            values = seen[part, :, ::dilation] @ weights + biases
            found[part, 0, alike] = values.max(axis=1)
            found[part, 1, alike] = (values > 0).mean(axis=1)
    return found


def fitted(learn: Sample, seed: int, number: int = KERNELS) -> Rocket:
    """Return a model that has learned; the same seed gives the same one."""
    drawn = kernels(number, np.random.default_rng(seed))
    cases = features(drawn, learn.windows).reshape(len(learn.stable), -1).astype(np.float64)
    scale = cases.std(axis=0)
    scale[scale == 0] = 1
    ridge = RidgeClassifierCV(alphas=_ALPHAS).fit(cases / scale, learn.stable)
    coefficients = np.ravel(ridge.coef_) / scale
    return Rocket(
        {
            **drawn,
            "coefficients": coefficients.astype(np.float32).reshape(2, number),
            "intercept": np.float32(np.ravel(ridge.intercept_)[0]),
        }
    )
