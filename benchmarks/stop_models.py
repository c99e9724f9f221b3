"""Makes the models that tell when a benchmark is warm: trained with all systems of the shared set.

    python benchmarks/stop_models.py learned --share 0.25
    python benchmarks/stop_models.py fcn --share 0.05 --epochs 6 --tuned 5

Needs the dependency group `training`. Writes the model where the package keeps its own, or to
--out, and what it has seen to models.json beside it. How good such models are on systems that they
have not seen: learned_stopping.py and learned_baselines.py. The same seed gives the same model on
one machine.
"""

import argparse
import json
import os
import shlex
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from corpus import Corpus, add_option, opened
from training.folds import project

from auditor.core.stop_rules import TRAINED, Criterion
from auditor.warmup import scorers
from auditor.warmup.scorers.files import Scoring, read_model_file, write_model_file

MODELS_FOLDER = Path(scorers.__file__).parent
CARDS = "models.json"
LICENCE = "public data of Traini et al. (EMSE 2022); its repository names no licence"


def train_trees(corpus: Corpus, args: argparse.Namespace) -> tuple[Scoring, float, dict[str, Any]]:
    """Grow our trees; return them, the threshold and what they have seen."""
    import left_out  # noqa: PLC0415 - jax, which the others need, forbids its processes
    from training import trees  # noqa: PLC0415

    cases = left_out.cases(corpus, args.forks, args.share)
    early_looks = left_out.early(corpus, args.forks)
    stable = trees.grown(cases.features, cases.stable, args.seed)
    model = left_out.model(
        stable,
        cases.names,
        early_looks,
        lambda benchmarks: np.ones(len(benchmarks), dtype=bool),
        args.seed,
    )
    training_data = {"windows": len(cases.stable), "forks": args.forks, "share": args.share}
    training_data |= {"looks": len(early_looks.means.truth), "places": len(early_looks.last.truth)}
    return model, trees.READY, {**training_data, "lightgbm": version("lightgbm")}


def train_study_model(
    corpus: Corpus, args: argparse.Namespace
) -> tuple[Scoring, float, dict[str, Any]]:
    """Train a model of the study, its threshold found on benchmarks for validation."""
    os.environ.setdefault("KERAS_BACKEND", "jax")
    import learned_baselines as baselines  # noqa: PLC0415
    from training import rocket, splits  # noqa: PLC0415

    forks = baselines.read(corpus)
    learn, validation = splits.for_validation(sorted(forks))
    rng = np.random.default_rng((args.seed, 0))
    samples = [baselines.segmented(forks, names, args.share, rng) for names in (learn, validation)]
    task = baselines.Task(0, *samples, samples[1], tuple(validation), ())
    args.tuned = args.tuned or None
    scorer = baselines.train_scorer(args.method, task, args)
    neural = args.method in baselines.NETWORKS
    tuned = baselines.thresholds(scorer, task, forks, args) if neural else {}
    threshold = tuned.get(baselines.UNSAMPLED, rocket.THRESHOLD)
    training_data = {"windows": sum(len(sample.stable) for sample in samples), "share": args.share}
    if not neural:
        training_data |= {"kernels": rocket.KERNELS, "scikit-learn": version("scikit-learn")}
    else:
        training_data |= {"epochs": args.epochs, "batch": args.batch, "tuned": args.tuned}
        training_data |= {name: version(name) for name in ("keras", "jax")}
    return scorer, threshold, training_data


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, write and tell."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_option(parser)
    parser.add_argument("method", type=Criterion, choices=sorted(TRAINED))
    parser.add_argument("--out", type=Path, help="default: where the package keeps it")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=1.0, help="of each benchmark's segments")
    parser.add_argument(
        "--forks",
        type=int,
        default=10,
        help="learned: steady ones of a benchmark for windows, its first ones for looks",
    )
    parser.add_argument("--epochs", type=int, default=500)
    parser.add_argument("--batch", type=int, default=128, help="windows of a step")
    parser.add_argument("--tuned", type=int, help="windows of a fork for thresholds (default: all)")
    args = parser.parse_args(arguments)
    started = time.monotonic()
    out = args.out or MODELS_FOLDER / f"{args.method}.npz"
    with opened(args.data) as corpus:
        train = train_trees if args.method is Criterion.LEARNED else train_study_model
        scoring, threshold, training_data = train(corpus, args)
        names = corpus.names
    write_model_file(out, args.method, scoring, threshold)
    model = read_model_file(args.method, out)
    options = [str(args.method)]
    for name in ("seed", "share", "forks", "epochs", "batch", "tuned"):
        if (value := getattr(args, name)) != parser.get_default(name):
            options += [f"--{name}", str(value)]
    card = {
        "command": f"python benchmarks/stop_models.py {shlex.join(options)}",
        "figures": "benchmarks/results/learned-stopping.md",
        "digest": model.digest,
        "bytes": out.stat().st_size,
        "threshold": round(model.threshold, 4),
        "seen": f"{len(names)} benchmarks of {len({project(text) for text in names})} systems, "
        "JMH, iterations of 100 ms",
        "data": LICENCE,
        **training_data,
        "seed": args.seed,
        "numpy": version("numpy"),
        "minutes": round((time.monotonic() - started) / 60, 1),
    }
    place = out.with_name(CARDS)
    cards = json.loads(place.read_text()) if place.exists() else {}
    cards[str(args.method)] = card
    place.write_text(json.dumps(dict(sorted(cards.items())), indent=2) + "\n")
    print(json.dumps(card, indent=2))


if __name__ == "__main__":
    main()
