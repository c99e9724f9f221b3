"""Which benchmarks a model learns from, and which judge it.

Source: the study of learned stopping (ASE 2024); its code draws five parts of each project's
benchmarks. `by_system` leaves whole systems out, as those have to be that nobody has seen.
"""

from collections.abc import Iterator, Sequence

import numpy as np

FOLDS = 5
SEED = 42


def project(name: str) -> str:
    """Return the system of a benchmark of the corpus, `owner__repo#benchmark#parameters`."""
    return name.partition("#")[0]


def by_benchmark(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the benchmarks that judge the model of each fold; others are for learning.

    Parts are those of scikit-learn's KFold(5, shuffle=True, random_state=42) over each project's
    benchmarks in the order of their names; a project with less than five has empty ones.
    """
    parts: list[list[str]] = [[] for _ in range(FOLDS)]
    for text in sorted({project(name) for name in names}):
        texts = sorted(name for name in names if project(name) == text)
        # The study's seed belongs to numpy's old generator.
        order = np.random.RandomState(SEED).permutation(len(texts))
        for part, indices in zip(parts, np.array_split(order, FOLDS), strict=True):
            part += [texts[index] for index in sorted(indices)]
    return [tuple(part) for part in parts]


def by_system(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the benchmarks of one system after the other."""
    for text in sorted({project(name) for name in names}):
        yield tuple(sorted(name for name in names if project(name) == text))
