"""Boosted trees on what a run looks like so far: the model that is to be better than the study's.

Needs LightGBM (the dependency group `training`). A case is a run up to the end of a window, not the
window alone, and not standardised: how long a level has lasted tells more than its shape.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import lightgbm as lgb
import numpy as np

from auditor.warmup.detector import Values
from auditor.warmup.forest import Forest, round_down_thresholds
from auditor.warmup.scorers.boosted import FeatureTrees
from training.looks import Cases
from training.scores import Truth

ROUNDS = 150
READY = 0.25
"""A rule stops from there on: means of looks (`audits.steady.scored`) of the shared systems, each
judged by trees that have not seen it, gain most by it beside settings and dynamic rules."""
_LAST_ROUNDS = 200
_SETTINGS: Mapping[str, object] = {
    "num_leaves": 24,
    "learning_rate": 0.08,
    "min_data_in_leaf": 100,
    "feature_fraction": 0.25,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 10,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbosity": -1,
}


def grown(cases: Cases, stable: Truth, seed: int) -> lgb.Booster:
    """Return trees that tell whether a case is one of the true ones; the same for the same seed."""
    data = lgb.Dataset(cases, stable)
    return lgb.train({**_SETTINGS, "objective": "binary", "seed": seed}, data, ROUNDS)


def valued(cases: Cases, worth: Values, seed: int) -> lgb.Booster:
    """Return trees that tell what a case is worth; the same for the same seed."""
    data = lgb.Dataset(cases, worth)
    settings = {"objective": "regression", "num_leaves": 31, "learning_rate": 0.06}
    return lgb.train({**_SETTINGS, **settings, "seed": seed}, data, _LAST_ROUNDS)


def scores(trees: lgb.Booster, cases: Cases) -> Values:
    """Return how stable each window is, 0 to 1."""
    return np.asarray(trees.predict(cases), dtype=np.float64)


def table(trees: lgb.Booster, names: Sequence[str]) -> FeatureTrees:
    """Return trees as arrays that need no library; `names` are those of the features."""
    nodes, roots = _Nodes(), []
    for tree in trees.dump_model()["tree_info"]:
        roots.append(len(nodes.values))
        nodes.add(tree["tree_structure"])
    forest = Forest(
        np.array(roots, dtype=np.int32),
        np.array(nodes.features, dtype=np.int16),
        round_down_thresholds(np.array(nodes.thresholds)),
        np.array(nodes.left, dtype=np.int32),
        np.array(nodes.right, dtype=np.int32),
    )
    return FeatureTrees(np.array(names), forest, np.array(nodes.values))


class _Nodes:
    """Nodes one after the other, a leaf being its own child."""

    def __init__(self) -> None:
        self.features: list[int] = []
        self.thresholds: list[float] = []
        self.left: list[int] = []
        self.right: list[int] = []
        self.values: list[float] = []

    def add(self, node: Mapping[str, Any]) -> int:
        """Append a node and what is below it; return where it stands."""
        index = len(self.values)
        self.features.append(node.get("split_feature", 0))
        self.thresholds.append(node.get("threshold", 0.0))
        self.values.append(node.get("leaf_value", 0.0))
        self.left.append(index)
        self.right.append(index)
        if "split_feature" in node:
            self.left[index] = self.add(node["left_child"])
            self.right[index] = self.add(node["right_child"])
            self.values[index] = 0.0
        return index


def position(names: Sequence[str]) -> list[int]:
    """Return the columns that say how long a run has lasted and nothing else."""
    return [names.index("iterations")]
