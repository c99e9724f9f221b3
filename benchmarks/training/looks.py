"""What a rule that stops learns from: looks at the first iterations of a run, as it goes on.

Windows all over a run say what a stable one looks like (`segments`). A rule decides early, though,
and what it decides is when to measure, and what it says of the warm-up. So two more things are
learned from looks at the first windows: whether the mean of the last one is as good as that of the
steady part, and which place is best taken for the last iteration of the warm-up.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from auditor.warmup.configured import estimate_iteration_times
from auditor.warmup.detector import WINDOW, Starts, Values
from auditor.warmup.run_so_far import RunSoFar
from auditor.warmup.steady_start import find_start_candidates
from training.scores import Truth

Cases = npt.NDArray[np.float32]

STARTS = (
    *(0, 2, 5, 9, 14, 20, 28, 38, 50, 65, 80, 100, 120, 145, 170, 200, 230, 260),
    *(295, 330, 365, 400, 435, 470, 500),
)
"""Where the windows begin that are looked at."""
TOLERANCE = 0.01
"""A mean is right that is no further off, as a part of what it should be (tried: 0.02, worse)."""
SCALE = 35.0
"""Seconds. Who is so far off is worth a third of who is right: settings and dynamic rules of the
public corpus are further off than that in about as many cases."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Cases (cases, features) with names of the features, and what is true of each (cases,)."""

    names: tuple[str, ...]
    features: Cases
    truth: Values | Truth


def cases(values: Values, starts: Sequence[int] | Starts) -> tuple[tuple[str, ...], Cases]:
    """Return names of features and what they are at the ends of windows, (windows, features).

    `values` are seconds per operation in iterations of 100 ms, `starts` where windows begin, in
    ascending order; a run has those that it is long enough for.
    """
    looks = [features for _, features in _looks(values, starts)]
    names = tuple(looks[0])
    return names, np.array(
        [[features[name] for name in names] for features in looks], dtype=np.float32
    )


def judge_means(values: Values, last_warm_up: int) -> Sample:
    """Return looks at a run, and whether the mean of each last window is right.

    The run has a whole window or more.
    """
    names, features = cases(values, STARTS)
    starts = STARTS[: len(features)]
    means = np.array([values[start : start + WINDOW].mean() for start in starts])
    return Sample(names, features, abs(means / steady_mean(values, last_warm_up) - 1) < TOLERANCE)


def steady_mean(values: Values, last_warm_up: int) -> float:
    """Return the mean of the steady part; without one (-1) the last third stands for it."""
    return float(values[last_warm_up + 1 if last_warm_up >= 0 else len(values) * 2 // 3 :].mean())


def last(values: Values, last_warm_up: int) -> Sample:
    """Return places that may be the last of the warm-up, seen by looks, and what each is worth.

    The run has a whole window or more. Raises ValueError for one without a steady part.
    """
    if last_warm_up < 0:
        raise ValueError("a run without a steady part has no last iteration of its warm-up")
    passed = estimate_iteration_times(values).cumsum()
    candidateses = [find_start_candidates(run, look) for run, look in _looks(values, STARTS[::2])]
    features = np.concatenate([candidates.sides for candidates in candidateses]).astype(np.float32)
    places = np.concatenate([candidates.places for candidates in candidateses])
    distances = abs(passed[places] - passed[last_warm_up])
    return Sample(candidateses[0].names, features, np.exp(-distances / SCALE))


def _looks(
    values: Values, starts: Sequence[int] | Starts
) -> Iterator[tuple[RunSoFar, dict[str, float]]]:
    """Yield a run as it goes on and its features, at the ends of windows that begin there."""
    run, ends = RunSoFar(), {int(start) + WINDOW for start in starts}
    observed = values[: max(ends)]
    for number, (value, lasted) in enumerate(
        zip(observed, estimate_iteration_times(observed), strict=True), start=1
    ):
        run.add_iteration(float(value), float(lasted))
        if number in ends:
            yield run, run.compute_features()
