"""What the measurements of tests say of the new version (Pradel et al., Section 4.3)."""

import math
import statistics
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace

from auditor.core.contracts.concurrency import (
    ConcurrencyFinding,
    DifferenceCause,
    JudgedTest,
    LibraryVersion,
    RacePlan,
    RepetitionTimes,
    ThreadVerdict,
    Vote,
)
from auditor.core.result import Interval
from auditor.core.units import format_percent
from auditor.stats.compare import t_half

_FINDINGS = {Vote.OLD: ConcurrencyFinding.REGRESSION, Vote.NEW: ConcurrencyFinding.IMPROVEMENT}


def measure_spread(measurements: Sequence[float]) -> float:
    """Return the standard deviation as a part of the mean; of fewer than two it is not known: inf.

    The deviation is that of a sample (n - 1), as for the interval of the mean.
    """
    if len(measurements) < 2:
        return float("inf")
    return statistics.stdev(measurements) / statistics.fmean(measurements)


_SURER = 10.0
"""How much less doubt than at the end is asked of what ends measurements early."""


def needs_measurement(old: Sequence[float], new: Sequence[float], plan: RacePlan) -> bool:
    """Tell whether another measurement of both versions is due (Algorithm 2, lines 4 to 16).

    The paper's ends once both are spread little. Ours, by pairs, ends once the vote is sure: at a
    level so much stricter that to look after each measurement hardly adds false votes. That there
    is no difference is sure when the interval holds none that would be reported.
    """
    versions = old, new
    if any(len(measurements) < plan.least_measurements for measurements in versions):
        return True
    if all(len(measurements) >= plan.most_measurements for measurements in versions):
        return False
    if not plan.in_pairs:
        return any(measure_spread(measurements) > plan.stop_spread for measurements in versions)
    vote, (low, high) = _vote_by_pairs(old, new, plan)
    if vote is Vote.NONE:  # however little they spread, the difference may still be a tenth
        return max(high, 1 / low) - 1 > plan.report
    surer = replace(plan, confidence=1 - (1 - plan.confidence) / _SURER)
    return vote is Vote.INCONCLUSIVE or _vote_by_pairs(old, new, surer)[0] is not vote


def _explain_spread(timed: RepetitionTimes, plan: RacePlan) -> str:
    """Say which version's measurements are spread too far (Algorithm 2, line 13), if one's are."""
    for version in LibraryVersion:
        if (part := measure_spread(timed.select_times(version))) > plan.acceptable_spread:
            return f"{version} version: its measurements are spread by {format_percent(part)}"
    return ""


def _make_inconclusive(timed: RepetitionTimes, reason: str) -> JudgedTest:
    return JudgedTest(timed=replace(timed, reason=timed.reason or reason), vote=Vote.INCONCLUSIVE)


def judge_test(timed: RepetitionTimes, plan: RacePlan) -> JudgedTest:
    """Return the vote of a test: by the paper's rule (equations 4 and 5), or ours by pairs.

    Without `Plan.strict` what is spread too far may still show that a version outperforms the
    other, as the intervals are the wider for it, but not that none does.
    """
    if timed.reason:
        return _make_inconclusive(timed, "")
    if plan.in_pairs:
        return _judge_by_pairs(timed, plan)
    spread_out = _explain_spread(timed, plan)
    if spread_out and plan.strict:
        return _make_inconclusive(timed, spread_out)
    vote = _find_faster_version(timed.old, timed.new, plan)
    if vote is Vote.NONE and spread_out:
        return _make_inconclusive(timed, spread_out)
    old, new = (
        mean_interval(timed.select_times(version), plan.confidence) for version in LibraryVersion
    )
    speedup = statistics.fmean(timed.old) / statistics.fmean(timed.new)
    ratio = (max(old[0], 0.0) / new[1], old[1] / new[0] if new[0] > 0 else math.inf)
    return JudgedTest(timed=timed, vote=vote, old=old, new=new, speedup=speedup, ratio=ratio)


def _judge_by_pairs(timed: RepetitionTimes, plan: RacePlan) -> JudgedTest:
    vote, ratio = _vote_by_pairs(timed.old, timed.new, plan)
    if vote is Vote.INCONCLUSIVE:
        low, high = map(_format_ratio, ratio)
        return _make_inconclusive(timed, f"the speed-up may be anything from {low} to {high}")
    old, new = (
        mean_interval(timed.select_times(version), plan.confidence) for version in LibraryVersion
    )
    speedup = _compute_exp(statistics.fmean(_compute_log_ratios(timed.old, timed.new)))
    return JudgedTest(timed=timed, vote=vote, old=old, new=new, speedup=speedup, ratio=ratio)


def _vote_by_pairs(
    old: Sequence[float], new: Sequence[float], plan: RacePlan
) -> tuple[Vote, tuple[float, float]]:
    """Return the vote of measurements that were made in pairs, and the interval of old / new.

    Both of a pair ran one right after the other, so what slows the machine down for a while is in
    both, and not in their ratio; that of the means holds all of it. The interval is that of the
    mean of the logarithms (Student's t). That there is no difference is said only where it is
    known to within `Plan.acceptable_spread`, and what was seen is no more than `Plan.report`.
    """
    logs = _compute_log_ratios(old, new)
    low, high = mean_interval(logs, plan.confidence)
    ratio = _compute_exp(low), _compute_exp(high)
    counts = _compute_exp(abs(statistics.fmean(logs))) - 1 > plan.report
    if counts and (low > 0 or high < 0):
        return Vote.NEW if low > 0 else Vote.OLD, ratio
    narrow = _compute_exp((high - low) / 2) - 1 <= plan.acceptable_spread
    return Vote.NONE if narrow and not counts else Vote.INCONCLUSIVE, ratio


def _compute_log_ratios(old: Sequence[float], new: Sequence[float]) -> list[float]:
    return [math.log(old_time / new_time) for old_time, new_time in zip(old, new, strict=True)]


def _compute_exp(value: float) -> float:
    """Return e to the power of it: of two measurements an interval may be as good as infinite."""
    return math.exp(value) if value < _LARGEST else math.inf


_LARGEST = math.log(sys.float_info.max)


def _format_ratio(value: float) -> str:
    return f"{value:.2f}" if value < _LONG else f"{value:.0e}"


_LONG = 1e4


def _find_faster_version(old: Sequence[float], new: Sequence[float], plan: RacePlan) -> Vote:
    """Return which version outperforms the other (equations 4 and 5)."""
    report = plan.report
    before, after = (mean_interval(measurements, plan.confidence) for measurements in (old, new))
    ratio = statistics.fmean(new) / statistics.fmean(old)
    if before[1] < after[0] and ratio - 1 > report:
        return Vote.OLD
    if after[1] < before[0] and 1 / ratio - 1 > report:
        return Vote.NEW
    return Vote.NONE


def mean_interval(measurements: Sequence[float], confidence: float) -> Interval:
    """Return the interval of the mean by Student's t with n - 1 degrees of freedom."""
    many, mean = len(measurements), statistics.fmean(measurements)
    error = statistics.stdev(measurements) / many**0.5
    # The quantile of a level that is as good as 1 is infinite, and no number of times nothing.
    half = t_half(error, many - 1, confidence) if error else 0.0
    return mean - half, mean + half


def judge_threads(
    threads: int, judged_tests: Sequence[JudgedTest], plan: RacePlan, *, left_out: int = 0
) -> ThreadVerdict:
    """Return what the tests with a number of threads come to (equations 6 and 7)."""
    speedups = [
        judged_test.speedup for judged_test in judged_tests if judged_test.speedup is not None
    ]
    return ThreadVerdict(
        threads=threads,
        finding=_decide_finding([judged_test.vote for judged_test in judged_tests], plan),
        tests=tuple(judged_tests),
        speedup=statistics.fmean(speedups) if speedups else None,
        left_out=left_out,
    )


def _decide_finding(votes: Sequence[Vote], plan: RacePlan) -> ConcurrencyFinding:
    count = votes.count
    if len(votes) - count(Vote.INCONCLUSIVE) < max(1, plan.least_conclusive):
        return ConcurrencyFinding.INCONCLUSIVE
    for vote, opposite in ((Vote.OLD, Vote.NEW), (Vote.NEW, Vote.OLD)):
        if count(vote) >= count(Vote.NONE) and count(vote) > count(opposite):
            return _FINDINGS[vote]
    return ConcurrencyFinding.NONE


def is_settled(votes: Sequence[Vote], left: int, plan: RacePlan) -> bool:
    """Tell whether no `left` further tests could change the finding, whatever they voted."""
    return len({_decide_finding([*votes, *more], plan) for more in _list_outcomes(left)}) == 1


def _list_outcomes(left: int) -> Iterable[list[Vote]]:
    """Yield the ways in which so many tests can vote, but for their order."""
    for old in range(left + 1):
        for new in range(left + 1 - old):
            for none in range(left + 1 - old - new):
                rest = left - old - new - none
                yield (
                    [Vote.OLD] * old
                    + [Vote.NEW] * new
                    + [Vote.NONE] * none
                    + [Vote.INCONCLUSIVE] * rest
                )


def combine_findings(threads: Iterable[ThreadVerdict]) -> ConcurrencyFinding:
    """Return what all numbers of threads come to.

    One number suffices for a finding unless another one says the opposite, which is no answer.
    One thread shares nothing, so it has no vote.
    """
    findings = {thread.finding for thread in threads if thread.threads > 1}
    if ConcurrencyFinding.REGRESSION in findings and ConcurrencyFinding.IMPROVEMENT in findings:
        return ConcurrencyFinding.INCONCLUSIVE
    order = (ConcurrencyFinding.REGRESSION, ConcurrencyFinding.IMPROVEMENT, ConcurrencyFinding.NONE)
    return next(
        (finding for finding in order if finding in findings), ConcurrencyFinding.INCONCLUSIVE
    )


def decide_cause(finding: ConcurrencyFinding, control: ThreadVerdict | None) -> DifferenceCause:
    """Tell whether one thread alone shows a finding, too (limitation 3 of the paper)."""
    if control is None or finding not in _FINDINGS.values():
        return DifferenceCause.UNKNOWN
    if control.finding is finding:
        return DifferenceCause.ANYWAY
    return (
        DifferenceCause.UNKNOWN
        if control.finding is ConcurrencyFinding.INCONCLUSIVE
        else DifferenceCause.CONCURRENCY
    )


def find_smallest_test(
    finding: ConcurrencyFinding, threads: Iterable[ThreadVerdict], sizes: dict[int, int]
) -> int | None:
    """Return the number of the test with the fewest statements among those that show a finding.

    Only numbers of threads that say the finding count. `sizes` are the statements of each test.
    """
    votes = [
        vote for vote, concurrency_finding in _FINDINGS.items() if concurrency_finding is finding
    ]
    says = [thread for thread in threads if thread.threads > 1 and thread.finding is finding]
    test_numbers = {
        judged_test.timed.test
        for verdict in says
        for judged_test in verdict.tests
        if judged_test.vote in votes
    }
    return min(test_numbers, key=lambda test: (sizes[test], test)) if test_numbers else None
