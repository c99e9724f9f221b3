"""Learned stopping of the warm-up (ASE 2024): what is learned from, and boosted trees beside it.

Reads a folder in the layout of the shared set (or the public whole). Prints how many segments its
steady forks give, by class, and how large the folds are; with --trees also how well trees tell
stable windows, each system judged by trees that have seen nothing of it. The study's own models:
learned_baselines.py.
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from corpus import Corpus, add_option, opened
from published_stopping import CLASSIFIED
from quantities import Quantity, said, table
from sklearn.metrics import roc_auc_score

from auditor.training import trees
from auditor.training.folds import by_benchmark, by_system, project
from auditor.training.scores import Classified, classified
from auditor.training.segments import WINDOW, segments
from auditor.training.splits import systems_in_groups

LENGTH = 3000
SEED = 1
THRESHOLDS = np.linspace(0.2, 0.9, 71)


def counts(corpus: Corpus) -> list[Quantity]:
    """Return how many segments of each class the steady forks give."""
    found = [
        segments(start, LENGTH)
        for name in corpus.names
        for start in corpus.starts(name)
        if start >= 0
    ]
    stable = sum(int(one.stable.sum()) for one in found)
    whole = sum(len(one.starts) for one in found)
    folds = by_benchmark(corpus.names)
    return [
        ("steady forks", "5219", said([len(found)])),
        (
            f"segments of {WINDOW}: unstable, stable",
            "144975, 376925",
            said([whole - stable, stable]),
        ),
        ("segments", "521900", said([whole])),
        ("benchmarks of the folds", "119, 118, 117, 117, 115 *", said(map(len, folds))),
        ("systems", "30", said([sum(1 for _ in by_system(corpus.names))])),
    ]


@dataclass(frozen=True, slots=True)
class Cases:
    """The segments of some forks: features (segments, features), truth, and whose they are."""

    names: tuple[str, ...]
    features: np.ndarray
    stable: np.ndarray
    benchmarks: np.ndarray


def cases(corpus: Corpus, forks: int) -> Cases:
    """Return all segments of the first steady forks of each benchmark."""
    with ProcessPoolExecutor() as pool:
        found = list(pool.map(partial(_of_benchmark, corpus, forks), corpus.names, chunksize=4))
    known = [(name, one) for name, one in zip(corpus.names, found, strict=True) if one]
    parts = [part for _, each in known for part in each]
    return Cases(
        names=parts[0][0],
        features=np.concatenate([features for _, features, _ in parts]),
        stable=np.concatenate([stable for _, _, stable in parts]),
        benchmarks=np.array([name for name, each in known for *_, one in each for _ in one]),
    )


def _of_benchmark(corpus: Corpus, forks: int, name: str) -> list[tuple]:
    pairs = zip(corpus.series(name), corpus.starts(name), strict=True)
    steady = [(values, start) for values, start in pairs if start >= 0]
    found = []
    for values, start in steady[:forks]:
        taken = segments(start, len(values))
        found.append((*trees.cases(values, taken.starts), taken.stable))
    return found


def left_out(of: Cases, columns: Sequence[int]) -> np.ndarray:
    """Return the score of each segment by trees that know some columns and no such system."""
    scores = np.zeros(len(of.stable))
    features = of.features[:, columns]
    for judging in systems_in_groups(sorted(set(of.benchmarks))):
        here = np.isin(of.benchmarks, judging)
        known = trees.grown(features[~here], of.stable[~here], SEED)
        scores[here] = trees.scores(known, features[here])
    return scores


def accuracy(of: Cases) -> list[Quantity]:
    """Return how well trees tell stable segments, whole systems left out."""
    best = max(CLASSIFIED.values(), key=lambda one: one.balanced)
    published = f"{best.balanced:.3f}, {best.f1:.3f}"
    found = []
    every = range(len(of.names))
    for label, columns in (("trees", every), ("position alone", trees.position(of.names))):
        scores = left_out(of, columns)
        by_threshold = {limit: classified(of.stable, scores >= limit) for limit in THRESHOLDS}
        limit = max(by_threshold, key=lambda one: by_threshold[one].balanced)
        systems = [one.balanced for one in _by_system(of, scores >= limit)]
        quartiles = np.percentile(systems, (0, 25, 50, 75, 100))
        found += [
            (
                f"{label}: balanced accuracy, F1 at {limit:.2f}",
                published,
                _said(by_threshold[limit]),
            ),
            (f"{label}: the same at 0.50", "-", _said(classified(of.stable, scores >= 0.5))),
            (f"{label}: area under the curve", "-", said([roc_auc_score(of.stable, scores)], 3)),
            (f"{label}: balanced accuracy of systems, five quartiles", "-", said(quartiles, 3)),
        ]
    return found


def _by_system(of: Cases, verdicts: np.ndarray) -> list[Classified]:
    systems = np.array([project(name) for name in of.benchmarks])
    masks = [systems == one for one in sorted(set(systems))]
    both = [here for here in masks if 0 < of.stable[here].sum() < here.sum()]
    return [classified(of.stable[here], verdicts[here]) for here in both]


def _said(one: Classified) -> str:
    return said([one.balanced, one.f1], 3)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_option(parser)
    parser.add_argument("--trees", action="store_true", help="also grow and judge trees")
    parser.add_argument(
        "--forks", type=int, default=10, help="steady forks of a benchmark that trees learn from"
    )
    asked = parser.parse_args(arguments)
    with opened(asked.data) as corpus:
        table("what is learned from", counts(corpus))
        if asked.trees:
            found = cases(corpus, asked.forks)
            title = f"{len(found.stable)} segments, systems left out; published: folds by benchmark"
            table(title, accuracy(found))


if __name__ == "__main__":
    main()
