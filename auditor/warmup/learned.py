"""Our detector: two forests that learned from people's judgements of whole series.

`benchmarks/results/steady.md` says what they saw, how good they are, and how they are made again.
"""

from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np
import numpy.typing as npt

from auditor.warmup import features
from auditor.warmup.detector import Steadiness, Values
from auditor.warmup.forest import Forest, compute_weights, weighted_median

LENGTH = 3000
"""Iterations of the series that were judged."""
ITERATION_SECONDS = 0.1
"""How long they lasted."""
MODEL = "learned.npz"


class ForestModel:
    """The two forests, and what they learned from.

    One says whether a series becomes steady, by the shares of such series in its leaves; the other
    says where, by the starts that people saw in series that are like it.
    """

    def __init__(self, arrays: dict[str, npt.NDArray[np.generic]]) -> None:
        """Take the arrays of a model file, by their names."""
        self._arrays = arrays
        self.names = [str(name) for name in arrays["names"]]
        self._steady = Forest.from_arrays(arrays, "steady")
        self._shares = np.asarray(arrays["steady_shares"], dtype=np.float64)
        self._start = Forest.from_arrays(arrays, "start")
        self._known = np.asarray(arrays["start_leaves"], dtype=np.int32)
        self._starts = np.asarray(arrays["starts"], dtype=np.float64)
        self.threshold = float(arrays["threshold"])

    def save_model(self, path: Path) -> None:
        """Write the arrays to a file."""
        with path.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **self._arrays)

    def estimate_steady_chance(self, case: Values) -> float:
        """Return how sure it is that a series becomes steady, 0 to 1."""
        return float(self._shares[self._steady.find_leaves(case)].mean())

    def estimate_start(self, case: Values) -> float:
        """Return where a series of LENGTH iterations would be steady, if it is at all."""
        likeness = compute_weights(self._start.find_leaves(case), self._known)
        return weighted_median(self._starts, likeness)


@cache
def load_shipped_forests() -> ForestModel:
    """Return the model that comes with this package."""
    with (resources.files("auditor.warmup") / MODEL).open("rb") as file:
        return ForestModel(dict(np.load(file, allow_pickle=False)))


class LearnedDetector:
    """The detector; without a model it takes the shipped one."""

    name = "learned"
    min_iterations = features.LEAST
    max_iterations = None
    trained_length = LENGTH
    iteration_seconds = ITERATION_SECONDS

    def __init__(self, model: ForestModel | None = None) -> None:
        """Take a model; the shipped one is not kept, as other processes are handed a detector."""
        self._given = model

    @property
    def _forest_model(self) -> ForestModel:
        return self._given or load_shipped_forests()

    def find_steady_start(self, values: Values) -> Steadiness:
        """Judge a series; places are taken as parts of its length."""
        case = self._build_case(values)
        if self._forest_model.estimate_steady_chance(case) < self._forest_model.threshold:
            return Steadiness(None)
        return Steadiness(_scale_start(self._forest_model.estimate_start(case), len(values)))

    def _build_case(self, values: Values) -> Values:
        feature_values = features.compute_features(values)
        return np.array([feature_values[name] for name in self._forest_model.names])


def _scale_start(start: float, length: int) -> int:
    return min(round(start * length / LENGTH), length - 1)
