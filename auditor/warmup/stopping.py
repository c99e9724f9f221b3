"""When has a benchmark run long enough? The dynamic stop rules of Laaber et al. (FSE 2020).

Each rule takes the operations of one iteration after the other and says when to stop. Two
implementations of the rules disagree, so each is here under its name: LIVE is the harness that
stops by itself, POST_HOC the analysis behind the published figures
(`docs/reference/stopping-rules.md`).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

import numpy as np

from auditor.warmup.detector import Values

DRAWN = 1000
"""Operations drawn of each iteration, and for each figure."""
_HISTORY = 5
_MOST = 50
_OFF = 10.0
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

    def observe(self, operations: Values) -> bool:
        """Take the times of an iteration's operations; tell whether that is enough.

        Where only an iteration's mean is known, that is its one operation.
        """
        middle = np.median(operations)
        near = operations[(operations >= middle / _OFF) & (operations <= middle * _OFF)]
        self._union.append(self.rng.choice(near, DRAWN))
        whole = np.concatenate(self._union)
        self.figures += self._figure(whole)
        return len(self._union) >= self.most or self._enough()

    def _figure(self, whole: Values) -> list[float]:
        if self.technique is Technique.COV:
            return [float(whole.std(ddof=1) / whole.mean())]
        drawn = self.rng.choice(whole, DRAWN)
        if self.technique is Technique.RCIW:
            return [width(drawn, self.rng)]
        before, self._last = self._last, drawn
        return [] if before is None else [similarity(before, drawn)]

    def _enough(self) -> bool:
        if len(self._union) < LEAST[self.technique]:
            return False
        limit = THRESHOLDS[self.technique]
        recent = np.array(self.figures[-_HISTORY:])
        if self.technique is Technique.KLD:
            return bool(recent.mean() > limit)
        off = recent[:-1] - recent[-1]
        if self.variant is RuleVariant.LIVE:
            return bool(abs(off).max() < limit)
        # The scatter's change is signed there, so one that rises ends at once; of the interval
        # the widths themselves count, not what they change by.
        return bool((off if self.technique is Technique.COV else recent).max() < limit)


def iterations(rule: StopRule, samples: Iterable[Values]) -> int | None:
    """Return after how many of some iterations a rule stops, None where they do not suffice."""
    for number, one in enumerate(samples, start=1):
        if rule.observe(one):
            return number
    return None


def forks(
    technique: Technique, variant: RuleVariant, measured: list[Values], rng: np.random.Generator
) -> int:
    """Return how many forks are enough, at least two: by what each next one changes.

    `measured` are the operations that were measured in each fork, in their order.
    """
    limit = THRESHOLDS[technique]
    drawn = [
        rng.choice(np.concatenate(measured[: index + 1]), DRAWN) for index in range(len(measured))
    ]
    ask: dict[Technique, Callable[[Values, Values], float]] = {
        Technique.COV: lambda one, two: abs(_scatter(two) - _scatter(one)),
        Technique.RCIW: lambda one, two: abs(width(two, rng) - width(one, rng)),
        Technique.KLD: similarity,
    }
    for number, (one, two) in enumerate(pairwise(drawn), start=2):
        if technique is Technique.KLD:
            enough = ask[technique](one, two) > limit
        elif technique is Technique.RCIW and variant is RuleVariant.POST_HOC:
            enough = width(two, rng) < limit
        else:
            enough = ask[technique](one, two) < limit
        if enough:
            return number
    return len(measured)


def _scatter(values: Values) -> float:
    return float(values.std(ddof=1) / values.mean())


def width(values: Values, rng: np.random.Generator) -> float:
    """Return the width of the 99 % bootstrap interval of the mean, relative to the mean."""
    means = np.sort(rng.choice(values, (DRAWN, len(values))).mean(axis=1))
    low = means[int(np.ceil(DRAWN * _LEVEL / 2))]
    high = means[int(np.floor(DRAWN * (1 - _LEVEL / 2)))]
    return float((high - low) / values.mean())


def similarity(one: Values, two: Values) -> float:
    """Return how alike two distributions are: 2 to the minus their divergences, both ways."""
    quartiles = np.array([np.percentile(each, (25, 75)) for each in (one, two)])
    reach = _WHISKER * (quartiles[:, 1] - quartiles[:, 0])
    low = max(0.0, float((quartiles[:, 0] - reach).min()))
    high = float((quartiles[:, 1] + reach).max())
    if low >= high:
        return 1.0
    at = np.linspace(low, high, _POINTS)
    first, second = _density(one, at), _density(two, at)
    if first is None or second is None:
        return 1.0 if first is second else 0.0
    step = float(at[1] - at[0])
    return float(2 ** -_divergence(first, second, step) * 2 ** -_divergence(second, first, step))


def _density(values: Values, at: Values) -> Values | None:
    """Return the Gaussian kernel density, 0 beyond five bandwidths; None for equal values."""
    low, high = np.percentile(values, (25, 75))
    spread = min(values.std(ddof=1), (high - low) / 1.34)
    if spread <= 0:
        return None
    bandwidth = 1.06 * spread * len(values) ** -0.2
    off = (at[:, None] - values) / bandwidth
    near = np.where(abs(off) <= _REACH, np.exp(-0.5 * off**2), 0.0)
    return np.asarray(near.sum(axis=1) / (len(values) * bandwidth * np.sqrt(2 * np.pi)))


def _divergence(one: Values, two: Values, step: float) -> float:
    both = (one > 0) & (two > 0)
    if not both.any():
        return float("inf")
    return float((one[both] * np.log(one[both] / two[both])).sum() * step)
