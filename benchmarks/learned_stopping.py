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
from quantities import Quantity, format_numbers, table
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
    fork_segments = [
        segments(start, LENGTH)
        for name in corpus.names
        for start in corpus.starts(name)
        if start >= 0
    ]
    stable = sum(int(fork.stable.sum()) for fork in fork_segments)
    total = sum(len(fork.starts) for fork in fork_segments)
    folds = by_benchmark(corpus.names)
    return [
        ("steady forks", "5219", format_numbers([len(fork_segments)])),
        (
            f"segments of {WINDOW}: unstable, stable",
            "144975, 376925",
            format_numbers([total - stable, stable]),
        ),
        ("segments", "521900", format_numbers([total])),
        ("benchmarks of the folds", "119, 118, 117, 117, 115 *", format_numbers(map(len, folds))),
        ("systems", "30", format_numbers([sum(1 for _ in by_system(corpus.names))])),
    ]


def retrained(
    segment_cases: left_out.Cases, early_looks: left_out.Early, groups: int
) -> tuple[list[Quantity], dict[str, BoostedTrees]]:
    """Return how well trees tell stable segments, and the model that judges each benchmark."""
    quantities, judging = [], {}
    all_columns = range(len(segment_cases.names))
    for label, columns in (
        ("learned", all_columns),
        ("position alone", trees.position(segment_cases.names)),
    ):
        grown = left_out.grown(segment_cases, columns, groups)
        scores = left_out.scores(segment_cases, columns, grown)
        judging = judging or left_out.models(segment_cases, grown, early_looks)
        by_threshold = {
            limit: classified(segment_cases.stable, scores >= limit) for limit in THRESHOLDS
        }
        best = max(by_threshold, key=lambda limit: by_threshold[limit].balanced)
        share = float(segment_cases.stable.mean())
        systems = [accuracy.balanced for accuracy in _by_system(segment_cases, scores >= best)]
        quartiles = np.percentile(systems, FIVE)
        quantities += [
            _accuracy(f"{label}, at {EVEN}", classified(segment_cases.stable, scores >= EVEN)),
            _accuracy(
                f"{label}, at the share of stable ones, {share:.2f}",
                classified(segment_cases.stable, scores >= share),
            ),
            _accuracy(f"{label}, at its best, {best:.2f}", by_threshold[best]),
            (
                f"{label}: area under the curve",
                "-",
                format_numbers([roc_auc_score(segment_cases.stable, scores)], 3),
            ),
            (
                f"{label}: balanced accuracy of systems, five quartiles",
                "-",
                format_numbers(quartiles, 3),
            ),
        ]
        if columns is all_columns:
            quantities += _list_misjudged_windows(
                segment_cases, (scores >= share) != segment_cases.stable
            )
    return quantities, judging


def _list_misjudged_windows(segment_cases: left_out.Cases, wrong: np.ndarray) -> list[Quantity]:
    """Return the windows that are judged wrong, by where they begin."""
    quantities = []
    for first, last in pairwise(BEHIND):
        in_range = (segment_cases.behind > first) & (segment_cases.behind <= last)
        parts = [in_range.mean(), wrong[in_range].mean(), wrong[in_range].sum() / wrong.sum()]
        position = f"{first + 1} to {last} behind"
        quantities.append(
            (f"learned, {position}: share, wrong, of all wrong", "-", format_numbers(parts, 3))
        )
    return quantities


def as_shipped(
    corpus: Corpus, methods: Sequence[Criterion], segment_cases: left_out.Cases
) -> list[Quantity]:
    """Return how well the models of the package tell stable segments."""
    quantities = []
    for method in methods:
        model = load_shipped_model(method)
        if isinstance(model.scoring, BoostedTrees):
            truth = segment_cases.stable
            scores, threshold = (
                np.array(
                    [model.scoring.score_window(feature) for feature in segment_cases.features]
                ),
                EVEN,
            )
        else:
            with ProcessPoolExecutor() as pool:
                parts = list(pool.map(partial(_windows, corpus, model), corpus.names, chunksize=4))
            truth, scores = (np.concatenate(column) for column in zip(*parts, strict=True))
            threshold = model.threshold
        said_stable = classified(truth, scores >= threshold)
        quantities.append(_accuracy(f"{method}, at {threshold:.3f}", said_stable, method))
    return quantities


def _windows(corpus: Corpus, model: ScorerModel, name: str) -> tuple[np.ndarray, np.ndarray]:
    truth, scores = [np.empty(0, dtype=bool)], [np.empty(0)]
    for values, start in zip(corpus.series(name), corpus.starts(name), strict=True):
        if start >= 0:
            windows = segments(start, len(values))
            truth.append(windows.stable)
            scores.append(model.scoring.score_windows(standardise_windows(values, windows.starts)))
    return np.concatenate(truth), np.concatenate(scores)


def _by_system(segment_cases: left_out.Cases, verdicts: np.ndarray) -> list[Classified]:
    systems = np.array([project(name) for name in segment_cases.benchmarks])
    masks = [systems == system for system in sorted(set(systems))]
    mixed_masks = [mask for mask in masks if 0 < segment_cases.stable[mask].sum() < mask.sum()]
    return [classified(segment_cases.stable[mask], verdicts[mask]) for mask in mixed_masks]


def _accuracy(label: str, measured: Classified, model: str = "") -> Quantity:
    best = max(CLASSIFIED.values(), key=lambda published: published.balanced)
    accuracy = CLASSIFIED.get(model, best)
    return f"{label}: P, R, F1, balanced accuracy", _four(accuracy), _four(measured)


def _four(accuracy: Classified | Accuracy) -> str:
    return format_numbers([accuracy.precision, accuracy.recall, accuracy.f1, accuracy.balanced], 3)


def live(model: ScorerModel, values: np.ndarray) -> tuple[Iterations, int]:
    """Return what a rule does to a fork that is shown to it iteration by iteration.

    The second is the iteration that it takes for the last one of the warm-up.
    """
    rule = ScoredRule(model)
    iterations = zip(values[: LIMIT + WINDOW - 1], estimate_iteration_times(values), strict=False)
    warm = next(
        (
            warm_up
            for iteration in iterations
            if (warm_up := rule.observe_iteration(*map(float, iteration))) is not None
        ),
        LIMIT,
    )
    last_warm_up = warm - 1 if rule.last_warmup is None else rule.last_warmup
    return (warm - 1, warm + WINDOW - 1), last_warm_up


Models = Mapping[str, ScorerModel]
Task = tuple[str, IterationSettings, Models, Mapping[str, list[Iterations]]]


def _replayed(corpus: Corpus, resamples: int, task: Task) -> dict[tuple[str, str], Replayed]:
    name, plan, models, known_stops = task
    forks = corpus.series(f"{name}.json")
    ways, last_warm_ups = dict(known_stops), {}
    for way, model in models.items():
        replays = [live(model, fork) for fork in forks]
        ways[way], last_warm_ups[way] = ([replay[index] for replay in replays] for index in (0, 1))
    return replayed(corpus, resamples, (name, plan), ways, last_warm_ups)


def stops(folder: Path) -> dict[str, dict[str, list[Iterations]]]:
    """Return where forks stop by models that were trained fold by fold, by benchmark and model."""
    stops_by_benchmark: dict[str, dict[str, list[Iterations]]] = {}
    for path in folder.glob("*-figures.csv"):
        with path.open() as file:
            rows = [row for row in csv.DictReader(file) if row["tuned_on"] != "segments"]
        for row in rows:
            name = f"{row['folds']}-{row['model']}-scores-{row['fold']}.npz"
            with np.load(folder / name) as scores:
                for benchmark in scores.files:
                    its = [stopped(fork, float(row["threshold"])) for fork in scores[benchmark]]
                    stops_by_benchmark.setdefault(benchmark, {})[row["model"]] = its
    return stops_by_benchmark


def _refuse_parts(
    corpus: Corpus, stops_by_benchmark: Mapping[str, Mapping[str, Sequence[Iterations]]]
) -> None:
    """End where only some forks of a benchmark were scored: a way has to say of all where it stops.

    Raises SystemExit.
    """
    for name, ways in stops_by_benchmark.items():
        fork_count = len(corpus.starts(name))
        for way, its in ways.items():
            if len(its) < fork_count:
                raise SystemExit(
                    f"{way} has scores of {len(its)} of the {fork_count} forks of {name}; make "
                    "them again with learned_baselines.py and without --forks"
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
        type=lambda text: [Criterion(method) for method in text.split(",")],
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
            segment_cases = left_out.cases(corpus, args.forks, args.share)
            title = f"{len(segment_cases.stable)} segments"
        if args.model == "retrain":
            quantities, by_name = retrained(
                segment_cases, left_out.early(corpus, args.forks), args.groups
            )
            table(f"{title}, systems left out; published: by benchmark", quantities)
            models = {
                name: {"learned": ScorerModel(Criterion.LEARNED, boosted, trees.READY, "")}
                for name, boosted in by_name.items()
            }
        elif args.model == "shipped":
            table(
                f"{title}, by what the package has", as_shipped(corpus, args.methods, segment_cases)
            )
            models = {
                name: {str(method): load_shipped_model(method) for method in args.methods}
                for name in corpus.names
            }
        stops_by_benchmark = stops(args.scores) if args.scores else {}
        _refuse_parts(corpus, stops_by_benchmark)
        if models or stops_by_benchmark:
            work = [
                (
                    name,
                    settings,
                    models.get(f"{name}.json", {}),
                    stops_by_benchmark.get(f"{name}.json", {}),
                )
                for name, settings in judgeable(corpus)
            ]
            with ProcessPoolExecutor() as pool:
                replays = list(
                    pool.map(partial(_replayed, corpus, args.resamples), work, chunksize=2)
                )
            table("net: better less worse (by quality, by time; worse by these)", figures(replays))
            table(
                "how far systems lie apart",
                spread([project(f"{name}.json") for name, *_ in work], replays),
            )


if __name__ == "__main__":
    main()
