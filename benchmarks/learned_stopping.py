"""Learned stopping of the warm-up (ASE 2024): every table of the study, published beside ours.

Reads a folder in the layout of the shared set (or the public whole). What is learned from
(segments, folds); how well a model tells stable windows; and what stopping by it comes to beside
the developers' settings and three dynamic rules, replayed by the same code that runs live.

--model shipped takes the models of the package: a fair test on systems that they have not seen
only, which the shared ones are not. --model retrain grows our trees anew, in six groups of systems
(--groups; as many as systems leaves one out at a time) each of which is judged by trees that have
seen nothing of it. --scores FOLDER takes what
learned_baselines.py has found for the study's own models, fold by fold.
"""

import argparse
import csv
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path

import left_out
import numpy as np
from corpus import Corpus, add_option, opened
from published_stopping import CLASSIFIED, Accuracy
from quantities import Quantity, said, table
from replaying import FIVE, Replayed, figures, judgeable, replayed, spread
from sklearn.metrics import roc_auc_score
from training import trees
from training.folds import by_benchmark, by_system, project
from training.replay import LIMIT, Iterations, stopped
from training.scores import EVEN, Classified, classified
from training.segments import segments
from training.splits import GROUPS

from auditor.core.stop_rules import TRAINED, Criterion
from auditor.core.suite import IterationSettings
from auditor.warmup.configured import estimate_iteration_times
from auditor.warmup.detector import WINDOW, standardise_windows
from auditor.warmup.scorers.boosted import BoostedTrees
from auditor.warmup.scorers.files import ScorerModel, load_shipped_model
from auditor.warmup.stop_rules import ScoredRule

LENGTH = 3000
THRESHOLDS = np.linspace(0.2, 0.9, 71)
BEHIND = (-LENGTH, -300, -100, 0, 100, 300, 1000, LENGTH)
"""Where windows begin, counted from the last iteration of the warm-up: ends of parts."""


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


def retrained(
    of: left_out.Cases, looked: left_out.Early, groups: int
) -> tuple[list[Quantity], dict[str, BoostedTrees]]:
    """Return how well trees tell stable segments, and the model that judges each benchmark."""
    found, judging = [], {}
    every = range(len(of.names))
    for label, columns in (("learned", every), ("position alone", trees.position(of.names))):
        grown = left_out.grown(of, columns, groups)
        scores = left_out.scores(of, columns, grown)
        judging = judging or left_out.models(of, grown, looked)
        by_threshold = {limit: classified(of.stable, scores >= limit) for limit in THRESHOLDS}
        best = max(by_threshold, key=lambda one: by_threshold[one].balanced)
        share = float(of.stable.mean())
        systems = [one.balanced for one in _by_system(of, scores >= best)]
        quartiles = np.percentile(systems, FIVE)
        found += [
            _accuracy(f"{label}, at {EVEN}", classified(of.stable, scores >= EVEN)),
            _accuracy(
                f"{label}, at the share of stable ones, {share:.2f}",
                classified(of.stable, scores >= share),
            ),
            _accuracy(f"{label}, at its best, {best:.2f}", by_threshold[best]),
            (f"{label}: area under the curve", "-", said([roc_auc_score(of.stable, scores)], 3)),
            (f"{label}: balanced accuracy of systems, five quartiles", "-", said(quartiles, 3)),
        ]
        if columns is every:
            found += _mistaken(of, (scores >= share) != of.stable)
    return found, judging


def _mistaken(of: left_out.Cases, wrong: np.ndarray) -> list[Quantity]:
    """Return the windows that are judged wrong, by where they begin."""
    found = []
    for first, last in pairwise(BEHIND):
        here = (of.behind > first) & (of.behind <= last)
        parts = [here.mean(), wrong[here].mean(), wrong[here].sum() / wrong.sum()]
        where = f"{first + 1} to {last} behind"
        found.append((f"learned, {where}: share, wrong, of all wrong", "-", said(parts, 3)))
    return found


def as_shipped(corpus: Corpus, methods: Sequence[Criterion], of: left_out.Cases) -> list[Quantity]:
    """Return how well the models of the package tell stable segments."""
    found = []
    for method in methods:
        model = load_shipped_model(method)
        if isinstance(model.scoring, BoostedTrees):
            truth = of.stable
            scores, threshold = (
                np.array([model.scoring.score_window(feature) for feature in of.features]),
                EVEN,
            )
        else:
            with ProcessPoolExecutor() as pool:
                parts = list(pool.map(partial(_windows, corpus, model), corpus.names, chunksize=4))
            truth, scores = (np.concatenate(one) for one in zip(*parts, strict=True))
            threshold = model.threshold
        said_stable = classified(truth, scores >= threshold)
        found.append(_accuracy(f"{method}, at {threshold:.3f}", said_stable, method))
    return found


def _windows(corpus: Corpus, model: ScorerModel, name: str) -> tuple[np.ndarray, np.ndarray]:
    truth, scores = [np.empty(0, dtype=bool)], [np.empty(0)]
    for values, start in zip(corpus.series(name), corpus.starts(name), strict=True):
        if start >= 0:
            taken = segments(start, len(values))
            truth.append(taken.stable)
            scores.append(model.scoring.score_windows(standardise_windows(values, taken.starts)))
    return np.concatenate(truth), np.concatenate(scores)


def _by_system(of: left_out.Cases, verdicts: np.ndarray) -> list[Classified]:
    systems = np.array([project(name) for name in of.benchmarks])
    masks = [systems == system for system in sorted(set(systems))]
    both = [here for here in masks if 0 < of.stable[here].sum() < here.sum()]
    return [classified(of.stable[here], verdicts[here]) for here in both]


def _accuracy(label: str, one: Classified, model: str = "") -> Quantity:
    best = max(CLASSIFIED.values(), key=lambda each: each.balanced)
    accuracy = CLASSIFIED.get(model, best)
    return f"{label}: P, R, F1, balanced accuracy", _four(accuracy), _four(one)


def _four(one: Classified | Accuracy) -> str:
    return said([one.precision, one.recall, one.f1, one.balanced], 3)


def live(model: ScorerModel, values: np.ndarray) -> tuple[Iterations, int]:
    """Return what a rule does to a fork that is shown to it iteration by iteration.

    The second is the iteration that it takes for the last one of the warm-up.
    """
    rule = ScoredRule(model)
    shown = zip(values[: LIMIT + WINDOW - 1], estimate_iteration_times(values), strict=False)
    warm = next(
        (one for each in shown if (one := rule.observe_iteration(*map(float, each))) is not None),
        LIMIT,
    )
    told = warm - 1 if rule.last_warmup is None else rule.last_warmup
    return (warm - 1, warm + WINDOW - 1), told


Models = Mapping[str, ScorerModel]
Task = tuple[str, IterationSettings, Models, Mapping[str, list[Iterations]]]


def _replayed(corpus: Corpus, resamples: int, task: Task) -> dict[tuple[str, str], Replayed]:
    name, asked, models, known = task
    forks = corpus.series(f"{name}.json")
    ways, told = dict(known), {}
    for way, model in models.items():
        found = [live(model, fork) for fork in forks]
        ways[way], told[way] = ([one[at] for one in found] for at in (0, 1))
    return replayed(corpus, resamples, (name, asked), ways, told)


def stops(folder: Path) -> dict[str, dict[str, list[Iterations]]]:
    """Return where forks stop by models that were trained fold by fold, by benchmark and model."""
    found: dict[str, dict[str, list[Iterations]]] = {}
    for path in folder.glob("*-figures.csv"):
        with path.open() as file:
            rows = [row for row in csv.DictReader(file) if row["tuned_on"] != "segments"]
        for row in rows:
            name = f"{row['folds']}-{row['model']}-scores-{row['fold']}.npz"
            with np.load(folder / name) as scores:
                for one in scores.files:
                    its = [stopped(fork, float(row["threshold"])) for fork in scores[one]]
                    found.setdefault(one, {})[row["model"]] = its
    return found


def _refuse_parts(corpus: Corpus, known: Mapping[str, Mapping[str, Sequence[Iterations]]]) -> None:
    """End where only some forks of a benchmark were scored: a way has to say of all where it stops.

    Raises SystemExit.
    """
    for name, ways in known.items():
        every = len(corpus.starts(name))
        for way, its in ways.items():
            if len(its) < every:
                raise SystemExit(
                    f"{way} has scores of {len(its)} of the {every} forks of {name}; make them "
                    "again with learned_baselines.py and without --forks"
                )


def options() -> argparse.ArgumentParser:
    """Return what the command line may say."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_option(parser)
    parser.add_argument("--model", choices=("shipped", "retrain"), help="default: counts only")
    parser.add_argument(
        "--methods",
        type=lambda text: [Criterion(one) for one in text.split(",")],
        default=[Criterion.LEARNED],
        help=f"shipped: of {', '.join(sorted(TRAINED))} (default: learned)",
    )
    parser.add_argument(
        "--forks", type=int, default=10, help="steady forks of a benchmark whose segments count"
    )
    parser.add_argument("--share", type=float, default=0.25, help="of the segments, for trees")
    parser.add_argument("--groups", type=int, default=GROUPS, help="of systems (default: 6)")
    parser.add_argument("--scores", type=Path, help="what learned_baselines.py has written")
    parser.add_argument("--resamples", type=int, default=1000, help="for each interval")
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    args = options().parse_args(arguments)
    with opened(args.data) as corpus:
        table("what is learned from", counts(corpus))
        models: dict[str, Models] = {}
        if args.model:
            of = left_out.cases(corpus, args.forks, args.share)
            title = f"{len(of.stable)} segments"
        if args.model == "retrain":
            found, by_name = retrained(of, left_out.early(corpus, args.forks), args.groups)
            table(f"{title}, systems left out; published: by benchmark", found)
            models = {
                name: {"learned": ScorerModel(Criterion.LEARNED, one, trees.READY, "")}
                for name, one in by_name.items()
            }
        elif args.model == "shipped":
            table(f"{title}, by what the package has", as_shipped(corpus, args.methods, of))
            models = {
                name: {str(method): load_shipped_model(method) for method in args.methods}
                for name in corpus.names
            }
        known = stops(args.scores) if args.scores else {}
        _refuse_parts(corpus, known)
        if models or known:
            work = [
                (name, settings, models.get(f"{name}.json", {}), known.get(f"{name}.json", {}))
                for name, settings in judgeable(corpus)
            ]
            with ProcessPoolExecutor() as pool:
                every = list(
                    pool.map(partial(_replayed, corpus, args.resamples), work, chunksize=2)
                )
            table("net: better less worse (by quality, by time; worse by these)", figures(every))
            table(
                "how far systems lie apart",
                spread([project(f"{name}.json") for name, *_ in work], every),
            )


if __name__ == "__main__":
    main()
