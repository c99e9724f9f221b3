"""A model's scores as a configuration, and made comparable with that of a baseline.

Source: the study of learned stopping (ASE 2024), Section 4, and its public code. A configuration is
the last warm-up and the last measured iteration of a fork, both from zero; -1: no warm-up.
"""

from enum import StrEnum

import numpy as np

from auditor.warmup.detector import WINDOW, Values

LIMIT = 500
"""Windows that are looked at; a fork of which none is called stable is measured after them."""

Iterations = tuple[int, int]


class Fairness(StrEnum):
    """Whose comparison with a baseline: as the text says, or as the code does it.

    In the code a model's testing time is that of its own 100 iterations, whatever the baseline
    measures; in the text that of as many as the baseline's.
    """

    TEXT = "text"
    CODE = "code"


def stopped(scores: Values, threshold: float) -> Iterations:
    """Return where the first window begins whose score reaches the threshold.

    `scores` are those of the windows at 0, 1, 2 …; what is measured is that window.
    """
    looked = scores[:LIMIT]
    hits = np.flatnonzero(looked >= threshold)
    first = int(hits[0]) if hits.size else LIMIT
    return first - 1, first + WINDOW - 1


def matched(model: Iterations, baseline: Iterations) -> Iterations:
    """Return what a model measures where it may measure as many iterations as a baseline.

    Of more than the baseline's the last ones are kept, so the warm-up gets longer.
    """
    last_warm_up, last = model
    measured_count = baseline[1] - baseline[0]
    if measured_count < WINDOW:
        return last - measured_count, last
    return last_warm_up, last_warm_up + measured_count


def timed(model: Iterations, baseline: Iterations, fairness: Fairness) -> Iterations:
    """Return what a model's testing time is taken of."""
    return model if fairness is Fairness.CODE else matched(model, baseline)
