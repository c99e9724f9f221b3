"""Since when has a run been steady? Places that may end its warm-up, and what they look like.

A rule is sure only some time after a run has become steady. What it has seen by then says where
that was: mostly at one of the places where the run changed, so only such places are looked at.
The first iteration at a new level counts as the last one of the warm-up, as in the public corpus.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from auditor.stats.arrays import Array
from auditor.warmup.detector import WINDOW
from auditor.warmup.run_so_far import BLOCK, RunSoFar, compute_block_medians, compute_median

Places = npt.NDArray[np.int64]

_FIRST = (0, 1, 5)
"""Places that may be it however a run looks: the first iterations are mostly slower."""
_PARTS = (4, 2)
"""So do these parts of what lies before the last window."""
_SAME_CHANGE_DISTANCE = 3
"""Iterations that places lie apart which stand for the same change."""
_TINY = 1e-6


@dataclass(frozen=True, slots=True)
class StartCandidates:
    """Places (places,), ascending from zero, and what they look like: `sides` (places, features).

    `names` are those of the features; those of the run, which are the same for all places, follow.
    """

    places: Places
    names: tuple[str, ...]
    sides: Array


def find_start_candidates(run: RunSoFar, feature_values: Mapping[str, float]) -> StartCandidates:
    """Return the places of a run with a whole window or more, by the run's features."""
    start = run.n - WINDOW
    tellers = {
        name: run.n - int(since)
        for name, since in feature_values.items()
        if _is_since_feature(name)
    }
    tellers |= {f"iteration {iteration}": iteration for iteration in _FIRST}
    tellers |= {f"part {part}": start // part for part in _PARTS}
    tellers["window"] = start - 1
    teller_places = np.clip([*tellers.values()], 0, max(start - 1, 0))
    places = np.unique(teller_places)
    rows = [_describe_place(run, places, index) for index in range(len(places))]
    teller_flags = (teller_places[None, :] == places[:, None]).astype(float)
    run_features = np.tile([*feature_values.values()], (len(places), 1))
    agreement_counts = (abs(teller_places[None, :] - places[:, None]) <= _SAME_CHANGE_DISTANCE).sum(
        axis=1, keepdims=True
    )
    return StartCandidates(
        places,
        (
            *rows[0],
            "near",
            *(f"by {name}" for name in tellers),
            *(f"run: {name}" for name in feature_values),
        ),
        np.hstack(
            (
                np.array([[*row.values()] for row in rows]),
                agreement_counts,
                teller_flags,
                run_features,
            )
        ),
    )


def _is_since_feature(name: str) -> bool:
    """Tell whether a feature says for how many iterations nothing has changed."""
    kinds = ("within ", " steady at ")
    return "share" not in name and (name.endswith(" since") or any(kind in name for kind in kinds))


def _describe_place(run: RunSoFar, places: Places, number: int) -> dict[str, float]:
    """Return what lies before and behind a place, relative to the level of the last window."""
    place = int(places[number])
    logs = run.log_times - compute_median(run.log_times[-WINDOW:])
    scatter = _measure_scatter(logs[-WINDOW:])
    before, behind = logs[: place + 1], logs[place + 1 :]
    level, behind_scatter = compute_median(behind), _measure_scatter(behind)
    tens = compute_block_medians(behind)
    jump = compute_median(before[-BLOCK:]) - compute_median(behind[:BLOCK])
    half, quarter = len(tens) // 2, len(behind) // 4
    place_features = {
        "place": place,
        "behind": len(behind),
        "share": place / run.n,
        "seconds": float(run.elapsed_seconds[place]),
        "number": number,
        "places": len(places),
        "from the one before": place - places[number - 1] if number else -1,
        "to the next": places[number + 1] - place if number + 1 < len(places) else -1,
        "jump": jump,
        "jump far": jump / scatter,
        "short jump": compute_median(before[-3:]) - compute_median(behind[:3]),
        "last": before[-1],
        "level": level,
        "level off": float(behind.mean()) - level,
        "scatter": float(np.log(behind_scatter)),
        "scatter far": behind_scatter / scatter,
        "deviation": float(np.log(behind.std() + _TINY)),
        "farthest": float(abs(tens).max()),
        "slowest": float(tens.max()),
        "fastest": float(tens.min()),
        "wander": float(tens.std()),
        "wander far": float(tens.std()) / behind_scatter,
        "halves": float(tens[:half].mean() - tens[half:].mean()),
    }
    place_features |= {f"behind {many}": compute_median(behind[:many]) for many in (3, 10, 50)}
    place_features |= {
        f"quarter {index}": compute_median(behind[index * quarter : (index + 1) * quarter])
        for index in range(3)
    }
    return place_features


def _measure_scatter(values: Array) -> float:
    return 1.4826 * compute_median(abs(values - compute_median(values))) + _TINY
