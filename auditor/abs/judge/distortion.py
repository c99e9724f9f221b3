"""A probe that makes the operation another one: no verdict can rest on it."""

from auditor.abs.judge.pair import Judgement, PairData, probe_ratio, undecided_judgement
from auditor.core.result import Interval
from auditor.stats.compare import Ratio

MOST_BESIDE = 1.0
"""Of the plain operation, what the probe may add where plain blocks lie beside its own. It is in
both of what is compared and in no effect; a delay behind code that is mostly ours is no longer one
in the user's."""


def is_distorted(probed: Ratio, data: PairData) -> bool:
    """Tell whether the probe alone makes the operation another one."""
    low, high = _allowed_ratio(data)
    return not low <= probed.estimate <= high


def is_surely_distorted(data: PairData) -> bool:
    """Tell whether it surely does, by what is known."""
    probed = probe_ratio(data)
    low, high = _allowed_ratio(data)
    return probed is not None and (probed.low > high or probed.high < low)


def judge_distortion(data: PairData) -> Judgement | None:
    """Judge a pair of which no process was made, as the probe surely distorts the operation.

    Only plain blocks beside those of its calibration can tell so early.
    """
    probed = probe_ratio(data) if data.has_plain_blocks else None
    if probed is None or not is_surely_distorted(data):
        return None
    return undecided_judgement("distorted", describe_distortion(probed))


def describe_distortion(probed: Ratio) -> str:
    """Return why nothing can be judged, by what the probe alone does."""
    return (
        f"the probe without any delay makes the operation take {probed.estimate:.2f} times as "
        "long, so a slowdown cannot be judged"
    )


def _allowed_ratio(data: PairData) -> Interval:
    """Return between what probe over plain has to be.

    Where they are of other programs, what the probe does may be as large as what is judged.
    """
    most = data.slowdown / 2
    return 1 - most, 1 + allowed_probe(data.slowdown, has_plain_blocks=data.has_plain_blocks)


def allowed_probe(slowdown: float, *, has_plain_blocks: bool) -> float:
    """Return what the probe may add to an operation, relative to the plain one."""
    return MOST_BESIDE if has_plain_blocks else slowdown / 2
