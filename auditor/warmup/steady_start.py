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
from auditor.warmup.run_so_far import BLOCK, RunSoFar, blocks, middle
from auditor.warmup.windows import WINDOW

Places = npt.NDArray[np.int64]

_FIRST = (0, 1, 5)
"""Places that may be it however a run looks: the first iterations are mostly slower."""
_PARTS = (4, 2)
"""So do these parts of what lies before the last window."""
_NEAR = 3
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


def start_candidates(run: RunSoFar, found: Mapping[str, float]) -> StartCandidates:
    """Return the places of a run with a whole window or more; `found` are its features."""
    start = run.n - WINDOW
    tellers = {name: run.n - int(since) for name, since in found.items() if _tells(name)}
    tellers |= {f"iteration {one}": one for one in _FIRST}
    tellers |= {f"part {part}": start // part for part in _PARTS}
    tellers["window"] = start - 1
    told = np.clip([*tellers.values()], 0, max(start - 1, 0))
    places = np.unique(told)
    rows = [_side(run, places, index) for index in range(len(places))]
    by = (told[None, :] == places[:, None]).astype(float)
    whole = np.tile([*found.values()], (len(places), 1))
    near = (abs(told[None, :] - places[:, None]) <= _NEAR).sum(axis=1, keepdims=True)
    return StartCandidates(
        places,
        (
            *rows[0],
            "near",
            *(f"by {name}" for name in tellers),
            *(f"run: {name}" for name in found),
        ),
        np.hstack((np.array([[*row.values()] for row in rows]), near, by, whole)),
    )


def _tells(name: str) -> bool:
    """Tell whether a feature says for how many iterations nothing has changed."""
    kinds = ("within ", " steady at ")
    return "share" not in name and (name.endswith(" since") or any(kind in name for kind in kinds))


def _side(run: RunSoFar, places: Places, number: int) -> dict[str, float]:
    """Return what lies before and behind a place, relative to the level of the last window."""
    at = int(places[number])
    logs = run.logs - middle(run.logs[-WINDOW:])
    scatter = _scatter(logs[-WINDOW:])
    before, behind = logs[: at + 1], logs[at + 1 :]
    level, own = middle(behind), _scatter(behind)
    tens = blocks(behind)
    jump = middle(before[-BLOCK:]) - middle(behind[:BLOCK])
    half, quarter = len(tens) // 2, len(behind) // 4
    found = {
        "place": at,
        "behind": len(behind),
        "share": at / run.n,
        "seconds": float(run.passed[at]),
        "number": number,
        "places": len(places),
        "from the one before": at - places[number - 1] if number else -1,
        "to the next": places[number + 1] - at if number + 1 < len(places) else -1,
        "jump": jump,
        "jump far": jump / scatter,
        "short jump": middle(before[-3:]) - middle(behind[:3]),
        "last": before[-1],
        "level": level,
        "level off": float(behind.mean()) - level,
        "scatter": float(np.log(own)),
        "scatter far": own / scatter,
        "deviation": float(np.log(behind.std() + _TINY)),
        "farthest": float(abs(tens).max()),
        "slowest": float(tens.max()),
        "fastest": float(tens.min()),
        "wander": float(tens.std()),
        "wander far": float(tens.std()) / own,
        "halves": float(tens[:half].mean() - tens[half:].mean()),
    }
    found |= {f"behind {many}": middle(behind[:many]) for many in (3, 10, 50)}
    found |= {
        f"quarter {index}": middle(behind[index * quarter : (index + 1) * quarter])
        for index in range(3)
    }
    return found


def _scatter(values: Array) -> float:
    return 1.4826 * middle(abs(values - middle(values))) + _TINY
