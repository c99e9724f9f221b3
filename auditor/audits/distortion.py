"""A probe that makes the operation another one: no verdict can rest on it."""

from auditor.audits.pair import Judgement, PairData, is_dead_code, probe_ratio, undecided
from auditor.stats.compare import Ratio


def is_surely_distorted(data: PairData) -> bool:
    """Tell whether the probe alone surely makes the operation another one, by what is known."""
    probed = probe_ratio(data)
    most = data.slowdown / 2
    return probed is not None and (probed.low > 1 + most or probed.high < 1 - most)


def distorted(data: PairData) -> Judgement | None:
    """Judge a pair of which no process was made, as the probe surely distorts the operation.

    Only plain blocks beside those of its calibration can tell so early.
    """
    probed = probe_ratio(data) if data.beside else None
    if probed is None or not is_surely_distorted(data) or is_dead_code(data):
        return None
    return undecided("distorted", said_of(probed))


def said_of(probed: Ratio) -> str:
    """Return why nothing can be judged, by what the probe alone does."""
    return (
        f"the probe alone makes the operation take {probed.estimate:.2f} times as long: too far "
        "from the plain one to judge a slowdown of it"
    )
