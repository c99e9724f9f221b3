"""Spreads of runs that a busy machine has made."""

from dataclasses import replace

import pytest
from builders import abs_request, benchmark, mutant_run, suite_runs

from auditor.abs.judge import power
from auditor.abs.judge.detection import judge_pair
from auditor.abs.judge.pair import PairData
from auditor.core.jobs import HostInterference
from auditor.core.request import DetectionRule
from auditor.core.result import ReachState, Verdict
from auditor.measure.reach_judge import Reach
from auditor.measure.stability_judge import (
    find_busy_runs,
    judge_suite_stability,
    withheld_benchmarks,
)

BUSY = HostInterference(waited=0.9, foreign=0.6)
BENCHMARK_ONE = benchmark("BenchmarkOne")


def runs(*means, busy=()):
    """Return runs of these means; those at `busy` were made on a busy machine."""
    trial_runs = suite_runs(
        [[mean * 0.999, mean * 1.001] for mean in means], of_benchmark=BENCHMARK_ONE
    )
    return [
        replace(run, strain=BUSY) if index in busy else run for index, run in enumerate(trial_runs)
    ]


def judged(measured_runs):
    stability = judge_suite_stability(
        [BENCHMARK_ONE], measured_runs, wanted_runs=len(measured_runs)
    )
    return stability, stability.benchmarks[0]


def test_a_spread_that_the_machine_made_is_withheld():
    stability, verdict = judged(runs(1.0, 1.5, 1.0, 2.0, busy=(0, 1, 3)))

    assert (verdict.max_spread, verdict.bucket) == (None, None)
    assert len(verdict.means) == 4
    (message,) = [caveat.text for caveat in verdict.caveats if caveat.slug == "busy-machine"]
    assert message.startswith("3 of 4 runs were measured on a busy machine, so ")
    assert withheld_benchmarks(stability) == {verdict.id}
    assert all(bucket.count == 0 for bucket in stability.buckets)


def test_the_spread_is_that_of_the_quiet_runs_where_there_are_two():
    _, verdict = judged(runs(1.0, 1.5, 1.02, 2.0, busy=(1, 3)))

    assert verdict.max_spread == pytest.approx(0.02, rel=0.1)
    assert [caveat.slug for caveat in verdict.caveats] == ["busy-machine"]


def test_a_spread_that_is_small_on_a_busy_machine_is_small():
    stability, verdict = judged(runs(1.0, 1.01, 1.02, busy=(0, 1, 2)))

    assert verdict.max_spread == pytest.approx(0.02, rel=0.1)
    assert verdict.caveats == ()
    assert withheld_benchmarks(stability) == frozenset()


def test_an_unstable_benchmark_of_a_quiet_machine_is_unstable():
    _, verdict = judged(runs(1.0, 1.5, 1.0, 2.0))

    assert verdict.max_spread > 0.5
    assert find_busy_runs(runs(1.0, 1.5, 1.0, 2.0), 4) == {}


def test_a_run_that_was_made_again_is_in_the_place_of_the_busy_one():
    first_runs = runs(1.0, 1.01, 1.5, busy=(2,))
    repeat_run = replace(
        first_runs[0], trial=replace(first_runs[0].trial, repetition=1003), seconds=3.0
    )
    second_benchmark_runs = [
        replace(run, trial=replace(run.trial, benchmark=benchmark())) for run in first_runs
    ]

    stability = judge_suite_stability(
        [BENCHMARK_ONE, benchmark()],
        [*first_runs[:2], repeat_run, *second_benchmark_runs],
        wanted_runs=3,
    )

    assert stability.benchmarks[0].max_spread == pytest.approx(0.01, rel=0.2)
    assert stability.suite_seconds == (2.0, 2.0, 4.0)


def test_a_plan_is_not_called_weak_for_how_a_busy_machine_scatters():
    noisy = suite_runs([[1.0, 9.0, 1.0, 5.0, 2.0, 8.0]] * 3, of_benchmark=BENCHMARK_ONE)

    def visible(measured_runs):
        stability = judge_suite_stability([BENCHMARK_ONE], measured_runs, wanted_runs=3)
        return (
            power.add_detectable_slowdowns(
                stability, [BENCHMARK_ONE], measured_runs, abs_request(), ()
            )
            .benchmarks[0]
            .visible
        )

    assert visible(noisy) > 0.3
    assert visible([replace(run, strain=BUSY) for run in noisy]) is None


def by_the_paper(plain):
    """Return the verdict of the rule that compares processes which follow each other."""
    slowed = [
        mutant_run([1.6] * 20, of_benchmark=BENCHMARK_ONE, repetition=repetition)
        for repetition in (1, 2)
    ]
    return judge_pair(
        PairData(
            method="m",
            benchmark=BENCHMARK_ONE,
            slowdown=0.6,
            rule=DetectionRule.PAPER,
            process_count=2,
            reach=Reach(state=ReachState.IN_LOOP),
            plain=tuple(plain),
            runs=tuple(slowed),
        )
    )


def test_processes_that_follow_each_other_decide_nothing_on_a_busy_machine():
    plain = suite_runs([[1.0] * 20] * 3, of_benchmark=BENCHMARK_ONE)
    the_paper = by_the_paper(replace(run, strain=BUSY) for run in plain)

    assert by_the_paper(plain).outcome is Verdict.DETECTED
    assert the_paper.outcome is Verdict.INCONCLUSIVE
    assert [caveat.slug for caveat in the_paper.caveats] == ["busy-machine"]


def test_a_run_that_was_made_again_is_what_the_slowed_one_is_compared_with():
    plain = suite_runs([[1.0] * 20] * 3, of_benchmark=BENCHMARK_ONE)
    repeat_run = replace(plain[0], trial=replace(plain[0].trial, repetition=1001))

    assert by_the_paper([repeat_run, *plain[1:]]).outcome is Verdict.DETECTED
    assert "no-plain" in [caveat.slug for caveat in by_the_paper(plain[1:]).caveats]
