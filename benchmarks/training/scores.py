"""How good a classifier is, and how much better one way to stop is than another.

Source: the study of learned stopping (ASE 2024), Section 4.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from auditor.warmup.detector import Values

EVEN = 0.5
"""From there on it is more likely that a window is stable than that it is not."""

Truth = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Classified:
    """Precision and recall of the stable class, their harmonic mean, and balanced accuracy."""

    precision: float
    recall: float
    f1: float
    balanced: float


def classified(truth: Truth, verdicts: Truth) -> Classified:
    """Judge verdicts (windows,) by what is true; a ratio to nothing is not a number."""
    hits = float((truth & verdicts).sum())
    precision, recall = _ratio(hits, verdicts.sum()), _ratio(hits, truth.sum())
    specificity = _ratio(float((~truth & ~verdicts).sum()), (~truth).sum())
    f1 = _ratio(2 * hits, verdicts.sum() + truth.sum())
    return Classified(precision, recall, f1, (recall + specificity) / 2)


def _ratio(part: float, total: float) -> float:
    return float(part / total) if total else float("nan")


def threshold(truth: Truth, scores: Values) -> float:
    """Return the score at which the hit rate is farthest above the rate of false alarms (Youden).

    Of several the greatest. Raises ValueError where there is one class only.
    """
    if truth.all() or not truth.any():
        raise ValueError("a threshold needs windows of both classes")
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))
    hits = np.cumsum(truth[order])[ends] / truth.sum()
    alarms = np.cumsum(~truth[order])[ends] / (~truth).sum()
    return float(scores[order][ends[np.argmax(hits - alarms)]])


def chance_of_less(model: Values, baseline: Values) -> float:
    """Return the share of all pairs in which the model's value is less, ties half (A12)."""
    ascending = np.sort(baseline)
    below = np.searchsorted(ascending, model, "left")
    upto = np.searchsorted(ascending, model, "right")
    greater = len(baseline) - (below + upto) / 2
    return float(greater.mean() / len(baseline))


def rank_biserial(model: Values, baseline: Values) -> float:
    """Return the matched-pairs rank-biserial correlation, above 0 where the model has less.

    Pairs without a difference do not count; without any other it is 0.
    """
    differences = (baseline - model)[baseline != model]
    if not differences.size:
        return 0.0
    ranks = stats.rankdata(abs(differences))
    return float((np.sign(differences) * ranks).sum() / ranks.sum())


@dataclass(frozen=True, slots=True)
class Result:
    """What a benchmark comes to: whether its results deviate, and how long testing it takes."""

    deviates: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of benchmarks that are better by quality or time, and that are worse."""

    quality: float
    time: float
    worse_quality: float
    worse_time: float

    @property
    def net(self) -> float:
        """Return what is better less what is worse."""
        return self.quality + self.time - self.worse_quality - self.worse_time


def shares(model: Sequence[Result], baseline: Sequence[Result]) -> Shares:
    """Compare benchmark by benchmark: by quality where that differs, else, if good, by time."""
    pairs = list(zip(model, baseline, strict=True))
    good = [
        (result, reference)
        for result, reference in pairs
        if not (result.deviates or reference.deviates)
    ]
    counts = (
        sum(reference.deviates and not result.deviates for result, reference in pairs),
        sum(result.seconds < reference.seconds for result, reference in good),
        sum(result.deviates and not reference.deviates for result, reference in pairs),
        sum(result.seconds > reference.seconds for result, reference in good),
    )
    quality, time, worse_quality, worse_time = (count / len(pairs) for count in counts)
    return Shares(quality, time, worse_quality, worse_time)
