"""Are the published detectors of the steady state reproduced, and how far from people are they?

Reads a folder in the layout of the shared set (or the public whole). Three columns beside each
other: what is known of the public whole of 586 benchmarks (*: measured on it, else published),
what the folder's own files say of the part that is there, and what our code finds in its series.
Two figures are those of KB-KSSD and of CP-SSD. Ours of CP-SSD are of the stored change points,
except in the sample of forks (`--forks`). `steady_training.py` says how good the learned one is.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
import steady_labels
from corpus import Corpus, add_option, opened
from quantities import Quantity, format_numbers, share, table
from scipy import stats

from auditor.warmup.cpssd import CpSsd
from auditor.warmup.detector import Detector
from auditor.warmup.kbkssd import KbKssd
from auditor.warmup.learned import LearnedDetector

SEED = 20_261_122
DETECTORS: tuple[Detector, ...] = (KbKssd(), LearnedDetector(), CpSsd())
TIMED = 20
"""Benchmarks whose first forks are timed one by one."""
FAST = 2
"""Detectors whose command is timed, too; the last one would take hours."""
FOLDS = 10
ROOT = Path(__file__).parents[1]


def to_published_index(index: int | None, shift: int = 0) -> int:
    """Return an index as it was published: -1 for none."""
    return -1 if index is None else index - shift


@dataclass(frozen=True, slots=True, kw_only=True)
class Cases:
    """First forks of the judged benchmarks: what people said of them, and what both methods say.

    `methods` are KB-KSSD and CP-SSD as published, -1 for none. Where people saw no steady state
    there are no labels, and the reference is not a number.
    """

    steady: np.ndarray
    clustered: np.ndarray
    reference: np.ndarray
    labels: list[tuple[int, ...]]
    methods: np.ndarray

    @property
    def compared(self) -> np.ndarray:
        """Tell which series people and both methods call steady."""
        return np.asarray(self.steady & (self.methods >= 0).all(axis=0))

    def errors(self, reference: np.ndarray) -> np.ndarray:
        """Return how far both methods are before a reference in the compared series."""
        return np.asarray(reference - self.methods)[:, self.compared]

    def relabel(self, reference: Callable[[Sequence[int]], int]) -> np.ndarray:
        """Return the reference that one makes of the labels."""
        return np.array([reference(label) if label else np.nan for label in self.labels])


def _steady_indices(corpus: Corpus, name: str) -> tuple[list[int], int]:
    """Return the indices of KB-KSSD for all forks, and that of CP-SSD for the first one."""
    forks = corpus.series(name)
    judged = CpSsd().judge_changes(forks[0], corpus.json("changepoints", name)[0]).start
    return [
        to_published_index(KbKssd().find_steady_start(fork).start) for fork in forks
    ], to_published_index(judged, 1)


def cases(corpus: Corpus, indices_by_name: dict[str, tuple[list[int], int]]) -> tuple[Cases, Cases]:
    """Return the judged series by what is stored, and by what our code finds."""
    rows = corpus.judged
    names = [row["series"] for row in rows]
    labels = [[row[f"judge{number}"] for number in range(1, 6)] for row in rows]
    stored = Cases(
        steady=np.array([row["binary"] == "steady" for row in rows]),
        clustered=np.array([row["agreement"] == "clustered" for row in rows]),
        reference=np.array([float(row["reference_index"] or "nan") for row in rows]),
        labels=[tuple(int(float(text)) for text in row_labels if text) for row_labels in labels],
        methods=np.array(
            [[corpus.indices[f"{name}_0"], corpus.starts(name)[0]] for name in names]
        ).T,
    )
    return stored, replace(
        stored,
        clustered=np.array([bool(steady_labels.clustered(label)) for label in stored.labels]),
        reference=stored.relabel(steady_labels.reference),
        methods=np.array(
            [(indices_by_name[name][0][0], indices_by_name[name][1]) for name in names]
        ).T,
    )


def agreement(
    corpus: Corpus,
    indices_by_name: dict[str, tuple[list[int], int]],
    case_pair: tuple[Cases, Cases],
) -> list[Quantity]:
    """Return how often our code finds what is stored."""
    stored_cases, computed_cases = case_pair
    same = [
        index == corpus.indices[f"{name}_{fork}"]
        for name, (numbers, _) in indices_by_name.items()
        for fork, index in enumerate(numbers)
    ]
    references = (computed_cases.reference == stored_cases.reference)[stored_cases.steady]
    starts = computed_cases.methods[1] == stored_cases.methods[1]
    return [
        ("KB-KSSD: indices of all forks", "5858 of 5860 *", share(same)),
        ("CP-SSD: starts of first forks", "99.8 % of 2930 *", share(starts)),
        ("people: references", "-", share(references)),
    ]


def _tried(corpus: Corpus, task: tuple[str, int]) -> tuple[bool, ...]:
    """Tell whether CP-SSD has the published start, class and change points of a fork."""
    name, fork = task
    values, published_start = corpus.series(name)[fork], corpus.starts(name)[fork]
    changes = tuple(corpus.json("changepoints", name)[fork])
    steadiness, judged = (
        CpSsd().find_steady_start(values),
        CpSsd().judge_changes(values, list(changes)),
    )
    starts = [to_published_index(verdict.start, 1) for verdict in (steadiness, judged)]
    agreements = [
        (start == published_start, (start < 0) == (published_start < 0)) for start in starts
    ]
    return *agreements[0], *agreements[1], steadiness.changes == changes[:-1]


def sample(corpus: Corpus, pool: ProcessPoolExecutor, number: int) -> None:
    """Print what CP-SSD finds by itself in some forks, drawn with a seed that is kept."""
    all_forks = [(name, fork) for name in corpus.names for fork in range(10)]
    sampled = random.Random(SEED).sample(all_forks, min(number, len(all_forks)))  # noqa: S311
    columns = zip(*pool.map(partial(_tried, corpus), sampled, chunksize=2), strict=True)
    labels = (
        ("same start", "-"),
        ("same class", "-"),
        ("same start, from stored change points", "99.8 % of 2930 *"),
        ("same class, from stored change points", "-"),
        ("same change points", "61 of 66 up to ties *"),
    )
    rows = [(*label, share(column)) for label, column in zip(labels, columns, strict=True)]
    table(f"CP-SSD in {len(sampled)} forks", rows)


def distances(judged_cases: Cases) -> list[Quantity]:
    """Return how far both methods are from people."""
    errors, is_clustered = (
        judged_cases.errors(judged_cases.reference),
        judged_cases.clustered[judged_cases.compared],
    )
    ascending = judged_cases.errors(
        judged_cases.relabel(partial(steady_labels.reference, in_order=False))
    )
    method_errors = [
        abs(judged_cases.reference - method)[judged_cases.steady & (method >= 0)]
        for method in judged_cases.methods
    ]
    nearer = abs(errors[1]) - abs(errors[0])
    ranks = [
        stats.spearmanr(
            judged_cases.reference[judged_cases.compared], method[judged_cases.compared]
        )
        for method in judged_cases.methods
    ]
    return [
        (
            "compared: clustered, scattered",
            "204, 173",
            format_numbers((is_clustered.sum(), (~is_clustered).sum())),
        ),
        ("total error", "137094, 160323", _total(errors)),
        ("total error, clustered", "61924, 70579", _total(errors[:, is_clustered])),
        ("total error, scattered", "75170, 89744", _total(errors[:, ~is_clustered])),
        ("total error, four labels in ascending order", "137491, 160722 *", _total(ascending)),
        (
            "total error, median of five",
            "138025, 161250 *",
            _total(judged_cases.errors(judged_cases.relabel(steady_labels.middle))),
        ),
        (
            "series that people and it call steady",
            "402, 380 *",
            format_numbers(len(series_errors) for series_errors in method_errors),
        ),
        (
            "total error in these",
            "152179, 162502 *",
            format_numbers(series_errors.sum() for series_errors in method_errors),
        ),
        ("signed error: mean", "255.07, 110.33 *", format_numbers(errors.mean(axis=1), 2)),
        (
            "signed error: deviation",
            "522.25, 658.39 *",
            format_numbers(errors.std(axis=1, ddof=1), 2),
        ),
        ("absolute error: mean", "363.64, 425.26 *", format_numbers(abs(errors).mean(axis=1), 2)),
        (
            "absolute error: deviation",
            "453.40, 514.59 *",
            format_numbers(abs(errors).std(axis=1, ddof=1), 2),
        ),
        ("absolute error: median", "222, 271 *", format_numbers(np.median(abs(errors), axis=1))),
        (
            "is nearer to people",
            "236, 120 *",
            format_numbers(((nearer > 0).sum(), (nearer < 0).sum())),
        ),
        ("is as near as the other", "21 *", format_numbers([(nearer == 0).sum()])),
        (
            "rank correlation with people",
            "0.18, 0.05 *",
            format_numbers((rank.statistic for rank in ranks), 2),
        ),
    ]


def _total(errors: np.ndarray) -> str:
    return format_numbers(abs(errors).sum(axis=1))


def yardsticks(judged_cases: Cases) -> list[Quantity]:
    """Return how far from people a constant is, and each of them from the others."""
    reference = judged_cases.reference[judged_cases.compared]
    best = int(np.median(reference))
    fold = np.arange(len(reference)) % FOLDS
    fold_medians = [int(np.median(reference[fold != number])) for number in fold]
    labels = [
        numbers
        for numbers, use in zip(judged_cases.labels, judged_cases.compared, strict=True)
        if use
    ]
    people = [
        sum(
            abs(label[index] - steady_labels.middle([*label[:index], *label[index + 1 :]]))
            for label in labels
        )
        for index in range(5)
    ]
    sizes = Counter(len(steady_labels.clustered(label)) for label in judged_cases.labels if label)
    counts = format_numbers(sizes[number] for number in (0, 3, 4, 5))
    ascending = judged_cases.relabel(partial(steady_labels.reference, in_order=False))
    moved = (ascending != judged_cases.reference)[judged_cases.steady].sum()
    ends = min(people), max(people)
    return [
        ("labels that are near others: 0, 3, 4, 5", "190, 119, 85, 13 *", counts),
        ("moved by four labels in ascending order", "72 *", format_numbers([moved])),
        ("the best constant", "314 *", format_numbers([best])),
        (
            "total error: the best constant",
            "110121 *",
            format_numbers([abs(reference - best).sum()]),
        ),
        (
            "total error: one of the other folds",
            "110665 *",
            format_numbers([abs(reference - fold_medians).sum()]),
        ),
        ("total error: always 0", "165191 *", format_numbers([reference.sum()])),
        ("judges from the middle of the others: least, most", "-", format_numbers(ends)),
        ("the same, each series", "334, 654 *", format_numbers(end / len(labels) for end in ends)),
    ]


def verdicts(judged_cases: Cases) -> list[Quantity]:
    """Return how often both methods and people agree."""
    is_steady = judged_cases.methods >= 0
    wrong, people, against = (
        is_steady != judged_cases.steady,
        judged_cases.steady,
        ~judged_cases.steady,
    )
    hits, finds = (is_steady & people).sum(axis=1), (~is_steady & against).sum(axis=1)
    balanced = (hits / people.sum() + finds / max(1, against.sum())) / 2
    return [
        ("series, steady to people", "586, 407", format_numbers((len(people), people.sum()))),
        ("steady", "578, 530", format_numbers(is_steady.sum(axis=1))),
        ("agrees with people", "405, 409", format_numbers((~wrong).sum(axis=1))),
        ("false steady", "176, 150", format_numbers((wrong & against).sum(axis=1))),
        (
            "false unsteady, clustered",
            "3, 11",
            format_numbers((wrong & people & judged_cases.clustered).sum(axis=1)),
        ),
        (
            "false unsteady, scattered",
            "2, 16",
            format_numbers((wrong & people & ~judged_cases.clustered).sum(axis=1)),
        ),
        ("unsteady series that it finds", "3, 29 *", format_numbers(finds)),
        ("balanced accuracy", "0.502, 0.548 *", format_numbers(balanced, 3)),
        ("all three agree", "379", format_numbers([(~wrong).all(axis=0).sum()])),
        ("both agree against people", "151", format_numbers([wrong.all(axis=0).sum()])),
    ]


def times(corpus: Corpus) -> None:
    """Print how long a series takes beside reading it, and how long the command takes for all."""
    names = corpus.names[:: max(1, len(corpus.names) // TIMED)][:TIMED]
    for detector in DETECTORS:
        detector.find_steady_start(corpus.series(names[0])[0])  # a model is read once
        seconds, ratios = [], []
        for name in names:
            began = perf_counter()
            forks = corpus.series(name)
            read = perf_counter()
            detector.find_steady_start(forks[0])
            seconds.append(perf_counter() - read)
            ratios.append(seconds[-1] / (read - began) * len(forks))
        print(
            f"{detector.name}: {1000 * median(seconds):.1f} ms a series, {median(ratios):.2f} x "
            f"what reading it takes, median of {len(names)}"
        )
    for detector in DETECTORS[:FAST]:
        with tempfile.TemporaryDirectory(prefix="bench-audit-steady-") as folder:
            command = [sys.executable, "-m", "auditor", "steady", str(corpus.path("").resolve())]
            flags = [f"--detector={detector.name}", "--quiet", f"--output={folder}"]
            began = perf_counter()
            subprocess.run([*command, *flags], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            took = perf_counter() - began
            judged = json.loads((Path(folder) / "steady.json").read_bytes())["series"]
        print(f"{detector.name}: the command judges {len(judged)} series in {took:.1f} s, "
              f"{os.cpu_count()} cores")  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables, or the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_option(parser)
    parser.add_argument("--forks", type=int, default=500, help="forks that CP-SSD is tried with")
    parser.add_argument("--times", action="store_true", help="how long it takes, nothing else")
    args = parser.parse_args(arguments)
    with opened(args.data) as corpus:
        if args.times:
            times(corpus)
            return
        with ProcessPoolExecutor() as pool:
            result = pool.map(partial(_steady_indices, corpus), corpus.names)
            indices_by_name = dict(zip(corpus.names, result, strict=True))
            case_pair = stored_cases, computed_cases = cases(corpus, indices_by_name)
            table("our code finds what is stored", agreement(corpus, indices_by_name, case_pair))
            for title, rows in (
                ("KB-KSSD, CP-SSD and people: where", distances),
                ("what a constant and single judges come to", yardsticks),
                ("KB-KSSD, CP-SSD and people: whether", verdicts),
            ):
                table(title, rows(computed_cases), rows(stored_cases))
            sample(corpus, pool, args.forks)


if __name__ == "__main__":
    main()
