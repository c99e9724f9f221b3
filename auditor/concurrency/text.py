"""What is said of two versions of a class under threads; never a finding without its votes."""

from collections.abc import Sequence

from auditor.concurrency.document import ConcurrencyDocument, Ratio, ThreadsResult
from auditor.core.contracts.concurrency import SEQUENTIAL, ConcurrencyFinding, DifferenceCause, Vote
from reports import number_format
from reports.wording import LegendEntry

FINDINGS = {
    ConcurrencyFinding.REGRESSION: LegendEntry(
        "▲", "regression", "the new version is slower in enough tests"
    ),
    ConcurrencyFinding.INCONCLUSIVE: LegendEntry(
        "?", "cannot tell", "too few tests are conclusive"
    ),
    ConcurrencyFinding.IMPROVEMENT: LegendEntry(
        "▼", "improvement", "the new version is faster in enough tests"
    ),
    ConcurrencyFinding.NONE: LegendEntry(
        "=", "no difference", "neither version is faster in enough tests"
    ),
}
VOTES = {
    Vote.OLD: LegendEntry("▲", "old faster", "surely, and beyond the least difference"),
    Vote.INCONCLUSIVE: LegendEntry(
        "?", "inconclusive", "failed, hung, too short or spread too far"
    ),
    Vote.NEW: LegendEntry("▼", "new faster", "surely, and beyond the least difference"),
    Vote.NONE: LegendEntry("=", "neither", "no sure difference, or one that is too small"),
}
_FINDING_WORDS = {
    ConcurrencyFinding.REGRESSION: ("Regression", "slower", Vote.OLD),
    ConcurrencyFinding.IMPROVEMENT: ("Improvement", "faster", Vote.NEW),
}


def format_headline(document: ConcurrencyDocument) -> str:
    """Say in one line what was found; of several numbers of threads the greatest speaks."""
    finding, lanes = document.finding, _list_voting_lanes(document)
    if finding in _FINDING_WORDS:
        return (
            f"{_FINDING_WORDS[finding][0]}: the new version is "
            f"{_describe_strongest(lanes, finding)}"
        )
    if finding is ConcurrencyFinding.NONE:
        limit = number_format.format_share(document.plan.report)
        return (
            f"No difference: {_describe_no_difference(lanes, limit)}{describe_undecided(document)}"
        )
    if any(lane.finding in _FINDING_WORDS for lane in lanes):
        directions = [
            _describe_strongest(lanes, concurrency_finding)
            for concurrency_finding in _FINDING_WORDS
        ]
        return f"Cannot tell: the new version is {', but '.join(directions)}"
    if not any(lane.tests for lane in lanes):
        return "Cannot tell: no test was run"
    conclusive_counts = [
        f"{len(lane.tests) - lane.votes.inconclusive} of {len(lane.tests)} with "
        f"{_format_thread_count(lane)}"
        for lane in lanes
    ]
    return f"Cannot tell: too few tests are conclusive, {', '.join(conclusive_counts)}"


def _list_voting_lanes(document: ConcurrencyDocument) -> Sequence[ThreadsResult]:
    """Return the numbers of threads that share something."""
    return [thread for thread in document.threads if thread.threads > 1]


def _describe_strongest(lanes: Sequence[ThreadsResult], finding: ConcurrencyFinding) -> str:
    lane = max(
        (result for result in lanes if result.finding is finding), key=lambda result: result.threads
    )
    _, direction, vote = _FINDING_WORDS[finding]
    lane_votes = lane.votes
    votes, against = (
        (lane_votes.old, lane_votes.new) if vote is Vote.OLD else (lane_votes.new, lane_votes.old)
    )
    text = (
        f"{direction} in {votes} of {number_format.format_count(len(lane.tests), 'test')} with "
        f"{_format_thread_count(lane)}"
    )
    size = (
        f"{_format_time_factor(lane)}; {lane_votes.inconclusive} inconclusive"
        if lane_votes.inconclusive
        else _format_time_factor(lane)
    )
    if not against:
        return f"{text} ({size})"
    opposite = "faster" if vote is Vote.OLD else "slower"
    return f"{text}, {opposite} in {against} (all together {size})"


def _describe_no_difference(lanes: Sequence[ThreadsResult], limit: str) -> str:
    calm = _format_thread_counts(lanes, ConcurrencyFinding.NONE)
    return f"with {calm} neither version is {limit} faster in enough tests"


def describe_undecided(document: ConcurrencyDocument) -> str:
    """Say with which numbers of threads it is inconclusive; empty where it always can."""
    open_ = _format_thread_counts(_list_voting_lanes(document), ConcurrencyFinding.INCONCLUSIVE)
    return f"; inconclusive with {open_}" if open_ else ""


def _format_thread_counts(lanes: Sequence[ThreadsResult], finding: ConcurrencyFinding) -> str:
    counts = [f"{lane.threads}" for lane in lanes if lane.finding is finding]
    if not counts:
        return ""
    return f"{' and '.join(filter(None, (', '.join(counts[:-1]), counts[-1])))} threads"


def _format_time_factor(lane: ThreadsResult) -> str:
    """Say how long the new version takes, in times of the old one, and how sure that is."""
    if not lane.speedup:
        return "speed-up unknown"
    range_ = format_interval(_invert_interval(lane.speedup_interval))
    return f"{number_format.format_factor(1 / lane.speedup)} the time, interval {range_}"


def _invert_interval(bounds: Ratio | None) -> Ratio | None:
    if bounds is None:
        return None
    low, high = bounds
    return 1 / high if high else 0.0, 1 / low if low else None


def format_interval(bounds: Ratio | None) -> str:
    """Write both ends; without an upper one only the lower one."""
    if bounds is None:
        return number_format.NO_VALUE
    low, high = bounds
    return (
        f"at least {format_ratio(low)}"
        if high is None
        else f"{format_ratio(low)} … {format_ratio(high)}"
    )


def format_ratio(value: float | None) -> str:
    """Write a speed-up so that a hundredth can be seen, as most are near 1."""
    if value is None:
        return number_format.NO_VALUE
    return f"{value:.2f}" if 0.1 <= value < 10 else f"{value:.3g}"


def describe_cause(document: ConcurrencyDocument) -> str:
    """Say what the control tells: whether it is about threads that share an object."""
    control = document.control
    if control is None:
        has_difference = document.finding in _FINDING_WORDS
        return "Whether one thread alone shows it, too, was not measured." if has_difference else ""
    numbers = f"{_format_votes(control)}; speed-up {format_ratio(control.speedup)}, interval "
    numbers += format_interval(control.speedup_interval)
    if document.cause is DifferenceCause.CONCURRENCY:
        text = "do not show it: it is about threads that share the object"
    elif document.cause is DifferenceCause.ANYWAY:
        text = "show it, too: it is not only about concurrency"
    elif control.finding is ConcurrencyFinding.INCONCLUSIVE:
        text = "are inconclusive, so whether it is about concurrency is open"
    else:
        return f"The same calls in one thread: {numbers}."
    return f"The same calls in one thread {text} ({numbers})."


def _format_votes(lane: ThreadsResult) -> str:
    """Say how the tests voted."""
    counts = lane.votes
    text = f"old faster in {counts.old}, new in {counts.new}, neither in {counts.none}"
    return f"{text}, {counts.inconclusive} inconclusive" if counts.inconclusive else text


def describe_lane(lane: ThreadsResult) -> str:
    """Say what was found with a number of threads, by which votes, and how large it is."""
    word = FINDINGS[lane.finding].word
    return (
        f"{word} with {_format_thread_count(lane)}: {_format_votes(lane)} "
        f"({_format_time_factor(lane)})"
    )


def _format_thread_count(lane: ThreadsResult) -> str:
    return (
        "one thread"
        if lane.threads == SEQUENTIAL
        else number_format.format_count(lane.threads, "thread")
    )
