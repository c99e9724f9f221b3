"""Rules that stop where a trained model calls the last iterations stable (ASE 2024)."""

from collections import deque

import numpy as np

from auditor.audits.steady.scorers.boosted import Boosted
from auditor.audits.steady.scorers.convolutional import Convolutional
from auditor.audits.steady.scorers.files import Model
from auditor.audits.steady.scorers.rocket import Rocket
from auditor.audits.steady.scorers.windows import WINDOW, standardised
from auditor.audits.steady.sofar import SoFar, vector
from auditor.core.warming import Method

_FIRST = np.zeros(1, dtype=np.int64)


class Scored:
    """Warm is where the first window begins whose score reaches the model's threshold."""

    def __init__(self, model: Model) -> None:
        """Take the model."""
        scoring = model.scoring
        self.method: Method = model.method
        self._threshold = model.threshold
        self._scorer = _Course(scoring) if isinstance(scoring, Boosted) else _Last(scoring)
        self._seen = 0

    def observe(self, seconds: float, lasted: float) -> int | None:
        """Take an iteration; once it is warm, return how many iterations are its warm-up."""
        self._seen += 1
        self._scorer.observe(seconds, lasted)
        if self._seen < WINDOW or self._scorer.score() < self._threshold:
            return None
        return self._seen - WINDOW


class _Course:
    """Judges the whole run so far."""

    def __init__(self, trees: Boosted) -> None:
        self._trees = trees
        self._run = SoFar()

    def observe(self, seconds: float, lasted: float) -> None:
        self._run.observe(seconds, lasted)

    def score(self) -> float:
        return self._trees.score(vector(self._run.features(), self._trees.names))


class _Last:
    """Judges the last window alone."""

    def __init__(self, scorer: Convolutional | Rocket) -> None:
        self._scorer = scorer
        self._values: deque[float] = deque(maxlen=WINDOW)

    def observe(self, seconds: float, lasted: float) -> None:  # noqa: ARG002 (it counts)
        self._values.append(seconds)

    def score(self) -> float:
        window = standardised(np.array(self._values), _FIRST)
        return float(self._scorer.scores(window)[0])
