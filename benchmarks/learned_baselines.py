"""The three models of the study of learned stopping (ASE 2024), trained and judged fold by fold.

Needs keras with jax and scikit-learn (the dependency group `training`). All of the training that
the study did, which takes days on two cores:

    python benchmarks/learned_baselines.py --share 1 --epochs 500 --out FOLDER

Of each model and fold FOLDER then has the arrays (FOLDS-MODEL-FOLD.npz), and the scores of the
benchmarks that judge it (FOLDS-MODEL-scores-FOLD.npz: by benchmark, (forks, 500), of the windows at
0, 1, 2 …, NaN behind those that reach every threshold); FOLDS-MODELS-figures.csv has all thresholds
and figures.
"""

import argparse
import csv
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from corpus import Corpus, add_option, opened
from published_stopping import CLASSIFIED, Accuracy

os.environ.setdefault("KERAS_BACKEND", "jax")
from training import networks, rocket, splits
from training.folds import by_benchmark
from training.replay import LIMIT
from training.samples import Sample, balanced, draw_share, joined, unbalanced
from training.scores import classified, threshold

from auditor.warmup.detector import WINDOW, standardise_windows
from auditor.warmup.scorers.convolutional import ConvolutionalNetwork

NETWORKS = {"fcn": networks.FCN, "oscnn": networks.OSCNN}
Scorer = ConvolutionalNetwork | rocket.Rocket
FOLDS = {"benchmark": by_benchmark, "system": splits.systems_in_groups}
AT_ONCE = 20
"""Windows that are scored before anybody looks whether that is enough."""
UNSAMPLED, SEGMENTS, PRESET = "all windows", "segments", "given"


@dataclass(frozen=True, slots=True)
class Fork:
    """A fork's series, seconds per operation, and its last warm-up iteration; -1: never steady."""

    values: np.ndarray
    last_warm_up: int


Forks = Mapping[str, Sequence[Fork]]


@dataclass(frozen=True, slots=True)
class Task:
    """What models of one fold learn from, are validated on and judged by."""

    fold: int
    learn: Sample
    validate: Sample
    judge: Sample
    validation: tuple[str, ...]
    judging: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """How good a model of one fold is with one threshold."""

    model: str
    fold: int
    tuned_on: str
    threshold: float
    precision: float
    recall: float
    f1: float
    balanced: float


def read(corpus: Corpus) -> dict[str, list[Fork]]:
    """Return the forks of each benchmark."""
    return {
        name: [
            Fork(values, start)
            for values, start in zip(corpus.series(name), corpus.starts(name), strict=True)
        ]
        for name in corpus.names
    }


def segmented(forks: Forks, names: Iterable[str], share: float, rng: np.random.Generator) -> Sample:
    """Return a share of each benchmark's segments; forks that are never steady have none."""
    steady = ([fork for fork in forks[name] if fork.last_warm_up >= 0] for name in names)
    return joined(
        draw_share(
            joined(balanced(fork.values, fork.last_warm_up) for fork in benchmark_forks), share, rng
        )
        for benchmark_forks in steady
        if benchmark_forks
    )


def tasks(forks: Forks, args: argparse.Namespace) -> Iterator[Task]:
    """Yield the folds."""
    for fold, judging in enumerate(FOLDS[args.folds](list(forks))):
        learn, validation = splits.for_validation(sorted(set(forks) - set(judging)))
        rng = np.random.default_rng((args.seed, fold))
        samples = [
            segmented(forks, names, args.share, rng) for names in (learn, validation, judging)
        ]
        yield Task(fold, *samples, tuple(validation), judging)


def train_scorer(model: str, task: Task, args: argparse.Namespace) -> Scorer:
    """Train a model; ROCKET validates by leaving out what it learns from, so it has all of it."""
    if model not in NETWORKS:
        return rocket.fitted(joined((task.learn, task.validate)), args.seed)
    schedule = networks.Schedule(args.seed, args.epochs, args.batch)
    return networks.trained(NETWORKS[model], task.learn, task.validate, schedule)


def thresholds(
    scorer: Scorer, task: Task, forks: Forks, args: argparse.Namespace
) -> dict[str, float]:
    """Return the threshold as the study's code tunes it, and that of balanced segments."""
    rng = np.random.default_rng((args.seed, task.fold))
    truths, scores = [], []
    for name in task.validation:
        windows = joined(_unsampled(fork, args.tuned, rng) for fork in forks[name])
        truths.append(windows.stable)
        scores.append(scorer.score_windows(windows.windows).astype(float))
    validation_scores = scorer.score_windows(task.validate.windows).astype(float)
    return {
        UNSAMPLED: threshold(np.concatenate(truths), np.concatenate(scores)),
        SEGMENTS: threshold(task.validate.stable, validation_scores),
    }


def _unsampled(fork: Fork, many: int | None, rng: np.random.Generator) -> Sample:
    starts = np.arange(len(fork.values) - WINDOW + 1)
    if many is not None:
        starts = rng.choice(starts, many, replace=False)
    return unbalanced(fork.values, fork.last_warm_up, starts)


def evaluate_model(
    model: str, task: Task, forks: Forks, args: argparse.Namespace
) -> Iterator[Figures]:
    """Train one model, write what it is and what it says, and yield how good it is."""
    scorer = train_scorer(model, task, args)
    store(args.out / f"{args.folds}-{model}-{task.fold}.npz", scorer.arrays)
    if model in NETWORKS:
        tuned = thresholds(scorer, task, forks, args)
    else:
        tuned = {PRESET: rocket.THRESHOLD}
    scores = scorer.score_windows(task.judge.windows)
    for name, least in tuned.items():
        result = classified(task.judge.stable, scores >= least)
        yield Figures(model, task.fold, name, least, **asdict(result))
    fork_scores = early(scorer, forks, task.judging, max(tuned.values()), args.forks)
    store(args.out / f"{args.folds}-{model}-scores-{task.fold}.npz", fork_scores)


def store(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays by their names to one file."""
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def early(
    scorer: Scorer, forks: Forks, names: Iterable[str], most: float, many: int | None
) -> dict[str, np.ndarray]:
    """Return the scores of the first windows of each benchmark, (forks, 500).

    Nobody looks behind a window that reaches `most`: there they are NaN.
    """
    return {
        name: np.stack([_until(scorer, fork.values, most) for fork in forks[name][:many]])
        for name in names
    }


def _until(scorer: Scorer, values: np.ndarray, most: float) -> np.ndarray:
    result = np.full(LIMIT, np.nan)
    for first in range(0, LIMIT, AT_ONCE):
        starts = np.arange(first, first + AT_ONCE)
        result[starts] = scorer.score_windows(standardise_windows(values, starts))
        if (result[starts] >= most).any():
            break
    return result


_HEADS = f"{'model':<8}{'threshold of':<14}{'folds':>5}{'share':>8}{'epochs':>8}  "


def report(all_figures: Sequence[Figures], args: argparse.Namespace) -> None:
    """Print the means over folds beside what was published."""
    tuned = "all" if args.tuned is None else args.tuned
    print(
        f"folds by {args.folds}, seed {args.seed}, batches of {args.batch}; thresholds of "
        f"{tuned} windows a fork"
    )
    print(f"{_HEADS}found: P R F1 BA          published")
    for model, tuned_on in dict.fromkeys(
        (figures.model, figures.tuned_on) for figures in all_figures
    ):
        same = [
            figures
            for figures in all_figures
            if (figures.model, figures.tuned_on) == (model, tuned_on)
        ]
        means = [
            float(np.mean([getattr(figures, name) for figures in same]))
            for name in ("precision", "recall", "f1", "balanced")
        ]
        epochs = args.epochs if model in NETWORKS else "-"
        print(
            f"{model:<8}{tuned_on:<14}{len(same):>5}{args.share:>8.1%}{epochs:>8}  "
            f"{_format_accuracy(Accuracy(*means)):<26}{_format_accuracy(CLASSIFIED[model])}"
        )


def _format_accuracy(accuracy: Accuracy) -> str:
    return (
        f"{accuracy.precision:.3f} {accuracy.recall:.3f} {accuracy.f1:.3f} {accuracy.balanced:.3f}"
    )


def write(all_figures: Sequence[Figures], args: argparse.Namespace) -> None:
    """Write the figures of each fold, and what they are of."""
    words = ("folds", "share", "epochs", "batch", "seed", "tuned", "forks")
    settings = {name: getattr(args, name) for name in words}
    with (args.out / f"{args.folds}-{'-'.join(args.models)}-figures.csv").open("w") as file:
        rows = [{**asdict(figures), **settings} for figures in all_figures]
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)


def options() -> argparse.ArgumentParser:
    """Return what the command line may say."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_option(parser)
    parser.add_argument("--share", type=float, default=0.05, help="of each benchmark's segments")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch", type=int, default=1024, help="windows of a step")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folds", choices=FOLDS, default="benchmark")
    parser.add_argument(
        "--models", type=lambda text: tuple(text.split(",")), default=(*NETWORKS, "rocket")
    )
    parser.add_argument("--tuned", type=int, help="windows of a fork for thresholds (default: all)")
    parser.add_argument("--forks", type=int, help="forks that are scored (default: all)")
    parser.add_argument("--out", type=Path, required=True)
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, write and print."""
    args = options().parse_args(arguments)
    args.out.mkdir(parents=True, exist_ok=True)
    with opened(args.data) as corpus:
        forks = read(corpus)
    all_figures: list[Figures] = []
    for task in tasks(forks, args):
        for model in args.models:
            all_figures += evaluate_model(model, task, forks, args)
            print(f"{all_figures[-1]}", file=sys.stderr)
            write(all_figures, args)
    report(all_figures, args)


if __name__ == "__main__":
    main()
