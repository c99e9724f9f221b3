"""How far KB-KSSD is from people with other parameters: many configurations, each evaluated once.

Configurations share most of their work: smoothing knows only the outlier window, the step also the
step window, the probabilities the window of Kelly's test and its critical value. So they are
evaluated in an order in which neighbours share, and each process remembers what it last worked out.
"""

import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict, astuple, dataclass
from functools import cache, lru_cache, partial
from hashlib import sha256
from multiprocessing import parent_process
from pathlib import Path
from threading import Thread

import numpy as np
from corpus import Corpus

from auditor.warmup.detector import Values
from auditor.warmup.kbkssd import KbKssd

SMOOTHING = ("outlier_window", "upper", "lower")
STEP = (*SMOOTHING, "step_window")
PROBABILITIES = (*SMOOTHING, "window", "critical")
"""What decides each part of the detector."""
CHUNK = 32
"""Neighbours that one process evaluates: many enough to share, few enough to lose when killed."""
OFTEN = 20
"""Lines that say how far it is."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The series that people call steady, their references (iterations), and a digest of both."""

    series: list[Values]
    references: np.ndarray
    digest: str


@cache
def judged(corpus: Corpus) -> Judged:
    """Read the first fork of each benchmark that people call steady."""
    rows = [row for row in corpus.judged if row["binary"] == "steady"]
    series = [corpus.series(row["series"])[0] for row in rows]
    references = np.array([int(float(row["reference_index"])) for row in rows])
    digest = sha256(b"".join(array.tobytes() for array in (*series, references)))
    return Judged(series, references, digest.hexdigest()[:16])


@dataclass(frozen=True, slots=True)
class Score:
    """How far a configuration is from people.

    `squares` is the sum of squared errors (iterations²) with the -1 of unsteady series left in,
    `distance` the sum of absolute errors (iterations) of the `steady` series that it calls so.
    """

    squares: int
    distance: int
    steady: int


class Last(KbKssd):
    """The last part of the detector alone: finds the start in probabilities that are known."""

    def smooth_outliers(self, values: Values) -> Values:
        """Return what it is given."""
        return values

    def find_step(self, smooth: Values) -> int | None:  # noqa: ARG002
        """Leave the step to the probabilities."""
        return None

    def compute_probabilities(self, smooth: Values, step: int | None) -> Values:  # noqa: ARG002
        """Return what it is given."""
        return smooth


def score(corpus: Corpus, detector: KbKssd) -> Score:
    """Evaluate one configuration."""
    last = Last(probability=detector.probability, least_steady=detector.least_steady)
    probability_detector = _only(detector, PROBABILITIES)
    steps = _steps(corpus, _only(detector, STEP))
    starts = [
        last.find_steady_start(_probabilities(corpus, probability_detector, index, step)).start
        for index, step in enumerate(steps)
    ]
    is_steady = np.array([start is not None for start in starts])
    errors = judged(corpus).references - [-1 if start is None else start for start in starts]
    return Score(int(errors @ errors), int(abs(errors[is_steady]).sum()), int(is_steady.sum()))


def _only(detector: KbKssd, names: Sequence[str]) -> KbKssd:
    """Return a detector with these parameters, as a key: the others are the published ones."""
    return KbKssd(**{name: getattr(detector, name) for name in names})


@lru_cache(maxsize=1)
def _smoothed(corpus: Corpus, detector: KbKssd) -> list[Values]:
    return [detector.smooth_outliers(values) for values in judged(corpus).series]


@lru_cache(maxsize=64)
def _steps(corpus: Corpus, detector: KbKssd) -> list[int | None]:
    return [detector.find_step(values) for values in _smoothed(corpus, _only(detector, SMOOTHING))]


@lru_cache(maxsize=1024)
def _probabilities(corpus: Corpus, detector: KbKssd, index: int, step: int | None) -> Values:
    smooth = _smoothed(corpus, _only(detector, SMOOTHING))[index]
    return detector.compute_probabilities(smooth, step)


def scores(corpus: Corpus, detectors: Sequence[KbKssd], keep: Path | None) -> list[Score]:
    """Evaluate configurations on all cores; `keep` has those of earlier times, and gets the rest.

    Progress goes to stderr.
    """
    digest = judged(corpus).digest
    evaluations = {} if keep is None else remembered(keep, digest)
    different = set(detectors)
    missing = sorted(different - evaluations.keys(), key=astuple)
    print(f"{len(different)} configurations, {len(missing)} to evaluate", file=sys.stderr)
    with (
        ProcessPoolExecutor(initializer=_end_with_parent) as pool,
        keep.open("a") if keep else nullcontext() as file,
    ):
        result = pool.map(partial(score, corpus), missing, chunksize=CHUNK)
        for number, (detector, evaluation) in enumerate(zip(missing, result, strict=True), start=1):
            evaluations[detector] = evaluation
            if file:
                line = {"data": digest, **asdict(detector), **asdict(evaluation)}
                print(json.dumps(line), file=file, flush=True)
            if number * OFTEN // len(missing) > (number - 1) * OFTEN // len(missing):
                print(f"{number} of {len(missing)} evaluations", file=sys.stderr)
    return [evaluations[kb_kssd] for kb_kssd in detectors]


def _end_with_parent() -> None:
    """End this process when the one that wants its answers was killed: it would wait for ever."""

    def watch() -> None:
        if parent := parent_process():
            parent.join()
            os._exit(1)

    Thread(target=watch, daemon=True).start()


def remembered(keep: Path, digest: str) -> dict[KbKssd, Score]:
    """Return the evaluations on these data that a file has; a broken last line is cut off."""
    keep.touch()
    content = keep.read_bytes()
    lines = content.splitlines(keepends=True)
    if lines and not _complete(lines[-1]):
        content = content.removesuffix(lines.pop())
        keep.write_bytes(content)
    evaluations = {}
    for line in map(json.loads, lines):
        if line.pop("data") == digest:
            evaluation = Score(*(line.pop(name) for name in Score.__slots__))
            evaluations[KbKssd(**line)] = evaluation
    return evaluations


def _complete(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return line.endswith(b"\n")
