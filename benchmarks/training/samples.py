"""Windows as models take them, each with whether it is stable.

Source: the study of learned stopping (ASE 2024) and its public code. A model learns from `balanced`
ones; the study tunes its decision threshold on windows of every fork as they come, `unbalanced`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from auditor.warmup.detector import Starts, Values, Windows, standardise_windows
from training.scores import Truth
from training.segments import segments


@dataclass(frozen=True, slots=True)
class Sample:
    """Standardised windows (windows, 100), and which of them are stable (windows,)."""

    windows: Windows
    stable: Truth


def balanced(values: Values, last_warm_up: int) -> Sample:
    """Return the hundred windows of a steady fork that models learn from."""
    result = segments(last_warm_up, len(values))
    return Sample(standardise_windows(values, result.starts), result.stable)


def unbalanced(values: Values, last_warm_up: int, starts: Starts) -> Sample:
    """Return the windows of a fork that begin at `starts`; -1: it is never steady."""
    stable = (starts > last_warm_up) & (last_warm_up >= 0)
    return Sample(standardise_windows(values, starts), stable)


def joined(samples: Iterable[Sample]) -> Sample:
    """Return the windows of all samples, one after the other."""
    all_samples = list(samples)
    return Sample(
        np.concatenate([sample.windows for sample in all_samples]),
        np.concatenate([sample.stable for sample in all_samples]),
    )


def draw_share(sample: Sample, share: float, rng: np.random.Generator) -> Sample:
    """Return a share of the windows, drawn at random, in a random order."""
    indices = rng.permutation(len(sample.stable))[: round(share * len(sample.stable))]
    return Sample(sample.windows[indices], sample.stable[indices])
