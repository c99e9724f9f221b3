"""Forests of decision trees that were grown elsewhere, as arrays: what they say of a case."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from auditor.stats.arrays import Array

_ARRAYS = ("roots", "features", "thresholds", "left", "right")


@dataclass(frozen=True, slots=True)
class Forest:
    """Trees whose nodes stand one after the other; a node that is its own child is a leaf.

    `roots` are the first nodes of the trees. A case goes left where its feature is at most the
    threshold; both are single precision, as they were when the trees were grown.
    """

    roots: npt.NDArray[np.int32]
    features: npt.NDArray[np.int16]
    thresholds: npt.NDArray[np.float32]
    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any], prefix: str) -> "Forest":
        """Take the arrays whose names begin so."""
        return cls(*(arrays[f"{prefix}_{name}"] for name in _ARRAYS))

    def to_arrays(self, prefix: str) -> dict[str, Any]:
        """Return the arrays by their names, as `from_arrays` takes them."""
        return {f"{prefix}_{name}": getattr(self, name) for name in _ARRAYS}

    def check_nodes(self, features: int) -> None:
        """Raise ValueError where nodes cannot be those of trees on so many features.

        Children stand behind their parents, so that every case comes to a leaf.
        """
        nodes = np.arange(len(self.features))
        below = np.stack((self.left, self.right))
        if not (
            self.features.shape == self.thresholds.shape == self.left.shape == self.right.shape
            and self.features.ndim == self.roots.ndim == 1
            and len(nodes)
            and len(self.roots)
            and ((below >= nodes) & (below < len(nodes))).all()
            and ((self.left == nodes) == (self.right == nodes)).all()
            and ((self.features >= 0) & (self.features < features)).all()
            and ((self.roots >= 0) & (self.roots < len(nodes))).all()
        ):
            raise ValueError("its nodes are those of no trees")

    def find_leaves(self, case: Array) -> npt.NDArray[np.int32]:
        """Return the leaf that a case comes to in each tree."""
        # All nodes at once: that is less work for numpy than those on the way, step by step.
        goes_left = case.astype(np.float32)[self.features] <= self.thresholds
        below = np.where(goes_left, self.left, self.right)
        nodes = self.roots
        while True:
            following = below[nodes]
            if (following == nodes).all():
                return nodes
            nodes = following


def round_down_thresholds(thresholds: Array) -> npt.NDArray[np.float32]:
    """Round down to single precision: the same cases of that precision are at most it."""
    single = thresholds.astype(np.float32)
    return np.where(single > thresholds, np.nextafter(single, np.float32(-np.inf)), single)


def compute_weights(leaves: npt.NDArray[np.int32], training_leaves: npt.NDArray[np.int32]) -> Array:
    """Return how much each of the cases that trees were grown with is like one.

    `leaves` are those of the one case (trees), `training_leaves` of the others (trees, cases).
    Quantile regression forests (Meinshausen 2006): the mean over trees of the shares in a leaf.
    """
    same = training_leaves == leaves[:, None]
    return np.asarray((same / same.sum(axis=1, keepdims=True)).mean(axis=0))


def weighted_median(values: Array, weight: Array) -> float:
    """Return the least value at which half of the weight is reached."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weight[order])
    return float(values[order][np.searchsorted(reached, reached[-1] / 2)])
