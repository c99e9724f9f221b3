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
    benchmarks = [
        (name, fork_parts)
        for name, fork_parts in zip(corpus.names, result, strict=True)
        if fork_parts
    ]
    parts = [part for _, fork_parts in benchmarks for part in fork_parts]
    return Cases(
        names=parts[0][0],
        features=np.concatenate([features for _, features, _ in parts]),
        stable=np.concatenate([behind > 0 for *_, behind in parts]),
        behind=np.concatenate([behind for *_, behind in parts]),
        benchmarks=np.array(
            [name for name, fork_parts in benchmarks for *_, behind in fork_parts for _ in behind]
        ),
    )


def _of_benchmark(corpus: Corpus, forks: int, share: float, name: str) -> list[tuple]:
    pairs = zip(corpus.series(name), corpus.starts(name), strict=True)
    steady = [(values, start) for values, start in pairs if start >= 0]
    rng = np.random.default_rng((SEED, crc32(name.encode())))
    fork_parts = []
    for values, start in steady[:forks]:
        fork_segments = segments(start, len(values))
        many = round(share * len(fork_segments.starts))
        indices = np.sort(rng.permutation(len(fork_segments.starts))[:many])
        if many:
            starts = fork_segments.starts[indices]
            fork_parts.append((*looks.cases(values, starts), starts - start))
    return fork_parts


@dataclass(frozen=True, slots=True)
class Early:
    """What a rule that stops learns from, of some forks: two samples, and whose their cases are."""

    means: looks.Sample
    means_of: np.ndarray
    last: looks.Sample
    last_of: np.ndarray


def early(corpus: Corpus, forks: int) -> Early:
    """Return looks at the first forks of each benchmark; of steady ones only, places as well."""
    with ProcessPoolExecutor() as pool:
        result = list(pool.map(partial(_early, corpus, forks), corpus.names, chunksize=4))
    means, last = zip(*result, strict=True)
    return Early(*_joined(corpus.names, means), *_joined(corpus.names, last))


def _early(corpus: Corpus, forks: int, name: str) -> tuple[list[looks.Sample], list[looks.Sample]]:
    pairs = list(zip(corpus.series(name), corpus.starts(name), strict=True))[:forks]
    pairs = [pair for pair in pairs if len(pair[0]) >= WINDOW]
    means = [looks.judge_means(*pair) for pair in pairs]
    return means, [looks.last(*pair) for pair in pairs if pair[1] >= 0]


def _joined(
    names: Sequence[str], groups: Sequence[Sequence[looks.Sample]]
) -> tuple[looks.Sample, np.ndarray]:
    """Return all cases as one sample, and the benchmark of each case."""
    named_samples = [
        (name, sample) for name, group in zip(names, groups, strict=True) for sample in group
    ]
    samples = [sample for _, sample in named_samples]
    joined_sample = looks.Sample(
        samples[0].names,
        np.concatenate([sample.features for sample in samples]),
        np.concatenate([sample.truth for sample in samples]),
    )
    return joined_sample, np.repeat(
        [name for name, _ in named_samples], [len(sample.truth) for sample in samples]
    )


def grown(
    segment_cases: Cases, columns: Sequence[int], groups: int
) -> Mapping[tuple[str, ...], lgb.Booster]:
    """Return trees by the benchmarks that judge them: none is of a system that they have seen."""
    features = segment_cases.features[:, columns]
    boosters = {}
    for judging in systems_in_groups(sorted(set(segment_cases.benchmarks)), groups):
        is_judging = np.isin(segment_cases.benchmarks, judging)
        boosters[judging] = trees.grown(
            features[~is_judging], segment_cases.stable[~is_judging], SEED
        )
    return boosters


def scores(
    segment_cases: Cases, columns: Sequence[int], boosters: Mapping[tuple[str, ...], lgb.Booster]
) -> np.ndarray:
    """Return the score of each segment."""
    result = np.zeros(len(segment_cases.stable))
    for judging, booster in boosters.items():
        is_judging = np.isin(segment_cases.benchmarks, judging)
        result[is_judging] = trees.scores(booster, segment_cases.features[is_judging][:, columns])
    return result


def model(
    stable: lgb.Booster,
    names: Sequence[str],
    early_looks: Early,
    is_allowed: Callable[[np.ndarray], np.ndarray],
    seed: int = SEED,
) -> BoostedTrees:
    """Return trees that tell whether a window is stable together with those for a rule that stops.

    `is_allowed` tells of benchmarks which of them may be learned from.
    """
    allowed = is_allowed(early_looks.means_of)
    mean_booster = trees.grown(
        early_looks.means.features[allowed], early_looks.means.truth[allowed], seed
    )
    allowed = is_allowed(early_looks.last_of)
    last = trees.valued(early_looks.last.features[allowed], early_looks.last.truth[allowed], seed)
    return BoostedTrees.from_parts(
        trees.table(stable, names),
        trees.table(mean_booster, early_looks.means.names),
        trees.table(last, early_looks.last.names),
    )


def models(
    segment_cases: Cases, boosters: Mapping[tuple[str, ...], lgb.Booster], early_looks: Early
) -> dict[str, BoostedTrees]:
    """Return the model that judges each benchmark, as one is shipped."""
    models_by_benchmark = {}
    for judging, stable in boosters.items():
        is_other_system = partial(_of_others, {project(text) for text in judging})
        models_by_benchmark |= dict.fromkeys(
            judging, model(stable, segment_cases.names, early_looks, is_other_system)
        )
    return models_by_benchmark


def _of_others(systems: Container[str], benchmarks: np.ndarray) -> np.ndarray:
    """Tell which benchmarks are of other systems than these."""
    return np.array([project(benchmark) not in systems for benchmark in benchmarks])
