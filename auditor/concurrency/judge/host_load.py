"""Has the machine had other work beside the races? Then a finding may be wrong.

What is noted of a race are its `seconds` and shares of all processors' time: what `others` had,
what was `stolen`, `throttled` and `hot` (`auditor.core.jobs.Strain`); what is not known is not
there.
"""

from collections.abc import Iterator, Mapping, Sequence

from auditor.core.caveats import Caveat
from auditor.core.jobs import HostInterference
from auditor.core.units import percent
from auditor.measure import interference

OTHERS = 0.10
"""The share of all processors' time that processes other than ours may have had."""


def caveats(noted: Sequence[Mapping[str, float]]) -> Iterator[Caveat]:
    """Say what the machine did beside races, where that was much."""
    known = [(one["seconds"], one["others"]) for one in noted if "others" in one]
    total = sum(lasted for lasted, _ in known)
    share = sum(lasted * others for lasted, others in known) / total if total else 0.0
    if share > OTHERS:
        worst = max(others for _, others in known)
        text = (
            f"other processes used {percent(share)} of the processors' time during the races, and "
            f"{percent(worst)} during one measurement, which can reverse the result; repeat on an "
            "idle machine with another --store"
        )
        yield Caveat("host-load", text)
    yield from interference.caveats([_noted(one) for one in noted])


def _noted(one: Mapping[str, float]) -> interference.NotedProcess:
    stolen, throttled, hot = (one.get(name) for name in ("stolen", "throttled", "hot"))
    strained = HostInterference(stolen=stolen, throttled=throttled, hot=hot)
    return interference.NotedProcess("", "", one["seconds"], strained, loop_seconds=None)
