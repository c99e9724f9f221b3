"""What is said of two versions of a class under threads; never a finding without its votes."""

from collections.abc import Sequence

from auditor.concurrency.document import ConcurrencyDocument, Ratio, ThreadsResult
from auditor.core.contracts.concurrency import SEQUENTIAL, ConcurrencyFinding, DifferenceCause, Vote
from reports import number_format
from reports.wording import Word

FINDINGS = {
    ConcurrencyFinding.REGRESSION: Word(
        "▲", "regression", "the new version is slower in enough tests"
    ),
    ConcurrencyFinding.INCONCLUSIVE: Word("?", "cannot tell", "too few tests are conclusive"),
    ConcurrencyFinding.IMPROVEMENT: Word(
        "▼", "improvement", "the new version is faster in enough tests"
    ),
    ConcurrencyFinding.NONE: Word(
        "=", "no difference", "neither version is faster in enough tests"
    ),
}
VOTES = {
    Vote.OLD: Word("▲", "old faster", "surely, and beyond the least difference"),
    Vote.INCONCLUSIVE: Word("?", "inconclusive", "failed, hung, too short or spread too far"),
    Vote.NEW: Word("▼", "new faster", "surely, and beyond the least difference"),
    Vote.NONE: Word("=", "neither", "no sure difference, or one that is too small"),
}
_SHOWN = {
    ConcurrencyFinding.REGRESSION: ("Regression", "slower", Vote.OLD),
    ConcurrencyFinding.IMPROVEMENT: ("Improvement", "faster", Vote.NEW),
}


def headline(document: ConcurrencyDocument) -> str:
    """Say in one line what was found; of several numbers of threads the greatest speaks."""
    finding, lanes = document.finding, _voting(document)
    if finding in _SHOWN:
        return f"{_SHOWN[finding][0]}: the new version is {_strongest(lanes, finding)}"
    if finding is ConcurrencyFinding.NONE:
        limit = number_format.share(document.plan.report)
        return f"No difference: {_neither(lanes, limit)}{undecided(document)}"
    if any(lane.finding in _SHOWN for lane in lanes):
        found = [_strongest(lanes, concurrency_finding) for concurrency_finding in _SHOWN]
        return f"Cannot tell: the new version is {', but '.join(found)}"
    if not any(lane.tests for lane in lanes):
        return "Cannot tell: no test was run"
    known = [
        f"{len(lane.tests) - lane.votes.inconclusive} of {len(lane.tests)} with {_threads(lane)}"
        for lane in lanes
    ]
    return f"Cannot tell: too few tests are conclusive, {', '.join(known)}"


def _voting(document: ConcurrencyDocument) -> Sequence[ThreadsResult]:
    """Return the numbers of threads that share something."""
    return [thread for thread in document.threads if thread.threads > 1]


def _strongest(lanes: Sequence[ThreadsResult], finding: ConcurrencyFinding) -> str:
    lane = max(
        (result for result in lanes if result.finding is finding), key=lambda result: result.threads
    )
    _, how, vote = _SHOWN[finding]
    of = lane.votes
    votes, against = (of.old, of.new) if vote is Vote.OLD else (of.new, of.old)
    text = (
        f"{how} in {votes} of {number_format.count(len(lane.tests), 'test')} with {_threads(lane)}"
    )
    size = f"{_factor(lane)}; {of.inconclusive} inconclusive" if of.inconclusive else _factor(lane)
    if not against:
        return f"{text} ({size})"
    other = "faster" if vote is Vote.OLD else "slower"
    return f"{text}, {other} in {against} (all together {size})"


def _neither(lanes: Sequence[ThreadsResult], limit: str) -> str:
    calm = _numbers(lanes, ConcurrencyFinding.NONE)
    return f"with {calm} neither version is {limit} faster in enough tests"


def undecided(document: ConcurrencyDocument) -> str:
    """Say with which numbers of threads it is inconclusive; empty where it always can."""
    open_ = _numbers(_voting(document), ConcurrencyFinding.INCONCLUSIVE)
    return f"; inconclusive with {open_}" if open_ else ""


def _numbers(lanes: Sequence[ThreadsResult], finding: ConcurrencyFinding) -> str:
    found = [f"{lane.threads}" for lane in lanes if lane.finding is finding]
    if not found:
        return ""
    return f"{' and '.join(filter(None, (', '.join(found[:-1]), found[-1])))} threads"


def _factor(lane: ThreadsResult) -> str:
    """Say how long the new version takes, in times of the old one, and how sure that is."""
    if not lane.speedup:
        return "speed-up unknown"
    range_ = interval(_inverted(lane.speedup_interval))
    return f"{number_format.times(1 / lane.speedup)} the time, interval {range_}"


def _inverted(bounds: Ratio | None) -> Ratio | None:
    if bounds is None:
        return None
    low, high = bounds
    return 1 / high if high else 0.0, 1 / low if low else None


def interval(bounds: Ratio | None) -> str:
    """Write both ends; without an upper one only the lower one."""
    if bounds is None:
        return number_format.NONE
    low, high = bounds
    return f"at least {ratio(low)}" if high is None else f"{ratio(low)} … {ratio(high)}"


def ratio(value: float | None) -> str:
    """Write a speed-up so that a hundredth can be seen, as most are near 1."""
    if value is None:
        return number_format.NONE
    return f"{value:.2f}" if 0.1 <= value < 10 else f"{value:.3g}"


def cause(document: ConcurrencyDocument) -> str:
    """Say what the control tells: whether it is about threads that share an object."""
    control = document.control
    if control is None:
        asked = document.finding in _SHOWN
        return "Whether one thread alone shows it, too, was not measured." if asked else ""
    numbers = f"{votes(control)}; speed-up {ratio(control.speedup)}, interval "
    numbers += interval(control.speedup_interval)
    if document.cause is DifferenceCause.CONCURRENCY:
        text = "do not show it: it is about threads that share the object"
    elif document.cause is DifferenceCause.ANYWAY:
        text = "show it, too: it is not only about concurrency"
    elif control.finding is ConcurrencyFinding.INCONCLUSIVE:
        text = "are inconclusive, so whether it is about concurrency is open"
    else:
        return f"The same calls in one thread: {numbers}."
    return f"The same calls in one thread {text} ({numbers})."


def votes(lane: ThreadsResult) -> str:
    """Say how the tests voted."""
    known = lane.votes
    text = f"old faster in {known.old}, new in {known.new}, neither in {known.none}"
    return f"{text}, {known.inconclusive} inconclusive" if known.inconclusive else text


def lane_sentence(lane: ThreadsResult) -> str:
    """Say what was found with a number of threads, by which votes, and how large it is."""
    word = FINDINGS[lane.finding].word
    return f"{word} with {_threads(lane)}: {votes(lane)} ({_factor(lane)})"


def _threads(lane: ThreadsResult) -> str:
    return (
        "one thread" if lane.threads == SEQUENTIAL else number_format.count(lane.threads, "thread")
    )
