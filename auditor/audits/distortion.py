"""A probe that makes the operation another one: no verdict can rest on it."""

from auditor.audits import readings
from auditor.audits.pair import Judgement, PairData, is_dead_code, probe_ratio, undecided
from auditor.core.result import Interval
from auditor.core.schedule import ArmName
from auditor.stats.compare import Ratio

MOST_BESIDE = 1.0
"""Of the plain operation, what the probe may add where plain blocks lie beside its own. It is in
both of what is compared and in no effect; a delay behind code that is mostly ours is no longer one
in the user's."""


def is_distorted(probed: Ratio, data: PairData) -> bool:
    """Tell whether the probe alone makes the operation another one."""
    low, high = _allowed(data)
    return not low <= probed.estimate <= high


def is_surely_distorted(data: PairData) -> bool:
    """Tell whether it surely does, by what is known."""
    probed = probe_ratio(data)
    low, high = _allowed(data)
    return probed is not None and (probed.low > high or probed.high < low)


def distorted(data: PairData) -> Judgement | None:
    """Judge a pair of which no process was made, as the probe surely distorts the operation.

    Only plain blocks beside those of its calibration can tell so early. Where calls may be inlined
    elsewhere it may be that the compiler had removed them there, which processes of the pair would
    tell.
    """
    probed = probe_ratio(data) if data.beside else None
    if probed is None or not is_surely_distorted(data) or _may_be_dead_code(data):
        return None
    return undecided("distorted", said_of(probed))


def _may_be_dead_code(data: PairData) -> bool:
    """Tell whether processes of a pair with plain blocks may show that its method is dead code.

    What two plain processes speak against, more of them do, too: the longest counts.
    """
    few = len(readings.least(data.plain, ArmName.PLAIN)) <= 1
    return data.inlined and (few or is_dead_code(data))


def said_of(probed: Ratio) -> str:
    """Return why nothing can be judged, by what the probe alone does."""
    return (
        f"the probe alone makes the operation take {probed.estimate:.2f} times as long: too far "
        "from the plain one to judge a slowdown of it"
    )


def _allowed(data: PairData) -> Interval:
    """Return between what probe over plain has to be.

    Where they are of other programs, what the probe does may be as large as what is judged.
    """
    most = data.slowdown / 2
    return 1 - most, 1 + (MOST_BESIDE if data.beside else most)
