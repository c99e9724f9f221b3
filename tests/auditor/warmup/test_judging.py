"""A series and its warm-up, judged; what cannot be judged is said."""

import math

import numpy as np
import pytest
from steady_making import falling

from auditor.core.outcome import Skipped
from auditor.core.series.steady import BenchmarkSteadiness, SeriesSteadiness, SteadyLabel
from auditor.core.series.stored import StoredProcess
from auditor.core.suite import IterationSettings
from auditor.warmup.detector import Steadiness
from auditor.warmup.judging import judge_process
from auditor.warmup.kbkssd import KbKssd


class FixedStart:
    """A detector that returns a fixed start."""

    name, min_iterations, max_iterations, trained_length, iteration_seconds = "at", 4, 12, 8, 2.0

    def __init__(self, start):
        self.start = start

    def find_steady_start(self, values):
        return Steadiness(self.start)


SERIES = [2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.5]


def process(values=SERIES, warmups=0, **more):
    return StoredProcess(seconds=tuple(values[warmups:]), warmups=tuple(values[:warmups]), **more)


def test_a_short_warm_up_makes_results_worse():
    steadiness = judge_process(process(warmups=1), FixedStart(3))

    assert (steadiness.label, steadiness.steady_from) == (SteadyLabel.STEADY, 3)
    assert (steadiness.warm_up.early, steadiness.warm_up.late) == (2, 0)
    # (2 + 2 + 4 + 1.5) / 7 against 5.5 / 5
    assert steadiness.warm_up.relative_error == pytest.approx((9.5 / 7) / (5.5 / 5) - 1)


def test_a_long_warm_up_costs_time():
    steadiness = judge_process(process(warmups=4, iteration_seconds=3.0), FixedStart(1))

    assert (
        steadiness.warm_up.early,
        steadiness.warm_up.late,
        steadiness.warm_up.relative_error,
    ) == (
        0,
        3,
        0.0,
    )
    # Iterations end with the first operation after three seconds: 2 of 2 s twice, 3 of 1 s.
    assert steadiness.warm_up.wasted_seconds == pytest.approx(4 + 4 + 3)
    assert judge_process(process(warmups=4), FixedStart(1)).warm_up.wasted_seconds is None


def test_without_a_start_or_a_configuration_nothing_is_said_of_it():
    assert judge_process(process(warmups=2), FixedStart(None)).warm_up is None
    assert judge_process(process(), FixedStart(None)).label is SteadyLabel.NOT_STEADY
    assert judge_process(process(), FixedStart(2)).warm_up is None


@pytest.mark.parametrize(
    ("values", "slug"),
    [
        ([], "series-short"),
        ([1.0, 2.0, 3.0], "series-short"),
        ([1.0] * 3000, "series-unusable"),
        ([1.0, math.nan] * 1500, "series-unusable"),
        ([1.0, math.inf] * 1500, "series-unusable"),
        ([1.0, 0.0] * 1500, "series-unusable"),
        ([1.0, -1.0] * 1500, "series-unusable"),
    ],
)
def test_what_cannot_be_judged(values, slug):
    steadiness = judge_process(process(values, warmups=1), KbKssd(), (1, 2))

    assert (steadiness.label, steadiness.steady_from, steadiness.warm_up) == (
        SteadyLabel.UNKNOWN,
        None,
        None,
    )
    assert (steadiness.run, steadiness.fork, steadiness.iterations) == (1, 2, len(values))
    assert [caveat.slug for caveat in steadiness.caveats] == [slug]


def test_what_is_too_long_for_a_detector_is_said():
    steadiness = judge_process(process([1.0, 2.0] * 7), FixedStart(3))

    assert (steadiness.label, steadiness.steady_from) == (SteadyLabel.UNKNOWN, None)
    assert [caveat.slug for caveat in steadiness.caveats] == ["series-long"]
    assert judge_process(process([1.0, 2.0] * 6), FixedStart(3)).steady_from == 3


def test_series_of_another_length_than_it_was_made_for_are_judged_and_said():
    steadiness = judge_process(process([1.0, 2.0] * 5), FixedStart(3))

    assert (steadiness.steady_from, [caveat.slug for caveat in steadiness.caveats]) == (
        3,
        ["series-unlike"],
    )
    assert judge_process(process(), FixedStart(3)).caveats == ()


@pytest.mark.parametrize(
    ("seconds", "slugs"),
    [(None, []), (1.0, []), (4.0, []), (0.9, ["series-unlike"]), (4.1, ["series-unlike"])],
)
def test_iterations_much_longer_or_shorter_than_it_was_made_for_are_said(seconds, slugs):
    steadiness = judge_process(process(iteration_seconds=seconds), FixedStart(3))

    assert [caveat.slug for caveat in steadiness.caveats] == slugs


def test_a_detector_sees_all_of_it():
    values = falling(warm=700)

    steadiness = judge_process(process(values.tolist(), warmups=100), KbKssd())

    assert (steadiness.iterations, steadiness.steady_from, steadiness.warm_up.early) == (
        3000,
        700,
        600,
    )
    assert steadiness.warm_up.relative_error == pytest.approx(
        np.mean(values[100:]) / np.mean(values[700:]) - 1
    )


def asking(warm, measured=(2, 2.0)):
    return IterationSettings(
        warmup_iterations=warm[0],
        warmup_seconds=warm[1],
        measurement_iterations=measured[0],
        measurement_seconds=measured[1],
        forks=5,
    )


def test_what_its_author_configured_is_mapped_to_the_iterations_that_were_measured():
    # From the start on, 2 s each: the author's warm-up of one time 4 s is the first two, and then
    # four iterations are measured.
    early = judge_process(
        process(iteration_seconds=2.0, configured=asking((1, 4.0))), FixedStart(3)
    )
    late = judge_process(process(iteration_seconds=2.0, configured=asking((3, 2.0))), FixedStart(2))

    assert (early.warm_up.iterations, early.warm_up.early) == (2, 1)
    assert early.warm_up.relative_error == pytest.approx((2.0 + 1.0) / 2 / (5.5 / 5) - 1)
    assert (late.warm_up.iterations, late.warm_up.late, late.warm_up.wasted_seconds) == (3, 1, 2.0)


def test_a_warm_up_longer_than_what_was_measured_goes_on_as_it_ended():
    # Seven iterations last 2 s, the last one 3 s; so 10 s more are four like that one.
    steadiness = judge_process(
        process(iteration_seconds=2.0, configured=asking((1, 27.0))), FixedStart(3)
    )

    assert (steadiness.warm_up.iterations, steadiness.warm_up.late) == (8 + 4, 9)
    assert steadiness.warm_up.wasted_seconds == pytest.approx(17.0 - 6.0 + 4 * 3.0)


def test_a_process_that_failed_is_not_judged():
    steadiness = judge_process(StoredProcess(failure=Skipped("no such file")), FixedStart(3))

    assert (steadiness.label, steadiness.iterations) == (SteadyLabel.UNKNOWN, 0)
    assert [(caveat.slug, caveat.text) for caveat in steadiness.caveats] == [
        ("series-unusable", "no such file")
    ]


def benchmark_steadiness(*labels):
    series = [
        SeriesSteadiness(run=0, fork=index, iterations=9, label=label, steady_from=start)
        for index, (label, start) in enumerate(labels)
    ]
    return BenchmarkSteadiness(id="b", series=tuple(series))


def test_a_benchmark_is_what_its_processes_are_together():
    steady, not_steady = (SteadyLabel.STEADY, 5), (SteadyLabel.NOT_STEADY, None)
    unknown = (SteadyLabel.UNKNOWN, None)

    assert benchmark_steadiness(steady, steady).steady_label is SteadyLabel.STEADY
    assert benchmark_steadiness(steady, not_steady).steady_label is SteadyLabel.INCONSISTENT
    assert benchmark_steadiness(not_steady, unknown).steady_label is SteadyLabel.NOT_STEADY
    assert benchmark_steadiness(unknown).steady_label is SteadyLabel.UNKNOWN
    assert benchmark_steadiness(steady, unknown).steady_label is SteadyLabel.UNKNOWN
    assert (
        benchmark_steadiness(steady, not_steady, unknown).steady_label is SteadyLabel.INCONSISTENT
    )
    assert benchmark_steadiness().steady_label is SteadyLabel.UNKNOWN
    assert benchmark_steadiness(steady, (SteadyLabel.STEADY, 9)).warm_iterations == 9
    assert benchmark_steadiness(not_steady).warm_iterations is None
