"""The time that an audit is likely to take, and the least budget."""

from dataclasses import replace

import pytest

from auditor.languages.go import GO
from auditor.languages.registry import LANGUAGES
from auditor.measure.planning.expected_time import (
    ExpectedTime,
    Workload,
    expected_time,
    least_seconds,
    too_small,
)

FIGURES = replace(
    GO.figures, start_seconds=0.15, build_seconds=2.0, used_part=0.6, low=0.6, high=1.9
)
LOAD = Workload(
    suite_seconds=20.0,
    counting_seconds=5.0,
    benchmarks=15,
    methods=20,
    calibration_blocks=0.3,
    pair_blocks=0.5,
    runs=2,
    measures_further=True,
)


def test_the_range_is_that_of_the_figures():
    time = expected_time(LOAD, FIGURES, None)

    assert time.high / time.low == pytest.approx(FIGURES.high / FIGURES.low)
    assert time.low > FIGURES.low * 25.0


def test_more_pairs_take_more_time_and_none_only_that_of_the_suite():
    none, many = (replace(LOAD, pairs=pairs) for pairs in (0, 400))

    assert expected_time(none, FIGURES, None).high == pytest.approx(
        FIGURES.high * (25 + FIGURES.result_seconds)
    )
    assert expected_time(many, FIGURES, None).high > expected_time(LOAD, FIGURES, None).high


def test_a_budget_limits_the_range_and_comes_first():
    time = expected_time(replace(LOAD, pairs=400), FIGURES, 60.0)

    assert (time.low, time.high) == (60.0, 60.0)
    assert time.range_text == "at most 60 s (budget)"
    assert (
        ExpectedTime(360.0, 540.0, 720.0).range_text
        == "at most 12 min (budget); expected 6 to 9 min"
    )


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.0, 0.0, "nothing is left to measure"),
        (50.0, 90.0, "expected 50 to 90 s"),
        (50.0, 300.0, "expected 50 s to 5 min"),
        (300.0, 300.0, "expected 5 min"),
        (3600.0, 9000.0, "expected 60 min to 2 h 30 min"),
    ],
)
def test_a_range_is_said_with_one_unit_where_it_has_one(low, high, text):
    assert ExpectedTime(low, high).range_text == text


def test_a_budget_that_decides_no_method_is_told_with_one_that_does():
    least = least_seconds(replace(LOAD, suite_seconds=0.4, counting_seconds=0.3), FIGURES)

    assert too_small(60.0, 10.0, least) is None
    assert too_small(11.0, 10.0, least) == (
        "--budget 11 s is too small to decide one method; the smallest that would do is about 14 s"
    )


def test_each_harness_has_figures():
    starts = {figures.start_seconds for figures in (language.figures for language in LANGUAGES)}

    assert len(starts) == 3
