"""Makes the model of the learned detector, and says how good it is on systems it has not seen.

Needs scikit-learn (the dependency group `training`) and the shared set of judged series. For each
system the forests are grown without it, the threshold of the verdict included; then once with all
of them, which is what is written.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from corpus import Corpus, add_option, opened
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import GroupKFold

from auditor.warmup import learned
from auditor.warmup.forest import Forest, round_down_thresholds
from auditor.warmup.learned import LENGTH, ForestModel, LearnedDetector, compute_features

OUT = Path(learned.__file__).with_name(learned.MODEL)
SHARED = {"random_state": 1, "n_jobs": -1, "max_features": 0.6}
STARTS = {"min_samples_leaf": 3, **SHARED}
VERDICTS = {"min_samples_leaf": 5, "class_weight": "balanced", **SHARED}
THRESHOLDS = np.arange(0.4, 0.7, 0.01)
SMOOTH = 9
FOLDS = 8
SEED = 1
MADE_UP = 30
"""Of each kind of series that is made up."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The judged series: their features (series, features), and what people said of them."""

    names: list[str]
    columns: list[str]
    cases: np.ndarray
    systems: np.ndarray
    steady: np.ndarray
    reference: np.ndarray
    compared: np.ndarray

    @property
    def placed(self) -> np.ndarray:
        """Tell which series people called steady, so that there is a reference."""
        return self.steady & ~np.isnan(self.reference)


def _described(corpus: Corpus, name: str) -> dict[str, float]:
    return compute_features(corpus.series(name)[0])


def judged(corpus: Corpus) -> Judged:
    """Read the first fork of each judged series."""
    rows = corpus.judged
    names = [row["series"] for row in rows]
    with ProcessPoolExecutor() as pool:
        result = list(pool.map(partial(_described, corpus), names))
    compared = [corpus.indices[f"{name}_0"] >= 0 and corpus.starts(name)[0] >= 0 for name in names]
    columns = list(result[0])
    return Judged(
        names=names,
        columns=columns,
        cases=np.array([[features[column] for column in columns] for features in result]),
        systems=np.array([name.partition("#")[0] for name in names]),
        steady=np.array([row["binary"] == "steady" for row in rows]),
        reference=np.array([float(row["reference_index"] or "nan") for row in rows]),
        compared=np.array(compared),
    )


def forest(grown: Any) -> tuple[Forest, np.ndarray, list[np.ndarray]]:
    """Return a forest as ours, the values of its nodes, and where the nodes of each tree begin."""
    trees = [estimator.tree_ for estimator in grown.estimators_]
    roots = np.cumsum([0, *(tree.node_count for tree in trees)])[:-1]
    columns: dict[str, list[np.ndarray]] = {"f": [], "t": [], "l": [], "r": [], "v": []}
    for root, tree in zip(roots, trees, strict=True):
        indices = np.arange(tree.node_count)
        leaf = tree.children_left < 0
        columns["f"].append(np.where(leaf, 0, tree.feature))
        columns["t"].append(round_down_thresholds(np.where(leaf, 0.0, tree.threshold)))
        columns["l"].append(root + np.where(leaf, indices, tree.children_left))
        columns["r"].append(root + np.where(leaf, indices, tree.children_right))
        columns["v"].append(tree.value.reshape(tree.node_count, -1)[:, -1])
    arrays = {name: np.concatenate(parts) for name, parts in columns.items()}
    compact_forest = Forest(
        roots.astype(np.int32), arrays["f"].astype(np.int16), arrays["t"],
        arrays["l"].astype(np.int32), arrays["r"].astype(np.int32),
    )  # fmt: skip
    return compact_forest, arrays["v"].astype(np.float32), list(roots)


def grown(dataset: Judged, use: np.ndarray, trees: int, threshold: float) -> ForestModel:
    """Grow both forests with the series in `use`."""
    steady = verdicts(dataset, use, trees)
    placed = use & dataset.placed
    start = ExtraTreesRegressor(trees, **STARTS)
    start.fit(dataset.cases[placed], np.log1p(dataset.reference[placed]))
    first, shares, _ = forest(steady)
    second, _, roots = forest(start)
    leaves = start.apply(dataset.cases[placed]).T + np.array(roots)[:, None]
    return ForestModel(
        {
            "names": np.array(dataset.columns),
            "threshold": np.array(threshold),
            "steady_shares": shares,
            "starts": dataset.reference[placed].astype(np.float32),
            "start_leaves": leaves.astype(np.int32),
            **first.to_arrays("steady"),
            **second.to_arrays("start"),
        }
    )


def verdicts(dataset: Judged, use: np.ndarray, trees: int) -> ExtraTreesClassifier:
    """Grow the forest that says whether, with series made up for what no system shows clearly."""
    cases, steady = made_up()
    all_cases = np.concatenate((dataset.cases[use], cases))
    return ExtraTreesClassifier(trees, **VERDICTS).fit(
        all_cases, np.concatenate((dataset.steady[use], steady))
    )


@cache
def made_up() -> tuple[np.ndarray, np.ndarray]:
    """Return features of series about which there is no doubt, and whether they are steady.

    Not: a random walk, a step in the last sixth, a drift all along. Steady: an early step, a
    quick decay. Each has noise and a level of its own.
    """
    rng = np.random.default_rng(SEED)
    cases, steady = [], []
    for _ in range(MADE_UP):
        level, noise = 10 ** rng.uniform(-8, -1), 10 ** rng.uniform(-3, -1)
        plain = np.log(level) + noise * rng.standard_normal(LENGTH)
        walk = 10 ** rng.uniform(-3, -1.3) * rng.standard_normal(LENGTH).cumsum()
        step = rng.choice((-1, 1)) * max(0.1, 4 * noise)
        late = np.arange(LENGTH) >= rng.integers(2500, 2950)
        drift = np.linspace(0, rng.choice((-1, 1)) * max(0.2, 8 * noise), LENGTH)
        early = np.arange(LENGTH) < int(10 ** rng.uniform(0.5, 3))
        decay = np.exp(-np.arange(LENGTH) / 10 ** rng.uniform(0.5, 2.5))
        changes = (walk, step * late, drift, abs(step) * early, 2 * abs(step) * decay)
        cases += [[*compute_features(np.exp(plain + change)).values()] for change in changes]
        steady += [False, False, False, True, True]
    return np.array(cases), np.array(steady)


def best_threshold(dataset: Judged, use: np.ndarray, trees: int) -> float:
    """Return the threshold that is best on systems left out, smoothed over its neighbours."""
    among = np.flatnonzero(use)
    chances = np.zeros(len(among))
    folds = GroupKFold(FOLDS).split(among, groups=dataset.systems[among])
    for train, test in folds:
        classifier = verdicts(dataset, np.isin(np.arange(len(dataset.names)), among[train]), trees)
        chances[test] = classifier.predict_proba(dataset.cases[among[test]])[:, 1]
    steady = dataset.steady[among]
    scores = [
        ((chances >= limit) == steady).mean() + balanced_accuracy_score(steady, chances >= limit)
        for limit in THRESHOLDS
    ]
    smooth = np.convolve(scores, np.ones(SMOOTH) / SMOOTH, "valid")
    return float(THRESHOLDS[SMOOTH // 2 :][int(smooth.argmax())])


def cross_validated(dataset: Judged, trees: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return starts, chances and verdicts, each by forests that saw nothing of the system."""
    starts, chances = np.zeros(len(dataset.names)), np.zeros(len(dataset.names))
    verdicts = np.zeros(len(dataset.names), dtype=bool)
    for number, system in enumerate(systems := sorted(set(dataset.systems)), start=1):
        print(f"{number} of {len(systems)} systems", file=sys.stderr)
        left_out = dataset.systems == system
        model = grown(dataset, ~left_out, trees, best_threshold(dataset, ~left_out, trees))
        for index in np.flatnonzero(left_out):
            starts[index] = round(model.estimate_start(dataset.cases[index]))
            chances[index] = model.estimate_steady_chance(dataset.cases[index])
            verdicts[index] = chances[index] >= model.threshold
    return starts, chances, verdicts


def report(dataset: Judged, predictions: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """Print how far from people it is, with the constant beside it."""
    starts, chances, verdicts = predictions
    compared = dataset.placed & dataset.compared
    constant = np.zeros(len(dataset.names))
    for system in set(dataset.systems):
        in_system = dataset.systems == system
        constant[in_system] = np.median(dataset.reference[dataset.placed & ~in_system])
    print(
        f"{len(dataset.names)} series of {len(set(dataset.systems))} systems; "
        "each system left out in turn"
    )
    for name, predicted in (("learned", starts), ("constant", constant)):
        error = abs(dataset.reference - predicted)
        print(
            f"{name}: total error {error[compared].sum():.0f} iterations "
            f"on {compared.sum()} series, {error[dataset.placed].sum():.0f} on all "
            f"{dataset.placed.sum()} steady ones"
        )
    for name, decisions in (
        ("learned", verdicts),
        ("always steady", np.ones(len(dataset.names), bool)),
    ):
        print(
            f"{name}: {(decisions == dataset.steady).sum()} of {len(dataset.names)} verdicts "
            f"agree, balanced accuracy {balanced_accuracy_score(dataset.steady, decisions):.3f}"
        )
    print(f"area under the curve {roc_auc_score(dataset.steady, chances):.3f}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Cross-validate, then make the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_option(parser)
    parser.add_argument("--trees", type=int, default=400)
    parser.add_argument("--out", type=Path, help=f"where the model is written (such as {OUT})")
    args = parser.parse_args(arguments)
    with opened(args.data) as corpus:
        dataset = judged(corpus)
    report(dataset, cross_validated(dataset, args.trees))
    if args.out is None:
        return
    everything = np.ones(len(dataset.names), dtype=bool)
    threshold = best_threshold(dataset, everything, args.trees)
    model = grown(dataset, everything, args.trees, threshold)
    model.save_model(args.out)
    detector = LearnedDetector(model)
    print(f"{args.out}: {args.out.stat().st_size / 1024:.0f} KiB, threshold {threshold:.2f}, "
          f"{len(dataset.columns)} features; detector {detector.name}")  # fmt: skip


if __name__ == "__main__":
    main()
