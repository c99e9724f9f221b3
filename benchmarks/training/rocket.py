"""ROCKET, the third model of the study of learned stopping: random kernels and a ridge classifier.

Needs scikit-learn (the dependency group `training`); what it has learned is run with numpy alone.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import RidgeClassifierCV

from auditor.warmup.detector import WINDOW
from auditor.warmup.scorers.rocket import RandomKernels, Rocket
from training.samples import Sample

KERNELS = 500
"""As many as the study takes."""
THRESHOLD = 0.5
"""Scores are verdicts, 0 or 1, so nothing is tuned."""
_SIZES = (7, 9, 11)
_ALPHAS = np.logspace(-3, 3, 10)


def kernels(number: int, rng: np.random.Generator) -> dict[str, npt.NDArray[Any]]:
    """Draw kernels for windows of 100."""
    sizes = rng.choice(_SIZES, number)
    weights = np.zeros((number, max(_SIZES)), dtype=np.float32)
    for row, size in zip(weights, sizes, strict=True):
        normals = rng.standard_normal(size)
        row[:size] = normals - normals.mean()
    dilations = (2 ** rng.uniform(0, np.log2((WINDOW - 1) / (sizes - 1)))).astype(np.int64)
    padded = rng.integers(0, 2, number)
    return {
        "weights": weights,
        "sizes": sizes,
        "biases": rng.uniform(-1, 1, number).astype(np.float32),
        "dilations": dilations,
        "paddings": padded * ((sizes - 1) * dilations // 2),
    }


def fitted(learn: Sample, seed: int, number: int = KERNELS) -> Rocket:
    """Return a model that has learned; the same seed gives the same one."""
    random_kernels = kernels(number, np.random.default_rng(seed))
    cases = (
        RandomKernels(random_kernels)
        .compute_features(learn.windows)
        .reshape(len(learn.stable), -1)
        .astype(np.float64)
    )
    scale = cases.std(axis=0)
    scale[scale == 0] = 1
    ridge = RidgeClassifierCV(alphas=_ALPHAS).fit(cases / scale, learn.stable)
    coefficients = np.ravel(ridge.coef_) / scale
    return Rocket(
        {
            **random_kernels,
            "coefficients": coefficients.astype(np.float32).reshape(2, number),
            "intercept": np.float32(np.ravel(ridge.intercept_)[0]),
        }
    )
