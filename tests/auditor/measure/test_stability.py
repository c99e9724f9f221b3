from dataclasses import replace

import pytest
from builders import benchmark, crashed, run, suite_run, suite_runs
from hypothesis import given
from hypothesis import strategies as st

from auditor.core.jobs import HostFacts
from auditor.core.plan import Purpose
from auditor.core.stability import Bucket, BucketCount, Duration, Filter
from auditor.core.units import seconds_per_operation
from auditor.measure.stability_judge import (
    UnmeasuredPart,
    choose_bucket,
    judge_suite_stability,
    measure_spread,
    slowdown_size,
)

TIMES = st.floats(1e-9, 1e3)
RUNS = st.lists(st.lists(TIMES, min_size=1, max_size=4), min_size=2, max_size=5)


def test_the_max_spread_is_the_largest_difference_over_the_mean():
    assert measure_spread([[9.0, 11.0], [12.0, 12.0], [14.0, 14.0]]) == pytest.approx(4 / 12)


def test_runs_of_unequal_length_are_related_to_the_mean_of_all_values():
    assert measure_spread([[1.0], [2.0, 2.0, 2.0]]) == pytest.approx(1 / 1.75)


@given(RUNS, st.floats(1e-3, 1e3))
def test_the_max_spread_has_no_unit_and_no_order(runs, factor):
    scaled = [[factor * value for value in reversed(run_values)] for run_values in reversed(runs)]

    assert measure_spread(scaled) == pytest.approx(measure_spread(runs), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("spread", "name"),
    [
        (0.0, Bucket.BELOW_5),
        (0.05, Bucket.BELOW_10),
        (0.10, Bucket.BELOW_25),
        (0.25, Bucket.BELOW_50),
        (0.50, Bucket.BELOW_50),
        (0.5001, Bucket.ABOVE_50),
    ],
)
def test_the_buckets_are_those_of_table_3(spread, name):
    assert choose_bucket(spread) is name


@pytest.mark.parametrize(("count", "position"), [(1, 1), (2, 1), (19, 18), (20, 19), (60, 57)])
def test_the_slowdown_is_twice_the_spread_at_the_one_based_floor(count, position):
    spreads = [value / 100 for value in range(count, 0, -1)]

    assert slowdown_size(spreads) == pytest.approx(2 * position / 100)


def test_nothing_sizes_no_slowdown():
    assert slowdown_size([]) is None
    assert slowdown_size([0.0, 0.0]) is None


def test_throughput_is_inverted_value_by_value():
    values = [seconds_per_operation(value, "ops/s") for value in (1.0, 4.0)]

    stability = judge_suite_stability([benchmark()], suite_runs([values, [1.0]]), wanted_runs=2)

    # the mean of 1 and 1/4, and not one over the mean of 1 and 4
    assert stability.benchmarks[0].means == pytest.approx((0.625, 1.0))


def test_all_forks_of_a_run_count():
    runs = [
        suite_run([value], repetition=repetition, fork=fork)
        for repetition, values in enumerate([(1.0, 3.0), (2.0, 4.0)], 1)
        for fork, value in enumerate(values, 1)
    ]

    (verdict,) = judge_suite_stability([benchmark()], runs, wanted_runs=2).benchmarks

    assert verdict.means == (2.0, 3.0)
    assert verdict.max_spread == pytest.approx(1 / 2.5)
    assert verdict.seconds == 2.0


def test_a_run_that_lacks_a_fork_is_not_complete():
    runs = [*suite_runs([[1.0], [1.0]]), suite_run([1.0], repetition=1, fork=2)]

    (verdict,) = judge_suite_stability([benchmark()], runs, wanted_runs=2).benchmarks

    assert (verdict.runs, verdict.max_spread) == (1, None)


def test_a_benchmark_that_crashed_once_is_listed_as_incomplete():
    runs = [*suite_runs([[1.0]]), run(crashed(), repetition=2)]

    (verdict,) = judge_suite_stability([benchmark()], runs, wanted_runs=2).benchmarks

    assert verdict.max_spread is None
    assert verdict.bucket is None
    assert verdict.ending == "crashed"
    assert verdict.reason == "run 2: exit code 2: panic: no"
    assert [caveat.text for caveat in verdict.caveats] == ["measured in 1 of 2 runs"]


def test_what_is_not_run_as_written_is_a_caveat_of_the_benchmark():
    annotated = replace(benchmark(), notes=("run in one fork", "run in one mode"))

    complete, short = (
        judge_suite_stability(
            [annotated], suite_runs([[1.0], [1.0]][:count]), wanted_runs=2
        ).benchmarks[0]
        for count in (2, 1)
    )

    assert [(caveat.slug, caveat.text) for caveat in complete.caveats] == [
        ("not-as-written", "run in one fork"),
        ("not-as-written", "run in one mode"),
    ]
    assert [caveat.slug for caveat in short.caveats] == ["incomplete", *["not-as-written"] * 2]


@pytest.mark.parametrize(
    ("block_seconds", "message"),
    [
        (None, []),
        (0.05, ["an iteration lasts 0.05 s as its author or JMH's default says"]),
        (2.0, ["an iteration lasts as planned, not 2 s, though set-up runs at each iteration"]),
    ],
)
def test_whose_length_an_iteration_has_is_said_where_it_means_something(block_seconds, message):
    fixed_benchmark = replace(
        benchmark(),
        block_seconds=block_seconds,
        fixed_length_reason="set-up runs at each iteration",
    )

    verdict = judge_suite_stability(
        [fixed_benchmark], suite_runs([[1.0], [1.0]], of_benchmark=fixed_benchmark), wanted_runs=2
    ).benchmarks[0]

    assert [caveat.text[:53] for caveat in verdict.caveats] == [text[:53] for text in message]


def test_a_failed_pilot_is_why_a_benchmark_was_never_run():
    pilot = run(crashed(-11, ""), purpose=Purpose.PILOT)

    (verdict,) = judge_suite_stability([benchmark()], [], wanted_runs=5, pilots=[pilot]).benchmarks

    assert (verdict.ending, verdict.runs, verdict.seconds) == ("crashed", 0, None)
    assert verdict.reason == "run 1: ended by signal 11"


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_a_value_that_is_no_time_makes_its_run_incomplete(value):
    (verdict,) = judge_suite_stability(
        [benchmark()], suite_runs([[1.0], [1.0, value]]), wanted_runs=2
    ).benchmarks

    assert (verdict.runs, verdict.max_spread) == (1, None)


def test_two_benchmarks_fill_the_buckets_and_the_durations():
    calm, wild = benchmark("BenchmarkCalm"), benchmark("BenchmarkWild")
    runs = [
        *suite_runs([[1.0], [1.0]], of_benchmark=calm, seconds=2.0),
        *suite_runs([[1.0], [3.0]], of_benchmark=wild, seconds=3.0),
    ]

    stability = judge_suite_stability([calm, wild], runs, wanted_runs=2)

    assert stability.buckets[0] == BucketCount(Bucket.BELOW_5, 1, 50.0)
    assert stability.buckets[-1] == BucketCount(Bucket.ABOVE_50, 1, 50.0)
    assert stability.suite_seconds == (5.0, 5.0)
    assert [caveat.slug for caveat in stability.caveats] == ["few-runs"]


def test_a_benchmark_that_never_works_leaves_the_suite_its_duration():
    works, fails = benchmark("BenchmarkWorks"), benchmark("BenchmarkFails")
    runs = [*suite_runs([[1.0], [1.0]], of_benchmark=works), run(crashed(), of_benchmark=fails)]

    assert judge_suite_stability([works, fails], runs, wanted_runs=2).suite_seconds == (1.0, 1.0)


def test_one_run_has_no_spread_and_says_so():
    stability = judge_suite_stability([benchmark()], suite_runs([[1.0]]), wanted_runs=1)

    assert stability.benchmarks[0].max_spread is None
    assert stability.caveats[0].text.endswith("at least 2; make 5 runs")


def test_runs_on_machines_that_differ_are_said_to_be_mixed():
    remote_run = suite_run([1.0], repetition=2, host=HostFacts("there"))

    stability = judge_suite_stability([benchmark()], [suite_run([1.0]), remote_run], wanted_runs=2)

    assert "mixed-hosts" in [caveat.slug for caveat in stability.caveats]


def test_what_could_not_be_listed_is_listed_as_such():
    unseen = UnmeasuredPart(unlisted=(("ring.BenchmarkFails", "it fails: as it must"),))

    stability = judge_suite_stability(
        [benchmark()], suite_runs([[1.0], [1.0]]), wanted_runs=2, unseen=unseen
    )

    last = stability.benchmarks[-1]
    assert (last.id, last.ending, last.max_spread) == ("ring.BenchmarkFails", "unlisted", None)
    assert last.reason == "it fails: as it must"
    assert sum(bucket.count for bucket in stability.buckets) == 1


def test_a_filter_says_of_how_many_and_what_nobody_knows():
    unseen = UnmeasuredPart(
        unlisted=(("ring.BenchmarkFails", "no"),),
        filter=Filter("^Bench", 9),
        perhaps=(("ring/broken", "no"),),
    )

    stability = judge_suite_stability(
        [benchmark()], suite_runs([[1.0], [1.0]]), wanted_runs=2, unseen=unseen
    )

    message = {caveat.slug: caveat.text for caveat in stability.caveats}["filtered"]
    assert message.startswith("2 of the suite's 9 benchmarks match '^Bench'")
    assert message.endswith("so they may match: ring/broken")
    assert stability.filter == Filter("^Bench", 9)


def test_a_filter_says_what_was_not_even_built_in_the_place_of_a_number_it_does_not_know():
    unseen = UnmeasuredPart(filter=Filter("^Bench", 1, 3))

    stability = judge_suite_stability(
        [benchmark()], suite_runs([[1.0], [1.0]]), wanted_runs=2, unseen=unseen
    )

    message = {caveat.slug: caveat.text for caveat in stability.caveats}["filtered"]
    assert message.startswith("1 of the suite's benchmarks match '^Bench'")
    assert message.endswith("not built, as nothing in them can match: 3")


def test_the_duration_is_that_of_complete_runs_beside_the_papers_limit():
    runs = [suite_run([1.0], repetition=repetition, seconds=repetition) for repetition in (1, 3)]

    duration = judge_suite_stability([benchmark()], runs, wanted_runs=2).duration

    assert duration == Duration(mean=2.0, sd=pytest.approx(2**0.5), limit=7200.0)
    assert judge_suite_stability([benchmark()], runs[:1], wanted_runs=2).duration.sd is None
    assert judge_suite_stability([benchmark()], [], wanted_runs=2).duration is None
