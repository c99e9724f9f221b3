"""Rules that stop where a trained model takes a run for warm (ASE 2024)."""

from collections import deque
from collections.abc import Mapping

import numpy as np

from auditor.core.stop_rules import Criterion
from auditor.warmup.run_so_far import RunSoFar
from auditor.warmup.scorers.boosted import BoostedTrees
from auditor.warmup.scorers.convolutional import ConvolutionalNetwork
from auditor.warmup.scorers.files import ScorerModel
from auditor.warmup.scorers.rocket import Rocket
from auditor.warmup.windows import WINDOW, standardise_windows

LOOKS = 20
"""Of our model: that many looks count together, each after an iteration."""
_FIRST = np.zeros(1, dtype=np.int64)


class ScoredRule:
    """Warm is where the last window begins once the score reaches the model's threshold.

    `last_warmup` is the iteration, from zero, that the model takes for the last one of the warm-up
    once it is warm, which may lie before that window; None: the model does not say.
    """

    def __init__(self, model: ScorerModel) -> None:
        """Take the model."""
        scoring = model.scoring
        self.method: Criterion = model.method
        self.last_warmup: int | None = None
        self._threshold = model.threshold
        self._scorer = (
            _CourseScorer(scoring) if isinstance(scoring, BoostedTrees) else _WindowScorer(scoring)
        )
        self._seen = 0

    def observe_iteration(self, seconds: float, lasted: float) -> int | None:
        """Take an iteration; once it is warm, return how many iterations are its warm-up."""
        self._seen += 1
        self._scorer.add_iteration(seconds, lasted)
        score = self._scorer.compute_score() if self._seen >= WINDOW else None
        if score is None or not score >= self._threshold:
            return None
        self.last_warmup = self._scorer.last_warmup()
        return self._seen - WINDOW


class _CourseScorer:
    """Judges the whole run so far, by its last looks together: a single one errs more easily."""

    def __init__(self, trees: BoostedTrees) -> None:
        self._trees = trees
        self._run = RunSoFar()
        self._found: Mapping[str, float] = {}
        self._looks: deque[float] = deque(maxlen=LOOKS)

    def add_iteration(self, seconds: float, lasted: float) -> None:
        self._run.add_iteration(seconds, lasted)

    def compute_score(self) -> float | None:
        """Return the mean of the last looks, None before there are as many."""
        self._found = self._run.compute_features()
        self._looks.append(self._trees.score_readiness(self._found))
        return sum(self._looks) / LOOKS if len(self._looks) == LOOKS else None

    def last_warmup(self) -> int:
        return self._trees.last_warmup(self._run, self._found)


class _WindowScorer:
    """Judges the last window alone."""

    def __init__(self, scorer: ConvolutionalNetwork | Rocket) -> None:
        self._scorer = scorer
        self._values: deque[float] = deque(maxlen=WINDOW)

    def add_iteration(self, seconds: float, lasted: float) -> None:  # noqa: ARG002 (it counts)
        self._values.append(seconds)

    def compute_score(self) -> float:
        window = standardise_windows(np.array(self._values), _FIRST)
        return float(self._scorer.score_windows(window)[0])

    def last_warmup(self) -> int | None:
        return None
