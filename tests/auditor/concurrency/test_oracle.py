"""Votes of tests and what they come to (Pradel et al., Section 4.3)."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.concurrency.judge import oracle
from auditor.core.contracts.concurrency import (
    PAPER,
    SEQUENTIAL,
    ConcurrencyFinding,
    DifferenceCause,
    RacePlan,
    RepetitionTimes,
    ThreadVerdict,
    Vote,
)

PLAN = RacePlan()
MEANS = replace(PLAN, processes=False)
"""Measured in one process: no pairs."""
OLD, NEW, NONE, OPEN = Vote.OLD, Vote.NEW, Vote.NONE, Vote.INCONCLUSIVE


def timed(old, new, reason=""):
    """Return a test with these measurements."""
    return RepetitionTimes(
        test=1, threads=8, calls=100, repetitions=50, old=tuple(old), new=tuple(new), reason=reason
    )


def judge_votes(*votes, plan=PLAN):
    """Return what votes come to."""
    timed_tests = {
        OLD: timed((1.0, 1.01, 0.99), (2.0, 2.01, 1.99)),
        NEW: timed((2.0, 2.01, 1.99), (1.0, 1.01, 0.99)),
        NONE: timed((1.0, 1.01, 0.99), (1.0, 1.01, 0.99)),
        OPEN: timed((), (), "a suffix hung"),
    }
    return oracle.judge_threads(
        8, [oracle.judge_test(timed_tests[vote], plan) for vote in votes], plan
    )


def test_the_interval_of_a_mean_is_that_of_student():
    """The quantile of t with two degrees of freedom at 99 % is 6.9646 in every table."""
    low, high = oracle.mean_interval((1.0, 2.0, 3.0), 0.98)

    assert (low, high) == pytest.approx((2 - 6.9646 / 3**0.5, 2 + 6.9646 / 3**0.5), abs=1e-4)


def test_the_interval_holds_the_mean_as_often_as_it_says():
    rng = np.random.default_rng(5)
    inside = 0
    for _ in range(2000):
        low, high = oracle.mean_interval(tuple(rng.normal(10, 1, 4)), 0.98)
        inside += low < 10 < high

    assert inside / 2000 == pytest.approx(0.98, abs=0.01)


@pytest.mark.parametrize(
    ("old", "new", "vote", "speedup"),
    [
        ((1.0, 1.01, 0.99), (2.0, 2.01, 1.99), OLD, 0.5),
        ((2.0, 2.01, 1.99), (1.0, 1.01, 0.99), NEW, 2.0),
        ((1.0, 1.0001, 0.9999), (1.04, 1.0401, 1.0399), NONE, 1 / 1.04),
        ((1.0, 1.1, 0.9), (1.1, 1.2, 1.0), NONE, 1 / 1.1),
    ],
    ids=["old", "new", "below the least difference", "the intervals overlap"],
)
def test_a_vote_needs_intervals_apart_and_a_difference_that_counts(old, new, vote, speedup):
    judged = oracle.judge_test(timed(old, new), MEANS)

    assert judged.vote is vote
    assert judged.speedup == pytest.approx(speedup)
    assert judged.ratio == pytest.approx(
        (judged.old[0] / judged.new[1], judged.old[1] / judged.new[0])
    )


DRIFT = (1.0, 3.0, 1.4, 2.0, 0.7)
"""How busy the machine is with something else, pair by pair."""


@pytest.mark.parametrize(
    ("factors", "vote"),
    [
        ((2.0, 2.1, 1.9, 2.0, 2.05), OLD),
        ((0.5, 0.52, 0.49, 0.5, 0.51), NEW),
        ((1.0, 1.02, 0.98, 1.01, 0.99), NONE),
        ((1.0, 1.6, 0.8, 1.9, 0.7), OPEN),
    ],
)
def test_what_slows_both_of_a_pair_hides_nothing(factors, vote):
    new = tuple(value * factor for value, factor in zip(DRIFT, factors, strict=True))

    judged = oracle.judge_test(timed(DRIFT, new), PLAN)

    assert judged.vote is vote
    assert oracle.judge_test(timed(DRIFT, new), replace(PLAN, strict=True)).vote is OPEN
    if vote is not OPEN:
        low, high = judged.ratio
        assert low < judged.speedup < high
        assert judged.speedup == pytest.approx(1 / np.exp(np.mean(np.log(factors))))


def test_the_interval_of_a_speed_up_is_that_of_student_for_logarithms():
    """The quantile of t with three degrees of freedom at 99.5 % is 5.8409 in every table."""
    logs = np.array([0.1, 0.3, 0.2, 0.2])
    half = 5.8409 * logs.std(ddof=1) / 2

    plan = replace(PLAN, acceptable_spread=0.5, report=0.3)
    judged = oracle.judge_test(timed(tuple(np.exp(logs)), (1.0,) * 4), plan)

    assert np.log(judged.ratio) == pytest.approx((0.2 - half, 0.2 + half), abs=1e-4)


@pytest.mark.parametrize("confidence", [0.9999, 0.999999, 1 - 2**-53])
def test_an_interval_without_end_is_open(confidence):
    """Of two pairs the quantile is thousands of times the scatter: no number is that large."""
    plan = replace(PLAN, least_measurements=2, confidence=confidence)
    old, new = (1.0, 1.5), (1.0, 1.2)

    judged = oracle.judge_test(timed(old, new), plan)

    assert oracle.needs_measurement(old, new, plan)
    assert judged.vote is OPEN
    assert judged.timed.reason == "the speed-up may be anything from 0.00 to inf"


def test_a_difference_that_is_plain_may_have_an_interval_without_end():
    judged = oracle.judge_test(timed((1e170, 1e178), (1.0, 1.0)), replace(PLAN, confidence=0.983))

    assert (judged.vote, judged.ratio[1]) == (NEW, np.inf)
    assert judged.speedup == pytest.approx(1e174)


def test_that_there_is_no_difference_needs_a_speed_up_that_is_known_well():
    old = (1.0, 1.1, 1.0, 1.1)

    test = oracle.judge_test(timed(old, (1.05,) * 4), replace(PLAN, acceptable_spread=0.3))
    unknown = oracle.judge_test(timed(old, (1.05,) * 4), replace(PLAN, acceptable_spread=0.1))

    assert (test.vote, unknown.vote) == (NONE, OPEN)
    assert unknown.timed.reason == "the speed-up may be anything from 0.85 to 1.17"


def test_the_least_difference_is_a_part_of_the_faster_version():
    """Equation 5 divides by the new version's mean: 1.06 times is above 5 %, the other way too."""
    slower = oracle.judge_test(timed((1.0, 1.001, 0.999), (1.06, 1.061, 1.059)), PLAN)
    faster = oracle.judge_test(timed((1.06, 1.061, 1.059), (1.0, 1.001, 0.999)), PLAN)

    assert (slower.vote, faster.vote) == (OLD, NEW)


def test_what_is_spread_too_far_shows_a_difference_but_never_that_there_is_none():
    wide, far = (1.0, 1.4, 0.6), (10.0, 14.0, 6.0, 10.0, 14.0, 6.0)

    different = oracle.judge_test(timed(wide * 2, far), MEANS)
    equal = oracle.judge_test(timed(wide, wide), MEANS)
    strict = oracle.judge_test(timed(wide * 2, far), replace(PLAN, strict=True))

    assert (different.vote, equal.vote, strict.vote) == (OLD, OPEN, OPEN)
    assert equal.timed.reason == "old version: its measurements are spread by 40\N{NO-BREAK SPACE}%"


def test_a_test_that_failed_has_no_vote_and_keeps_its_reason():
    judged = oracle.judge_test(timed((), (), "a deadlock"), PLAN)

    assert (judged.vote, judged.timed.reason, judged.speedup) == (OPEN, "a deadlock", None)


@pytest.mark.parametrize("plan", [PLAN, MEANS])
def test_further_measurements_are_due_until_they_lie_close_or_are_many(plan):
    close, wide = (1.0, 1.0, 1.0), (1.0, 1.2, 1.0)

    assert oracle.needs_measurement((1.0, 1.0), (1.0, 1.0), plan)
    assert not oracle.needs_measurement(close, close, plan)
    assert oracle.needs_measurement(close, wide, plan)
    assert not oracle.needs_measurement((1.0, 1.2) * 4, (1.2, 1.0) * 4, plan)


def test_one_thread_has_no_vote():
    single_thread = replace(judge_votes(OLD, OLD, OLD), threads=1)

    assert (
        oracle.combine_findings([single_thread, judge_votes(NONE, NONE, NONE)])
        is ConcurrencyFinding.NONE
    )
    assert (
        oracle.combine_findings([single_thread, judge_votes(OLD, OLD, OLD)])
        is ConcurrencyFinding.REGRESSION
    )


def test_a_sure_difference_needs_no_further_measurements_and_a_likely_one_does():
    wide, reordered = (1.0, 1.1, 0.9, 1.0), (1.1, 1.0, 1.0, 0.9)

    assert not oracle.needs_measurement(wide, tuple(10 * value for value in reordered), PLAN)
    assert oracle.needs_measurement(wide, tuple(1.3 * value for value in reordered), PLAN)


@pytest.mark.parametrize("plan", [PAPER, RacePlan(strict=True)])
def test_the_paper_s_rule_goes_on_until_they_lie_close_however_far_apart_the_versions_are(plan):
    plan = replace(plan, processes=True)
    close, wide, far = (1.0, 1.0, 1.0), (1.0, 1.03, 0.97), (5.0, 5.15, 4.85)

    assert oracle.needs_measurement(wide, far, plan)
    assert not oracle.needs_measurement(close, (5.0, 5.0, 5.0), plan)
    many = plan.most_measurements // 3 + 1
    assert not oracle.needs_measurement(wide * many, far * many, plan)


def test_a_tenth_that_a_quiet_machine_shows_is_looked_at_until_it_is_plain():
    """Three pairs leave it open however little they spread, and eight do not."""
    three = (1.0, 1.02, 0.98)
    eight = (*three, 1.01, 0.99, 1.005, 0.995, 1.0)
    slower = [tuple(1.11 * value for value in old[::-1]) for old in (three, eight)]

    assert oracle.judge_test(timed(three, slower[0]), PLAN).vote is OPEN
    assert oracle.needs_measurement(three, slower[0], PLAN)
    assert oracle.judge_test(timed(eight, slower[1]), PLAN).vote is OLD


def test_no_difference_that_is_sure_needs_no_further_measurements():
    drift = (1.0, 2.0, 1.5, 1.2)

    assert not oracle.needs_measurement(drift, tuple(1.001 * value for value in drift), PLAN)
    assert oracle.needs_measurement(drift, (2.0, 1.0, 1.5, 1.2), PLAN)


@pytest.mark.parametrize("plan", [PLAN, MEANS])
def test_looking_after_each_measurement_hardly_adds_false_votes(plan):
    """The same code in both arms, spread by a tenth: the doubt is one in a hundred tests."""
    rng = np.random.default_rng(11)
    votes = 0
    for _ in range(1500):
        old, new = ((), ())
        while oracle.needs_measurement(old, new, plan):
            old, new = (*old, rng.normal(1, 0.1)), (*new, rng.normal(1, 0.1))
        votes += oracle.judge_test(timed(old, new), plan).vote in (OLD, NEW)

    assert votes / 1500 < 0.02


@pytest.mark.parametrize(
    ("votes", "finding"),
    [
        ((OLD, OLD, NONE, NONE, OPEN), ConcurrencyFinding.REGRESSION),
        ((OLD, OLD, NONE, NONE, NONE), ConcurrencyFinding.NONE),
        ((OLD, OLD, NEW, NEW, NONE), ConcurrencyFinding.NONE),
        ((NEW, NEW, NEW, OLD, NONE), ConcurrencyFinding.IMPROVEMENT),
        ((NONE, NONE, NONE, NONE, NONE), ConcurrencyFinding.NONE),
        ((OLD, OLD, OPEN, OPEN, OPEN), ConcurrencyFinding.INCONCLUSIVE),
    ],
)
def test_a_finding_needs_as_many_votes_as_there_are_without_a_winner(votes, finding):
    assert judge_votes(*votes).finding is finding


def test_the_paper_takes_a_single_conclusive_test():
    assert (
        judge_votes(OLD, OPEN, OPEN, plan=replace(PAPER, strict=False)).finding
        is ConcurrencyFinding.REGRESSION
    )


def test_nothing_conclusive_is_no_finding_in_the_paper_s_plan_either():
    assert judge_votes(OPEN, OPEN, plan=PAPER).finding is ConcurrencyFinding.INCONCLUSIVE


@given(st.lists(st.sampled_from(list(Vote)), max_size=4), st.integers(0, 3))
def test_a_settled_vote_is_not_changed_by_whatever_follows(votes, left):
    if oracle.is_settled(votes, left, PLAN):
        ends = {judge_votes(*votes, *[more] * left).finding for more in Vote}
        assert len(ends) == 1


def test_three_alike_of_five_settle_it_and_two_do_not():
    assert oracle.is_settled([OLD] * 3, 2, PLAN)
    assert not oracle.is_settled([OLD] * 2, 3, PLAN)


def lane(threads, finding):
    """Return what a number of threads has come to."""
    return ThreadVerdict(threads=threads, finding=finding, tests=(), speedup=None)


@pytest.mark.parametrize(
    ("findings", "combined"),
    [
        ((ConcurrencyFinding.NONE, ConcurrencyFinding.REGRESSION), ConcurrencyFinding.REGRESSION),
        (
            (ConcurrencyFinding.IMPROVEMENT, ConcurrencyFinding.INCONCLUSIVE),
            ConcurrencyFinding.IMPROVEMENT,
        ),
        (
            (ConcurrencyFinding.IMPROVEMENT, ConcurrencyFinding.REGRESSION),
            ConcurrencyFinding.INCONCLUSIVE,
        ),
        ((ConcurrencyFinding.NONE, ConcurrencyFinding.INCONCLUSIVE), ConcurrencyFinding.NONE),
        ((ConcurrencyFinding.INCONCLUSIVE,), ConcurrencyFinding.INCONCLUSIVE),
        ((), ConcurrencyFinding.INCONCLUSIVE),
    ],
)
def test_one_number_of_threads_suffices_unless_another_says_the_opposite(findings, combined):
    assert (
        oracle.combine_findings(lane(number, finding) for number, finding in enumerate(findings, 2))
        is combined
    )


@pytest.mark.parametrize(
    ("finding", "control", "cause"),
    [
        (ConcurrencyFinding.REGRESSION, ConcurrencyFinding.REGRESSION, DifferenceCause.ANYWAY),
        (ConcurrencyFinding.REGRESSION, ConcurrencyFinding.NONE, DifferenceCause.CONCURRENCY),
        (
            ConcurrencyFinding.REGRESSION,
            ConcurrencyFinding.IMPROVEMENT,
            DifferenceCause.CONCURRENCY,
        ),
        (ConcurrencyFinding.REGRESSION, ConcurrencyFinding.INCONCLUSIVE, DifferenceCause.UNKNOWN),
        (ConcurrencyFinding.NONE, ConcurrencyFinding.NONE, DifferenceCause.UNKNOWN),
    ],
)
def test_the_control_says_whether_it_is_about_concurrency(finding, control, cause):
    assert oracle.decide_cause(finding, lane(SEQUENTIAL, control)) is cause
    assert oracle.decide_cause(finding, None) is DifferenceCause.UNKNOWN


def test_the_smallest_test_is_one_that_voted_for_the_finding():
    votes = [
        replace(test, timed=replace(test.timed, test=number))
        for number, test in enumerate(judge_votes(NEW, OLD, OLD, OLD).tests, 1)
    ]
    verdict = replace(lane(8, ConcurrencyFinding.REGRESSION), tests=tuple(votes))

    sizes = {1: 5, 2: 40, 3: 20, 4: 20}
    assert oracle.find_smallest_test(ConcurrencyFinding.REGRESSION, [verdict], sizes) == 3
    assert oracle.find_smallest_test(ConcurrencyFinding.NONE, [verdict], sizes) is None


@pytest.mark.parametrize(
    ("threads", "says"),
    [
        (1, ConcurrencyFinding.REGRESSION),
        (2, ConcurrencyFinding.NONE),
        (2, ConcurrencyFinding.INCONCLUSIVE),
    ],
)
def test_a_number_of_threads_that_does_not_say_the_finding_shows_no_smallest_test(threads, says):
    first, second = (
        replace(test, timed=replace(test.timed, test=number))
        for number, test in enumerate(judge_votes(OLD, OLD).tests, 1)
    )
    first_verdict = replace(lane(threads, says), tests=(first,))
    verdict = replace(lane(8, ConcurrencyFinding.REGRESSION), tests=(second,))

    assert (
        oracle.find_smallest_test(
            ConcurrencyFinding.REGRESSION, [first_verdict, verdict], {1: 5, 2: 40}
        )
        == 2
    )
