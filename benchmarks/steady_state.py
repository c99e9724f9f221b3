"""How good are the detectors of the steady state? Published figures beside ours, on judged series.

Reads a folder in the layout of the shared set (or the public whole). Prints: how well KB-KSSD and
CP-SSD are reproduced, the total errors and agreements of Section 3.6 of the specification for all
detectors and two constants, how far the judges are from each other, what the configured warm-up
does, and how long a series takes as a ratio to reading it.
"""

import argparse
import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from statistics import median

import numpy as np
from corpus import Corpus, add_option, opened

from auditor.audits.steady import judges
from auditor.audits.steady.configured import JmhSettings, mapped
from auditor.audits.steady.cpssd import CpSsd
from auditor.audits.steady.detector import Detector
from auditor.audits.steady.kbkssd import KbKssd
from auditor.audits.steady.learned import Learned

SEED = 20_261_122
DETECTORS: dict[str, Callable[[], Detector]] = {
    "KB-KSSD": KbKssd,
    "CP-SSD": CpSsd,
    "learned": Learned,
}


def published(found: int | None, shift: int = 0) -> int:
    """Return an index as it was published: -1 for none."""
    return -1 if found is None else found - shift


def _kb(task: tuple[Corpus, str]) -> tuple[list[int], float, float]:
    corpus, name = task
    started = time.perf_counter()
    forks = corpus.series(name)
    reading = time.perf_counter() - started
    detector = KbKssd()
    started = time.perf_counter()
    found = [published(detector.find(one).start) for one in forks]
    return found, time.perf_counter() - started, reading


def kbkssd(corpus: Corpus, pool: ProcessPoolExecutor) -> None:
    """Compare KB-KSSD with the published index of every fork."""
    same = total = 0
    ratios = []
    for name, (found, own, reading) in zip(
        corpus.names, pool.map(_kb, [(corpus, one) for one in corpus.names]), strict=True
    ):
        wanted = [corpus.indices[f"{name}_{fork}"] for fork in range(len(found))]
        same += sum(one == other for one, other in zip(found, wanted, strict=True))
        total += len(found)
        ratios.append(own / reading)
    print(f"KB-KSSD: {same} of {total} forks have the published index; a series takes "
          f"{median(ratios):.2f} x what reading it takes")  # fmt: skip


def _configured(task: tuple[Corpus, str, JmhSettings]) -> tuple[int, int]:
    corpus, name, settings = task
    wanted = corpus.json("devconfig", name)
    found = [list(mapped(one, settings)) for one in corpus.series(name)]
    return sum(one == other for one, other in zip(found, wanted, strict=True)), len(found)


def configured(corpus: Corpus, pool: ProcessPoolExecutor) -> None:
    """Map the developers' settings to iterations, and compare with those that are stored."""
    known = {
        f"{row['project'].replace('/', '__')}#{row['benchmark']}#{row['params']}.json": row
        for row in corpus.rows("subjects.csv")
    }
    tasks = [
        (
            corpus,
            name,
            JmhSettings(
                warmup_iterations=int(known[name]["warmupIterations"]),
                warmup_seconds=float(known[name]["warmupTimeSec"]),
                measurement_iterations=int(known[name]["measurementIterations"]),
                measurement_seconds=float(known[name]["measurementTimeSec"]),
            ),
        )
        for name in corpus.names
    ]
    found = list(pool.map(_configured, tasks))
    same, total = (sum(one[at] for one in found) for at in (0, 1))
    print(f"developers' settings: {same} of {total} forks are mapped to the stored iterations")


def _cp(task: tuple[Corpus, str, int]) -> tuple[bool, bool, bool, bool, float]:
    corpus, name, fork = task
    started = time.perf_counter()
    values = corpus.series(name)[fork]
    reading = (time.perf_counter() - started) / 10
    wanted = corpus.starts(name)[fork]
    changes = [int(one) for one in corpus.json("changepoints", name)[fork]]
    detector = CpSsd()
    judged = published(detector.judge(values, changes).start, 1)
    started = time.perf_counter()
    found = published(detector.find(values).start, 1)
    own = time.perf_counter() - started
    return (
        found == wanted,
        (found < 0) == (wanted < 0),
        judged == wanted,
        (judged < 0) == (wanted < 0),
        own / reading,
    )


def cpssd(corpus: Corpus, pool: ProcessPoolExecutor, number: int) -> None:
    """Compare CP-SSD with the published starts of some forks, drawn with a seed that is kept."""
    forks = [(corpus, name, fork) for name in corpus.names for fork in range(10)]
    drawn = random.Random(SEED).sample(forks, min(number, len(forks)))  # noqa: S311
    found = list(pool.map(_cp, drawn, chunksize=2))
    starts, classes, judged, judged_classes = (
        sum(one[at] for one in found) / len(found) for at in range(4)
    )
    ratio = median(one[4] for one in found)
    print(f"CP-SSD: of {len(found)} forks {starts:.1%} have the published start and {classes:.1%} "
          f"the class; from the stored change points {judged:.1%} and {judged_classes:.1%}; a "
          f"series takes {ratio:.0f} x what reading it takes")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What people said of the first fork of a benchmark, and what each method says."""

    name: str
    steady: bool
    labels: tuple[int, ...]
    found: dict[str, int]


def _found(task: tuple[Corpus, str]) -> dict[str, int]:
    corpus, name = task
    values = corpus.series(name)[0]
    learned = Learned()
    return {
        "KB-KSSD": published(KbKssd().find(values).start),
        "CP-SSD": corpus.starts(name)[0],
        "learned, seen": published(learned.find(values).start),
        "learned, seen, wherever": learned.start(values),
    }


def judgements(corpus: Corpus, pool: ProcessPoolExecutor) -> Iterator[Judgement]:
    """Read the judges' table, and judge the series."""
    rows = corpus.judged
    tasks = [(corpus, row["series"]) for row in rows]
    for row, found in zip(rows, pool.map(_found, tasks), strict=True):
        labels = [row[f"judge{number}"] for number in range(1, 6)]
        yield Judgement(
            name=row["series"],
            steady=row["binary"] == "steady",
            labels=tuple(int(float(one)) for one in labels if one),
            found=found,
        )


def errors(judged: Sequence[Judgement], *, sorted_labels: bool) -> None:
    """Print the total errors where both published methods call a series steady."""
    both = [
        one
        for one in judged
        if one.steady and one.found["KB-KSSD"] >= 0 and one.found["CP-SSD"] >= 0
    ]
    reference = np.array([judges.reference(one.labels, in_order=not sorted_labels) for one in both])
    print(f"\n{len(both)} series that people and both methods call steady; reference by the "
          f"{'natural' if sorted_labels else 'published'} reading")  # fmt: skip
    for name in ("KB-KSSD", "CP-SSD", "learned, seen, wherever"):
        found = np.array([one.found[name] for one in both])
        print(f"{name:26} total error {abs(reference - found).sum():8.0f}, signed mean "
              f"{(reference - found).mean():7.1f}")  # fmt: skip
    constant = int(np.median(reference))
    print(f"{f'constant {constant}':26} total error {abs(reference - constant).sum():8.0f}")
    for at in range(5):
        rest = [judges.middle([*one.labels[:at], *one.labels[at + 1 :]]) for one in both]
        off = abs(np.array([one.labels[at] for one in both]) - rest)
        print(f"{f'judge {at + 1}':26} total error {off.sum():8.0f} from the middle of the others")


def agreements(judged: Sequence[Judgement]) -> None:
    """Print how often the verdicts are those of people."""
    said = np.array([one.steady for one in judged])
    print(f"\n{len(judged)} series, {said.sum()} of them steady as people see them")
    for name in ("KB-KSSD", "CP-SSD", "learned, seen", "always steady"):
        found = np.array([name == "always steady" or one.found.get(name, 0) >= 0 for one in judged])
        balanced = ((found & said).sum() / said.sum() + (~found & ~said).sum() / (~said).sum()) / 2
        print(f"{name:26} agrees in {(found == said).sum()}, balanced accuracy {balanced:.3f}, "
              f"false steady {(found & ~said).sum()}, "
              f"false unsteady {(~found & said).sum()}")  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_option(parser)
    parser.add_argument("--forks", type=int, default=500, help="forks that CP-SSD is tried with")
    asked = parser.parse_args(arguments)
    with opened(asked.data) as corpus, ProcessPoolExecutor() as pool:
        kbkssd(corpus, pool)
        configured(corpus, pool)
        judged = list(judgements(corpus, pool))
        steady = [one for one in judged if one.labels]
        print(f"{len(steady)} series have the labels of judges")
        for sorted_labels in (False, True):
            errors(judged, sorted_labels=sorted_labels)
        agreements(judged)
        cpssd(corpus, pool, asked.forks)


if __name__ == "__main__":
    main()
