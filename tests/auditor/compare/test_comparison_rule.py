"""Base against head: false alarms, power, and what is said of each benchmark."""

import numpy as np
import pytest

from auditor.compare.judge import (
    SCREENING_ROUNDS,
    ComparisonThresholds,
    differs_from_itself,
    judge_dimension,
    screen_rounds,
)
from auditor.compare.model import Dimension, PerformanceChange, Rounds

LIMITS = ComparisonThresholds(min_delta=0.05, fresh=8)
ROUNDS = 10


def draw_rounds(rng, rounds, *, times=1.0, process=0.02, disturbed=0.1, factor=1.6, drift=0.0):
    """Draw rounds of processes that scatter by `process`, some of which are `factor` times as long.

    Rounds scatter by `drift`.
    """
    noise = rng.normal(0, process, (rounds, 3)) + np.log(factor) * (
        rng.random((rounds, 3)) < disturbed
    )
    noise += rng.normal(0, drift, (rounds, 1))
    values = 1e-6 * np.exp(noise) * [1.0, 1.0, times]
    return tuple(map(tuple, values.tolist()))


def compared(rng, benchmarks, changed=(), times=1.1, **noise):
    """Return the change of each benchmark of a suite, `changed` of which got slower."""
    first, suspects = {}, []
    for number in range(benchmarks):
        all_rounds = draw_rounds(rng, ROUNDS, times=times if number in changed else 1.0, **noise)
        for look in (*(count for count in SCREENING_ROUNDS if count < ROUNDS), ROUNDS):
            first[number] = all_rounds[:look]
            change = screen_rounds(Dimension.TIME, first[number], LIMITS)
            if change is not PerformanceChange.UNKNOWN:
                break
        if change in (PerformanceChange.REGRESSION, PerformanceChange.IMPROVEMENT):
            suspects.append(number)
    limits = ComparisonThresholds(min_delta=0.05, fresh=8, suspects=len(suspects))
    changes = []
    for index in range(benchmarks):
        more = times if index in changed else 1.0
        fresh = draw_rounds(rng, 8, times=more, **noise) if index in suspects else ()
        changes.append(
            judge_dimension(Dimension.TIME, Rounds(first=first[index], fresh=fresh), limits).change
        )
    return changes


@pytest.mark.parametrize(
    "noise",
    [
        {"process": 0.01},
        {"process": 0.04},
        {"process": 0.02, "disturbed": 0.3},
        {"process": 0.01, "disturbed": 0.5, "factor": 1.7},
        {"process": 0.03, "disturbed": 0.0, "drift": 0.2},
    ],
)
def test_of_suites_in_which_nothing_has_changed_one_in_a_hundred_alarms_at_most(noise):
    rng = np.random.default_rng(4)

    alarmed = sum(
        any(change is PerformanceChange.REGRESSION for change in compared(rng, 20, **noise))
        for _ in range(300)
    )

    assert alarmed <= 6  # of 300: with 1 % or less, more is rarer than one in a hundred


@pytest.mark.parametrize("noise", [{"disturbed": 0.05}, {"disturbed": 0.0, "drift": 0.2}])
def test_a_tenth_more_is_seen_in_a_stable_benchmark(noise):
    rng = np.random.default_rng(5)

    detections = sum(
        compared(rng, 20, changed=(3,), process=0.01, **noise)[3] is PerformanceChange.REGRESSION
        for _ in range(200)
    )

    assert detections >= 180


def test_what_has_not_changed_is_mostly_said_to_have_not():
    rng = np.random.default_rng(6)

    changes = [change for _ in range(50) for change in compared(rng, 20, process=0.01)]

    assert changes.count(PerformanceChange.NONE) > 0.9 * len(changes)


def rounds(base, head, number=6, second_base=None):
    """Return rounds that are alike."""
    return tuple((base, base if second_base is None else second_base, head) for _ in range(number))


@pytest.mark.parametrize(
    ("head", "change"),
    [
        (1.2, PerformanceChange.REGRESSION),
        (0.8, PerformanceChange.IMPROVEMENT),
        (1.01, PerformanceChange.NONE),
        (1.0, PerformanceChange.NONE),
    ],
)
def test_a_clear_change_that_fresh_rounds_confirm(head, change):
    measured_rounds = rounds(1.0, head)

    verdict = judge_dimension(
        Dimension.TIME, Rounds(first=measured_rounds, fresh=measured_rounds), LIMITS
    )

    assert verdict.change is change
    assert verdict.ratio == pytest.approx(head)
    assert verdict.confirmed is (None if change is PerformanceChange.NONE else True)
    assert verdict.interval[0] < head < verdict.interval[1]
    assert verdict.visible == pytest.approx(0.05)


def test_a_suspicion_that_fresh_rounds_do_not_confirm_is_no_regression():
    verdict = judge_dimension(
        Dimension.TIME, Rounds(first=rounds(1.0, 1.2, 4), fresh=rounds(1.0, 1.0, 8)), LIMITS
    )

    assert verdict.change in (PerformanceChange.NONE, PerformanceChange.UNKNOWN)
    assert verdict.confirmed is False
    assert "was not confirmed" in verdict.reason


def test_a_suspicion_that_could_not_be_looked_into_is_open():
    verdict = judge_dimension(Dimension.TIME, Rounds(first=rounds(1.0, 1.2)), LIMITS)

    assert (verdict.change, verdict.confirmed) == (PerformanceChange.UNKNOWN, False)
    assert "the time was up" in verdict.reason


def test_what_differs_from_itself_is_not_called_a_regression():
    measured_rounds = rounds(1.0, 1.3, second_base=1.2)

    verdict = judge_dimension(
        Dimension.TIME, Rounds(first=measured_rounds, fresh=measured_rounds), LIMITS
    )

    assert differs_from_itself(Dimension.TIME, measured_rounds, LIMITS)
    assert verdict.change is PerformanceChange.UNKNOWN
    assert verdict.reason == "it differs from itself as well"


def test_a_change_that_is_much_larger_than_that_is_one():
    measured_rounds = rounds(1.0, 1.6, second_base=1.06)

    verdict = judge_dimension(
        Dimension.TIME, Rounds(first=measured_rounds, fresh=measured_rounds), LIMITS
    )

    assert differs_from_itself(Dimension.TIME, measured_rounds, LIMITS)
    assert verdict.change is PerformanceChange.REGRESSION


def test_too_few_rounds_decide_nothing():
    verdict = judge_dimension(Dimension.TIME, Rounds(first=rounds(1.0, 2.0, 2)), LIMITS)

    assert (verdict.change, verdict.ratio, verdict.visible) == (
        PerformanceChange.UNKNOWN,
        None,
        None,
    )


@pytest.mark.parametrize("number", [2, 3])
def test_of_few_rounds_a_clear_slowdown_is_suspected(number):
    rng = np.random.default_rng(5)

    slower = [is_suspected_early(draw_rounds(rng, number, times=1.5)) for _ in range(200)]

    assert sum(slower) > 160


@pytest.mark.parametrize("noise", [{"process": 0.04}, {"process": 0.1}, {"drift": 0.2}])
def test_of_few_rounds_without_a_change_few_are_suspected(noise):
    rng = np.random.default_rng(6)

    unchanged = [is_suspected_early(draw_rounds(rng, 2, **noise)) for _ in range(400)]

    assert sum(unchanged) < 40


def test_a_single_round_suspects_nothing():
    assert not is_suspected_early(rounds(1.0, 3.0, 1))


def is_suspected_early(first):
    """Return whether these rounds are called suspicious, which too few of them may be at most."""
    verdict = judge_dimension(Dimension.TIME, Rounds(first=tuple(first)), LIMITS)

    assert verdict.change is PerformanceChange.UNKNOWN
    return verdict.suspected is PerformanceChange.REGRESSION


def test_noise_is_said_as_what_would_have_been_seen():
    rng = np.random.default_rng(3)
    quiet, noisy = (
        judge_dimension(
            Dimension.TIME, Rounds(first=draw_rounds(rng, 10, process=scatter, disturbed=0)), LIMITS
        )
        for scatter in (0.005, 0.2)
    )

    assert 3 * quiet.visible < noisy.visible
    assert noisy.change is PerformanceChange.UNKNOWN
    assert "no change is 0.952 to 1.05" in noisy.reason


@pytest.mark.parametrize(
    ("dimension", "base", "head", "change"),
    [
        (Dimension.ALLOCATIONS, 0, 1, PerformanceChange.REGRESSION),
        (Dimension.ALLOCATIONS, 2, 1, PerformanceChange.IMPROVEMENT),
        (Dimension.ALLOCATIONS, 1000, 1001, PerformanceChange.NONE),
        (Dimension.ALLOCATIONS, 0, 0, PerformanceChange.NONE),
        (Dimension.ALLOCATIONS, 0, 0.02, PerformanceChange.NONE),
        (Dimension.ALLOCATED, 0, 0.5, PerformanceChange.NONE),
        (Dimension.ALLOCATED, 0, 8, PerformanceChange.REGRESSION),
        (Dimension.ALLOCATED, 4096, 4100, PerformanceChange.NONE),
    ],
)
def test_allocations_are_compared_also_with_none(dimension, base, head, change):
    measured_rounds = rounds(base, head)

    assert (
        judge_dimension(
            dimension, Rounds(first=measured_rounds, fresh=measured_rounds), LIMITS
        ).change
        is change
    )


def test_the_values_of_a_row_are_those_of_the_rounds_that_its_ratio_is_of():
    """The machine was twice as fast in the first rounds."""
    verdict = judge_dimension(
        Dimension.TIME, Rounds(first=rounds(0.5, 0.75), fresh=rounds(1.0, 1.5, 8)), LIMITS
    )

    assert (verdict.base, verdict.head, verdict.ratio) == pytest.approx((1.0, 1.5, 1.5))
    assert not verdict.paired


def test_ratios_of_counts_are_those_of_the_counts_that_are_shown():
    """What is added to both sides for the rule is in none of them."""
    verdict = judge_dimension(
        Dimension.ALLOCATIONS, Rounds(first=rounds(1.0, 2.0), fresh=rounds(1.0, 2.0, 8)), LIMITS
    )

    assert (verdict.base, verdict.head, verdict.ratio) == (1.0, 2.0, 2.0)
    assert verdict.interval[0] < 2 < verdict.interval[1]


def test_a_ratio_within_rounds_that_the_means_of_the_sides_do_not_have_is_paired():
    """The machine got slower from round to round, and one process of head was disturbed."""
    drift = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]
    measured_rounds = tuple(
        (value, value * 1.001, value * (6 if value == 4 else 1.5)) for value in drift
    )

    verdict = judge_dimension(
        Dimension.TIME, Rounds(first=measured_rounds, fresh=measured_rounds), LIMITS
    )

    assert verdict.paired
    assert verdict.ratio == pytest.approx(1.5, rel=0.01)
    assert verdict.head == pytest.approx(verdict.base * verdict.ratio)


def test_a_suspicion_that_is_neither_confirmed_nor_refuted_is_open():
    verdict = judge_dimension(
        Dimension.TIME, Rounds(first=rounds(1.0, 1.2, 6), fresh=rounds(1.0, 1.0, 6)), LIMITS
    )

    assert verdict.change is PerformanceChange.UNKNOWN
    assert "not refuted either" in verdict.reason
    assert verdict.suspected is PerformanceChange.REGRESSION
