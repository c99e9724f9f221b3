"""What boosted trees that were grown elsewhere say of a run so far."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.special import expit

from auditor.stats.arrays import Array
from auditor.warmup.forest import Forest
from auditor.warmup.run_so_far import RunSoFar, build_feature_vector
from auditor.warmup.steady_start import find_start_candidates


class FeatureTrees:
    """Trees on named features.

    `names` (features) are those of a case, `values` (nodes) what a leaf adds to the whole.
    """

    def __init__(self, names: Array, forest: Forest, values: Array) -> None:
        """Take them; raises ValueError where they do not fit."""
        self.names = [str(name) for name in names]
        self._forest = forest
        self._values = np.asarray(values, dtype=np.float64)
        self._forest.check_nodes(len(self.names))
        if self._values.shape != self._forest.features.shape:
            raise ValueError("there are not as many values as nodes")

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any], prefix: str) -> "FeatureTrees":
        """Take the arrays whose names begin so."""
        forest = Forest.from_arrays(arrays, prefix)
        return cls(arrays[f"{prefix}_names"], forest, arrays[f"{prefix}_values"])

    def to_arrays(self, prefix: str) -> dict[str, Any]:
        """Return the arrays by their names, as `from_arrays` takes them."""
        names, values = np.array(self.names), self._values
        tree_arrays = {f"{prefix}_names": names, f"{prefix}_values": values}
        return tree_arrays | self._forest.to_arrays(prefix)

    def sum_leaves(self, case: Array) -> float:
        """Return what the leaves of a case (features,) add up to."""
        return float(self._values[self._forest.find_leaves(case)].sum())


class BoostedTrees:
    """Three groups of trees, each with arrays of its own in a file.

    `stable` say how likely the last window is stable, as a logit; `near` how likely its mean is as
    good as that of the steady part; `begun` what it is worth to take a place for the last iteration
    of the warm-up.
    """

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        """Take the arrays of a file, by their names; raises ValueError where they do not fit."""
        self.stable, self._near, self._begun = (
            FeatureTrees.from_arrays(arrays, prefix) for prefix in ("stable", "near", "begun")
        )
        self.arrays = dict(arrays)

    @classmethod
    def from_parts(
        cls, stable: FeatureTrees, accuracy: FeatureTrees, last: FeatureTrees
    ) -> "BoostedTrees":
        """Return a model of its parts."""
        return cls(
            stable.to_arrays("stable") | accuracy.to_arrays("near") | last.to_arrays("begun")
        )

    def score_window(self, case: Array) -> float:
        """Return how likely the last window of a run (features of `stable`,) is stable, 0 to 1."""
        return float(expit(self.stable.sum_leaves(case)))

    def score_readiness(self, features: Mapping[str, float]) -> float:
        """Return how much speaks for measuring the last window of a run with such features.

        0 to 1: the mean of how likely it is stable and of how likely its mean is right.
        """
        totals = [
            trees.sum_leaves(build_feature_vector(features, trees.names))
            for trees in (self.stable, self._near)
        ]
        return float(expit(totals).mean())

    def last_warmup(self, run: RunSoFar, features: Mapping[str, float]) -> int:
        """Return the iteration, from zero, that is best taken for the last one of the warm-up."""
        candidates = find_start_candidates(run, features)
        columns = [candidates.names.index(name) for name in self._begun.names]
        scores = [self._begun.sum_leaves(side) for side in candidates.sides[:, columns]]
        return int(candidates.places[int(np.argmax(scores))])
