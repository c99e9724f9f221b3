"""Looks at a process while it runs, and says when it is warm and when enough was measured."""

from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import numpy as np

from auditor.core.plan import Trial
from auditor.core.stop_rules import Criterion, StoppingRule, WarmupResult
from auditor.stats.compare import relative_width
from auditor.warmup.detector import WINDOW, Values, standardise_windows
from auditor.warmup.kbkssd import KbKssd
from auditor.warmup.run_so_far import RunSoFar
from auditor.warmup.scorers import files
from auditor.warmup.scorers.boosted import BoostedTrees
from auditor.warmup.scorers.convolutional import ConvolutionalNetwork
from auditor.warmup.scorers.files import ScorerModel
from auditor.warmup.scorers.rocket import Rocket
from auditor.warmup.stopping import RuleVariant, StopRule, Technique

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


_LEVEL = 0.95
_BATCHES = 10
"""Neighbours are alike, so the scatter of a mean is that of the means of so many stretches."""
_RULE_SECONDS = 1.0
"""Of an iteration of the dynamic rules; theirs lasted a second."""
_ROUNDING = 1e-9
"""Ten times a tenth are a little less than one."""
_LOOK = 10
"""Iterations between two looks at the whole series."""
_UNCHANGED = 3
"""Looks that have to say the same."""
_MOST = 10**9


class WarmupRule(Protocol):
    """Tells when a process is warm."""

    @property
    def method(self) -> Criterion:
        """Return what it is."""
        ...

    @property
    def last_warmup(self) -> int | None:
        """Return the iteration, from zero, that it takes for the last one of the warm-up.

        It may lie before what is left out. None: it is not warm yet, or the rule does not say.
        """
        ...

    def observe_iteration(self, seconds: float, lasted: float) -> int | None:
        """Take an iteration; once it is warm, return how many iterations are its warm-up."""
        ...


class ProcessWatcher:
    """Watches one process: until it is warm by a rule, then until enough is measured."""

    def __init__(self, watch: StoppingRule, rule: WarmupRule) -> None:
        """Take what is asked for, and the rule."""
        self._watch = watch
        self._rule = rule
        self._seconds: list[float] = []
        self._warm: int | None = None

    def observe_iteration(self, seconds: float, lasted: float) -> WarmupResult | None:
        """Take an iteration, seconds an operation and how long it lasted; not None: it may end."""
        self._seconds.append(seconds)
        if self._warm is None:
            self._warm = self._rule.observe_iteration(seconds, lasted)
        came_to = self.finish_watching()
        return came_to if came_to.enough else None

    def finish_watching(self) -> WarmupResult:
        """Return what the process came to so far; warm without anything measured is not."""
        measured = np.array([] if self._warm is None else self._seconds[self._warm :])
        last = self._rule.last_warmup if len(measured) else None
        return WarmupResult(
            method=self._rule.method,
            warm=self._warm if len(measured) else None,
            enough=self._is_enough(measured),
            since=None if last is None else last + 1,
        )

    def _is_enough(self, measured: Values) -> bool:
        if len(measured) < self._watch.measured:
            return False
        return self._watch.width is None or measure_interval_width(measured) <= self._watch.width


def measure_interval_width(values: Values) -> float:
    """Return the width of the 95 % interval of the mean, relative to it; infinite for too few."""
    if len(values) < 2 * _BATCHES:
        return float("inf")
    size = len(values) // _BATCHES
    means = values[-size * _BATCHES :].reshape(_BATCHES, size).mean(axis=1)
    return relative_width(means.tolist(), _LEVEL)


class DynamicRule:
    """One of the dynamic rules of Laaber et al. (FSE 2020), on iterations of a second.

    What the means of the short iterations of a second are, that were its operations there.
    """

    last_warmup = None

    def __init__(self, method: Criterion, technique: Technique, seed: int) -> None:
        """Take the rule; what it draws is decided by the seed."""
        self.method = method
        rng = np.random.default_rng(seed)
        self._rule = StopRule(technique, RuleVariant.LIVE, rng, most=_MOST)
        self._operations: list[float] = []
        self._lasted = 0.0
        self._seen = 0

    def observe_iteration(self, seconds: float, lasted: float) -> int | None:
        """Take an iteration; once it is warm, return how many iterations are its warm-up."""
        self._seen += 1
        self._operations.append(seconds)
        self._lasted += lasted
        if self._lasted < _RULE_SECONDS - _ROUNDING:
            return None
        operations = np.array(self._operations)
        self._operations, self._lasted = [], 0.0
        return self._seen if self._rule.observe_operations(operations) else None


class KellyRule:
    """KB-KSSD on the series so far, again and again.

    Warm is where it has said the same several times, with a whole window of its test behind it.
    """

    method = Criterion.KBKSSD
    last_warmup = None

    def __init__(self) -> None:
        """Begin."""
        self._detector = KbKssd()
        self._seconds: list[float] = []
        self._said: deque[int | None] = deque(maxlen=_UNCHANGED)

    def observe_iteration(self, seconds: float, lasted: float) -> int | None:  # noqa: ARG002 (it counts)
        """Take an iteration; once it is warm, return how many iterations are its warm-up."""
        self._seconds.append(seconds)
        number = len(self._seconds)
        if number <= self._detector.window or number % _LOOK:
            return None
        start = self._detector.find_steady_start(np.array(self._seconds)).start
        far = start is not None and number - start >= self._detector.window
        self._said.append(start if far else None)
        same = len(self._said) == _UNCHANGED and len(set(self._said)) == 1
        return self._said[-1] if same else None


_RULES: Mapping[Criterion, Callable[[int], WarmupRule]] = {
    Criterion.COV: lambda seed: DynamicRule(Criterion.COV, Technique.COV, seed),
    Criterion.RCIW: lambda seed: DynamicRule(Criterion.RCIW, Technique.RCIW, seed),
    Criterion.KLD: lambda seed: DynamicRule(Criterion.KLD, Technique.KLD, seed),
    Criterion.KBKSSD: lambda _: KellyRule(),
}


class WatcherFactory:
    """Makes what looks at the process of a trial."""

    def __init__(self, model: Path | None = None) -> None:
        """Take the user's file of a model, None: those that come with this package."""
        self._file = model
        self._models: dict[Criterion, files.ScorerModel | None] = {}

    def __call__(self, trial: Trial) -> ProcessWatcher:
        """Return it for a trial that has a watch."""
        watch = trial.watch
        if watch is None:
            raise ValueError("nothing asks for this trial to be watched")
        return ProcessWatcher(watch, self.build_rule(watch, trial.seed))

    def build_rule(self, watch: StoppingRule, seed: int) -> WarmupRule:
        """Return what tells when a process is warm; what it draws is decided by the seed."""
        if watch.method in _RULES:
            return _RULES[watch.method](seed)
        if watch.method not in self._models:
            self._models[watch.method] = files.choose_model(watch.method, self._file)
        model = self._models[watch.method]
        if model is None or model.digest != watch.model:
            raise ValueError("the model of this trial is not at hand")
        return ScoredRule(model)
