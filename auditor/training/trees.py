"""Boosted trees on what a run looks like so far: the model that is to be better than the study's.

Needs LightGBM (the dependency group `training`). A case is a run up to the end of a window, not the
window alone, and not standardised: how long a level has lasted tells more than its shape.
"""

from collections.abc import Mapping, Sequence

import lightgbm as lgb
import numpy as np
import numpy.typing as npt

from auditor.audits.steady.configured import lengths
from auditor.audits.steady.detector import Values
from auditor.audits.steady.sofar import WINDOW, SoFar
from auditor.training.scores import Truth
from auditor.training.segments import Starts

Cases = npt.NDArray[np.float32]

ROUNDS = 150
_SETTINGS: Mapping[str, object] = {
    "objective": "binary",
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


def cases(values: Values, starts: Starts) -> tuple[tuple[str, ...], Cases]:
    """Return names of features and what they are at the ends of windows, (windows, features).

    `values` are seconds per operation in iterations of 100 ms, `starts` where windows begin, in
    ascending order.
    """
    run, found = SoFar(), []
    ends = {int(start) + WINDOW for start in starts}
    for number, (one, lasted) in enumerate(zip(values, lengths(values), strict=True), start=1):
        run.observe(float(one), float(lasted))
        if number in ends:
            found.append(run.features())
        if len(found) == len(ends):
            break
    names = tuple(found[0])
    return names, np.array([[one[name] for name in names] for one in found], dtype=np.float32)


def grown(known: Cases, stable: Truth, seed: int) -> lgb.Booster:
    """Return trees that tell whether a window is stable; the same for the same seed."""
    data = lgb.Dataset(known, stable)
    return lgb.train({**_SETTINGS, "seed": seed}, data, ROUNDS)


def scores(trees: lgb.Booster, asked: Cases) -> Values:
    """Return how stable each window is, 0 to 1."""
    return np.asarray(trees.predict(asked), dtype=np.float64)


def position(names: Sequence[str]) -> list[int]:
    """Return the columns that say how long a run has lasted and nothing else."""
    return [names.index("iterations")]
