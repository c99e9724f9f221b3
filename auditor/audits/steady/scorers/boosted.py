"""What boosted trees that were grown elsewhere say of a case."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.special import expit

from auditor.audits.steady.forest import Forest
from auditor.stats.arrays import Array

_PREFIX = "tree"


class Boosted:
    """Trees, of arrays by their names.

    `names` (features) are those of a case, `tree_…` the nodes as `Forest` takes them, and `values`
    (nodes) what a leaf adds to the logit that a run is warm.
    """

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        """Take the arrays of a file, by their names; raises ValueError where they do not fit."""
        self.arrays = dict(arrays)
        self.names = [str(one) for one in arrays["names"]]
        self._forest = Forest.of(arrays, _PREFIX)
        self._values = np.asarray(arrays["values"], dtype=np.float64)
        self._forest.check(len(self.names))
        if self._values.shape != self._forest.features.shape:
            raise ValueError("there are not as many values as nodes")

    @classmethod
    def of(cls, names: Array, forest: Forest, values: Array) -> "Boosted":
        """Return trees of features with such names."""
        return cls({"names": names, "values": values, **forest.arrays(_PREFIX)})

    def score(self, case: Array) -> float:
        """Return how likely a run (features,) is warm, 0 to 1."""
        return float(expit(self._values[self._forest.leaves(case)].sum()))
