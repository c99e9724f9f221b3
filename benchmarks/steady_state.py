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
from quantities import Quantity, said, share, table
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


def published(found: int | None, shift: int = 0) -> int:
    """Return an index as it was published: -1 for none."""
    return -1 if found is None else found - shift


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

    def off(self, reference: np.ndarray) -> np.ndarray:
        """Return how far both methods are before a reference in the compared series."""
        return np.asarray(reference - self.methods)[:, self.compared]

    def by(self, reference: Callable[[Sequence[int]], int]) -> np.ndarray:
        """Return the reference that one makes of the labels."""
        return np.array([reference(label) if label else np.nan for label in self.labels])


def _found(corpus: Corpus, name: str) -> tuple[list[int], int]:
    """Return the indices of KB-KSSD for all forks, and that of CP-SSD for the first one."""
    forks = corpus.series(name)
    judged = CpSsd().judge_changes(forks[0], corpus.json("changepoints", name)[0]).start
    return [published(KbKssd().find_steady_start(fork).start) for fork in forks], published(
        judged, 1
    )


def cases(corpus: Corpus, ours: dict[str, tuple[list[int], int]]) -> tuple[Cases, Cases]:
    """Return the judged series by what is stored, and by what our code finds."""
    rows = corpus.judged
    names = [row["series"] for row in rows]
    given = [[row[f"judge{number}"] for number in range(1, 6)] for row in rows]
    stored = Cases(
        steady=np.array([row["binary"] == "steady" for row in rows]),
        clustered=np.array([row["agreement"] == "clustered" for row in rows]),
        reference=np.array([float(row["reference_index"] or "nan") for row in rows]),
        labels=[tuple(int(float(text)) for text in each if text) for each in given],
        methods=np.array(
            [[corpus.indices[f"{name}_0"], corpus.starts(name)[0]] for name in names]
        ).T,
    )
    return stored, replace(
        stored,
        clustered=np.array([bool(steady_labels.clustered(label)) for label in stored.labels]),
        reference=stored.by(steady_labels.reference),
        methods=np.array([(ours[name][0][0], ours[name][1]) for name in names]).T,
    )


def agreement(
    corpus: Corpus, ours: dict[str, tuple[list[int], int]], both: tuple[Cases, Cases]
) -> list[Quantity]:
    """Return how often our code finds what is stored."""
    stored, measured = both
    same = [
        one == corpus.indices[f"{name}_{fork}"]
        for name, (numbers, _) in ours.items()
        for fork, one in enumerate(numbers)
    ]
    references = (measured.reference == stored.reference)[stored.steady]
    starts = measured.methods[1] == stored.methods[1]
    return [
        ("KB-KSSD: indices of all forks", "5858 of 5860 *", share(same)),
        ("CP-SSD: starts of first forks", "99.8 % of 2930 *", share(starts)),
        ("people: references", "-", share(references)),
    ]


def _tried(corpus: Corpus, task: tuple[str, int]) -> tuple[bool, ...]:
    """Tell whether CP-SSD has the published start, class and change points of a fork."""
    name, fork = task
    values, wanted = corpus.series(name)[fork], corpus.starts(name)[fork]
    changes = tuple(corpus.json("changepoints", name)[fork])
    steadiness, judged = (
        CpSsd().find_steady_start(values),
        CpSsd().judge_changes(values, list(changes)),
    )
    starts = [published(one.start, 1) for one in (steadiness, judged)]
    alike = [(start == wanted, (start < 0) == (wanted < 0)) for start in starts]
    return *alike[0], *alike[1], steadiness.changes == changes[:-1]


def sample(corpus: Corpus, pool: ProcessPoolExecutor, number: int) -> None:
    """Print what CP-SSD finds by itself in some forks, drawn with a seed that is kept."""
    every = [(name, fork) for name in corpus.names for fork in range(10)]
    drawn = random.Random(SEED).sample(every, min(number, len(every)))  # noqa: S311
    columns = zip(*pool.map(partial(_tried, corpus), drawn, chunksize=2), strict=True)
    whats = (
        ("same start", "-"),
        ("same class", "-"),
        ("same start, from stored change points", "99.8 % of 2930 *"),
        ("same class, from stored change points", "-"),
        ("same change points", "61 of 66 up to ties *"),
    )
    rows = [(*what, share(column)) for what, column in zip(whats, columns, strict=True)]
    table(f"CP-SSD in {len(drawn)} forks", rows)


def distances(of: Cases) -> list[Quantity]:
    """Return how far both methods are from people."""
    off, near = of.off(of.reference), of.clustered[of.compared]
    ascending = of.off(of.by(partial(steady_labels.reference, in_order=False)))
    alone = [abs(of.reference - method)[of.steady & (method >= 0)] for method in of.methods]
    nearer = abs(off[1]) - abs(off[0])
    ranks = [
        stats.spearmanr(of.reference[of.compared], method[of.compared]) for method in of.methods
    ]
    return [
        ("compared: clustered, scattered", "204, 173", said((near.sum(), (~near).sum()))),
        ("total error", "137094, 160323", _total(off)),
        ("total error, clustered", "61924, 70579", _total(off[:, near])),
        ("total error, scattered", "75170, 89744", _total(off[:, ~near])),
        ("total error, four labels in ascending order", "137491, 160722 *", _total(ascending)),
        (
            "total error, median of five",
            "138025, 161250 *",
            _total(of.off(of.by(steady_labels.middle))),
        ),
        ("series that people and it call steady", "402, 380 *", said(len(one) for one in alone)),
        ("total error in these", "152179, 162502 *", said(one.sum() for one in alone)),
        ("signed error: mean", "255.07, 110.33 *", said(off.mean(axis=1), 2)),
        ("signed error: deviation", "522.25, 658.39 *", said(off.std(axis=1, ddof=1), 2)),
        ("absolute error: mean", "363.64, 425.26 *", said(abs(off).mean(axis=1), 2)),
        ("absolute error: deviation", "453.40, 514.59 *", said(abs(off).std(axis=1, ddof=1), 2)),
        ("absolute error: median", "222, 271 *", said(np.median(abs(off), axis=1))),
        ("is nearer to people", "236, 120 *", said(((nearer > 0).sum(), (nearer < 0).sum()))),
        ("is as near as the other", "21 *", said([(nearer == 0).sum()])),
        (
            "rank correlation with people",
            "0.18, 0.05 *",
            said((rank.statistic for rank in ranks), 2),
        ),
    ]


def _total(off: np.ndarray) -> str:
    return said(abs(off).sum(axis=1))


def yardsticks(of: Cases) -> list[Quantity]:
    """Return how far from people a constant is, and each of them from the others."""
    reference = of.reference[of.compared]
    best = int(np.median(reference))
    fold = np.arange(len(reference)) % FOLDS
    others = [int(np.median(reference[fold != one])) for one in fold]
    labels = [numbers for numbers, use in zip(of.labels, of.compared, strict=True) if use]
    people = [
        sum(
            abs(label[index] - steady_labels.middle([*label[:index], *label[index + 1 :]]))
            for label in labels
        )
        for index in range(5)
    ]
    sizes = Counter(len(steady_labels.clustered(label)) for label in of.labels if label)
    counts = said(sizes[number] for number in (0, 3, 4, 5))
    ascending = of.by(partial(steady_labels.reference, in_order=False))
    moved = (ascending != of.reference)[of.steady].sum()
    ends = min(people), max(people)
    return [
        ("labels that are near others: 0, 3, 4, 5", "190, 119, 85, 13 *", counts),
        ("moved by four labels in ascending order", "72 *", said([moved])),
        ("the best constant", "314 *", said([best])),
        ("total error: the best constant", "110121 *", said([abs(reference - best).sum()])),
        ("total error: one of the other folds", "110665 *", said([abs(reference - others).sum()])),
        ("total error: always 0", "165191 *", said([reference.sum()])),
        ("judges from the middle of the others: least, most", "-", said(ends)),
        ("the same, each series", "334, 654 *", said(end / len(labels) for end in ends)),
    ]


def verdicts(of: Cases) -> list[Quantity]:
    """Return how often both methods and people agree."""
    found = of.methods >= 0
    wrong, people, against = found != of.steady, of.steady, ~of.steady
    hits, finds = (found & people).sum(axis=1), (~found & against).sum(axis=1)
    balanced = (hits / people.sum() + finds / max(1, against.sum())) / 2
    return [
        ("series, steady to people", "586, 407", said((len(people), people.sum()))),
        ("steady", "578, 530", said(found.sum(axis=1))),
        ("agrees with people", "405, 409", said((~wrong).sum(axis=1))),
        ("false steady", "176, 150", said((wrong & against).sum(axis=1))),
        ("false unsteady, clustered", "3, 11", said((wrong & people & of.clustered).sum(axis=1))),
        ("false unsteady, scattered", "2, 16", said((wrong & people & ~of.clustered).sum(axis=1))),
        ("unsteady series that it finds", "3, 29 *", said(finds)),
        ("balanced accuracy", "0.502, 0.548 *", said(balanced, 3)),
        ("all three agree", "379", said([(~wrong).all(axis=0).sum()])),
        ("both agree against people", "151", said([wrong.all(axis=0).sum()])),
    ]


def times(corpus: Corpus) -> None:
    """Print how long a series takes beside reading it, and how long the command takes for all."""
    names = corpus.names[:: max(1, len(corpus.names) // TIMED)][:TIMED]
    for detector in DETECTORS:
        detector.find_steady_start(corpus.series(names[0])[0])  # a model is read once
        own, ratios = [], []
        for name in names:
            began = perf_counter()
            forks = corpus.series(name)
            read = perf_counter()
            detector.find_steady_start(forks[0])
            own.append(perf_counter() - read)
            ratios.append(own[-1] / (read - began) * len(forks))
        print(f"{detector.name}: {1000 * median(own):.1f} ms a series, {median(ratios):.2f} x what "
              f"reading it takes, median of {len(names)}")  # fmt: skip
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
            result = pool.map(partial(_found, corpus), corpus.names)
            ours = dict(zip(corpus.names, result, strict=True))
            both = stored, measured = cases(corpus, ours)
            table("our code finds what is stored", agreement(corpus, ours, both))
            for title, rows in (
                ("KB-KSSD, CP-SSD and people: where", distances),
                ("what a constant and single judges come to", yardsticks),
                ("KB-KSSD, CP-SSD and people: whether", verdicts),
            ):
                table(title, rows(measured), rows(stored))
            sample(corpus, pool, args.forks)


if __name__ == "__main__":
    main()
