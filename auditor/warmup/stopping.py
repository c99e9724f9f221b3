"""When has a benchmark run long enough? The dynamic stop rules of Laaber et al. (FSE 2020).

Each rule takes the operations of one iteration after the other and says when to stop. Two
implementations of the rules disagree, so each is here under its name: LIVE is the harness that
stops by itself, POST_HOC the analysis behind the published figures
(`docs/reference/stopping-rules.md`).
"""

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from auditor.warmup.detector import Values

SAMPLE_SIZE = 1000
"""Operations drawn of each iteration, and for each figure."""
_HISTORY = 5
_MOST = 50
_OUTLIER_FACTOR = 10.0
_REACH = 5.0
_POINTS = 1000
_WHISKER = 1.5
_LEVEL = 0.01


class RuleVariant(StrEnum):
    """Whose implementation of the rules."""

    LIVE = "live"
    POST_HOC = "post-hoc"


class Technique(StrEnum):
    """What is watched: the scatter, the width of an interval, or the change of a distribution."""

    COV = "cov"
    RCIW = "rciw"
    KLD = "kld"


THRESHOLDS = {Technique.COV: 0.01, Technique.RCIW: 0.03, Technique.KLD: 0.99}
LEAST = {Technique.COV: 5, Technique.RCIW: 5, Technique.KLD: 6}
"""Iterations before which no rule stops."""


@dataclass(slots=True)
class StopRule:
    """One technique in one variant, fed with one iteration after the other."""

    technique: Technique  # what is watched
    variant: RuleVariant  # whose implementation
    rng: np.random.Generator  # draws the samples
    most: int = _MOST  # iterations after which it stops in any case
    figures: list[float] = field(default_factory=list)
    """Of each iteration so far: scatter, width or similarity."""
    _union: list[Values] = field(default_factory=list, repr=False)
    """Samples of all iterations so far."""
    _last: Values | None = field(default=None, repr=False)
    """Sample of the iteration before (KLD); None: there was none."""

    def observe_operations(self, operations: Values) -> bool:
        """Take the times of an iteration's operations; tell whether that is enough.

        Where only an iteration's mean is known, that is its one operation.
        """
        middle = np.median(operations)
        inliers = operations[
            (operations >= middle / _OUTLIER_FACTOR) & (operations <= middle * _OUTLIER_FACTOR)
        ]
        self._union.append(self.rng.choice(inliers, SAMPLE_SIZE))
        union = np.concatenate(self._union)
        self.figures += self._compute_figures(union)
        return len(self._union) >= self.most or self._is_enough()

    def _compute_figures(self, union: Values) -> list[float]:
        if self.technique is Technique.COV:
            return [float(union.std(ddof=1) / union.mean())]
        sample = self.rng.choice(union, SAMPLE_SIZE)
        if self.technique is Technique.RCIW:
            return [measure_bootstrap_width(sample, self.rng)]
        before, self._last = self._last, sample
        return [] if before is None else [compute_similarity(before, sample)]

    def _is_enough(self) -> bool:
        if len(self._union) < LEAST[self.technique]:
            return False
        limit = THRESHOLDS[self.technique]
        recent = np.array(self.figures[-_HISTORY:])
        if self.technique is Technique.KLD:
            return bool(recent.mean() > limit)
        changes = recent[:-1] - recent[-1]
        if self.variant is RuleVariant.LIVE:
            return bool(abs(changes).max() < limit)
        # The scatter's change is signed there, so one that rises ends at once; of the interval
        # the widths themselves count, not what they change by.
        return bool((changes if self.technique is Technique.COV else recent).max() < limit)


def measure_bootstrap_width(values: Values, rng: np.random.Generator) -> float:
    """Return the width of the 99 % bootstrap interval of the mean, relative to the mean."""
    means = np.sort(rng.choice(values, (SAMPLE_SIZE, len(values))).mean(axis=1))
    low = means[int(np.ceil(SAMPLE_SIZE * _LEVEL / 2))]
    high = means[int(np.floor(SAMPLE_SIZE * (1 - _LEVEL / 2)))]
    return float((high - low) / values.mean())


def compute_similarity(earlier: Values, later: Values) -> float:
    """Return how alike two distributions are: 2 to the minus their divergences, both ways."""
    quartiles = np.array([np.percentile(sample, (25, 75)) for sample in (earlier, later)])
    reach = _WHISKER * (quartiles[:, 1] - quartiles[:, 0])
    low = max(0.0, float((quartiles[:, 0] - reach).min()))
    high = float((quartiles[:, 1] + reach).max())
    if low >= high:
        return 1.0
    points = np.linspace(low, high, _POINTS)
    first, second = _estimate_density(earlier, points), _estimate_density(later, points)
    if first is None or second is None:
        return 1.0 if first is second else 0.0
    step = float(points[1] - points[0])
    return float(
        2 ** -_compute_divergence(first, second, step)
        * 2 ** -_compute_divergence(second, first, step)
    )


def _estimate_density(values: Values, points: Values) -> Values | None:
    """Return the Gaussian kernel density, 0 beyond five bandwidths; None for equal values."""
    low, high = np.percentile(values, (25, 75))
    spread = min(values.std(ddof=1), (high - low) / 1.34)
    if spread <= 0:
        return None
    bandwidth = 1.06 * spread * len(values) ** -0.2
    distances = (points[:, None] - values) / bandwidth
    kernels = np.where(abs(distances) <= _REACH, np.exp(-0.5 * distances**2), 0.0)
    return np.asarray(kernels.sum(axis=1) / (len(values) * bandwidth * np.sqrt(2 * np.pi)))


def _compute_divergence(density: Values, reference: Values, step: float) -> float:
    is_positive = (density > 0) & (reference > 0)
    if not is_positive.any():
        return float("inf")
    return float(
        (density[is_positive] * np.log(density[is_positive] / reference[is_positive])).sum() * step
    )
