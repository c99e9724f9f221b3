"""Has the machine had other work beside the races? Then a finding may be wrong.

What is noted of a race are its `seconds` and shares of all processors' time: what `others` had,
what was `stolen`, `throttled` and `hot` (`auditor.core.jobs.Strain`); what is not known is not
there.
"""

from collections.abc import Iterator, Mapping, Sequence

from auditor.core.caveats import Caveat
from auditor.core.jobs import HostInterference
from auditor.core.units import format_percent
from auditor.measure import interference

MAX_FOREIGN_SHARE = 0.10
"""The share of all processors' time that processes other than ours may have had."""


def list_caveats(race_notes: Sequence[Mapping[str, float]]) -> Iterator[Caveat]:
    """Say what the machine did beside races, where that was much."""
    shares = [(note["seconds"], note["foreign"]) for note in race_notes if "foreign" in note]
    total = sum(seconds for seconds, _ in shares)
    share = sum(seconds * foreign for seconds, foreign in shares) / total if total else 0.0
    if share > MAX_FOREIGN_SHARE:
        max_share = max(foreign for _, foreign in shares)
        text = (
            f"other processes used {format_percent(share)} of the processors' time during the "
            f"races, and {format_percent(max_share)} during one measurement, which can reverse the "
            "result; repeat on an idle machine with another --store"
        )
        yield Caveat("host-load", text)
    yield from interference.describe_interference([_convert_note(note) for note in race_notes])


def _convert_note(note: Mapping[str, float]) -> interference.NotedProcess:
    stolen, throttled, hot = (note.get(name) for name in ("stolen", "throttled", "hot"))
    strained = HostInterference(stolen=stolen, throttled=throttled, hot=hot)
    return interference.NotedProcess("", "", note["seconds"], strained, loop_seconds=None)
