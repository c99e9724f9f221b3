"""Trees that tell whether a run is warm, and each system judged by trees that have not seen it."""

from collections.abc import Callable, Container, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from zlib import crc32

import lightgbm as lgb
import numpy as np
from corpus import Corpus
from training import looks, trees
from training.folds import project
from training.segments import segments
from training.splits import systems_in_groups

from auditor.warmup.detector import WINDOW
from auditor.warmup.scorers.boosted import BoostedTrees

SEED = 1


@dataclass(frozen=True, slots=True)
class Cases:
    """The segments of some forks: features (segments, features), truth, and whose they are.

    `behind` (segments,) says how many iterations after the last one of the warm-up each begins.
    """

    names: tuple[str, ...]
    features: np.ndarray
    stable: np.ndarray
    behind: np.ndarray
    benchmarks: np.ndarray


def cases(corpus: Corpus, forks: int, share: float) -> Cases:
    """Return a share of the segments of the first steady forks of each benchmark."""
    with ProcessPoolExecutor() as pool:
        work = partial(_of_benchmark, corpus, forks, share)
        result = list(pool.map(work, corpus.names, chunksize=4))
    known = [(name, one) for name, one in zip(corpus.names, result, strict=True) if one]
    parts = [part for _, each in known for part in each]
    return Cases(
        names=parts[0][0],
        features=np.concatenate([features for _, features, _ in parts]),
        stable=np.concatenate([behind > 0 for *_, behind in parts]),
        behind=np.concatenate([behind for *_, behind in parts]),
        benchmarks=np.array([name for name, each in known for *_, one in each for _ in one]),
    )


def _of_benchmark(corpus: Corpus, forks: int, share: float, name: str) -> list[tuple]:
    pairs = zip(corpus.series(name), corpus.starts(name), strict=True)
    steady = [(values, start) for values, start in pairs if start >= 0]
    rng = np.random.default_rng((SEED, crc32(name.encode())))
    found = []
    for values, start in steady[:forks]:
        taken = segments(start, len(values))
        many = round(share * len(taken.starts))
        chosen = np.sort(rng.permutation(len(taken.starts))[:many])
        if many:
            starts = taken.starts[chosen]
            found.append((*looks.cases(values, starts), starts - start))
    return found


@dataclass(frozen=True, slots=True)
class Early:
    """What a rule that stops learns from, of some forks: two samples, and whose their cases are."""

    near: looks.Sample
    near_of: np.ndarray
    last: looks.Sample
    last_of: np.ndarray


def early(corpus: Corpus, forks: int) -> Early:
    """Return looks at the first forks of each benchmark; of steady ones only, places as well."""
    with ProcessPoolExecutor() as pool:
        result = list(pool.map(partial(_early, corpus, forks), corpus.names, chunksize=4))
    near, last = zip(*result, strict=True)
    return Early(*_joined(corpus.names, near), *_joined(corpus.names, last))


def _early(corpus: Corpus, forks: int, name: str) -> tuple[list[looks.Sample], list[looks.Sample]]:
    pairs = list(zip(corpus.series(name), corpus.starts(name), strict=True))[:forks]
    pairs = [pair for pair in pairs if len(pair[0]) >= WINDOW]
    near = [looks.near(*pair) for pair in pairs]
    return near, [looks.last(*pair) for pair in pairs if pair[1] >= 0]


def _joined(
    names: Sequence[str], found: Sequence[Sequence[looks.Sample]]
) -> tuple[looks.Sample, np.ndarray]:
    """Return all cases as one sample, and the benchmark of each case."""
    every = [(name, sample) for name, each in zip(names, found, strict=True) for sample in each]
    samples = [sample for _, sample in every]
    whole = looks.Sample(
        samples[0].names,
        np.concatenate([sample.features for sample in samples]),
        np.concatenate([sample.truth for sample in samples]),
    )
    return whole, np.repeat([name for name, _ in every], [len(sample.truth) for sample in samples])


def grown(of: Cases, columns: Sequence[int], groups: int) -> Mapping[tuple[str, ...], lgb.Booster]:
    """Return trees by the benchmarks that judge them: none is of a system that they have seen."""
    features = of.features[:, columns]
    found = {}
    for judging in systems_in_groups(sorted(set(of.benchmarks)), groups):
        here = np.isin(of.benchmarks, judging)
        found[judging] = trees.grown(features[~here], of.stable[~here], SEED)
    return found


def scores(
    of: Cases, columns: Sequence[int], by: Mapping[tuple[str, ...], lgb.Booster]
) -> np.ndarray:
    """Return the score of each segment."""
    result = np.zeros(len(of.stable))
    for judging, known in by.items():
        here = np.isin(of.benchmarks, judging)
        result[here] = trees.scores(known, of.features[here][:, columns])
    return result


def model(
    stable: lgb.Booster,
    names: Sequence[str],
    of: Early,
    known: Callable[[np.ndarray], np.ndarray],
    seed: int = SEED,
) -> BoostedTrees:
    """Return trees that tell whether a window is stable together with those for a rule that stops.

    `known` tells of benchmarks which of them may be learned from.
    """
    here = known(of.near_of)
    near = trees.grown(of.near.features[here], of.near.truth[here], seed)
    here = known(of.last_of)
    last = trees.valued(of.last.features[here], of.last.truth[here], seed)
    return BoostedTrees.from_parts(
        trees.table(stable, names),
        trees.table(near, of.near.names),
        trees.table(last, of.last.names),
    )


def models(
    of: Cases, by: Mapping[tuple[str, ...], lgb.Booster], looked: Early
) -> dict[str, BoostedTrees]:
    """Return the model that judges each benchmark, as one is shipped."""
    found = {}
    for judging, stable in by.items():
        seen = partial(_of_others, {project(text) for text in judging})
        found |= dict.fromkeys(judging, model(stable, of.names, looked, seen))
    return found


def _of_others(systems: Container[str], benchmarks: np.ndarray) -> np.ndarray:
    """Tell which benchmarks are of other systems than these."""
    return np.array([project(benchmark) not in systems for benchmark in benchmarks])
