"""Precision and recall are recomputed from what was measured (Section 5.4)."""

import pytest
from concurrencies import PLAN, timed
from concurrency_sensitivity import LabelledPair, decided, sensitivity

from auditor.core.contracts.concurrency import SEQUENTIAL, ConcurrencyFinding

WORSE, BETTER, NONE = (
    ConcurrencyFinding.REGRESSION,
    ConcurrencyFinding.IMPROVEMENT,
    ConcurrencyFinding.NONE,
)
TABLE_2 = (
    *((BETTER, BETTER),) * 3, *((WORSE, WORSE),) * 3, (BETTER, BETTER), (WORSE, NONE),
    (WORSE, WORSE), (NONE, BETTER), (BETTER, NONE), (NONE, WORSE), (BETTER, BETTER),
    (WORSE, WORSE), (BETTER, BETTER), (BETTER, NONE), (WORSE, NONE), *((NONE, NONE),) * 96,
)  # fmt: skip
"""(expected, reported) of the 113 pairs of classes of the paper."""


def make_pair(expected, *times, threads=8):
    """Return a pair whose tests take so many times as long with the new version."""
    measured = tuple(timed(number, threads, times=factor) for number, factor in enumerate(times, 1))
    return LabelledPair(expected, measured, PLAN)


def test_the_reports_of_the_paper_have_its_precision_and_recall():
    pairs = [LabelledPair(expected, (), PLAN) for expected, _ in TABLE_2]
    reported = iter([finding for _, finding in TABLE_2])

    (point,) = sensitivity(pairs, [0.05], lambda _timed, _plan: next(reported))

    assert len(pairs) == 113
    assert point == (0.05, pytest.approx(11 / 13), pytest.approx(11 / 15))


def test_votes_are_taken_anew_at_each_value():
    pairs = [
        make_pair(WORSE, 1.5, 1.6, 1.5),
        make_pair(WORSE, 1.07, 1.08, 1.07),
        make_pair(BETTER, 0.7, 0.7, 0.8),
        make_pair(NONE, 1.03, 1.03, 1.04),
        make_pair(NONE, 1.0, 1.0, 1.0),
    ]

    points = sensitivity(pairs, [0.01, 0.05, 0.2, 3.0])

    assert points == (
        (0.01, pytest.approx(3 / 4), 1.0),
        (0.05, 1.0, 1.0),
        (0.2, 1.0, pytest.approx(2 / 3)),
        (3.0, None, 0.0),
    )


def test_a_report_of_the_other_direction_is_not_expected():
    assert sensitivity([make_pair(WORSE, 0.5, 0.5, 0.5)], [0.05]) == ((0.05, 0.0, 0.0),)


def test_where_nothing_is_expected_there_is_no_recall():
    assert sensitivity([make_pair(NONE, 1.0, 1.0, 1.0)], [0.05]) == ((0.05, None, None),)
    assert sensitivity([], [0.05]) == ((0.05, None, None),)


def test_the_control_has_no_vote():
    control = make_pair(NONE, 2.0, 2.0, 2.0, threads=SEQUENTIAL)
    calm = make_pair(NONE, 1.0, 1.0, 1.0)

    assert decided((*calm.timed, *control.timed), PLAN) is ConcurrencyFinding.NONE
    assert decided(control.timed, PLAN) is ConcurrencyFinding.INCONCLUSIVE


def test_one_number_of_threads_suffices_for_a_report():
    calm, slower = make_pair(NONE, 1.0, 1.0, 1.0, threads=2), make_pair(WORSE, 1.5, 1.5, 1.5)

    assert decided((*slower.timed, *calm.timed), PLAN) is ConcurrencyFinding.REGRESSION
